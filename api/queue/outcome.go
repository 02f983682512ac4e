package queue

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"mediadesk/api"
)

// The rules of sending exactly once.
//
// If the service never took the last byte of an attempt, nothing was stored, and
// the attempt may be repeated. If the service refused it, nothing was stored, and
// it is not repeated, except after 429 or 503. After anything else the file may be
// stored. It is then sent again only if a repeat cannot store it twice: the service
// adds no suffix and overwrites nothing (api.Job.RepeatsSafely). Under a name that
// was made here (api.NameHere), a file that exists is ours. In all other cases the
// service is asked for the file, if it shows its files. What it shows is told, but
// a guess is never called an outcome, and neither are the words of a refusal.

// maxTries is how often a job is sent before a person is asked.
const maxTries = 5

const (
	firstBackoff = 500 * time.Millisecond
	maxBackoff   = 30 * time.Second
)

// backoff is how long to wait after the n-th attempt, counted from 0: a random
// part of a time that doubles.
func backoff(n int) time.Duration {
	limit := maxBackoff
	if n < 6 {
		limit = min(firstBackoff<<n, maxBackoff)
	}
	return rand.N(limit) + 1
}

// assessment is what an error of an attempt says.
type assessment struct {
	evidence api.Evidence  // of this attempt alone
	definite bool          // trying again would bring the same
	invited  bool          // the service asks to come again
	wait     time.Duration // and after how long; 0: it does not say
}

func assess(job *api.Job, err error) assessment {
	var answer *api.ServiceError
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
		return assessment{evidence: api.MaybeStored, definite: true}
	case errors.Is(err, api.ErrNoRecord):
		return assessment{evidence: api.MaybeStored}
	case errors.As(err, &answer):
		switch s := answer.Status; {
		case s == http.StatusTooManyRequests:
			return assessment{invited: true, wait: answer.Wait}
		case s >= 500 && answer.NotDone():
			a := assessment{invited: s == http.StatusServiceUnavailable, wait: answer.Wait}
			if answer.Complete && job.OwnName() {
				a.evidence = api.Orphaned // the service says no, but not after what
			}
			return a
		case s == http.StatusServiceUnavailable:
			return assessment{evidence: maybe(answer.Complete), invited: true, wait: answer.Wait}
		case s >= 500:
			return assessment{evidence: maybe(answer.Complete), wait: answer.Wait}
		}
		return assessment{definite: true}
	case errors.As(err, &send):
		return assessment{evidence: maybe(send.Complete), definite: errors.Is(err, api.ErrInsecure)}
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

// asked is what is to be done about a job. With claim, the job already has the
// outcome that it gets unless it is stored.
type asked uint8

const (
	begin  asked = iota // send it, the first time in this program
	repeat              // send it once more
	force               // send it even if it is then stored twice: a person decided so
	claim               // give it an outcome
)

// Step is what happens next to a job.
type Step uint8

// The steps.
const (
	Send         Step = iota // an attempt
	Look                     // ask the service what became of it
	Leave                    // there is no time: the next program goes on
	Claim                    // the outcome that the job already has
	ClaimStored              // the outcome stored
	ClaimUnknown             // the outcome unknown
)

// maySend reports whether an attempt cannot store the job twice.
func maySend(job *api.Job, evidence api.Evidence) bool {
	return evidence != api.MaybeStored || job.RepeatsSafely()
}

// onlyNameInDoubt reports whether a service can refuse the request with 400 for
// nothing but its name: all other fields keep the rules of service.md §4.1, which
// are checked before sending, and none of them depends on the account, on another
// host or on the picture.
func onlyNameInDoubt(job *api.Job) bool {
	u := &job.Upload
	return u.Source.URL == "" && u.CustomMetadata.IsZero() && u.Extensions.IsZero() && u.CustomCoordinates.IsZero()
}

// decide returns the next step for a job, by what is known of its attempts and
// what the service showed. It is the only place where that is decided.
func decide(job *api.Job, what asked, evidence api.Evidence, look result) Step {
	// A name that is taken is refused with 400 or 409, but 400 has other reasons
	// too (service.md §7). Nobody else makes this name, so the service must be asked.
	taken := what == claim && job.State == api.Refused && job.OwnName() && job.Failure != nil &&
		(job.Failure.Status == http.StatusBadRequest || job.Failure.Status == http.StatusConflict)
	switch {
	case evidence == api.SurelyStored || look == isThere:
		return ClaimStored
	case what == force && !job.RepeatsSafely():
		return Send
	case what != claim && maySend(job, evidence):
		// Looking is cheaper than sending all of a large file again.
		if look == notLooked && evidence == api.MaybeStored && job.OwnName() && (what == begin || job.Identity.Size >= lookFirst) {
			return Look
		}
		return Send
	case what == claim && evidence == api.NotSent && !taken:
		return Claim
	case look == notLooked:
		return Look
	case look == noTime && (what != claim || job.State != api.Cancelled):
		return Leave
	case taken && look == isMissing, what == claim && evidence == api.Orphaned && look == isMissing:
		return Claim
	case taken && evidence == api.NotSent:
		return Claim
	case taken && job.Failure.Status == http.StatusConflict, taken && evidence == api.MaybeStored && onlyNameInDoubt(job):
		return ClaimStored
	}
	return ClaimUnknown
}

// settle follows decide until a job waits again or has its outcome.
func (q *Queue) settle(ctx context.Context, e *entry, job api.Job, what asked) verdict {
	var found finding
	for {
		switch decide(&job, what, job.Evidence, found.result) {
		case Send:
			return q.attempt(ctx, e, job)
		case Look:
			found = q.look(ctx, &job)
		case Leave:
			job.State = api.Waiting
			job.Evidence = stronger(job.Evidence, api.Orphaned)
			return verdict{job: job}
		case Claim:
			job.Evidence = api.NotSent
			return verdict{job: job}
		case ClaimStored:
			return stored(job, found)
		case ClaimUnknown:
			return unknown(job, found)
		}
	}
}

// unknown says of a job what happened and what the service showed.
func unknown(job api.Job, found finding) verdict {
	failure := api.Failure{Message: "the program ended while it was being sent, before an answer came"}
	switch {
	case job.Failure != nil:
		failure = *job.Failure
	case job.State == api.Cancelled:
		failure.Message = "it was cancelled when it may have arrived already"
	}
	failure.Help = found.words
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
			job.Failure.Help = found.words
		}
	}
	return verdict{job: job}
}
