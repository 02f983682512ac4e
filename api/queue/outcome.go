package queue

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"regexp"
	"time"

	"mediadesk/api"
)

// How uploads are stored exactly once:
//
//   - If the service did not receive the last byte of an attempt, nothing was stored, and the
//     attempt may be repeated. If it refused the upload, nothing was stored, and only 429 and 503
//     are repeated.
//   - Otherwise the file may be stored. It is sent again only if a repeat cannot store it twice,
//     because the service adds no suffix and overwrites nothing (api.Job.RepeatsSafely). Such a job
//     is repeated until the service answers. Under a name made here (api.NameHere) an existing file
//     is ours. Under an exact name, its size, time and content are compared with what was sent.
//   - In all other cases the service is searched for the file, if it lists files. The result is
//     shown, but a guess never becomes an outcome.

// maxAttempts limits the attempts for a job that is answered with 5xx and cannot have been stored.
const maxAttempts = 5

const (
	firstBackoff      = 500 * time.Millisecond
	maxBackoff        = 30 * time.Second // with a connection
	maxOfflineBackoff = 2 * time.Minute  // without a connection
)

// backoff returns the wait after attempt n, counted from 0: a random part of a time that doubles up
// to longest.
func backoff(n int, longest time.Duration) time.Duration {
	limit := longest
	if n < 8 {
		limit = min(firstBackoff<<n, longest)
	}
	return rand.N(limit) + 1
}

// contact is what an attempt tells about the connection.
type contact uint8

const (
	noAttempt    contact = iota
	answer               // the service answered
	noAnswer             // connected but not answered
	noConnection         // not connected
)

// assessment is the evaluation of an attempt's error.
type assessment struct {
	contact    contact
	host       string        // host without a connection
	evidence   api.Evidence  // of this attempt alone
	definite   bool          // a repeat would give the same result
	processing bool          // the service is processing it
	counted    bool          // limited to maxAttempts
	overload   bool          // fewer uploads at a time may help
	requested  bool          // the service requests a retry
	queueWaits bool          // it accepts no uploads until then
	wait       time.Duration // before the retry; 0 if unknown
}

func assess(job *api.Job, err error) assessment {
	var refusal *api.ServiceError
	var send *api.SendError
	var accepted *api.AcceptedError
	maybe := func(complete bool) api.Evidence {
		if complete {
			return api.MaybeStored
		}
		return api.NotSent
	}
	switch {
	case errors.As(err, &accepted):
		return assessment{contact: answer, evidence: api.MaybeStored, definite: true, processing: true}
	case errors.Is(err, api.ErrNoRecord):
		return assessment{contact: answer, evidence: api.MaybeStored}
	case errors.As(err, &refusal):
		a := assessment{contact: answer, wait: refusal.Wait, counted: refusal.Wait == 0}
		switch s := refusal.Status; {
		case s == http.StatusTooManyRequests:
			a.requested, a.queueWaits, a.overload, a.counted = true, true, true, false
		case s >= 500:
			a.requested = s == http.StatusServiceUnavailable
			a.overload = a.requested
			switch {
			case !refusal.NotDone():
				a.evidence = maybe(refusal.Complete)
			case refusal.Complete && job.OwnName():
				a.evidence = api.Orphaned // refused, but after receiving it
			}
		default:
			return assessment{contact: answer, definite: true}
		}
		return a
	case errors.As(err, &send):
		a := assessment{contact: noAnswer, evidence: maybe(send.Complete), definite: errors.Is(err, api.ErrInsecure), overload: send.Timeout()}
		if send.NoConnection {
			a.contact, a.host, a.overload = noConnection, send.Host, false
		}
		return a
	}
	return assessment{definite: !errors.Is(err, context.Canceled)}
}

// stronger returns the evidence that makes a stored file more likely.
func stronger(a, b api.Evidence) api.Evidence {
	if a == api.MaybeStored || b == api.NotSent {
		return a
	}
	return b
}

// goal is what to achieve for a job. With claim, the job has its outcome already, unless it turns
// out to be stored.
type goal uint8

const (
	begin  goal = iota // send it for the first time in this program
	repeat             // send it again
	force              // send it even if it may be stored twice, as the user decided
	claim              // give it an outcome
)

// Step is the next step for a job.
type Step uint8

// Steps.
const (
	Send         Step = iota // an attempt
	Check                    // ask the service about it
	Leave                    // leave it to the next program
	Later                    // wait and begin again
	Claim                    // accept the outcome it has
	ClaimStored              // outcome stored
	ClaimUnknown             // outcome unknown
)

// maySend reports whether another attempt cannot store the job twice.
func maySend(job *api.Job, evidence api.Evidence) bool {
	return evidence != api.MaybeStored || job.RepeatsSafely()
}

