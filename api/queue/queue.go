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
	// Claim takes open jobs that no running process has; ids nil: as many as
	// it likes, none if there are none.
	Claim(ctx context.Context, profile string, ids []int64) ([]api.Job, error)
	// Release lets go of jobs, so that they can be claimed again.
	Release(ctx context.Context, ids []int64) error
	// NoteJob is UpdateJob without waiting: the change is lost where the
	// program is killed in the same moment. Changes of a job keep their order.
	NoteJob(job api.Job)
	// Rivals reports whether another job than job has stored the file of that
	// id, or may have: one of the same place and size whose outcome is open.
	Rivals(ctx context.Context, job api.Job, fileID string) (bool, error)
	// SetPriority changes the priority of a job and nothing else of it.
	SetPriority(ctx context.Context, id int64, priority int) error
}

// DefaultConcurrency is how many uploads run at a time where nothing else is
// said: the smallest number that brought a line near its own time (see
// BenchmarkConcurrency).
const DefaultConcurrency = 6

// adoptEvery is how often a queue at work looks for jobs of a program that has
// ended meanwhile.
const adoptEvery = 5 * time.Second

// maxKeeping is how many outcomes may be on their way to the journal while
// further uploads begin.
const maxKeeping = 128

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

	// BatchDone is told when the last job of what was handed over together has
	// its outcome, and again when that changes. Wait does not return before it
	// has. nil: nobody is told.
	BatchDone func(ctx context.Context, batch string)
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
	Act   string // "retry", "pause", "cancel", "remove", "move", "look for"
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

// wish is what a person asked for beside sending the job in its turn.
type wish uint8

const (
	wishNothing wish = iota
	wishSend         // once more, even if it is then stored twice
	wishLook         // only to find out what became of it
	wishCancel
)

// entry is a job in the queue. All of it is guarded by Queue.mu; what job
// points to is never changed, only replaced.
type entry struct {
	job      *api.Job
	phase    phase
	paused   bool
	wish     wish
	heavy    bool // it has one of the places and is counted as a large one
	tries    int  // since the person asked last
	due      time.Time
	timer    *time.Timer
	stop     context.CancelCauseFunc // of the worker
	progress *api.Progress           // of the attempt; nil: none
	meter    meter
	final    chan struct{} // closed with the outcome
}

// Queue is a list of uploads and what is done about them. Its methods may be
// called from any goroutine.
type Queue struct {
	o     Options
	edges chan struct{}
	quit  chan struct{} // closed by Close
	work  sync.WaitGroup

	mu      sync.Mutex
	ctx     context.Context //nolint:containedctx // it ends the queue
	stop    context.CancelCauseFunc
	closed  bool
	entries map[int64]*entry
	order   []*entry // as shown
	again   []*entry // in line, before the others: those that were tried
	line    []*entry
	running int            // jobs that have one of the places
	heavy   int            // large ones among them
	keeping int            // jobs whose outcome is on its way to the journal
	batches map[string]int // how many jobs of a batch have no outcome
	went    int64          // bytes that went out in attempts that are over
	meter   meter          // of all attempts
	hold    time.Time      // the service asked for quiet until then
	holding *time.Timer
	trouble error // what last went wrong with the journal
}

// New returns a queue that does nothing before Start.
func New(o Options) *Queue {
	if o.Concurrency <= 0 {
		o.Concurrency = DefaultConcurrency
	}
	return &Queue{o: o, edges: make(chan struct{}, 1), quit: make(chan struct{}), entries: map[int64]*entry{}, batches: map[string]int{}}
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
	first, err := q.claim(ctx, nil)
	q.work.Add(1)
	go func() {
		defer q.work.Done()
		q.adopt(ctx, len(first) > 0)
	}()
	return err
}

// adopt goes on, from time to time, with what another program left that has
// ended.
// more: there may be some at once, since the journal gives them in portions.
func (q *Queue) adopt(ctx context.Context, more bool) {
	ticker := time.NewTicker(adoptEvery)
	defer ticker.Stop()
	for ; ; more = false {
		if !more {
			select {
			case <-ticker.C:
			case <-q.quit:
				return
			case <-ctx.Done():
				return
			}
		}
		if _, err := q.Resume(ctx, nil); err != nil && ctx.Err() == nil && !errors.Is(err, ErrClosed) {
			q.mu.Lock()
			q.trouble = err
			q.mu.Unlock()
		}
	}
}

// Resume goes on with jobs that wait in the journal and that no running
// program has, and returns them; ids nil means all of the profile.
func (q *Queue) Resume(ctx context.Context, ids []int64) ([]api.Job, error) {
	jobs, err := q.claim(ctx, ids)
	if err != nil || ids != nil {
		return jobs, err
	}
	for {
		select {
		case <-q.quit:
			return jobs, ErrClosed
		default:
		}
		more, err := q.claim(ctx, nil)
		if err != nil || len(more) == 0 {
			return jobs, err
		}
		jobs = append(jobs, more...)
	}
}

