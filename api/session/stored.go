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
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/rule"
)

// AlreadyStored returns, for each upload, the job that stored the same content in the same folder,
// or nil. It uses the journal, and reads only files of a known size. It asks the service whether
// the file still exists, except in a session of Describe.
func (s *Session) AlreadyStored(ctx context.Context, uploads []api.Upload) ([]*job.Job, error) {
	jobs := make([]*job.Job, len(uploads))
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
func (s *Session) storedAs(ctx context.Context, u *api.Upload) (*job.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sum, id, err := api.HashSource(u.Source.Path)
	if err != nil {
		return nil, nil // errors of the source are reported when it is sent
	}
	j, ok, err := s.Journal.StoredAs(ctx, s.Profile.Name, u.Folder.Or("/"), id.Size, sum)
	if err != nil || !ok || !s.stillThere(ctx, &j) {
		return nil, err
	}
	return &j, nil
}

// InFolder returns, for each upload, a file in its folder of the same name (with or without a
// unique suffix), size and content; else nil. All are nil if the service does not list files.
// Contents are compared by their hash in the journal, or by downloading them.
func (s *Session) InFolder(ctx context.Context, uploads []api.Upload) ([]*api.File, error) {
	type key struct {
		folder, name string
		size         int64
	}
	found, listed, read := make([]*api.File, len(uploads)), map[key][]*api.File{}, map[string]bool{}
	for i := range uploads {
		id, err := api.Identify(uploads[i].Source.Path)
		if uploads[i].Source.Path == "" || err != nil {
			continue
		}
		folder, _ := rule.CleanFolder(uploads[i].Folder.Or("/"))
		if !read[folder] {
			read[folder] = true
			for f, err := range s.Client.All(ctx, api.Query{Folder: folder, Type: api.TypeFile}) {
				if api.Unavailable(err) {
					return found, nil
				}
				if err != nil {
					return found, err
				}
				for _, name := range slices.Compact([]string{f.Name, rule.WithoutSuffix(f.Name)}) {
					at := key{folder, name, f.Size.Or(-1)}
					listed[at] = append(listed[at], f)
				}
			}
		}
		for _, f := range listed[key{folder, rule.StoredName(uploads[i].FileName), id.Size}] {
			remote, err := s.KnownHash(ctx, f)
			if err == nil && remote == "" {
				remote, err = s.hashOf(ctx, f)
			}
			if err != nil {
				return found, api.WithHint(fmt.Errorf("cannot compare with %s: %w", f.FilePath, err), "Nothing was sent. Without --skip-stored, files are sent without a comparison.")
			}
			if sum, _, err := api.HashSource(uploads[i].Source.Path); err == nil && sum == remote {
				found[i] = f
				break
			}
		}
	}
	return found, nil
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

// Places returns what is at the path of each upload. If the service does not list files, it is
// what the journal knows.
func (s *Session) Places(ctx context.Context, uploads []api.Upload) ([]rule.Place, error) {
	places := make([]rule.Place, len(uploads))
	names := map[string][]string{} // search values by folder
	for i := range uploads {
		folder, name := path.Split(rule.PathOf(&uploads[i]))
		names[folder] = append(names[folder], api.SearchValue(name))
	}
	for folder, values := range names {
		files, err := s.Client.List(ctx, api.Query{Search: `type = "file" AND path = ` + api.SearchValue(folder) + " AND name IN [" + strings.Join(values, ",") + "]"})
		unlisted := api.Unavailable(err)
		if err != nil && !unlisted {
			return nil, err
		}
		for i := range uploads {
			at := rule.PathOf(&uploads[i])
			if in, _ := path.Split(at); in != folder {
				continue
			}
			places[i].Known = true
			if unlisted {
				if places[i], err = s.lastPlace(ctx, at); err != nil {
					return nil, err
				}
			} else if n := slices.IndexFunc(files, func(f api.File) bool { return f.FilePath == at }); n >= 0 {
				places[i].File = &files[n]
			}
		}
	}
	return places, nil
}

// stillThere asks the service whether a stored file exists. It assumes so if the service does not
// tell.
func (s *Session) stillThere(ctx context.Context, j *job.Job) bool {
	if j.File == nil || s.Client == nil {
		return true
	}
	file, err := s.Client.Details(ctx, j.File.FileID)
	var answer *api.ServiceError
	switch {
	case errors.As(err, &answer) && answer.Status == http.StatusNotFound:
		return false
	case err != nil:
		return true
	}
	j.File.FilePath = file.FilePath // it may have moved
	size, ok := file.Size.Get()
	return !ok || size == j.Identity.Size || s.onlyExtended(ctx, j)
}

// onlyExtended reports whether extensions made all newer versions of a job's file, by the runs in
// the journal.
func (s *Session) onlyExtended(ctx context.Context, j *job.Job) bool {
	runs, err := s.Journal.Runs(ctx, job.RunFilter{Profile: j.Profile, FileID: j.File.FileID})
	if err != nil {
		return false
	}
	made := 0
	for i := range runs {
		if runs[i].Status != api.StatusFailed && rule.MakesVersion(runs[i].Extension) {
			made++
		}
	}
	versions, err := s.Versions(ctx, j.File.FileID)
	if err != nil || j.File.VersionInfo == nil {
		return made > 0 // the service has no versions
	}
	newer := slices.IndexFunc(versions, func(f api.File) bool { return versionOf(&f) == j.File.VersionInfo.ID })
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
