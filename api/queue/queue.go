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
	// List is asked only where the outcome of an attempt is not clear. Where the
	// service does not list, api.Unavailable says so of its error.
	List(ctx context.Context, q api.Query) ([]api.File, error)
}

// Journal is where jobs are kept. Whatever it has acknowledged survives.
type Journal interface {
	AddJobs(ctx context.Context, jobs []api.Job) ([]api.Job, error)
	UpdateJob(ctx context.Context, job api.Job) error
	// Claim makes this process the owner of open jobs that no running process
	// has; ids nil: as many as it likes, none if there are none.
	Claim(ctx context.Context, profile string, ids []int64) ([]api.Job, error)
	// Reopen makes jobs wait again whose outcome is not stored, and this process
	// their owner: of ids (nil: of the profile) those that may accepts and no other
	// running process has. It returns them as they are then.
	Reopen(ctx context.Context, profile string, ids []int64, may func(*api.Job) bool) ([]api.Job, error)
	// Release gives up the ownership of jobs, so that they can be claimed again.
	Release(ctx context.Context, ids []int64) error
	// NoteJob is UpdateJob without waiting: the change is lost if the program is
	// killed in the same moment. Changes of a job keep their order.
	NoteJob(job api.Job)
	// HasCompetingJob reports whether another job than job has stored the file of
	// that id, or may have: one of the same place and size whose outcome is open.
	HasCompetingJob(ctx context.Context, job api.Job, fileID string) (bool, error)
	// SetPriority changes the priority of a job and nothing else of it.
	SetPriority(ctx context.Context, id int64, priority int) error
}

// adoptEvery is how often a queue looks for jobs of a program that has ended
// meanwhile.
const adoptEvery = 5 * time.Second

// maxKeeping is how many outcomes may be on their way to the journal while
// further uploads begin.
const maxKeeping = 128

// Options say what a queue works with. Journal and Sender are needed.
type Options struct {
	Journal     Journal
	Sender      Sender
	Profile     string // whose jobs these are
	Concurrency int    // uploads at a time; 0: as many as speed it up (see pace)

	// Fresh: Start leaves alone what an earlier program left. Resume can still
	// claim it.
	Fresh bool

	// RetryFor is for how long failed attempts of a job are repeated before it is
	// left open for the next program; 0: without end. Where it is set, a service
	// that never answered in this run gets no more than 10 s.
	RetryFor time.Duration

	// Prepare gives the upload as it goes out, before every attempt: with an
	// address of our webhook receiver in it, which is kept nowhere, and with a file
	// of this computer in place of one of another profile. It must not change the
	// names and switches. A *NotReadyError has it called again. nil: as it is in the
	// job.
	Prepare func(ctx context.Context, job api.Job) (*api.Upload, error)

	// Ended is told of every job that has its outcome, once the journal has it.
	// Of a stored one the record can be nil. Wait does not return before it has.
	// nil: nobody is told.
	Ended func(ctx context.Context, job api.Job)

	// BatchDone is told when the last job of a batch has its outcome, and again
	// when that changes. Wait does not return before it has. nil: nobody is told.
	BatchDone func(ctx context.Context, batch string)
}

// Errors of the controls.
var (
	ErrClosed = errors.New("the queue is closed")
	ErrNoJob  = errors.New("there is no such job in the queue")
)

// StateError says that the state of a job does not allow an action.
type StateError struct {
	ID     int64
	State  api.State
	Action string // "retry", "pause", "continue", "cancel", "remove", "move", "check"
}

func (e *StateError) Error() string {
	return fmt.Sprintf("cannot %s job %d: it is %s", e.Action, e.ID, e.State)
}

// phase is where a job is within the queue.
type phase uint8

const (
	idle    phase = iota // paused, or not started
	ready                // in line
	delayed              // until its timer ends
	working              // has a worker
	left                 // open, but not tried again in this run
	done                 // has an outcome
)