// claim takes one portion of what waits.
func (q *Queue) claim(ctx context.Context, ids []int64) ([]api.Job, error) {
	jobs, err := q.o.Journal.Claim(ctx, q.o.Profile, ids)
	if err != nil {
		return nil, err
	}
	return jobs, q.take(ctx, jobs, entry{})
}

// TakeBack cancels jobs that wait in the journal and that no running program
// has, as Cancel does, and returns them as they were; nothing of them is sent.
func (q *Queue) TakeBack(ctx context.Context, ids []int64) ([]api.Job, error) {
	jobs, err := q.o.Journal.Claim(ctx, q.o.Profile, ids)
	if err != nil {
		return nil, err
	}
	return jobs, q.take(ctx, jobs, entry{wish: wishCancel})
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
	return added, q.take(ctx, added, entry{})
}

// take puts jobs that are in the journal in line, each as it says.
func (q *Queue) take(ctx context.Context, jobs []api.Job, as entry) error {
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
		e := as
		e.job, e.final = &job, make(chan struct{})
		q.entries[job.ID] = &e
		q.order = append(q.order, &e)
		q.began(&e)
		if e.wish == wishCancel {
			q.launch(&e) // see Cancel
		} else {
			q.enqueue(&e)
		}
	}
	q.dispatch()
	q.signal()
	return nil
}

// began counts a job that has no outcome into its batch.
func (q *Queue) began(e *entry) {
	if e.job.Batch != "" {
		q.batches[e.job.Batch]++
	}
}

// ended takes a job with an outcome out of its batch and reports whether it was
// the last.
func (q *Queue) ended(job *api.Job) bool {
	if job.Batch == "" {
		return false
	}
	q.batches[job.Batch]--
	if q.batches[job.Batch] > 0 {
		return false
	}
	delete(q.batches, job.Batch)
	return true
}

func jobIDs(jobs []api.Job) []int64 {
	ids := make([]int64, len(jobs))
	for i := range jobs {
		ids[i] = jobs[i].ID
	}
	return ids
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
	for q.running < q.o.Concurrency && q.keeping < maxKeeping {
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

// launch gives a job to a worker.
func (q *Queue) launch(e *entry) {
	parent := q.ctx
	if parent == nil {
		parent = context.Background() // a cancel before Start
	}
	ctx, stop := context.WithCancelCause(parent)
	e.phase, e.stop = working, stop
	e.heavy = e.job.Identity.Size >= heavySize
	q.running++
	if e.heavy {
		q.heavy++
	}
	q.work.Add(1)
	go func() {
		defer q.work.Done()
		defer stop(nil)
		v := q.try(ctx, e)
		q.makeRoom(e, v.quiet)
		v.job.Updated = time.Now()
		err := q.keep(ctx, v.job)
		if v.job.State == api.Stored && q.o.Answered != nil {
			q.o.Answered(context.WithoutCancel(q.context()), v.job)
		}
		if q.lastOfBatch(&v.job) && q.o.BatchDone != nil {
			q.o.BatchDone(context.WithoutCancel(q.context()), v.job.Batch)
		}
		q.finish(e, v, err)
	}()
}

// lastOfBatch takes note of an outcome and reports whether all of what was
// handed over together have theirs.
func (q *Queue) lastOfBatch(job *api.Job) bool {
	if !job.State.Final() {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ended(job)
}

// makeRoom gives the place of a worker to the next: writing the journal needs
// none, and outcomes that are written together cost less. quiet is for how long
// the service wants no upload.
func (q *Queue) makeRoom(e *entry, quiet time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if until := time.Now().Add(quiet); quiet > 0 && until.After(q.hold) {
		q.hold = until
	}
	q.letGo(e)
	q.keeping++
	q.dispatch()
}

func (q *Queue) letGo(e *entry) {
	q.running--
	if e.heavy {
		q.heavy--
	}
	e.heavy = false
}

// finish takes what a worker has to say; failed is what went wrong with
// writing it down.
func (q *Queue) finish(e *entry, v verdict, failed error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if failed != nil {
		q.trouble = failed
	}
	q.keeping--
	v.job.Priority = e.job.Priority // it may have been moved meanwhile
	if e.progress != nil {
		q.went += e.progress.Sent()
	}
	e.job, e.stop, e.progress = &v.job, nil, nil
	e.meter = meter{}
	switch {
	case v.job.State.Final():
		e.phase = done
		close(e.final)
	case e.wish == wishCancel && !q.closed:
		q.launch(e)
	case e.paused || q.closed:
		e.phase = idle
	case v.wait > 0:
		q.delay(e, v.wait)
	default:
		e.phase = ready
		q.again = append(q.again, e)
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
