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
// An attempt of which the service never took the last byte stored nothing and
// may be repeated. One that the service answered with a refusal stored nothing
// and is not repeated, unless it was 429 or 503. Any other is unclear. It may
// be repeated only where a repeat cannot store twice: the service adds no
// suffix and overwrites nothing. "Already exists" after an unclear attempt
// then says that this attempt arrived, if the name is one that nobody else has
// (api.NameHere). Where repeating is not safe the service is asked, if it
// lists files; what it shows is told, but a guess is never called an outcome.

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

// repeatable reports whether sending the job again can never store twice.
func repeatable(job *api.Job) bool {
	return !job.Upload.UseUniqueFileName.Or(true) && !job.Upload.OverwriteFile.Or(true)
}

// ownName reports whether the job has a name that nobody else has, and that
// nothing of that name is overwritten.
func ownName(job *api.Job) bool { return job.Naming == api.NameHere && repeatable(job) }

// mayBeSent reports whether a program that was killed may have sent the job
// without its journal knowing: under a name of ours that is noted late (see
// Queue.attempt).
func mayBeSent(job *api.Job) bool { return job.Left && !job.Unclear && ownName(job) }

// assessment is what an error of an attempt says.
type assessment struct {
	arrived  bool          // it may have been stored
	definite bool          // trying again would bring the same
	fresh    bool          // no attempt before this one can have arrived
	exists   bool          // it may say that there is such a file already
	doubtful bool          // most likely not stored, but that is not sure
	invited  bool          // the service asks to come again
	wait     time.Duration // and after how long; 0: it does not say
}

func assess(err error) assessment {
	var answer *api.ServiceError
	var send *api.SendError
	var accepted *api.AcceptedError
	switch {
	case errors.As(err, &accepted):
		return assessment{arrived: true, definite: true}
	case errors.Is(err, api.ErrNoRecord):
		return assessment{arrived: true}
	case errors.As(err, &answer):
		switch s := answer.Status; {
		case s == http.StatusTooManyRequests:
			return assessment{invited: true, wait: answer.Wait}
		case s == http.StatusServiceUnavailable:
			// The service says that it has not done it. Where the words are
			// those of something between it and us, it may have.
			return assessment{invited: true, arrived: answer.Complete && answer.Foreign, doubtful: answer.Complete, wait: answer.Wait}
		case s >= 500:
			return assessment{arrived: answer.Complete, wait: answer.Wait}
		default:
			return assessment{definite: true, exists: s == http.StatusBadRequest || s == http.StatusConflict}
		}
	case errors.As(err, &send):
		return assessment{arrived: send.Complete, definite: errors.Is(err, api.ErrInsecure)}
	}
	return assessment{definite: !errors.Is(err, context.Canceled)}
}

// settle gives a job its outcome. If an attempt may have arrived, no outcome
// but stored or unknown can be claimed, and the service is asked.
func (q *Queue) settle(ctx context.Context, job api.Job, outcome api.State) verdict {
	if !job.Unclear && !mayBeSent(&job) {
		job.State = outcome
		return verdict{job: job}
	}
	found := q.look(ctx, &job)
	switch {
	case found.file != nil:
		return stored(job, found.file)
	case found.looked && !job.Unclear:
		job.State, job.Left = outcome, false
		return verdict{job: job}
	case found.closing && outcome != api.Cancelled:
		// No time to find out: the next program does.
		job.State = api.Waiting
		return verdict{job: job}
	case job.Failure == nil && outcome == api.Cancelled:
		job.Failure = &api.Failure{Message: "it was cancelled when it may have arrived already"}
	case job.Failure == nil:
		job.Failure = &api.Failure{Message: "the program ended while it was being sent, before an answer came"}
	}
	return unknown(job, found)
}

// unknown says of a job what happened and what a look at the library showed.
func unknown(job api.Job, found finding) verdict {
	failure := *job.Failure
	failure.Help = found.words
	job.State, job.Failure, job.Unclear, job.Left = api.Unknown, &failure, true, false
	return verdict{job: job}
}

func stored(job api.Job, file *api.File) verdict {
	job.State, job.File, job.Failure, job.Unclear, job.Left = api.Stored, file, nil, false, false
	return verdict{job: job}
}

// existsWords are what services say of a name that is taken. The specification
// leaves the words open (service.md §7).
var (
	existsWords = regexp.MustCompile(`(?i)exist|already|overwr|taken|in use|duplicate|same name|conflict`)
	// Of something else, such as a field of metadata that is not there.
	missingWords = regexp.MustCompile(`(?i)(\bnot|n't|\bnever|\bno longer)( yet)? exist\w*|non-?exist\w*`)
)

// saysTaken reports whether a refusal speaks of a name that is taken.
func saysTaken(f *api.Failure) bool {
	return f.Status == http.StatusConflict || existsWords.MatchString(missingWords.ReplaceAllString(f.Message, ""))
}

// settleExists gives an outcome to a job that was refused as if the name were
// taken, which most likely it is by an attempt before; fresh: there was none.
func (q *Queue) settleExists(ctx context.Context, job api.Job, fresh bool) verdict {
	if !ownName(&job) {
		return q.settle(ctx, job, api.Refused)
	}
	taken := saysTaken(job.Failure)
	found := q.look(ctx, &job)
	switch {
	case found.file != nil:
		return stored(job, found.file)
	case found.closing:
		job.State, job.Unclear = api.Waiting, true
		return verdict{job: job}
	case taken && !fresh:
		// Nobody else makes this name: what exists is ours.
		v := stored(job, nil)
		v.job.Failure = &api.Failure{
			Message: "It is stored as " + job.Upload.Path() + ". The answer with its record was lost on the way.",
			Help:    "An attempt before was stored; this is known because the service refused to store it again. " + found.words,
		}
		return v
	case found.looked || !job.Unclear && !job.Left:
		// The refusal is about something else, and nothing arrived.
		job.State, job.Unclear, job.Left = api.Refused, false, false
		return verdict{job: job}
	}
	return unknown(job, found)
}