// wish is what a person asked for beside sending the job in its turn.
type wish uint8

const (
	wishNothing wish = iota
	wishSend         // once more, even if it is then stored twice
	wishCheck        // only to find out what became of it
	wishCancel
)

// entry is a job in the queue. All of it is guarded by Queue.mu; what job
// points to is never changed, only replaced.
type entry struct {
	job      *api.Job
	phase    phase
	paused   bool
	wish     wish
	heavy    bool      // it has one of the places and is counted as a large one
	looks    int       // questions for the file while the service processes it
	failures int       // attempts in a row without an outcome
	failing  time.Time // when the first of them began
	due      time.Time
	timer    *time.Timer
	stop     context.CancelCauseFunc // of the worker
	progress *api.Progress           // of the attempt; nil: none
	meter    meter
	settled  chan struct{} // closed with the outcome, or when the job is left
}

// Queue is a list of uploads and what is done about them. Its methods may be
// called from any goroutine.
type Queue struct {
	o       Options
	changes chan struct{}
	quit    chan struct{} // closed by Close
	work    sync.WaitGroup

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
	pace    pace
	network network
	hold    time.Time // nothing is sent until then: the service asked for that, or cannot be reached
	holding *time.Timer
	trouble error // what last went wrong with the journal
}

// New returns a queue that does nothing before Start.
func New(o Options) *Queue {
	q := &Queue{o: o, changes: make(chan struct{}, 1), quit: make(chan struct{}), entries: map[int64]*entry{}, batches: map[string]int{}}
	q.pace.set(o.Concurrency)
	return q
}

// Start begins the work, first with the jobs that a program left in the journal
// that has ended: those without an outcome, and those whose outcome another
// attempt can improve (api.Job.MayResume). The work ends with ctx, or with Close.
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
		if _, err := q.resumeFailed(ctx); err != nil {
			q.report(ctx, err)
		}
		q.adopt(ctx, len(first) > 0)
	}()
	return err
}

// report keeps what went wrong with the journal, to be shown.
func (q *Queue) report(ctx context.Context, err error) {
	if ctx.Err() != nil || errors.Is(err, ErrClosed) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.trouble = err
}

// Withdraw cancels jobs that wait in the journal and that no running program
// has, as Cancel does, and returns them as they were; nothing of them is sent.
func (q *Queue) Withdraw(ctx context.Context, ids []int64) ([]api.Job, error) {
	jobs, err := q.o.Journal.Claim(ctx, q.o.Profile, ids)
	if err != nil {
		return nil, err
	}
	return jobs, q.accept(ctx, jobs, entry{wish: wishCancel})
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
	return added, q.accept(ctx, added, entry{})
}

// accept puts jobs that wait in the journal in line, each with the wish of as. One
// that has an outcome in the queue is replaced.
func (q *Queue) accept(ctx context.Context, jobs []api.Job, as entry) error {
	if len(jobs) == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errors.Join(ErrClosed, q.o.Journal.Release(context.WithoutCancel(ctx), jobIDs(jobs)))
	}
	replaced := false
	for _, job := range jobs {
		old := q.entries[job.ID]
		if old != nil && old.phase != done {
			continue
		}
		replaced = replaced || old != nil
		// Sending is what a program that was killed left: the evidence of its
		// attempt is in the job.
		job.State = api.Waiting
		e := as
		e.job, e.settled = &job, make(chan struct{})
		q.entries[job.ID] = &e
		q.order = append(q.order, &e)
		if job.Batch != "" {
			q.batches[job.Batch]++
		}
		if e.wish == wishCancel {
			q.launch(&e) // see Cancel
		} else {
			q.enqueue(&e)
		}
	}
	if replaced {
		q.order = slices.DeleteFunc(q.order, func(e *entry) bool { return q.entries[e.job.ID] != e })
	}
	q.dispatch()
	q.signal()
	return nil
}

