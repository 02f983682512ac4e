package queue

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"regexp"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
)

// How uploads are stored exactly once:
//
//   - If the service did not receive the last byte of an attempt, nothing was stored, and the
//     attempt may be repeated. If it refused the upload, nothing was stored, and only 429 and 503
//     are repeated.
//   - Otherwise the file may be stored. It is sent again only if a repeat cannot store it twice,
//     because the service adds no suffix and overwrites nothing (job.Job.RepeatsSafely). Such a job
//     is repeated until the service answers. Under a name made here (job.NameHere) an existing file
//     is ours. Under an exact name, its size, time and content are compared with what was sent.
//   - In all other cases the service is searched for the file, if it lists files. The result is
//     shown, but a guess never becomes an outcome.

// maxAttempts limits the attempts for a job that is answered with 5xx and cannot have been stored.
const maxAttempts = 5

const (
	firstRetryDelay = 500 * time.Millisecond
	maxRetryDelay   = 30 * time.Second // with a connection
	maxOfflineDelay = 2 * time.Minute  // without a connection
)

// backoff returns the delay after attempt n, counted from 0: a random part of a time that doubles
// up to maxDelay.
func backoff(n int, maxDelay time.Duration) time.Duration {
	return rand.N(min(firstRetryDelay<<min(n, 8), maxDelay)) + 1
}

type contact uint8

const (
	noAttempt    contact = iota
	answer               // the service answered
	noAnswer             // connected but not answered
	noConnection         // not connected
)

type assessment struct {
	contact    contact
	host       string        // host without a connection
	evidence   job.Evidence  // of this attempt alone
	definite   bool          // a repeat would give the same result
	processing bool          // the service is processing it
	counted    bool          // limited to maxAttempts
	overload   bool          // fewer uploads at a time may help
	requested  bool          // the service requests a retry
	queueWaits bool          // it accepts no uploads until then
	delay      time.Duration // before the retry; 0 if unknown
}

func assess(j *job.Job, err error) assessment {
	var refusal *api.ServiceError
	var send *api.SendError
	var accepted *api.AcceptedError
	maybe := func(complete bool) job.Evidence {
		if complete {
			return job.MaybeStored
		}
		return job.NotSent
	}
	switch {
	case errors.As(err, &accepted):
		return assessment{contact: answer, evidence: job.MaybeStored, definite: true, processing: true}
	case errors.Is(err, api.ErrNoRecord):
		return assessment{contact: answer, evidence: job.MaybeStored}
	case errors.As(err, &refusal):
		a := assessment{contact: answer, delay: refusal.RetryDelay, counted: refusal.RetryDelay == 0}
		switch s := refusal.Status; {
		case s == http.StatusTooManyRequests:
			a.requested, a.queueWaits, a.overload, a.counted = true, true, true, false
		case s >= 500:
			a.requested = s == http.StatusServiceUnavailable
			a.overload = a.requested
			switch {
			case !refusal.NotDone():
				a.evidence = maybe(refusal.Complete)
			case refusal.Complete && j.HasUniqueName():
				a.evidence = job.Orphaned // refused, but after receiving it
			}
		default:
			return assessment{contact: answer, definite: true}
		}
		return a
	case errors.As(err, &send):
		a := assessment{
			contact: noAnswer, evidence: maybe(send.Complete),
			definite: errors.Is(err, api.ErrInsecure), overload: send.Timeout(),
		}
		if send.NoConnection {
			a.contact, a.host, a.overload = noConnection, send.Host, false
		}
		return a
	}
	return assessment{definite: !errors.Is(err, context.Canceled)}
}

