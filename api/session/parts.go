package session

import (
	"context"
	"slices"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/queue"
	"mediadesk/api/watch"
	"mediadesk/config"
)

// What screens and commands show of the parts of a session: they import none of
// the parts themselves.
type (
	// Row is a job in the queue with its progress.
	Row = queue.Row
	// Snapshot has all rows of the queue.
	Snapshot = queue.Snapshot
	// Counts are how many jobs of the queue are open or failed.
	Counts = queue.Counts
	// Totals sums up the jobs of the queue.
	Totals = queue.Totals
	// Offline says that the service cannot be reached.
	Offline = queue.Offline
	// StateError says that a job is in a state in which something cannot be done.
	StateError = queue.StateError

	// JobFilter selects jobs of the journal.
	JobFilter = journal.JobFilter
	// Seen is a record as it was last seen, and when.
	Seen = journal.Seen
	// Preset is a set of upload options under a name.
	Preset = journal.Preset
)

// What screens and commands ask of errors.
var (
	// ErrNoJob says that the queue does not have a job.
	ErrNoJob = queue.ErrNoJob
	// ErrQueueClosed says that the queue takes no more jobs.
	ErrQueueClosed = queue.ErrClosed
	// ErrTaken says that another program works on a job.
	ErrTaken = journal.ErrTaken
)

// MaxClaim is how many jobs of an earlier run the queue takes up at a time.
const MaxClaim = journal.MaxClaim

// JournalDamaged is what helps where the file of a journal is damaged.
const JournalDamaged = journal.Damaged

// CheckJournal looks at the journal of the program without opening it: it makes and
// changes nothing. The error is fs.ErrNotExist if there is none.
func CheckJournal(ctx context.Context, paths config.Paths) (journal.State, error) {
	return journal.Check(ctx, paths.Journal())
}

// HookLife is how long a webhook address is valid.
const HookLife = watch.HookLife

// Jobs are the jobs of the journal that a filter selects, of this profile.
func (s *Session) Jobs(ctx context.Context, f JobFilter) ([]api.Job, error) {
	f.Profile = s.Profile.Name
	return s.Journal.Jobs(ctx, f)
}

// Job is a job of the journal by its number; false if this profile has none.
func (s *Session) Job(ctx context.Context, id int64) (api.Job, bool, error) {
	job, ok, err := s.Journal.Job(ctx, id)
	return job, ok && job.Profile == s.Profile.Name, err
}

// CountFinished counts the jobs of the journal with an outcome by batch and state,
// but neither those that this program finished nor those in except.
func (s *Session) CountFinished(ctx context.Context, batches []string, except []int64) (map[string]map[api.State]int, error) {
	return s.Journal.CountFinished(ctx, batches, except)
}

// OpenJobs counts the jobs of the journal that have no outcome yet.
func (s *Session) OpenJobs(ctx context.Context) (int, error) {
	return s.Journal.OpenJobs(ctx, s.Profile.Name)
}

// JournalVersion is a number that differs whenever any program has changed the
// journal.
func (s *Session) JournalVersion(ctx context.Context) (int64, error) {
	return s.Journal.Changes(ctx)
}

// LastSeen is the record of a file as it was last seen; false if it never was.
func (s *Session) LastSeen(ctx context.Context, fileID string) (Seen, bool, error) {
	return s.Journal.File(ctx, s.Profile.Name, fileID)
}

// Send hands jobs to the queue and returns those that it took.
func (s *Session) Send(ctx context.Context, jobs []api.Job) ([]api.Job, error) {
	jobs = slices.Clone(jobs)
	fields := make([]*api.Field[[]api.Extension], len(jobs))
	for i := range jobs {
		fields[i] = &jobs[i].Upload.Extensions
	}
	if err := s.resolveSaved(ctx, fields...); err != nil {
		return nil, err
	}
	return s.Queue.Add(ctx, jobs)
}

// DescribeUpload is the request of an upload, without the key.
func (s *Session) DescribeUpload(u *api.Upload) (api.Request, error) {
	return s.Client.DescribeUpload(u)
}

// Presets are the sets of upload options that are kept, by name. All profiles share
// them.
func (s *Session) Presets(ctx context.Context) ([]Preset, error) { return s.Journal.Presets(ctx) }

// SavePreset keeps a preset; it replaces the one of its name.
func (s *Session) SavePreset(ctx context.Context, p Preset) error {
	return s.Journal.SavePreset(ctx, p)
}

// RemovePreset removes the preset of a name.
func (s *Session) RemovePreset(ctx context.Context, name string) error {
	return s.Journal.RemovePreset(ctx, name)
}