// batchFinished counts a job with an outcome out of its batch and reports whether
// it was the last of it.
func (q *Queue) batchFinished(job *api.Job) bool {
	if !job.State.Final() || job.Batch == "" {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
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

// SetConcurrency changes how many uploads run at a time; 0 or less: as many as
// speed it up. Those under way go on.
func (q *Queue) SetConcurrency(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pace.set(n)
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
			q.holding = time.AfterFunc(wait, q.release)
		}
		return
	}
	for q.running < q.pace.limit && q.keeping < maxKeeping && q.network.mayTry() {
		e := q.next()
		if e == nil {
			return
		}
		q.network.trying(e)
		q.launch(e)
	}
}

// release ends the hold if its time is over.
func (q *Queue) release() {
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
		v := q.attemptOrCheck(ctx, e)
		q.makeRoom(e, &v)
		v.job.Updated = time.Now()
		err := q.keep(ctx, v.job)
		if v.job.State.Final() && q.o.Ended != nil {
			q.o.Ended(context.WithoutCancel(q.context()), v.job)
		}
		if q.batchFinished(&v.job) && q.o.BatchDone != nil {
			q.o.BatchDone(context.WithoutCancel(q.context()), v.job.Batch)
		}
		q.finish(e, v, err)
	}()
}

// makeRoom gives the place of a worker to the next: writing the journal needs
// none, and outcomes that are written together cost less.
func (q *Queue) makeRoom(e *entry, v *verdict) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	q.learn(e, v, now)
	q.running--
	if e.heavy {
		q.heavy--
	}
	e.heavy = false
	q.keeping++
	q.dispatch()
}

// holdFor keeps the queue from sending for at least so long.
func (q *Queue) holdFor(wait time.Duration, now time.Time) {
	if until := now.Add(wait); wait > 0 && until.After(q.hold) {
		q.hold = until
		if q.holding != nil {
			q.holding.Reset(wait)
		}
	}
}

// finish accepts the verdict of a worker; failed is what went wrong with
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
		close(e.settled)
		if v.job.State == api.Processing {
			q.searchLater(e)
		}
	case e.wish == wishCancel && !q.closed:
		q.launch(e)
	case e.paused || q.closed:
		e.phase = idle
	case v.giveUp:
		q.leave(e)
	case v.wait > 0:
		q.delay(e, v.wait)
	default:
		e.phase = ready
		q.again = append(q.again, e)
	}
	q.dispatch()
	q.signal()
}

// delay puts a job in line again after a while.
func (q *Queue) delay(e *entry, wait time.Duration) {
	e.phase, e.due = delayed, time.Now().Add(wait)
	e.timer = time.AfterFunc(wait, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if e.phase == delayed && !q.closed && !time.Now().Before(e.due) {
			q.undelay(e)
			q.dispatch()
		}
	})
}

// undelay puts a delayed job in line at once.
func (q *Queue) undelay(e *entry) {
	e.withdraw()
	e.phase = ready
	q.again = append(q.again, e)
}

// withdraw removes a waiting job from the line.
func (e *entry) withdraw() {
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

// Changes receives when the state of some job has changed: once for any number of
// changes since it was last received from. It is never closed.
func (q *Queue) Changes() <-chan struct{} { return q.changes }

func (q *Queue) signal() {
	select {
	case q.changes <- struct{}{}:
	default:
	}
}

// errClosing ends attempts that are under way when the queue closes.
var errClosing = errors.New("the program is closing")

// Close accepts no more jobs and waits for those under way, but at most until ctx
// ends: then it interrupts them. What has no outcome waits in the journal for the
// next program.
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
			e.withdraw()
		}
	}
	q.mu.Unlock()

	finished := make(chan struct{})
	go func() {
		defer close(finished)
		q.work.Wait()
	}()
	select {
	case <-finished:
	case <-ctx.Done():
	}
	q.mu.Lock()
	if q.stop != nil {
		q.stop(errClosing)
	}
	q.mu.Unlock()
	<-finished

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
