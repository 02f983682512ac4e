// Package watch finds out the results of pending extension runs.
//
// It has two sources (service.md §6): webhooks to our addresses, and the effects of an extension
// on the record of its file. Both update the journal, where a run changes from pending to success
// or failed only once. A run without a known result stays pending.
package watch

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
)

// HookTTL is how long an address accepts webhooks. Services retry for at most 24 hours.
const HookTTL = 25 * time.Hour

// Options configures a watch. Journal is required.
type Options struct {
	Journal *journal.Journal
	Profile string // the profile for Runs and the poller

	// Listen is the address of the receiver. If the port is taken, it uses a free one. "off" disables
	// the receiver.
	Listen string
	// PublicURL is the address at which services reach the receiver; empty for its own address.
	PublicURL string
	// Secrets returns the secrets with which the service of a profile may sign webhooks. If it is nil
	// or returns none, webhooks need no signature. Otherwise one without a valid signature is
	// refused.
	Secrets func(profile string) []string

	// Details reads the record of a file, for the poller. Nil disables polling. An error for which
	// api.Unavailable is true disables it for that file.
	Details func(ctx context.Context, fileID string) (*api.File, error)

	Now func() time.Time // nil means time.Now
}

// Watch is a receiver and a poller. It is safe for concurrent use.
type Watch struct {
	o       Options
	changes chan struct{}
	wake    chan struct{} // makes the poller read the runs again
	work    sync.WaitGroup

	mu        sync.Mutex
	stop      context.CancelFunc // nil before Start
	closed    bool
	addr      string
	server    *http.Server
	schedules map[string]schedule // by file
	hold      time.Time           // the service requested a wait until then
	stale     []string            // files that runs have changed since they were read
	err       error               // why there is no receiver
}

// New returns a watch. Call Start to start it.
func New(o Options) *Watch {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Watch{
		o: o, changes: make(chan struct{}, 1), wake: make(chan struct{}, 1),
		schedules: map[string]schedule{},
	}
}

// Start starts the receiver and the poller, until ctx ends or Close is called. If only the receiver
// fails to start, Err has the reason: polling works.
func (w *Watch) Start(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.stop != nil {
		return errors.New("the watch was started before")
	}
	ctx, w.stop = context.WithCancel(ctx)
	// Read the state first, so that a change right after Start is reported. Errors of the journal
	// show in every other call.
	mark, _ := w.o.Journal.Changes(ctx)
	w.work.Go(func() { w.follow(ctx, mark) })
	w.work.Go(func() { w.poll(ctx) })
	if w.o.Listen == "off" {
		return nil
	}
	l, err := listen(ctx, w.o.Listen)
	if err != nil {
		w.err = fmt.Errorf("the webhook receiver cannot listen at %q: %w", w.o.Listen, err)
		return nil
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

// listen listens on address or, if its port is taken, on a free port of the same host.
func listen(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if host, _, bad := net.SplitHostPort(address); err != nil && bad == nil {
		if other, second := config.Listen(ctx, "tcp", net.JoinHostPort(host, "0")); second == nil {
			return other, nil
		}
	}
	return l, err
}

// Err returns why there is no receiver, or nil if it runs or is off.
func (w *Watch) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Addr returns the address of the receiver, such as "127.0.0.1:7844", or "" without one.
func (w *Watch) Addr() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.addr
}

// Address returns a webhook address for one attempt of a job, or for a details update with
// extensions. It cannot be guessed, and its webhooks apply only to that file. Its hash is saved
// first, so that no webhook arrives too early. It sets the hash and the times of h. Without a
// receiver, the address is empty: only polling is possible.
func (w *Watch) Address(ctx context.Context, h job.Hook) (string, error) {
	base := w.Addr()
	if base == "" {
		return "", nil
	}
	base = cmp.Or(strings.TrimRight(w.o.PublicURL, "/"), "http://"+base)
	var random [32]byte
	rand.Read(random[:])
	token := base64.RawURLEncoding.EncodeToString(random[:])
	h.Hash = sha256.Sum256([]byte(token))
	h.Made = w.o.Now()
	h.Expires = h.Made.Add(HookTTL)
	if err := w.o.Journal.AddHook(ctx, h); err != nil {
		return "", fmt.Errorf("no webhook URL: %w", err)
	}
	return base + hookPath + token, nil
}

const tokenLength = 43

// Answered adds the extension runs in an answer of the service. webhook says whether an address of
// ours was sent. The same answer counts once; nil, or one without extensions, adds none.
func (w *Watch) Answered(ctx context.Context, profile string, file *api.File, webhook bool) error {
	if file == nil || len(file.ExtensionStatus) == 0 {
		return nil
	}
	return w.begin(ctx, job.RunsOf(profile, file, webhook, w.o.Now()))
}

func (w *Watch) begin(ctx context.Context, runs []job.Run) error {
	if err := w.o.Journal.AddRuns(ctx, runs); err != nil {
		return err
	}
	nudge(w.wake)
	nudge(w.changes)
	return nil
}

// History returns all reports about a run, with the original webhooks.
func (w *Watch) History(ctx context.Context, runID int64) ([]job.RunEvent, error) {
	return w.o.Journal.History(ctx, runID)
}

// Changes returns a channel that receives a value when runs may have changed, here or through
// another program. Several changes may share a value. It is never closed.
func (w *Watch) Changes() <-chan struct{} { return w.changes }

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
	return err
}

// Runs returns the runs of the profile, newest last: at most 1,000, plus all pending ones.
func (w *Watch) Runs(ctx context.Context) ([]job.Run, error) {
	const most = 1000
	runs, err := w.o.Journal.Runs(ctx, job.RunFilter{Profile: w.o.Profile, Limit: most})
	if err != nil || len(runs) < most {
		return runs, err
	}
	pending, err := w.o.Journal.Runs(ctx, job.RunFilter{Profile: w.o.Profile, Pending: true})
	if err != nil {
		return nil, err
	}
	older := slices.DeleteFunc(pending, func(run job.Run) bool { return run.ID >= runs[0].ID })
	return append(older, runs...), nil
}

// Requested records the runs that a details update began. address is the result of Address and may
// be empty; answer is the returned record, or nil if the request may have arrived but no answer
// came.
func (w *Watch) Requested(ctx context.Context, profile, fileID string, extensions []api.Extension,
	address string, answer *api.File,
) error {
	if len(extensions) == 0 {
		return w.Answered(ctx, profile, answer, false)
	}
	runs := job.RunsRequested(profile, fileID, extensions, answer, w.o.Now())
	if answer == nil {
		before, err := w.o.Journal.Runs(ctx, job.RunFilter{Profile: profile, FileID: fileID, Limit: 1})
		if err != nil {
			return err
		}
		for i := range runs {
			if len(before) > 0 {
				runs[i].FilePath = before[0].FilePath
			}
		}
	}
	if i := strings.LastIndex(address, hookPath); i >= 0 {
		hash := sha256.Sum256([]byte(address[i+len(hookPath):]))
		for i := range runs {
			runs[i].Webhook, runs[i].Hook = true, hash
		}
	}
	return w.begin(ctx, runs)
}
