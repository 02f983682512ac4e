package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
)

// AlreadyStored returns, for each upload, the job that stored the same content in the same folder,
// or nil. It uses the journal, and reads only files of a known size. It asks the service whether
// the file still exists, except in a session of Describe.
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
	for i := range uploads {
		path := uploads[i].Source.Path
		id, err := api.Identify(path)
		if path == "" || err != nil {
			continue
		}
		known, err := s.Journal.StoredSize(ctx, s.Profile.Name, id.Size)
		if err == nil && known {
			jobs[i], err = s.storedAs(ctx, &uploads[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// storedAs returns the job that stored the content of an upload, or nil.
func (s *Session) storedAs(ctx context.Context, u *api.Upload) (*api.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sum, id, err := api.HashSource(u.Source.Path)
	if err != nil {
		return nil, nil // errors of the source are reported when it is sent
	}
	job, ok, err := s.Journal.StoredAs(ctx, s.Profile.Name, u.Folder.Or("/"), id.Size, sum)
	if err != nil || !ok || !s.stillThere(ctx, &job) {
		return nil, err
	}
	return &job, nil
}

// hashOf downloads a file of known size and returns its hash.
func (s *Session) hashOf(ctx context.Context, f *api.File) (string, error) {
	body, err := s.Fetch(ctx, *f, f.Size.Or(MaxUnknown))
	if err != nil {
		return "", err
	}
	defer body.Close()
	sum, _, err := api.HashContent(body)
	return sum, err
}

// Listed returns, for each upload, a file in its folder listed under its name, with or without a
// unique suffix, preferably of the same size; else nil. All are nil if the service does not list
// files. Contents are not compared.
func (s *Session) Listed(ctx context.Context, uploads []api.Upload) ([]*api.File, error) {
	found := make([]*api.File, len(uploads))
	names := map[string][]string{} // search clauses by folder
	for i := range uploads {
		name, folder := api.StoredName(uploads[i].FileName), uploads[i].Folder.Or("/")
		stem := strings.TrimSuffix(api.UniqueName(name, ""), path.Ext(name))
		names[folder] = append(names[folder], "name = "+api.SearchValue(name), "name : "+api.SearchValue(stem))
	}
	for folder, clauses := range names {
		files, err := s.Client.List(ctx, api.Query{Search: `type = "file" AND path = ` + api.SearchValue(folder) + " AND (" + strings.Join(clauses, " OR ") + ")"})
		if api.Unavailable(err) {
			return found, nil
		}
		if err != nil {
			return found, err
		}
		for i := range uploads {
			if uploads[i].Folder.Or("/") == folder {
				found[i] = listed(files, &uploads[i])
			}
		}
	}
	return found, nil
}

// listed returns the file with the name of an upload, or nil.
func listed(files []api.File, u *api.Upload) (found *api.File) {
	size := int64(-1)
	if id, err := api.Identify(u.Source.Path); err == nil {
		size = id.Size
	}
	name, folder := api.StoredName(u.FileName), strings.TrimSuffix(u.Folder.Or("/"), "/")+"/"
	for i := range files {
		f := &files[i]
		if f.FilePath != folder+f.Name || f.Name != name && api.WithoutSuffix(f.Name) != name {
			continue
		}
		if found == nil || f.Size.Or(-1) == size {
			found = f
		}
	}
	return found
}

// stillThere asks the service whether a stored file exists. It assumes so if the service does not
// tell.
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
	job.File.FilePath = file.FilePath // it may have moved
	size, ok := file.Size.Get()
	return !ok || size == job.Identity.Size || s.onlyExtended(ctx, job)
}

// onlyExtended reports whether extensions made all newer versions of a job's file, by the runs in
// the journal.
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
	versions, err := s.Versions(ctx, job.File.FileID)
	if err != nil || job.File.VersionInfo == nil {
		return made > 0 // the service has no versions
	}
	newer := slices.IndexFunc(versions, func(f api.File) bool { return versionOf(&f) == job.File.VersionInfo.ID })
	return newer >= 0 && newer <= made
}

// WriteManifest writes entries to a file in the working directory and returns its path.
func (s *Session) WriteManifest(entries []ManifestEntry, now time.Time) (string, error) {
	name, err := filepath.Abs("mediadesk-" + now.Format("20060102-150405") + ".json")
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("cannot write the manifest: %w", err)
	}
	if err := errors.Join(WriteManifest(f, entries), f.Close()); err != nil {
		return "", fmt.Errorf("cannot write the manifest: %w", err)
	}
	return name, nil
}
