// Package queue runs uploads: order, concurrency, progress, retry, outcome.
//
// Every job is in the journal before it is in the queue, and every attempt is
// in the journal before its first byte goes out. So whatever happens to the
// program, the next one knows which jobs wait, and which may have arrived; and
// it sends none of them twice (see outcome.go for the rules).
package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mediadesk/api"
)

// Sender is a service to send to. *api.Client is one.
type Sender interface {
	Upload(ctx context.Context, u *api.Upload, p *api.Progress) (*api.File, error)
	// List is asked only where the outcome of an attempt is unclear. Where the
	// service does not list, api.Unavailable says so of its error.
	List(ctx context.Context, q api.Query) ([]api.File, error)
}

// Journal is where jobs are kept. Whatever it has acknowledged survives.
type Journal interface {
	AddJobs(ctx context.Context, jobs []api.Job) ([]api.Job, error)
	UpdateJob(ctx context.Context, job api.Job) error
	// Claim takes open jobs that no running process has; ids nil: all.
	Claim(ctx context.Context, profile string, ids []int64) ([]api.Job, error)
	// Release lets go of jobs, so that they can be claimed again.
	Release(ctx context.Context, ids []int64) error
}

// DefaultConcurrency is how many uploads run at a time where nothing else is
// said.
const DefaultConcurrency = 3

// Options say what a queue works with. Journal and Sender are needed.
type Options struct {
	Journal     Journal
	Sender      Sender
	Profile     string // whose jobs these are
	Concurrency int    // uploads at a time; 0: DefaultConcurrency

	// Fresh: Start leaves alone what an earlier program left. Resume can
	// still take it.
	Fresh bool

	// Prepare gives the upload as it goes out, before every attempt: with an
	// address of our webhook receiver in it, which is kept nowhere. It must
	// not change the names and switches. nil: as it is in the job.
	Prepare func(ctx context.Context, job api.Job) (*api.Upload, error)

	// Answered is told of every job that is stored, once the journal has it.
	// A record without which it was stored is nil. Wait does not return
	// before it has. nil: nobody is told.
	Answered func(ctx context.Context, job api.Job)
}

// Errors of the controls.
var (
	ErrClosed = errors.New("the queue is closed")
	ErrNoJob  = errors.New("there is no such job in the queue")
)

// StateError says that a job is in no state for what was asked.
type StateError struct {
	ID    int64
	State api.State
	Act   string // "retry", "pause", "cancel", "remove"
}

func (e *StateError) Error() string {
	return fmt.Sprintf("cannot %s job %d: it is %s", e.Act, e.ID, e.State)
}

// phase is where a job is within the queue.
type phase uint8

const (
	idle    phase = iota // paused, or not started
	ready                // in line
	delayed              // until its timer ends
	working              // has a worker
	done                 // has an outcome
)

// entry is a job in the queue. All of it is guarded by Queue.mu; what job
// points to is never changed, only replaced.
type entry struct {
	job       *api.Job
	phase     phase
	paused    bool
	cancelled bool
	insist    bool // a person asked for another try in spite of an unclear one
	doubtful  bool // an attempt got an answer that may hide another
	tries     int  // since the person asked last
	due       time.Time
	timer     *time.Timer
	stop      context.CancelCauseFunc // of the worker
	progress  *api.Progress           // of the attempt; nil: none
	meter     meter
	final     chan struct{} // closed with the outcome
}

// Queue is a list of uploads and what is done about them. Its methods may be
// called from any goroutine.
type Queue struct {
	o     Options
	edges chan struct{}
	quit  chan struct{} // closed by Close
	work  sync.WaitGroup

	mu      sync.Mutex
	ctx     context.Context // of the work; nil before Start
	stop    context.CancelCauseFunc
	closed  bool
	entries map[int64]*entry
	order   []*entry // as shown
	again   []*entry // in line, before the others: those that were tried
	line    []*entry
	running int
	hold    time.Time // the service asked for quiet until then
	holding *time.Timer
	trouble error // what last went wrong with the journal
}

// New returns a queue that does nothing before Start.
func New(o Options) *Queue {
	if o.Concurrency <= 0 {
		o.Concurrency = DefaultConcurrency
	}
	return &Queue{o: o, edges: make(chan struct{}, 1), quit: make(chan struct{}), entries: map[int64]*entry{}}
}

// Start begins the work, with the jobs that a program which is gone left in
// the journal first. The work ends with ctx, or with Close.
func (q *Queue) Start(ctx context.Context) error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return ErrClosed
	}
	if q.ctx == nil {
		q.ctx, q.stop = context.WithCancelCause(ctx)
	}
	q.dispatch()
	q.mu.Unlock()
	if q.o.Fresh {
		return nil
	}
	_, err := q.Resume(ctx, nil)
	return err
}

// Resume goes on with jobs that wait in the journal and that no running
// program has, and returns them; ids nil means all of the profile.
func (q *Queue) Resume(ctx context.Context, ids []int64) ([]api.Job, error) {
	jobs, err := q.o.Journal.Claim(ctx, q.o.Profile, ids)
	if err != nil {
		return nil, err
	}
	return jobs, q.take(ctx, jobs)
}

