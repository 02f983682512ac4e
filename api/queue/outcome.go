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

// The rules of sending exactly once.
//
// If the service never took the last byte of an attempt, nothing was stored, and
// the attempt may be repeated. If the service refused it, nothing was stored, and
// it is not repeated, except after 429 or 503. After anything else the file may be
// stored. It is then sent again only if a repeat cannot store it twice: the service
// adds no suffix and overwrites nothing (api.Job.RepeatsSafely). Such a job is
// repeated until the service answers. Under a name that was made here
// (api.NameHere), a file that exists is ours. In all other cases the service is
// asked for the file, if it shows its files. What it shows is told, but a guess is
// never called an outcome.

// maxAttempts is how often a job is sent that the service answers with 5xx, if
// nothing of it can be stored.
const maxAttempts = 5

const (
	firstBackoff = 500 * time.Millisecond
	maxBackoff   = 30 * time.Second // after an answer
	maxOffline   = 2 * time.Minute  // where none came
)

// backoff is how long to wait after the n-th attempt, counted from 0: a random
// part of a time that doubles up to longest.
func backoff(n int, longest time.Duration) time.Duration {
	limit := longest
	if n < 8 {
		limit = min(firstBackoff<<n, longest)
	}
	return rand.N(limit) + 1
}

// contact is what an attempt says about the way to the service.
type contact uint8

const (
	noAttempt    contact = iota
	answer               // the service answered
	noAnswer             // there was a connection, and no answer
	noConnection         // no connection could be made
)

