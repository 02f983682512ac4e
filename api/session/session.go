// Package session is the application behind screens and commands. Open connects the parts for a
// profile: journal, client, local service, watch and queue. The methods of a Session combine them,
// for example changing a file and keeping the undo information. The package does not depend on a
// terminal.
package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/queue"
	"mediadesk/api/rule"
	"mediadesk/api/watch"
	"mediadesk/config"
)

// Options configures a session.
type Options struct {
	// Paths are the program's own files.
	Paths config.Paths
	// Keys finds private keys. It is required except for the local profile.
	Keys *config.Keys
	// Secrets receives every key in use, for redacting logs. May be nil.
	Secrets *config.Redactor
	// Version of the program, for the User-Agent.
	Version string
	// Waiting is called when calls wait at the request of the service; see [api.Options].
	Waiting func(notice string)

	Request
}

// Session holds everything that is open for the profile in use. It is safe for concurrent use.
// Methods that call the service take a context; callers without their own use Context.
type Session struct {
	Profile Profile
	Client  *api.Client
	Journal *journal.Journal
	// Warnings are problems of opening that the user should see once.
	Warnings []error

	// Serving reports that this process serves the local library, whose addresses work until the
	// session closes.
	Serving bool
	// Busy says which program has the usual address of the local library, if Serving; empty if that
	// address is used.
	Busy string

	Queue *queue.Queue
	Watch *watch.Watch

	// Notices receives a new Profile.Notice when another process serves the local library.
	Notices chan string

	// Cache is the folder for data that can be fetched again.
	Cache string

	options Options             // as passed to Open
	others  map[string]*Session // open profiles other than the one in use, by name
	opening sync.Mutex          // of others
	ctx     context.Context
	cancel  context.CancelFunc

	parts   sync.Map                      // paths of running downloads
	closers []func(context.Context) error // in the order of opening

	settling sync.Mutex // of settleEdits
}

// Context returns a context that ends when the session closes.
func (s *Session) Context() context.Context {
	if s.ctx == nil {
		return context.Background()
	}
	return s.ctx
}

// CloseTimeout is how long closing waits for running uploads.
const CloseTimeout = 5 * time.Second

const abandonTimeout = 3 * time.Second

var errHangs = errors.New("a part did not close in time and was abandoned; unfinished uploads are in the journal")

// Close closes the parts in reverse order. It waits for running uploads until ctx ends; the others
// stay in the journal. A part that hangs is abandoned soon after: durable data is safe, and nobody
// should have to kill the program.
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
	case <-time.After(abandonTimeout):
		return errHangs
	}
}

func (s *Session) onClose(part func(context.Context) error) { s.closers = append(s.closers, part) }

// Jobs returns the jobs of this profile that a filter selects.
func (s *Session) Jobs(ctx context.Context, f journal.JobFilter) ([]job.Job, error) {
	f.Profile = s.Profile.Name
	jobs, err := s.Journal.Jobs(ctx, f)
	for i := range jobs {
		if jobs[i].File != nil {
			*jobs[i].File = s.withCurrentURL(*jobs[i].File)
		}
	}
	return jobs, err
}

// Job returns the job with an id; false if this profile has none.
func (s *Session) Job(ctx context.Context, id int64) (job.Job, bool, error) {
	j, ok, err := s.Journal.Job(ctx, id)
	return j, ok && j.Profile == s.Profile.Name, err
}

// Send queues jobs and returns those that were accepted.
func (s *Session) Send(ctx context.Context, jobs []job.Job) ([]job.Job, error) {
	return s.Queue.Add(ctx, jobs)
}

// SaveDraft stores the unsent upload form; empty text removes it.
func (s *Session) SaveDraft(ctx context.Context, text []byte) error {
	return s.Journal.SaveDraft(ctx, s.Profile.Name, text)
}

// Presets returns the presets by name. All profiles share them.
func (s *Session) Presets(ctx context.Context) ([]journal.Preset, error) {
	return s.Journal.Presets(ctx)
}

// SavePreset stores a preset; it replaces one of the same name.
func (s *Session) SavePreset(ctx context.Context, p journal.Preset) error {
	return s.Journal.SavePreset(ctx, p)
}

// RemovePreset removes a preset.
func (s *Session) RemovePreset(ctx context.Context, name string) error {
	return s.Journal.RemovePreset(ctx, name)
}

// NewBatch returns a batch name of the time and a random part, so that names sort by time.
func NewBatch(now time.Time) string {
	return now.UTC().Format("20060102-150405") + "-" + rule.NewSuffix()
}
