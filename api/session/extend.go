package session

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"mediadesk/api"
	"mediadesk/api/job"
)

// Extend runs extensions on a stored file and tracks them like those of an upload.
func (s *Session) Extend(ctx context.Context, fileID string, list []api.Extension) (*api.File, error) {
	done := s.ChangeAll(ctx, []Change{{fileID, api.Details{Extensions: api.Set(list)}}}, nil)[0]
	return done.File, done.Err
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
		seen, ok, err := s.Journal.File(context.WithoutCancel(ctx), s.Profile.Name, fileID)
		if err == nil && ok {
			seen.File.ExtensionStatus = nil
			after = &seen.File
		}
	}
	return s.Watch.Requested(context.WithoutCancel(ctx), s.Profile.Name, fileID, list, address, after)
}

// Before returns the path of a local file with the picture before a run: the sent file if it is
// unchanged, or else the version before the run.
func (s *Session) Before(ctx context.Context, run job.Run) (string, error) {
	if sent, ok, err := s.Journal.Job(ctx, run.JobID); err == nil && ok {
		if source := unchangedSource(&sent); source != "" {
			return source, nil
		}
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
		u, err := url.Parse(file.URL)
		if err != nil {
			return "", fmt.Errorf("the URL in the record cannot be read: %w", err)
		}
		query := u.Query()
		query.Set("ik-obj-version", file.VersionInfo.ID)
		u.RawQuery = query.Encode()
		old := *file
		old.URL = u.String()
		return s.Picture(ctx, old)
	}
	return "", errors.New("the earlier version is unknown: it was not sent from here, and the response did not include it")
}

// unchangedSource returns the path of the file that a job sent if it is as it was, else "".
func unchangedSource(j *job.Job) string {
	now, err := api.Identify(j.Upload.Source.Path)
	if j.Upload.Source.Path == "" || err != nil || !now.Same(j.Identity) {
		return ""
	}
	return j.Upload.Source.Path
}

// SavedExtensions returns the saved extensions of the account; none if the service lacks the call.
func (s *Session) SavedExtensions(ctx context.Context) ([]api.SavedExtension, error) {
	var list []api.SavedExtension
	err := s.Client.Do(ctx, api.ListSavedExtensions(), &list)
	if api.Unavailable(err) {
		return nil, nil
	}
	return list, err
}