// stronger returns the evidence that makes a stored file more likely.
func stronger(a, b job.Evidence) job.Evidence {
	if a == job.MaybeStored || b == job.NotSent {
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

func maySend(j *job.Job, evidence job.Evidence) bool {
	return evidence != job.MaybeStored || j.RepeatsSafely()
}

var (
	saysExists = regexp.MustCompile(`(?i)\bexists?\b|same name|\b(is|already) (taken|in use)\b|duplicate`)
	saysNot    = regexp.MustCompile(`(?i)\b(no|not|never|cannot|nothing)\b.*\bexists?\b|n't exist`)
)

// nameExists reports whether a refusal means that a file of that name exists: status 409, or 400
// with a message that says so. Status 400 has other causes, too (service.md §7).
func nameExists(f *job.Failure) bool {
	return f.Status == http.StatusConflict || f.Status == http.StatusBadRequest &&
		saysExists.MatchString(f.Message) && !saysNot.MatchString(f.Message)
}

// checkFirst is the size in bytes from which an unclear attempt is checked before it is repeated.
const checkFirst = 1 << 20

// decide returns the next step for a job from the evidence of its attempts and the result of the
// last check. All these decisions are made here.
func decide(j *job.Job, want goal, evidence job.Evidence, check presence) Step {
	// The name is unique, so a refusal that may mean that it exists needs a check.
	taken := want == claim && j.State == job.Refused && j.HasUniqueName() && j.Failure != nil &&
		(j.Failure.Status == http.StatusBadRequest || j.Failure.Status == http.StatusConflict)
	switch {
	case evidence == job.SurelyStored || check == isThere:
		return ClaimStored
	case want == force && !j.RepeatsSafely():
		return Send
	case want != claim && maySend(j, evidence):
		// Checking is cheaper than sending a large file again.
		if check == notChecked && evidence == job.MaybeStored && j.HasUniqueName() &&
			(want == begin || j.Identity.Size >= checkFirst) {
			return Check
		}
		return Send
	case want == claim && evidence == job.NotSent && !taken:
		return Claim
	case check == notChecked:
		return Check
	case check == isOther && want == claim && j.State != job.Unknown:
		return Claim // a late arrival would be refused, too
	case check == noTime && (want != claim || j.State != job.Canceled):
		return Leave
	case want != claim, j.State == job.Canceled && (evidence != job.Orphaned || check != isMissing):
		return ClaimUnknown
	case j.State == job.Processing, taken && evidence == job.NotSent:
		return Claim
	case check == checkFailed && j.RepeatsSafely() && j.State != job.Unknown:
		return Later
	case taken && nameExists(j.Failure) && check != checkFailed:
		return ClaimStored // even if a listing does not show it yet
	case check == isMissing && j.State != job.Unknown && j.RepeatsSafely():
		return Claim
	}
	return ClaimUnknown
}

func (q *Queue) settle(ctx context.Context, e *entry, j job.Job, want goal) result {
	var found checkResult
	for {
		switch decide(&j, want, j.Evidence, found.presence) {
		case Send:
			return q.attempt(ctx, e, j)
		case Check:
			found = q.check(ctx, &j)
		case Leave:
			j.State = job.Waiting
			j.Evidence = stronger(j.Evidence, job.Orphaned)
			return result{job: j}
		case Later:
			return q.checkLater(e, j)
		case Claim:
			if j.State != job.Processing {
				j.Evidence = job.NotSent
			}
			return result{job: j}
		case ClaimStored:
			if found.presence == isMissing && locked(q, func() bool { return e.failures < maxAttempts }) {
				return q.checkLater(e, j) // listings may lag behind
			}
			return stored(j, found)
		case ClaimUnknown:
			return unknown(j, found)
		}
	}
}

func (q *Queue) checkLater(e *entry, j job.Job) result {
	j.State, j.Evidence = job.Waiting, stronger(j.Evidence, job.Orphaned)
	q.mu.Lock()
	defer q.mu.Unlock()
	delay := backoff(e.failures, maxOfflineDelay)
	e.failures++
	return result{job: j, delay: delay}
}

func unknown(j job.Job, found checkResult) result {
	failure := job.Failure{Message: "the program ended while it was being sent, before an answer came"}
	switch {
	case j.Failure != nil:
		failure = *j.Failure
	case j.State == job.Canceled:
		failure.Message = "it was canceled when it may have arrived already"
	}
	failure.Help = found.help
	j.Dismissed = j.Dismissed || j.State == job.Canceled
	j.State, j.Failure, j.Evidence = job.Unknown, &failure, job.MaybeStored
	return result{job: j}
}

// stored gives a job its outcome. A lost record is nil.
func stored(j job.Job, found checkResult) result {
	j.State, j.File, j.Failure, j.Evidence = job.Stored, found.file, nil, job.SurelyStored
	if found.file == nil {
		j.Failure = &job.Failure{
			Message: "It is stored as " + rule.PathOf(&j.Upload) + ". The answer with its record was lost.",
			Help:    "An earlier attempt stored it: the service refused to store it again.",
		}
		if found.presence == isThere {
			j.Failure.Help = found.help
		}
	}
	return result{job: j}
}