var (
	saysExists = regexp.MustCompile(`(?i)\bexists?\b|same name|\b(is|already) (taken|in use)\b|duplicate`)
	saysNot    = regexp.MustCompile(`(?i)\b(no|not|never|cannot|nothing)\b.*\bexists?\b|n't exist`)
)

// nameExists reports whether a refusal means that a file of that name exists: status 409, or 400
// with a message that says so. Status 400 has other causes, too (service.md §7).
func nameExists(f *api.Failure) bool {
	return f.Status == http.StatusConflict || f.Status == http.StatusBadRequest && saysExists.MatchString(f.Message) && !saysNot.MatchString(f.Message)
}

// decide returns the next step for a job from the evidence of its attempts and the result of the
// last check. All these decisions are made here.
func decide(job *api.Job, want goal, evidence api.Evidence, check presence) Step {
	// The name is unique, so a refusal that may mean that it exists needs a check.
	taken := want == claim && job.State == api.Refused && job.OwnName() && job.Failure != nil &&
		(job.Failure.Status == http.StatusBadRequest || job.Failure.Status == http.StatusConflict)
	switch {
	case evidence == api.SurelyStored || check == isThere:
		return ClaimStored
	case want == force && !job.RepeatsSafely():
		return Send
	case want != claim && maySend(job, evidence):
		// Checking is cheaper than sending a large file again.
		if check == notChecked && evidence == api.MaybeStored && job.OwnName() && (want == begin || job.Identity.Size >= checkFirst) {
			return Check
		}
		return Send
	case want == claim && evidence == api.NotSent && !taken:
		return Claim
	case check == notChecked:
		return Check
	case check == isOther && want == claim && job.State != api.Unknown:
		return Claim // a late arrival would be refused, too
	case check == noTime && (want != claim || job.State != api.Cancelled):
		return Leave
	case want != claim, job.State == api.Cancelled && (evidence != api.Orphaned || check != isMissing):
		return ClaimUnknown
	case job.State == api.Processing, taken && evidence == api.NotSent:
		return Claim
	case check == checkFailed && job.RepeatsSafely() && job.State != api.Unknown:
		return Later
	case taken && nameExists(job.Failure) && check != checkFailed:
		return ClaimStored // even if a listing does not show it yet
	case check == isMissing && job.State != api.Unknown && job.RepeatsSafely():
		return Claim
	}
	return ClaimUnknown
}

// settle follows decide until a job waits or has its outcome.
func (q *Queue) settle(ctx context.Context, e *entry, job api.Job, want goal) result {
	var found checkResult
	for {
		switch decide(&job, want, job.Evidence, found.presence) {
		case Send:
			return q.attempt(ctx, e, job)
		case Check:
			found = q.check(ctx, &job)
		case Leave:
			job.State = api.Waiting
			job.Evidence = stronger(job.Evidence, api.Orphaned)
			return result{job: job}
		case Later:
			return q.checkLater(e, job)
		case Claim:
			if job.State != api.Processing {
				job.Evidence = api.NotSent
			}
			return result{job: job}
		case ClaimStored:
			if found.presence == isMissing && q.mayCheckAgain(e) {
				return q.checkLater(e, job) // listings may lag behind
			}
			return stored(job, found)
		case ClaimUnknown:
			return unknown(job, found)
		}
	}
}

// mayCheckAgain reports whether to repeat a listing that does not show a file.
func (q *Queue) mayCheckAgain(e *entry) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return e.failures < maxAttempts
}

func (q *Queue) checkLater(e *entry, job api.Job) result {
	job.State, job.Evidence = api.Waiting, stronger(job.Evidence, api.Orphaned)
	q.mu.Lock()
	defer q.mu.Unlock()
	wait := backoff(e.failures, maxOfflineBackoff)
	e.failures++
	return result{job: job, wait: wait}
}

// unknown describes what happened to a job and what the service showed.
func unknown(job api.Job, found checkResult) result {
	failure := api.Failure{Message: "the program ended while it was being sent, before an answer came"}
	switch {
	case job.Failure != nil:
		failure = *job.Failure
	case job.State == api.Cancelled:
		failure.Message = "it was canceled when it may have arrived already"
	}
	failure.Help = found.help
	job.Dismissed = job.Dismissed || job.State == api.Cancelled
	job.State, job.Failure, job.Evidence = api.Unknown, &failure, api.MaybeStored
	return result{job: job}
}

// stored gives a job its outcome. A lost record is nil.
func stored(job api.Job, found checkResult) result {
	job.State, job.File, job.Failure, job.Evidence = api.Stored, found.file, nil, api.SurelyStored
	if found.file == nil {
		job.Failure = &api.Failure{
			Message: "It is stored as " + api.PathOf(&job.Upload) + ". The answer with its record was lost.",
			Help:    "An earlier attempt stored it: the service refused to store it again.",
		}
		if found.presence == isThere {
			job.Failure.Help = found.help
		}
	}
	return result{job: job}
}
