package local

import (
	"context"
	"errors"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api/local/store"
)

// PauseForTests makes the outbox wait for d between attempts until the
// returned function is called. No library may be open at either moment.
func PauseForTests(d time.Duration) (restore func()) {
	before := pauseAfter
	pauseAfter = func(int) time.Duration { return d }
	return func() { pauseAfter = before }
}

// PostPause returns how long the outbox waits after that many attempts.
func PostPause(attempts int) time.Duration { return postPause(attempts) }

// MaxUnproven is how many uploads are read at a time whose file comes before their signature.
const MaxUnproven = maxUnproven

// WithPatience closes connections that stand still for longer than d.
func (o Options) WithPatience(d time.Duration) Options {
	o.patience = d
	return o
}

// ListenBeyond acts as if the library listened beyond this computer.
func (l *Library) ListenBeyond(yes bool) { l.public.Store(yes) }

// WaitForTags sets how long an answer waits for tagging. Call it before any request.
func (l *Library) WaitForTags(d time.Duration) { l.tagWait = d }

// OneTransactionEach gives each update its own transaction, for a comparison. Call it before any request.
func (l *Library) OneTransactionEach() {
	l.records.Records.(interface{ SetGroup(most int) }).SetGroup(1)
}

// Snapshot makes a snapshot of the records.
func (l *Library) Snapshot() error { return l.snapshot() }

// WaitForHeaders sets how long the headers of a URL source may take. Call it before any request.
func (l *Library) WaitForHeaders(d time.Duration) { l.headerWait = d }

// Posts returns the number of webhook posts that wait.
func (l *Library) Posts(t *testing.T) int {
	t.Helper()
	var posts []store.Post
	err := l.records.View(t.Context(), func(tx store.Tx) (err error) {
		posts, err = tx.Posts()
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return len(posts)
}

// Unfinished returns the number of pending extension runs, and whether every webhook post that
// waits has been tried.
func (l *Library) Unfinished(t *testing.T) (pending int, tried bool) {
	t.Helper()
	tried = true
	err := l.records.View(t.Context(), func(tx store.Tx) error {
		runs, err := tx.PendingRuns()
		if err != nil {
			return err
		}
		pending = len(runs)
		posts, err := tx.Posts()
		for _, p := range posts {
			tried = tried && p.Attempts > 0
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return pending, tried
}

// IsInternal reports whether the guard refuses an address.
func IsInternal(ip netip.Addr) bool { return isInternal(ip) }

// Route is a route of the API.
type Route struct{ Method, Pattern, Summary, Takes string }

// Routes returns the routes of the API.
func Routes() []Route {
	var list []Route
	for _, r := range routes {
		list = append(list, Route{r.method, r.pattern, r.summary, r.takes})
	}
	return list
}

// hooked calls a function after one update or one view.
type hooked struct {
	store.Records
	update, view, workersView atomic.Pointer[func()]
}

// RequestKey is the context key that marks a request.
type RequestKey struct{}

func (h *hooked) Update(ctx context.Context, do func(store.Tx) error) error {
	if ctx.Value(RequestKey{}) != nil {
		defer runOnce(&h.update)
	}
	return h.Records.Update(ctx, do)
}

func (h *hooked) View(ctx context.Context, do func(store.Tx) error) error {
	if ctx.Value(RequestKey{}) != nil {
		defer runOnce(&h.view)
	} else {
		defer runOnce(&h.workersView)
	}
	return h.Records.View(ctx, do)
}

func runOnce(p *atomic.Pointer[func()]) {
	if do := p.Swap(nil); do != nil {
		(*do)()
	}
}

// WithHooks makes AfterNextUpdate, AfterNextView and AfterWorkersView work.
func (o Options) WithHooks() Options {
	o.observe = func(r store.Records) store.Records { return &hooked{Records: r} }
	return o
}

func (l *Library) hooks() *hooked { return l.records.Records.(*hooked) }

// AfterNextUpdate calls do after the next update by a request with RequestKey, before the request
// goes on.
func (l *Library) AfterNextUpdate(do func()) { l.hooks().update.Store(&do) }

// AfterNextView does the same after the next view.
func (l *Library) AfterNextView(do func()) { l.hooks().view.Store(&do) }

// AfterWorkersView calls do after the next view that no request with RequestKey makes.
func (l *Library) AfterWorkersView(do func()) { l.hooks().workersView.Store(&do) }

// Sweep does the regular maintenance of a running library.
func (l *Library) Sweep() { l.sweep() }

// Sending returns the number of posts under way.
func (l *Library) Sending() int { return len(l.outbox.slots) }

// WakeOutbox makes the outbox check for posts that are due.
func (l *Library) WakeOutbox() { wake(l.outbox.notice) }

// WithObjects limits operations on a folder to n files and folders.
func (o Options) WithObjects(n int) Options {
	o.objects = n
	return o
}

// StoreTimeForTests makes requests to a store time out after d, until the returned function is
// called. No library may be open at either moment.
func StoreTimeForTests(d time.Duration) (restore func()) {
	before := store.BucketTime
	store.BucketTime = d
	return func() { store.BucketTime = before }
}

// RemoveDeleted removes the contents that are recorded for deletion.
func (l *Library) RemoveDeleted() error { return l.removeDeleted() }

// WithJobs limits a step of a folder job to step files. If stuck is not nil, every job stops
// after its first step and its id is sent to stuck.
func (o Options) WithJobs(step int, stuck chan<- string) Options {
	o.jobStep = step
	if stuck != nil {
		o.observe = func(r store.Records) store.Records { return &stuckJobs{r, stuck} }
	}
	return o
}

type stuckJobs struct {
	store.Records
	stuck chan<- string
}

func (s *stuckJobs) Update(ctx context.Context, do func(store.Tx) error) error {
	return s.Records.Update(ctx, func(tx store.Tx) error { return do(&stuckTx{tx, s.stuck}) })
}

type stuckTx struct {
	store.Tx
	stuck chan<- string
}

func (t *stuckTx) Job(id string) (*store.Job, error) {
	select {
	case t.stuck <- id:
	default:
	}
	return nil, &store.DownError{Part: "database", Err: errors.New("on purpose")}
}
