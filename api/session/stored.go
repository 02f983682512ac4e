package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
)

// AlreadyStored finds, for each upload, the job that stored the same content in the
// same folder before, by what the journal knows of the profile; nil where none did.
// Only files of a known size are read. The service is asked whether the file is still
// there, if it tells; a session of Describe does not ask.
func (s *Session) AlreadyStored(ctx context.Context, uploads []api.Upload) ([]*api.Job, error) {
	jobs := make([]*api.Job, len(uploads))
	if s.Journal == nil {
		if _, err := os.Stat(s.journalPath); errors.Is(err, fs.ErrNotExist) {
			return jobs, nil
		}
		j, err := journal.Open(ctx, s.journalPath)
		if err != nil {
			return nil, err
		}
		defer j.Close()
		s = &Session{Profile: s.Profile, Journal: j}
	}
	sizes := make([]int64, len(uploads))
	for i := range uploads {
		if path := uploads[i].Source.Path; path != "" {
			if id, err := api.Identify(path); err == nil {
				sizes[i] = id.Size
			}
		}
	}
	known, err := s.Journal.StoredKinds(ctx, s.Profile.Name, sizes)
	if err != nil {
		return nil, err
	}
	for i := range uploads {
		for _, kind := range known[sizes[i]] {
			if jobs[i], err = s.storedAs(ctx, &uploads[i], kind); err != nil {
				return nil, err
			}
			if jobs[i] != nil {
				break
			}
		}
	}
	return jobs, nil
}

// storedAs is the job that stored the content of an upload by the hash of one
// kind; nil where there is none.
func (s *Session) storedAs(ctx context.Context, u *api.Upload, kind api.HashKind) (*api.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sum, id, err := api.HashSource(u.Source.Path, kind)
	if err != nil {
		return nil, nil // what is wrong with the source is said when it is sent
	}
	job, ok, err := s.Journal.StoredAs(ctx, s.Profile.Name, u.Folder.Or("/"), id.Size, sum)
	if err != nil || !ok || !s.stillThere(ctx, &job) {
		return nil, err
	}
	return &job, nil
}

// stillThere asks the service about a file that was stored. One that does not
// tell is taken as having it.
func (s *Session) stillThere(ctx context.Context, job *api.Job) bool {
	if job.File == nil || s.Client == nil {
		return true
	}
	file, err := s.Client.Details(ctx, job.File.FileID)
	var answer *api.ServiceError
	switch {
	case errors.As(err, &answer) && answer.Status == http.StatusNotFound:
		return false
	case err != nil:
		return true
	}
	size, ok := file.Size.Get()
	return !ok || size == job.Identity.Size || s.onlyExtended(ctx, job)
}

// onlyExtended reports whether extensions made all newer versions of the file that a
// job stored, by what the journal knows of their runs.
func (s *Session) onlyExtended(ctx context.Context, job *api.Job) bool {
	runs, err := s.Journal.Runs(ctx, api.RunFilter{Profile: job.Profile, FileID: job.File.FileID})
	if err != nil {
		return false
	}
	made := 0
	for i := range runs {
		if runs[i].Status != api.StatusFailed && api.MakesVersion(runs[i].Extension) {
			made++
		}
	}
	versions, err := s.Client.Versions(ctx, job.File.FileID)
	if err != nil || job.File.VersionInfo == nil {
		return made > 0 // the service has no versions
	}
	newer := slices.IndexFunc(versions, func(f api.File) bool { return versionOf(&f) == job.File.VersionInfo.ID })
	return newer >= 0 && newer <= made
}

// WriteManifest writes entries into a file of the working directory and
// returns its path.
func (s *Session) WriteManifest(entries []ManifestEntry, now time.Time) (string, error) {
	name, err := filepath.Abs("mediadesk-" + now.Format("20060102-150405") + ".json")
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("the manifest cannot be written: %w", err)
	}
	if err := errors.Join(WriteManifest(f, entries), f.Close()); err != nil {
		return "", fmt.Errorf("the manifest cannot be written: %w", err)
	}
	return name, nil
}