// Add journals jobs, all or none, and puts them in line. It returns them with
// their ids. With ErrClosed they are in the journal and wait for the next
// program.
func (q *Queue) Add(ctx context.Context, jobs []api.Job) ([]api.Job, error) {
	jobs = slices.Clone(jobs)
	for i := range jobs {
		jobs[i].State = api.Waiting
		if jobs[i].Profile == "" {
			jobs[i].Profile = q.o.Profile
		}
	}
	added, err := q.o.Journal.AddJobs(ctx, jobs)
	if err != nil {
		return nil, err
	}
	return added, q.take(ctx, added)
}

// take puts jobs that are in the journal in line.
func (q *Queue) take(ctx context.Context, jobs []api.Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errors.Join(ErrClosed, q.o.Journal.Release(context.WithoutCancel(ctx), jobIDs(jobs)))
	}
	for _, job := range jobs {
		if q.entries[job.ID] != nil {
			continue
		}
		// Sending is what a program that was killed left: its attempt is
		// marked as unclear already.
		job.State = api.Waiting
		e := &entry{job: &job, final: make(chan struct{})}
		q.entries[job.ID] = e
		q.order = append(q.order, e)
		q.enqueue(e)
	}
	q.dispatch()
	q.signal()
	return nil
}

func jobIDs(jobs []api.Job) []int64 {
	ids := make([]int64, len(jobs))
	for i := range jobs {
		ids[i] = jobs[i].ID
	}
	return ids
}

// enqueue puts a waiting job in line, behind the others.
func (q *Queue) enqueue(e *entry) {
	e.phase = ready
	q.line = append(q.line, e)
}

// SetConcurrency changes how many uploads run at a time; 0 or less:
// DefaultConcurrency. Those under way go on.
func (q *Queue) SetConcurrency(n int) {
	if n <= 0 {
		n = DefaultConcurrency
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.o.Concurrency = n
	q.dispatch()
}

// dispatch gives jobs to workers while there is room. It is called after
// every change that can make room or bring a job in line.
func (q *Queue) dispatch() {
	if q.ctx == nil || q.closed || q.ctx.Err() != nil {
		return
	}
	if wait := time.Until(q.hold); wait > 0 {
		if q.holding == nil {
			q.holding = time.AfterFunc(wait, q.holdEnded)
		}
		return
	}
	for q.running < q.o.Concurrency {
		e := q.next()
		if e == nil {
			return
		}
		q.launch(e)
	}
}

func (q *Queue) holdEnded() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holding = nil
	q.dispatch()
}

// next takes the first job in line; nil: there is none. Those that left the
// line meanwhile are passed over.
func (q *Queue) next() *entry {
	for _, line := range []*[]*entry{&q.again, &q.line} {
		for len(*line) > 0 {
			e := (*line)[0]
			(*line)[0] = nil
			*line = (*line)[1:]
			if e.phase == ready {
				return e
			}
		}
	}
	return nil
}

// launch gives a job to a worker.
func (q *Queue) launch(e *entry) {
	parent := q.ctx
	if parent == nil {
		parent = context.Background() // a cancel before Start
	}
	ctx, stop := context.WithCancelCause(parent)
	e.phase, e.stop = working, stop
	q.running++
	q.work.Add(1)
	go func() {
		defer q.work.Done()
		defer stop(nil)
		q.finish(e, q.try(ctx, e))
	}()
}

// finish takes what a worker has to say.
func (q *Queue) finish(e *entry, v verdict) {
	if v.job.State == api.Stored && q.o.Answered != nil {
		q.o.Answered(context.WithoutCancel(q.context()), v.job)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	e.job, e.stop, e.progress = &v.job, nil, nil
	e.meter = meter{}
	switch {
	case v.job.State.Final():
		e.phase = done
		close(e.final)
	case e.cancelled && !q.closed:
		q.launch(e)
	case e.paused || q.closed:
		e.phase = idle
	case v.wait > 0:
		q.delay(e, v.wait)
	default:
		e.phase = ready
		q.again = append(q.again, e)
	}
	if until := time.Now().Add(v.quiet); v.quiet > 0 && until.After(q.hold) {
		q.hold = until
	}
	q.dispatch()
	q.signal()
}

func (q *Queue) delay(e *entry, wait time.Duration) {
	e.phase, e.due = delayed, time.Now().Add(wait)
	e.timer = time.AfterFunc(wait, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if e.phase != delayed || q.closed || time.Now().Before(e.due) {
			return // somebody decided otherwise meanwhile
		}
		e.phase = ready
		q.again = append(q.again, e)
		q.dispatch()
	})
}

// leave takes a waiting job out of the line.
func (e *entry) leave() {
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
	}
	e.phase = idle
}

// context is that of the work.
func (q *Queue) context() context.Context {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ctx == nil {
		return context.Background()
	}
	return q.ctx
}

// Edges tells that the state of some job has changed: once for any number of
// changes since it was last received. It is never closed.
func (q *Queue) Edges() <-chan struct{} { return q.edges }

func (q *Queue) signal() {
	select {
	case q.edges <- struct{}{}:
	default:
	}
}

// errClosing ends attempts that are under way when the queue closes.
var errClosing = errors.New("the program is closing")

// Close takes no more jobs and lets those under way come to their end, but at
// most until ctx ends: then they are broken off. What has no outcome waits in
// the journal for the next program.
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
			e.leave()
		}
	}
	q.mu.Unlock()

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		q.work.Wait()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	q.mu.Lock()
	if q.stop != nil {
		q.stop(errClosing)
	}
	q.mu.Unlock()
	<-ended

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
