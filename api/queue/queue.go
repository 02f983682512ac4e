// Package queue runs uploads: order, concurrency, progress, retries, outcome. Every job is
// journaled before it is queued, and every attempt before its first byte is sent. After a crash the
// next program knows which jobs wait and which may be stored, and sends none twice (see outcome.go
// for the rules).
package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
)

// Sender sends uploads. *api.Client implements it.
type Sender interface {
	Upload(ctx context.Context, u *api.Upload, p *api.Progress) (*api.File, error)
	// List is called if the outcome of an attempt is unclear. If the service does not list files,
	// api.Unavailable is true for the error.
	List(ctx context.Context, q api.Query) ([]api.File, error)
	// Fetch opens a listed file with a URL, to compare its content.
	Fetch(ctx context.Context, address string, offset, limit int64) (body io.ReadCloser, at int64, err error)
}

// Journal keeps jobs durably. *journal.Journal implements it and describes the methods.
type Journal interface {
	AddJobs(ctx context.Context, jobs []job.Job) ([]job.Job, error)
	UpdateJob(ctx context.Context, job job.Job) error
	NoteJob(job job.Job)
	Claim(ctx context.Context, profile string, ids []int64) ([]job.Job, error)
	Reopen(ctx context.Context, profile string, ids []int64, may func(*job.Job) bool) ([]job.Job, error)
	Release(ctx context.Context, ids []int64) error
	HasCompetingJob(ctx context.Context, job job.Job, fileID string) (bool, error)
}

// maxJournaling limits the outcomes being journaled while further uploads begin.
const maxJournaling = 128

// Options configures a queue. Journal and Sender are required.
type Options struct {
	Journal     Journal
	Sender      Sender
	Profile     string // profile of the jobs
	Concurrency int    // concurrent uploads; 0 to adapt (see pace)

	// Fresh keeps Start from resuming jobs of an earlier program. Resume still can.
	Fresh bool

	// RetryTimeout limits the retries of a job, which is then left open for the next program; 0 for
	// no limit. A service that never answered in this run gets at most 10 s.
	RetryTimeout time.Duration

	// Prepare returns the upload to send, before every attempt: with the address of our webhook
	// receiver, which is not stored, and with a local file in place of one of another profile. It must
	// not change names and switches.
	// After a *NotReadyError it is called again. Nil means the upload of the job.
	Prepare func(ctx context.Context, job job.Job) (*api.Upload, error)

	// Moved finishes the move of a stored job: it deletes the source, or keeps it and says why. After
	// a kill it is called again. Nil keeps the source.
	Moved func(ctx context.Context, job *job.Job) error

	// Ended is called for every job with an outcome, after it is journaled and before Wait returns.
	// The record of a stored one may be nil. Ended may be nil.
	Ended func(ctx context.Context, job job.Job)
}

// Errors of the controls.
var (
	ErrClosed = errors.New("the queue is closed")
	ErrNoJob  = errors.New("no such job in the queue")
)

// StateError reports that an action is not allowed in the job's state.
type StateError struct {
	ID     int64
	State  job.State
	Action string // "retry", "cancel", "remove", "check"
}

func (e *StateError) Error() string {
	return fmt.Sprintf("cannot %s job %d: it is %s", e.Action, e.ID, e.State)
}

type phase uint8

const (
	idle    phase = iota // not started, or withdrawn
	ready                // queued
	delayed              // until its timer fires
	working              // running in a worker
	left                 // left open in this run
	done                 // has an outcome
)

type wish uint8

const (
	wishNothing wish = iota
	wishSend         // send even if it may be stored twice
	wishCheck        // only check it
	wishCancel
)

// entry is a job in the queue, guarded by Queue.mu but for settled. What job points to is never
// changed, only replaced.
type entry struct {
	job      *job.Job
	phase    phase
	wish     wish
	turn     int       // counts up with the order of queuing
	checks   int       // checks while the service processes it
	failures int       // consecutive attempts without an outcome
	failing  time.Time // start of the first of them
	due      time.Time
	timer    *time.Timer
	stop     context.CancelCauseFunc // of the worker
	progress *api.Progress           // of the attempt; may be nil
	settled  chan struct{}           // closed by the outcome, or when the job is left open
}

