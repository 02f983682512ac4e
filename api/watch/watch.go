// Package watch finds out the results of pending extension runs.
//
// It has two sources (service.md §6): webhooks to our addresses, and the effects of an extension on the
// record of its file. Both update the journal, where a run changes from pending to success or failed only
// once. A run without a known result stays pending.
package watch

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"mediadesk/api"
)

// Store stores addresses, webhooks and runs. *journal.Journal implements it.
type Store interface {
	AddHook(ctx context.Context, h api.Hook) error
	// HookListens returns the HOST:PORT where webhooks of pending runs are expected.
	HookListens(ctx context.Context, at time.Time) ([]string, error)
	HookKnown(ctx context.Context, hash [32]byte, at time.Time) (profile string, known bool, err error)
	// HookPost returns after the webhook is committed.
	HookPost(ctx context.Context, hash [32]byte, post api.HookPost, at time.Time) (api.HookResult, error)
	AddRuns(ctx context.Context, runs []api.Run) ([]api.Run, error)
	ApplyRun(ctx context.Context, run api.Run) (changed bool, err error)
	Runs(ctx context.Context, f api.RunFilter) ([]api.Run, error)
	History(ctx context.Context, runID int64) ([]api.RunEvent, error)
	EndProbe(ctx context.Context, hash [32]byte) (arrived bool, err error)
	AddUnmatched(ctx context.Context, posts []api.UnmatchedPost) error
	Unmatched(ctx context.Context, profile string) ([]api.UnmatchedPost, error)
	SaveFile(ctx context.Context, profile string, f api.File) error
	// Changes returns a number that changes with the journal, and RunMark a text that changes with any
	// run.
	Changes(ctx context.Context) (int64, error)
	RunMark(ctx context.Context) (string, error)
}

// DefaultListen is the default address of the receiver.
const DefaultListen = "127.0.0.1:7844"

// HookLife is how long an address accepts webhooks. Services retry for at most 24 hours.
const HookLife = 25 * time.Hour

// Options configures a watch. Journal is required.
type Options struct {
	Journal Store
	Profile string // the profile for Runs and the poller

	// Listen is the address of the receiver; empty means DefaultListen. If the port is taken, it uses a free
	// one. "off" disables the receiver.
	Listen string
	// PublicURL returns the address at which the services of a profile reach the receiver. If it is nil or
	// returns "", the receiver's own address is used.
	PublicURL func(profile string) string
	// Secrets returns the secrets with which the service of a profile may sign webhooks. If it is nil or
	// returns none, webhooks need no signature. Otherwise one without a valid signature is saved, but not
	// applied.
	Secrets func(profile string) []string

	// Details reads the record of a file, for the poller. Nil disables polling. An error for which
	// api.Unavailable is true disables it for that file.
	Details func(ctx context.Context, profile, fileID string) (*api.File, error)

	// Uploaded receives the result of a pre-transformation, and reports whether it matches an upload of the
	// profile. It may be nil.
	Uploaded func(ctx context.Context, profile string, event api.UploadEvent) (bool, error)

	Now func() time.Time // nil means time.Now
}

// Watch is a receiver and a poller. It is safe for concurrent use.
type Watch struct {
	o       Options
	changes chan struct{}
	wake    chan struct{} // wakes the poller
	work    sync.WaitGroup

	mu        sync.Mutex
	stop      context.CancelFunc // nil before Start
	closed    bool
	addr      string
	server    *http.Server
	checks    map[int64]check     // of pending runs
	away      bool                // the user is away
	hold      time.Time           // the service asked to wait until then
	stale     []string            // files that runs have changed since they were read
	unmatched []api.UnmatchedPost // unmatched webhooks to be saved
	err       error               // why there is no receiver

	others map[string]*other // earlier receivers where webhooks are expected

	reading reading
}

// ErrNoReceiver reports that the receiver is disabled or could not be started.
var ErrNoReceiver = errors.New("no webhook receiver is running")

// New returns a watch. Call Start to start it.
func New(o Options) *Watch {
	o.Listen = cmp.Or(o.Listen, DefaultListen)
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Watch{o: o, changes: make(chan struct{}, 1), wake: make(chan struct{}, 1), checks: map[int64]check{}, others: map[string]*other{}}
}

