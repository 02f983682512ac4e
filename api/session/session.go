package session

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/queue"
	"mediadesk/api/watch"
	"mediadesk/config"
)

// Options say what a session is opened with.
type Options struct {
	// Paths are the program's own files.
	Paths config.Paths
	// Keys is where private keys are looked for. It must not be nil for a profile
	// other than the local one.
	Keys *config.Keys
	// Secrets learns every key that is used, so that none is ever logged; nil: it
	// is not wanted.
	Secrets *config.Redactor
	// Version of the program, for the User-Agent.
	Version string
	// Waiting is told that calls wait since the service asks for that; see
	// [api.Options].
	Waiting func(time.Duration)

	Request
}

// Session is everything that is open for the profile in use.
//
// Its methods may be called by several goroutines. Those that talk to the service
// take a context; callers that do not have their own use Context.
type Session struct {
	Profile Profile
	Client  *api.Client
	Journal *journal.Journal
	// NoJournal is why the journal could not be opened: Journal is an empty one then,
	// which goes with the session. Nil: it was opened.
	NoJournal error

	// Serving says that this process serves the local library: its addresses work until
	// the session closes.
	Serving bool

	Queue *queue.Queue
	Watch *watch.Watch

	// Cache is a folder for what can be fetched again.
	Cache string

	options Options // what it was opened with
	others  others
	ctx     context.Context //nolint:containedctx // the lifetime of the session: what screens wait for ends with it
	cancel  context.CancelFunc
	// journalPath is where the journal of a session of Describe is.
	journalPath string

	parts   sync.Map                      // paths of the files that downloads are written to
	closers []func(context.Context) error // in the order of opening
	ended   endedBatches
	oldURLs oldURLs
}

// Context ends when the session closes.
func (s *Session) Context() context.Context {
	if s.ctx == nil {
		return context.Background()
	}
	return s.ctx
}

// CloseTime is how long leaving waits for uploads that are under way.
const CloseTime = 5 * time.Second

// closeGrace is how much longer than its context a part may take to close: some
// wait for the end of the context themselves.
const closeGrace = 3 * time.Second

// errHangs is the error of Close for a part that does not close in time.
var errHangs = errors.New("something did not close in time and was left; what was under way waits in the journal")

// Close closes the parts in the reverse order of their opening. It waits for
// uploads under way until ctx ends; the others wait in the journal. A part that
// hangs is left behind shortly after that: what is durable is durable already, and
// nobody should have to kill a program that they left.
func (s *Session) Close(ctx context.Context) error {
	if s.cancel != nil {
		s.cancel()
	}
	closed := make(chan error, 1)
	go func() {
		var errs []error
		for i := len(s.closers) - 1; i >= 0; i-- {
			errs = append(errs, s.closers[i](ctx))
		}
		closed <- errors.Join(errs...)
	}()
	select {
	case err := <-closed:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-closed:
		return err
	case <-time.After(closeGrace):
		return errHangs
	}
}

// onClose adds a part to what Close closes.
func (s *Session) onClose(part func(context.Context) error) { s.closers = append(s.closers, part) }

// Receipts is the folder where the receipts of batches are kept.
func (s *Session) Receipts() string {
	return filepath.Join(filepath.Dir(s.Journal.Path()), "receipts")
}