// Queue runs uploads. It is safe for concurrent use.
type Queue struct {
	o       Options
	changes chan struct{}
	quit    chan struct{} // closed by Close
	work    sync.WaitGroup

	mu         sync.Mutex
	ctx        context.Context
	stop       context.CancelCauseFunc
	closed     bool
	entries    map[int64]*entry
	order      []*entry       // in display order
	line       []*entry       // the ready ones in the order of sending (see control.go)
	turns      int            // turn of the last entry
	running    int            // jobs that hold a slot
	journaling int            // outcomes being journaled
	batches    map[string]int // open jobs by batch
	ended      []Batch
	sentBytes  int64 // bytes sent by finished attempts
	meter      meter // of all attempts
	pace       pace
	network    network
	hold       time.Time // no sending before then: the service requested it, or is offline
	holding    *time.Timer
	journalErr error // last error of the journal
}

// New returns a queue. Call Start to run it.
func New(o Options) *Queue {
	if o.Prepare == nil {
		o.Prepare = func(_ context.Context, j job.Job) (*api.Upload, error) { return &j.Upload, nil }
	}
	q := &Queue{
		o: o, ctx: context.Background(), changes: make(chan struct{}, 1),
		quit: make(chan struct{}), entries: map[int64]*entry{}, batches: map[string]int{},
	}
	q.pace.set(o.Concurrency)
	return q
}

// Start starts the queue, first with journaled jobs of programs that have ended: open ones, and
// those that another attempt may improve (job.Job.MayResume). It runs until ctx ends or Close.
func (q *Queue) Start(ctx context.Context) error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return ErrClosed
	}
	if q.stop == nil {
		q.ctx, q.stop = context.WithCancelCause(ctx)
	}
	q.dispatch()
	q.mu.Unlock()
	if q.o.Fresh {
		return nil
	}
	_, err := q.claim(ctx, nil)
	q.work.Go(func() {
		if _, err := q.resumeFailed(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, ErrClosed) {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.journalErr = err
		}
	})
	return err
}

// Add journals jobs, all or none, queues them, and returns them with their ids. After ErrClosed
// they are journaled and wait for the next program.
func (q *Queue) Add(ctx context.Context, jobs []job.Job) ([]job.Job, error) {
	jobs = slices.Clone(jobs)
	for i := range jobs {
		jobs[i].State = job.Waiting
		jobs[i].Profile = cmp.Or(jobs[i].Profile, q.o.Profile)
	}
	added, err := q.o.Journal.AddJobs(ctx, jobs)
	if err != nil {
		return nil, err
	}
	return added, q.accept(ctx, added, entry{})
}

// accept queues journaled jobs, each with the wish of as. A job with an outcome in the queue is
// replaced.
func (q *Queue) accept(ctx context.Context, jobs []job.Job, as entry) error {
	if len(jobs) == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errors.Join(ErrClosed, q.o.Journal.Release(context.WithoutCancel(ctx), job.IDs(jobs)))
	}
	replaced := false
	for _, j := range jobs {
		old := q.entries[j.ID]
		if old != nil && old.phase != done {
			continue
		}
		replaced = replaced || old != nil
		// A killed program left the state sending; the evidence is in the job.
		j.State = job.Waiting
		e := as
		q.turns++
		e.job, e.turn, e.settled = &j, q.turns, make(chan struct{})
		q.entries[j.ID] = &e
		q.order = append(q.order, &e)
		q.batches[j.Batch]++
		q.enqueue(&e)
	}
	if replaced {
		q.order = slices.DeleteFunc(q.order, func(e *entry) bool { return q.entries[e.job.ID] != e })
	}
	q.dispatch()
	q.signal()
	return nil
}

// Batch is the result of jobs that were sent together.
type Batch struct {
	Total, Stored, Failed int
	Processing            int // the service stores them later
}

// noteBatch records the result of a batch if all its jobs have an outcome.
func (q *Queue) noteBatch(name string) {
	if name == "" || q.batches[name] > 0 {
		return
	}
	var b Batch
	for _, e := range q.order {
		if e.job.Batch != name {
			continue
		}
		b.Total++
		switch {
		case e.job.State == job.Stored:
			b.Stored++
		case e.job.State == job.Processing:
			b.Processing++
		case e.job.Failed():
			b.Failed++
		}
	}
	q.ended = append(q.ended, b)
}

// EndedBatches returns the batches that ended since the last call. One whose result has changed is
// among them again.
func (q *Queue) EndedBatches() []Batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	ended := q.ended
	q.ended = nil
	return ended
}

// SetConcurrency changes the number of concurrent uploads; 0 or less to adapt. Running uploads
// continue.
func (q *Queue) SetConcurrency(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pace.set(n)
	q.dispatch()
}