// Start starts the receiver and the poller, until ctx ends or Close is called. If the receiver fails to
// start, Start returns an error, but polling works.
func (w *Watch) Start(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.stop != nil {
		return errors.New("the watch was started before")
	}
	ctx, w.stop = context.WithCancel(ctx)
	// Read the state first, so that a change right after Start is reported. Errors of the journal show in
	// every other call.
	var seen observation
	seen.changes, _ = w.o.Journal.Changes(ctx)
	seen.mark, _ = w.o.Journal.RunMark(ctx)
	w.work.Go(func() { w.follow(ctx, seen) })
	w.work.Go(func() { w.poll(ctx) })
	w.work.Go(func() { w.listenForEarlier(ctx) })
	if w.o.Listen == "off" {
		return nil
	}
	l, err := listen(ctx, w.o.Listen)
	if err != nil {
		w.err = fmt.Errorf("the webhook receiver cannot listen at %q: %w", w.o.Listen, err)
		return w.err
	}
	w.addr = l.Addr().String()
	w.server = w.newServer(ctx)
	w.work.Go(func() {
		// Serve ends with Close. If the listener fails, the poller continues, and services retry their
		// webhooks.
		if err := w.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			w.mu.Lock()
			w.err = err
			w.addr = ""
			w.mu.Unlock()
		}
	})
	return nil
}

// Addr returns the address of the receiver, such as "127.0.0.1:7844", or "" without one.
func (w *Watch) Addr() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.addr
}

// Address returns a webhook address for one attempt of a job. It cannot be guessed, and its webhooks apply
// only to the job's file. Its hash is saved first, so that no webhook arrives too early.
func (w *Watch) Address(ctx context.Context, jobID int64, profile string) (string, error) {
	return w.address(ctx, api.Hook{Profile: profile, JobID: jobID})
}

// FileAddress returns a webhook address for a details update with extensions.
func (w *Watch) FileAddress(ctx context.Context, profile, fileID string) (string, error) {
	return w.address(ctx, api.Hook{Profile: profile, FileID: fileID})
}

func (w *Watch) address(ctx context.Context, h api.Hook) (string, error) {
	w.mu.Lock()
	base, reason := w.addr, w.err
	w.mu.Unlock()
	h.Listen = base
	if base == "" {
		if reason != nil {
			return "", errors.Join(ErrNoReceiver, reason)
		}
		return "", ErrNoReceiver
	}
	base = "http://" + base
	if w.o.PublicURL != nil {
		if public := w.o.PublicURL(h.Profile); public != "" {
			base = strings.TrimRight(public, "/")
			h.Listen = w.usual(h.Listen) // the destination of the tunnel
		}
	}
	token := newToken()
	h.Hash = sha256.Sum256([]byte(token))
	h.Made = w.o.Now()
	h.Expires = h.Made.Add(HookLife)
	if err := w.o.Journal.AddHook(ctx, h); err != nil {
		return "", err
	}
	return base + hookPath + token, nil
}

// tokenLength is the length of 32 bytes in base64url.
const tokenLength = 43

func newToken() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Answered adds the extension runs in an answer of the service. webhook says whether an address of ours
// was sent. The same answer counts once; nil, or one without extensions, adds none.
func (w *Watch) Answered(ctx context.Context, profile string, file *api.File, webhook bool) error {
	if file == nil || len(file.ExtensionStatus) == 0 {
		return nil
	}
	return w.begin(ctx, api.RunsOf(profile, file, webhook, w.o.Now()))
}

// begin saves runs, plans a check of each, and reports them.
func (w *Watch) begin(ctx context.Context, runs []api.Run) error {
	kept, err := w.o.Journal.AddRuns(ctx, runs)
	if err != nil {
		return err
	}
	w.mu.Lock()
	for i := range kept {
		if run := &kept[i]; run.Profile == w.o.Profile && !run.Status.Final() {
			w.expect(run, w.checks)
		}
	}
	w.mu.Unlock()
	w.wakeUp()
	w.signal()
	return nil
}

// History returns all reports about a run, with the original webhooks.
func (w *Watch) History(ctx context.Context, runID int64) ([]api.RunEvent, error) {
	return w.o.Journal.History(ctx, runID)
}

// Changes returns a channel that receives a value when runs may have changed, here or through another
// program. Several changes may share a value. It is never closed.
func (w *Watch) Changes() <-chan struct{} { return w.changes }

func (w *Watch) signal() { nudge(w.changes) }

// wakeUp makes the poller read the runs again.
func (w *Watch) wakeUp() { nudge(w.wake) }

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Close stops the receiver and the poller. It waits for webhooks being received, at most until ctx
// ends.
func (w *Watch) Close(ctx context.Context) error {
	w.mu.Lock()
	w.closed = true
	stop, server := w.stop, w.server
	w.addr = ""
	w.mu.Unlock()
	if stop == nil {
		return nil
	}
	var err error
	if server != nil {
		if err = server.Shutdown(ctx); err != nil {
			err = errors.Join(err, server.Close())
		}
	}
	stop()
	w.work.Wait()
	w.keepUnmatched(ctx)
	return err
}