// assessment is what an error of an attempt says.
type assessment struct {
	contact    contact
	host       string        // where there was no connection
	evidence   api.Evidence  // of this attempt alone
	definite   bool          // trying again would bring the same
	processing bool          // the service works on it
	counted    bool          // it is repeated maxAttempts times at most
	overload   bool          // fewer uploads at a time may help
	invited    bool          // the service asks to come again
	wait       time.Duration // and after how long; 0: it does not say
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
			a.invited, a.overload, a.counted = true, true, false
		case s >= 500:
			a.invited = s == http.StatusServiceUnavailable
			a.overload = a.invited
			switch {
			case !refusal.NotDone():
				a.evidence = maybe(refusal.Complete)
			case refusal.Complete && job.OwnName():
				a.evidence = api.Orphaned // the service says no, but not after what
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

// stronger returns which of two pieces of evidence says more for a stored file.
func stronger(a, b api.Evidence) api.Evidence {
	if a == api.MaybeStored || b == api.NotSent {
		return a
	}
	return b
}

// goal is what is to be done about a job. With claim, the job already has the
// outcome that it gets unless it is stored.
type goal uint8

const (
	begin  goal = iota // send it, the first time in this program
	repeat             // send it once more
	force              // send it even if it is then stored twice: a person decided so
	claim              // give it an outcome
)

// Step is what happens next to a job.
type Step uint8

// The steps.
const (
	Send         Step = iota // an attempt
	Check                    // ask the service what became of it
	Leave                    // there is no time: the next program goes on
	Later                    // wait, then begin again
	Claim                    // the outcome that the job already has
	ClaimStored              // the outcome stored
	ClaimUnknown             // the outcome unknown
)

// maySend reports whether an attempt cannot store the job twice.
func maySend(job *api.Job, evidence api.Evidence) bool {
	return evidence != api.MaybeStored || job.RepeatsSafely()
}

var (
	saysExists = regexp.MustCompile(`(?i)\bexists?\b|same name|\b(is|already) (taken|in use)\b|duplicate`)
	saysNot    = regexp.MustCompile(`(?i)\b(no|not|never|cannot|nothing)\b.*\bexists?\b|n't exist`)
)

// nameExists reports whether a refusal says that there is a file of that name:
// with status 409, or with 400 and words for it. Status 400 has other reasons too
// (service.md §7).
func nameExists(f *api.Failure) bool {
	return f.Status == http.StatusConflict || f.Status == http.StatusBadRequest && saysExists.MatchString(f.Message) && !saysNot.MatchString(f.Message)
}

// decide returns the next step for a job, by what is known of its attempts and
// what the service showed. It is the only place where that is decided.
func decide(job *api.Job, want goal, evidence api.Evidence, check result) Step {
	// Nobody else makes this name, so a refusal that may mean that it exists is
	// worth a question.
	taken := want == claim && job.State == api.Refused && job.OwnName() && job.Failure != nil &&
		(job.Failure.Status == http.StatusBadRequest || job.Failure.Status == http.StatusConflict)
	switch {
	case evidence == api.SurelyStored || check == isThere:
		return ClaimStored
	case want == force && !job.RepeatsSafely():
		return Send
	case want != claim && maySend(job, evidence):
		// Asking is cheaper than sending all of a large file again.
		if check == notChecked && evidence == api.MaybeStored && job.OwnName() && (want == begin || job.Identity.Size >= checkFirst) {
			return Check
		}
		return Send
	case want == claim && evidence == api.NotSent && !taken:
		return Claim
	case check == notChecked:
		return Check
	case check == noTime && (want != claim || job.State != api.Cancelled):
		return Leave
	case want != claim, job.State == api.Cancelled && (evidence != api.Orphaned || check != isMissing):
		return ClaimUnknown
	case job.State == api.Processing, taken && evidence == api.NotSent:
		return Claim
	case check == checkFailed && job.RepeatsSafely() && job.State != api.Unknown:
		return Later
	case taken && nameExists(job.Failure) && check != checkFailed:
		return ClaimStored // also where a listing does not show it yet
	case check == isMissing && job.State != api.Unknown && job.OwnName():
		return Claim
	}
	return ClaimUnknown
}

// settle follows decide until a job waits again or has its outcome.
func (q *Queue) settle(ctx context.Context, e *entry, job api.Job, want goal) verdict {
	var found finding
	for {
		switch decide(&job, want, job.Evidence, found.result) {
		case Send:
			return q.attempt(ctx, e, job)
		case Check:
			found = q.check(ctx, &job)
		case Leave:
			job.State = api.Waiting
			job.Evidence = stronger(job.Evidence, api.Orphaned)
			return verdict{job: job}
		case Later:
			return q.checkLater(e, job)
		case Claim:
			if job.State != api.Processing {
				job.Evidence = api.NotSent
			}
			return verdict{job: job}
		case ClaimStored:
			if found.result == isMissing && q.mayCheckAgain(e) {
				return q.checkLater(e, job) // a listing may be late
			}
			return stored(job, found)
		case ClaimUnknown:
			return unknown(job, found)
		}
	}
}

// mayCheckAgain reports whether a listing that does not show a file is asked again.
func (q *Queue) mayCheckAgain(e *entry) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return e.failures < maxAttempts
}

// checkLater is the verdict on a job of which the service could not be asked what
// became of it.
func (q *Queue) checkLater(e *entry, job api.Job) verdict {
	job.State, job.Evidence = api.Waiting, stronger(job.Evidence, api.Orphaned)
	q.mu.Lock()
	defer q.mu.Unlock()
	wait := backoff(e.failures, maxOffline)
	e.failures++
	return verdict{job: job, wait: wait}
}

// unknown says of a job what happened and what the service showed.
func unknown(job api.Job, found finding) verdict {
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
	return verdict{job: job}
}

// stored gives a job its outcome. A record that is lost is nil.
func stored(job api.Job, found finding) verdict {
	job.State, job.File, job.Failure, job.Evidence = api.Stored, found.file, nil, api.SurelyStored
	if found.file == nil {
		job.Failure = &api.Failure{
			Message: "It is stored as " + job.Upload.Path() + ". The answer with its record was lost on the way.",
			Help:    "An earlier attempt stored it: the service refused to store it again.",
		}
		if found.result == isThere {
			job.Failure.Help = found.help
		}
	}
	return verdict{job: job}
}
