// Package watch learns how pending extension runs end.
//
// There are two ways to learn it (service.md §6, and what a hosted
// service shows of its files): a webhook post to an address of ours, and the
// effects of an extension on the record of its file. Both end up in the
// journal, where a run goes from pending to success or failed once and never
// back. What cannot be learnt stays pending: no end is ever made up.
package watch

import (
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

// Store is where addresses, posts and runs are kept. *journal.Journal is one.
type Store interface {
	AddHook(ctx context.Context, h api.Hook) error
	// HookListens is where posts of pending runs are expected, as HOST:PORT.
	HookListens(ctx context.Context, at time.Time) ([]string, error)
	HookKnown(ctx context.Context, hash [32]byte, at time.Time) (profile string, known bool, err error)
	// HookPost returns when the post is committed.
	HookPost(ctx context.Context, hash [32]byte, post api.HookPost, at time.Time) (api.HookResult, error)
	AddRuns(ctx context.Context, runs []api.Run) ([]api.Run, error)
	ApplyRun(ctx context.Context, run api.Run) (changed bool, err error)
	Runs(ctx context.Context, f api.RunFilter) ([]api.Run, error)
	History(ctx context.Context, runID int64) ([]api.RunEvent, error)
	EndProbe(ctx context.Context, hash [32]byte) (arrived bool, err error)
	AddUnmatched(ctx context.Context, posts []api.UnmatchedPost) error
	Unmatched(ctx context.Context, profile string) ([]api.UnmatchedPost, error)
	SaveFile(ctx context.Context, profile string, f api.File) error
	// Changes is another number whenever anything in the journal has changed,
	// and RunMark another text whenever something of a run has.
	Changes(ctx context.Context) (int64, error)
	RunMark(ctx context.Context) (string, error)
}

// DefaultListen is where the receiver listens where nothing else is said.
const DefaultListen = "127.0.0.1:7844"

// HookLife is how long an address takes posts: a service tries for at most
// 24 hours.
const HookLife = 25 * time.Hour

// Options say what a watch works with. Journal is needed.
type Options struct {
	Journal Store
	Profile string // whose runs Runs returns and the poller asks for

	// Listen is where the receiver listens; empty: DefaultListen. Where the
	// port is taken, any free one does; "off": there is no receiver.
	Listen string
	// PublicURL is the address under which services reach the receiver, for a
	// profile; nil or empty: the receiver's own.
	PublicURL func(profile string) string
	// Secrets are what the service of a profile may sign its posts with; nil or
	// empty: posts are not signed, and the address alone speaks for them. With
	// secrets, a post that is signed with none of them is kept and not believed.
	Secrets func(profile string) []string

	// Details reads the record of a file, for the poller. nil: there is
	// nothing to poll. An error that api.Unavailable knows says the same of
	// one file.
	Details func(ctx context.Context, profile, fileID string) (*api.File, error)

	// Uploaded is told how pre-transformations of a profile's uploads ended, and
	// reports whether one of them was meant. nil: nobody is.
	Uploaded func(ctx context.Context, profile string, event api.UploadEvent) (bool, error)

	Now func() time.Time // nil: time.Now
}

// Watch is a receiver and a poller. Its methods may be called from any
// goroutine.
type Watch struct {
	o       Options
	changes chan struct{}
	wake    chan struct{} // the poller has something new to look at
	work    sync.WaitGroup

	mu        sync.Mutex
	stop      context.CancelFunc // nil before Start
	closed    bool
	addr      string
	server    *http.Server
	checks    map[int64]check     // of pending runs
	away      bool                // nobody is looking
	hold      time.Time           // until then the service asked to be left alone
	stale     []string            // files that a run has changed since they were seen
	unmatched []api.UnmatchedPost // posts that no run took, to be kept
	err       error               // why there is no receiver

	others map[string]*other // receivers of before that posts are expected at

	reading reading
}

// ErrNoReceiver says that there is no address to give: the receiver is off or
// could not be started.
var ErrNoReceiver = errors.New("no webhook receiver is running")

// New returns a watch that does nothing before Start.
func New(o Options) *Watch {
	if o.Listen == "" {
		o.Listen = DefaultListen
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Watch{o: o, changes: make(chan struct{}, 1), wake: make(chan struct{}, 1), checks: map[int64]check{}, others: map[string]*other{}}
}

// Start opens the receiver and begins to poll. The work ends with ctx, or
// with Close. Without a receiver, which the error then says, polling works.
func (w *Watch) Start(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.stop != nil {
		return errors.New("the watch was started before")
	}
	ctx, w.stop = context.WithCancel(ctx)
	// Counted before anybody can rely on being told: a change made right after
	// Start is one. A journal that fails shows in every other call.
	var seen glimpse
	seen.changes, _ = w.o.Journal.Changes(ctx)
	seen.mark, _ = w.o.Journal.RunMark(ctx)
	w.work.Go(func() { w.follow(ctx, seen) })
	w.work.Go(func() { w.poll(ctx) })
	w.work.Go(func() { w.stepIn(ctx) })
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
		// It ends with Close; a listener that breaks by itself leaves the
		// poller, and posts are sent again by the service.
		if err := w.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			w.mu.Lock()
			w.err = err
			w.addr = ""
			w.mu.Unlock()
		}
	})
	return nil
}

// Addr is where the receiver listens, such as "127.0.0.1:7844"; empty where
// there is none.
func (w *Watch) Addr() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.addr
}

// Address makes a webhook address for one attempt of a job: nobody can guess
// it, and what comes there speaks of the file of this job only. Its hash is
// kept before it is returned, so that no post comes too early.
func (w *Watch) Address(ctx context.Context, jobID int64, profile string) (string, error) {
	return w.address(ctx, api.Hook{Profile: profile, JobID: jobID})
}

// FileAddress makes a webhook address for a details update that asks for
// extensions of a file.
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
			h.Listen = w.usual(h.Listen) // where the tunnel leads
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

// tokenLength is that of 32 bytes in base64url.
const tokenLength = 43

func newToken() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Answered takes the extension runs that an answer of the service speaks of.
// webhook is whether an address of ours went along. The same answer counts
// once; nil, or one without extensions, is none.
func (w *Watch) Answered(ctx context.Context, profile string, file *api.File, webhook bool) error {
	if file == nil || len(file.ExtensionStatus) == 0 {
		return nil
	}
	return w.begin(ctx, api.RunsOf(profile, file, webhook, w.o.Now()))
}

// begin keeps runs, plans a look at each and tells of them.
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
	w.rouse()
	w.signal()
	return nil
}

// History returns what was learnt and heard about a run, with the raw posts.
func (w *Watch) History(ctx context.Context, runID int64) ([]api.RunEvent, error) {
	return w.o.Journal.History(ctx, runID)
}

// Changes tells that some run may have changed, here or through another
// program: once for any number of changes. It is never closed.
func (w *Watch) Changes() <-chan struct{} { return w.changes }

func (w *Watch) signal() { nudge(w.changes) }

// rouse makes the poller read the runs again.
func (w *Watch) rouse() { nudge(w.wake) }

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Close ends receiver and poller. Posts under way are taken to their end, but
// at most until ctx ends.
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