// dispatch starts workers while there are free slots. It is called after every change that may free
// one or queue a job.
func (q *Queue) dispatch() {
	if q.stop == nil || q.closed || q.ctx.Err() != nil {
		return
	}
	if delay := time.Until(q.hold); delay > 0 {
		if q.holding == nil {
			q.holding = time.AfterFunc(delay, func() {
				q.mu.Lock()
				defer q.mu.Unlock()
				q.holding = nil
				q.dispatch()
			})
		}
		return
	}
	// Without a connection only one may try.
	for online := q.network.Since.IsZero(); q.running < q.pace.limit && q.journaling < maxJournaling &&
		len(q.line) > 0 && (online || q.network.probe == nil); {
		e := q.line[0]
		q.line[0], q.line = nil, q.line[1:]
		if !online {
			q.network.probe = e
		}
		q.launch(e)
	}
}

func (q *Queue) launch(e *entry) {
	ctx, stop := context.WithCancelCause(q.ctx)
	e.phase, e.stop = working, stop
	q.running++
	q.work.Go(func() {
		defer stop(nil)
		r := q.attemptOrCheck(ctx, e)
		q.finishMove(ctx, e, &r.job)
		r.job.Updated = time.Now()
		// Journaling needs no slot, and outcomes that are written together are cheaper.
		q.mu.Lock()
		q.learn(e, &r, r.job.Updated)
		q.running--
		q.journaling++
		q.dispatch()
		q.mu.Unlock()
		err := q.journalOutcome(ctx, r.job)
		if r.job.State.Final() && q.o.Ended != nil {
			q.o.Ended(context.WithoutCancel(q.context()), r.job)
		}
		q.finish(e, r, err)
	})
}

func (q *Queue) holdFor(delay time.Duration, now time.Time) {
	if until := now.Add(delay); delay > 0 && until.After(q.hold) {
		q.hold = until
		if q.holding != nil {
			q.holding.Reset(delay)
		}
	}
}

// finish accepts the result of a worker; failed is the error of journaling it.
func (q *Queue) finish(e *entry, r result, failed error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if failed != nil {
		q.journalErr = failed
	}
	q.journaling--
	if e.progress != nil {
		q.sentBytes += e.progress.Sent()
	}
	e.job, e.stop, e.progress = &r.job, nil, nil
	switch {
	case r.job.State.Final():
		e.phase = done
		q.batches[r.job.Batch]--
		q.noteBatch(r.job.Batch)
		close(e.settled)
		if r.job.State == job.Processing {
			q.searchLater(e)
		}
	case e.wish == wishCancel && !q.closed:
		q.launch(e)
	case q.closed:
		e.phase = idle
	case r.leaveOpen:
		q.leave(e)
	case r.delay > 0:
		q.delay(e, r.delay)
	default:
		q.enqueue(e)
	}
	q.dispatch()
	q.signal()
}

func (q *Queue) delay(e *entry, delay time.Duration) {
	e.phase, e.due = delayed, time.Now().Add(delay)
	e.timer = time.AfterFunc(delay, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if e.phase == delayed && !q.closed && !time.Now().Before(e.due) {
			q.undelay(e)
			q.dispatch()
		}
	})
}

func (q *Queue) undelay(e *entry) {
	q.withdraw(e)
	q.enqueue(e)
}

func (q *Queue) context() context.Context {
	return locked(q, func() context.Context { return q.ctx })
}

// locked returns what read returns under the lock.
func locked[T any](q *Queue, read func() T) T {
	q.mu.Lock()
	defer q.mu.Unlock()
	return read()
}

// Changes receives a value when jobs have changed, once for all changes since the last receive. It
// is never closed.
func (q *Queue) Changes() <-chan struct{} { return q.changes }

func (q *Queue) signal() {
	select {
	case q.changes <- struct{}{}:
	default:
	}
}

// Close accepts no more jobs and waits for running ones until ctx ends, then interrupts them. Open
// jobs stay in the journal for the next program.
func (q *Queue) Close(ctx context.Context) error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		q.work.Wait()
		return nil
	}
	q.closed = true
	close(q.quit)
	if q.holding != nil {
		q.holding.Stop()
	}
	for _, e := range q.order {
		if e.phase == delayed {
			q.withdraw(e)
		}
	}
	q.mu.Unlock()

	interrupt := func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.stop != nil {
			q.stop(errors.New("the program is closing"))
		}
	}
	defer context.AfterFunc(ctx, interrupt)()
	q.work.Wait()
	interrupt()

	q.mu.Lock()
	defer q.mu.Unlock()
	var open []int64
	for _, e := range q.order {
		if e.phase != done {
			open = append(open, e.job.ID)
		}
	}
	q.signal()
	if len(open) == 0 {
		return nil
	}
	return q.o.Journal.Release(context.WithoutCancel(ctx), open)
}
