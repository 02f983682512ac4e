package session

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/api/watch"
)

// Extend runs extensions on a stored file and tracks them like those of an upload.
func (s *Session) Extend(ctx context.Context, fileID string, list []api.Extension) (*api.File, error) {
	return s.Change(ctx, fileID, api.Details{Extensions: api.Set(list)})
}

// ErrNotLocal reports that a service cannot cancel runs.
var ErrNotLocal = errors.New("only the local library can cancel a run")

// CancelRun ends the pending runs of an extension on a file as failed. The error is ErrNotLocal
// unless the profile is the local library.
func (s *Session) CancelRun(ctx context.Context, fileID, extension string) error {
	if !s.Profile.Local {
		return ErrNotLocal
	}
	if err := s.Client.Do(ctx, nil)(api.CancelRun(fileID, extension)); err != nil {
		return err
	}
	// Neither polling nor a webhook would necessarily show it.
	return s.Watch.Canceled(context.WithoutCancel(ctx), s.Profile.Name, fileID, extension)
}

// withAddress adds an address of our receiver to a change with extensions, if the service can reach
// it and the change has none.
func (s *Session) withAddress(ctx context.Context, fileID string,
	change api.Details,
) (api.Details, string, error) {
	if err := s.resolveSaved(ctx, &change.Extensions); err != nil {
		return change, "", err
	}
	if len(change.Extensions.Or(nil)) == 0 || change.NoWebhook || !change.WebhookURL.IsZero() || s.Profile.Receiver == "" {
		return change, "", nil
	}
	address, err := s.Watch.Address(ctx, job.Hook{Profile: s.Profile.Name, FileID: fileID})
	if errors.Is(err, watch.ErrNoReceiver) {
		return change, "", nil // only polling is possible
	}
	if err != nil {
		return change, "", fmt.Errorf("no webhook URL: %w", err)
	}
	change.WebhookURL = api.Set(address)
	return change, address, nil
}

// watchRuns watches the runs that a change began. Without an answer, after is nil, and the runs
// that may have begun are watched.
func (s *Session) watchRuns(ctx context.Context, fileID string, change api.Details, address string,
	after *api.File, err error,
) error {
	list := change.Extensions.Or(nil)
	if after == nil && (len(list) == 0 || job.OutcomeOf(err) != job.Unknown) {
		return nil
	}
	if after == nil {
		// Polling compares the file with its earlier record.
		if seen, ok, err := s.Journal.File(context.WithoutCancel(ctx), s.Profile.Name, fileID); err == nil && ok {
			seen.File.ExtensionStatus = nil
			after = &seen.File
		}
	}
	return s.Watch.Requested(context.WithoutCancel(ctx), s.Profile.Name, fileID, list, address, after)
}

// Before returns the path of a local file with the picture before a run: that version, or the sent
// file.
func (s *Session) Before(ctx context.Context, run job.Run) (string, error) {
	if source := s.sentSource(ctx, run.JobID); source != "" {
		return source, nil
	}
	runs, err := s.Journal.Runs(ctx, job.RunFilter{Profile: run.Profile, FileID: run.FileID, Answers: true})
	if err != nil {
		return "", err
	}
	for i := range runs {
		file := runs[i].Answer
		if runs[i].ID != run.ID || file == nil || file.VersionInfo == nil || file.URL == "" {
			continue
		}
		old := *file
		if old.URL, err = versionAddress(file.URL, file.VersionInfo.ID); err != nil {
			return "", err
		}
		return s.Picture(ctx, old)
	}
	return "", errors.New("the earlier version is unknown: it was not sent from here, and the answer did not include it")
}

func (s *Session) sentSource(ctx context.Context, jobID int64) string {
	if jobID == 0 {
		return ""
	}
	j, ok, err := s.Journal.Job(ctx, jobID)
	if err != nil || !ok {
		return ""
	}
	return unchangedSource(&j)
}

// unchangedSource returns the path of the file that a job sent if it is as it was, else "".
func unchangedSource(j *job.Job) string {
	now, err := api.Identify(j.Upload.Source.Path)
	if j.Upload.Source.Path == "" || err != nil || !now.Same(j.Identity) {
		return ""
	}
	return j.Upload.Source.Path
}

func versionAddress(address, id string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("the record has no URL to fetch the picture from: %w", err)
	}
	query := u.Query()
	query.Set("ik-obj-version", id)
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// SavedExtensions returns the saved extensions of the account; none if the service lacks the call.
func (s *Session) SavedExtensions(ctx context.Context) ([]api.Saved, error) {
	var list []api.Saved
	err := s.Client.Do(ctx, &list)(api.ListSavedExtensions())
	if api.Unavailable(err) {
		return nil, nil
	}
	return list, err
}

func (s *Session) resolveSaved(ctx context.Context, fields ...*api.Field[[]api.Extension]) error {
	var saved []api.Saved
	read := false
	for _, field := range fields {
		list := field.Or(nil)
		if !slices.ContainsFunc(list, rule.MayBeSaved) {
			continue
		}
		var err error
		if !read {
			if saved, err = s.SavedExtensions(ctx); err != nil {
				return fmt.Errorf("the saved extensions cannot be read: %w", err)
			}
			read = true
		}
		if list, err = rule.ResolveSaved(list, saved); err != nil {
			return err
		}
		*field = api.Set(list)
	}
	return nil
}
