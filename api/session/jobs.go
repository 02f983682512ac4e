package session

import (
	"context"
	"time"

	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/rule"
)

// Jobs returns the jobs of this profile that a filter selects.
func (s *Session) Jobs(ctx context.Context, f journal.JobFilter) ([]job.Job, error) {
	f.Profile = s.Profile.Name
	jobs, err := s.Journal.Jobs(ctx, f)
	for i := range jobs {
		if jobs[i].File != nil {
			*jobs[i].File = s.here(*jobs[i].File)
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
