package local

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// WithRetries makes the outbox wait for d between attempts.
func (o Options) WithRetries(d time.Duration) Options {
	o.retryDelay = func(int) time.Duration { return d }
	return o
}

// MaxKeyless is how many uploads without the key are read at a time.
const MaxKeyless = maxKeyless

// WithIdleTimeout closes connections that stand still for longer than d.
func (o Options) WithIdleTimeout(d time.Duration) Options {
	o.idleTimeout = d
	return o
}

// ListenBeyond acts as if the library listened beyond this computer.
func (l *Library) ListenBeyond(yes bool) { l.public.Store(yes) }

// WaitForTags sets how long an answer waits for tagging. Call it before any request.
func (l *Library) WaitForTags(d time.Duration) { l.tagTimeout = d }

// Snapshot makes a snapshot of the records.
func (l *Library) Snapshot() error { return l.snapshot() }

// WaitForHeaders sets how long the headers of a URL source may take. Call it before any request.
func (l *Library) WaitForHeaders(d time.Duration) { l.headerTimeout = d }

// Posts returns the number of webhook posts that wait.
func (l *Library) Posts(t *testing.T) int {
	t.Helper()
	posts, err := store.View(t.Context(), l.records,
		func(tx store.Tx) ([]store.Post, error) { return store.All[store.Post](tx, nil) })
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
		runs, err := store.All[store.Run](tx, store.Filter{"status": api.StatusPending})
		if err != nil {
			return err
		}
		pending = len(runs)
		posts, err := store.All[store.Post](tx, nil)
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

// Route is a route of the API.
type Route struct {
	Method, Pattern, Summary, Takes string
	Status                          int
}

// Routes returns the routes of the API.
func Routes() []Route {
	var list []Route
	for _, r := range routes {
		list = append(list, Route{r.method, r.pattern, r.summary, r.takes, r.status})
	}
	return list
}

// hooked calls a function after one update.
type hooked struct {
	store.Records
	update atomic.Pointer[func()]
}

// RequestKey is the context key that marks a request.
type RequestKey struct{}

func (h *hooked) Update(ctx context.Context, do func(store.Tx) error) error {
	err := h.Records.Update(ctx, do)
	if ctx.Value(RequestKey{}) != nil {
		if after := h.update.Swap(nil); after != nil {
			(*after)()
		}
	}
	return err
}

// WithHooks makes AfterNextUpdate work.
func (o Options) WithHooks() Options {
	o.observe = func(r store.Records) store.Records { return &hooked{Records: r} }
	return o
}

// AfterNextUpdate calls do after the next update by a request with RequestKey, before the request
// goes on.
func (l *Library) AfterNextUpdate(do func()) { l.records.Records.(*hooked).update.Store(&do) }

// Sweep does the regular maintenance of a running library.
func (l *Library) Sweep() { l.sweep() }

// WithObjects limits operations on a folder to n files and folders.
func (o Options) WithObjects(n int) Options {
	o.objects = n
	return o
}

// RemoveDeleted removes the contents that are recorded for deletion.
func (l *Library) RemoveDeleted() error { return l.removeDeleted() }

// WithJobStep limits a step of a folder job to step files.
func (o Options) WithJobStep(step int) Options {
	o.jobStep = step
	return o
}

// WrapUpdate replaces the function of an update. after is called once the update was committed; it may
// be nil.
type WrapUpdate = func(do func(store.Tx) error) (changed func(store.Tx) error, after func())

// WithUpdates replaces the functions of all updates by those of wrap.
func (o Options) WithUpdates(wrap WrapUpdate) Options {
	o.observe = func(r store.Records) store.Records { return &wrapped{r, wrap} }
	return o
}

type wrapped struct {
	store.Records
	wrap WrapUpdate
}

func (w *wrapped) Update(ctx context.Context, do func(store.Tx) error) error {
	do, after := w.wrap(do)
	err := w.Records.Update(ctx, do)
	if err == nil && after != nil {
		after()
	}
	return err
}
