package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/rule"
)

// Read fetches and stores the record of a file. If the service does not allow it, api.Unavailable
// is true for the error.
func (s *Session) Read(ctx context.Context, fileID string) (*api.File, error) {
	return s.record(ctx, api.ReadDetails(fileID))
}

// ReadOrSeen is Read, or returns the record as last seen if the service does not provide it.
func (s *Session) ReadOrSeen(ctx context.Context, fileID string) (*api.File, error) {
	file, err := s.Read(ctx, fileID)
	return s.lastKnown(ctx, Edited{fileID, file, err})
}

// record sends a request and stores the record that is its answer.
func (s *Session) record(ctx context.Context, r api.Request) (*api.File, error) {
	file, err := s.Client.Record(ctx, r)
	if err != nil {
		return nil, err
	}
	return file, s.Journal.SaveFile(ctx, s.Profile.Name, *file)
}

// Locate looks up what is at a path: in the service, or in the journal if the service does not list
// files.
func (s *Session) Locate(ctx context.Context, filePath string) (rule.Place, error) {
	places, err := s.places(ctx, []string{filePath})
	if err != nil {
		return rule.Place{}, err
	}
	return places[0], nil
}

// List lists folders and files. If the service does not support it, api.Unavailable is true for the
// error.
func (s *Session) List(ctx context.Context, q api.Query) ([]api.File, error) {
	return s.Client.List(ctx, q)
}

// Tags returns the tags of all files seen, most used first.
func (s *Session) Tags(ctx context.Context) ([]string, error) {
	return s.Journal.Tags(ctx, s.Profile.Name)
}

// Folders returns the folders seen.
func (s *Session) Folders(ctx context.Context) ([]string, error) {
	return s.Journal.Folders(ctx, s.Profile.Name)
}

// FoldersIn returns the folders in a folder, as listed by the service.
func (s *Session) FoldersIn(ctx context.Context, folder string) ([]string, error) {
	records, err := s.Client.List(ctx, api.Query{Folder: folder, Type: api.TypeFolder, Limit: 1000})
	return rule.Mapped(records, func(f api.File) string {
		folder, _ := rule.CleanFolder(f.FolderPath)
		return folder
	}), err
}

// MetadataFields returns the custom metadata fields for files in a folder, or for the library if
// folder is empty.
func (s *Session) MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error) {
	var fields []api.MetadataField
	err := s.Client.Do(ctx, api.ListMetadataFields(folder), &fields)
	return fields, err
}

// CheckMetadata checks the custom metadata of files with check, such as [rule.CheckNewMetadata],
// against the fields of the library, which it reads only if there are values. What the service does
// not list is left to it. at is the index of the first wrong values; the error is a *api.RuleError.
func (s *Session) CheckMetadata(ctx context.Context, files []map[string]json.RawMessage,
	check func([]api.MetadataField, map[string]json.RawMessage) error,
) (at int, err error) {
	has := func(values map[string]json.RawMessage) bool { return len(values) > 0 }
	if !slices.ContainsFunc(files, has) {
		return 0, nil
	}
	fields, err := s.MetadataFields(ctx, "")
	if err != nil {
		return 0, nil //nolint:nilerr // the service checks the values as well
	}
	for at, values := range files {
		if err := check(fields, values); err != nil {
			return at, err
		}
	}
	return 0, nil
}

// SeenIn returns what the journal knows of a folder: its files, and its folders as records of type
// folder.
func (s *Session) SeenIn(ctx context.Context, folder string) ([]api.File, error) {
	var files []api.File
	folders, err := s.Folders(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		if clean := path.Clean(f); path.Clean("/"+folder) == path.Dir(clean) {
			files = append(files, api.File{Type: api.TypeFolder, Name: path.Base(f), FolderPath: clean})
		}
	}
	seen, err := s.Journal.Files(ctx, s.Profile.Name, folder)
	return append(files, rule.Mapped(seen, lastRecord)...), err
}

// LastSeen returns the record of a file as last seen; false if never.
func (s *Session) LastSeen(ctx context.Context, fileID string) (journal.Seen, bool, error) {
	seen, ok, err := s.Journal.File(ctx, s.Profile.Name, fileID)
	seen.File = s.withCurrentURL(seen.File)
	return seen, ok, err
}

// Seen returns all files that the journal knows.
func (s *Session) Seen(ctx context.Context) ([]api.File, error) {
	seen, err := s.Journal.Files(ctx, s.Profile.Name, "")
	return rule.Mapped(seen, lastRecord), err
}

func lastRecord(seen journal.Seen) api.File { return seen.File }

// AlreadyStored returns, for each upload, the job that stored the same content in the same folder,
// or nil. It uses the journal, reads only files of a known size, and asks the service whether the
// file still exists. With folders, it also compares with the files in the folder of an upload, if
// the service lists files: one of the same name (with or without a unique suffix), size and content
// counts as stored.
func (s *Session) AlreadyStored(ctx context.Context, uploads []api.Upload, folders bool) ([]*job.Job, error) {
	jobs, listed := make([]*job.Job, len(uploads)), listing{}
	for i := range uploads {
		u := &uploads[i]
		id, err := api.Identify(u.Source.Path)
		if u.Source.Path == "" || err != nil {
			continue // errors of the source are reported when it is sent
		}
		known, err := s.Journal.StoredSize(ctx, s.Profile.Name, id.Size)
		if err == nil && known {
			jobs[i], err = s.storedAs(ctx, u)
		}
		if err == nil && folders && jobs[i] == nil {
			jobs[i], err = s.inFolder(ctx, u, id.Size, listed)
		}
		if err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

func (s *Session) storedAs(ctx context.Context, u *api.Upload) (*job.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sum, id, err := api.HashSource(u.Source.Path)
	if err != nil {
		return nil, nil
	}
	j, ok, err := s.Journal.StoredAs(ctx, s.Profile.Name, u.Folder.Or("/"), id.Size, sum)
	if err != nil || !ok || !s.stillThere(ctx, &j) {
		return nil, err
	}
	return &j, nil
}

// listing has the files of folders by name and size. A folder that was read has an entry.
type listing map[nameSize][]*api.File

type nameSize struct {
	folder, name string
	size         int64
}

func (s *Session) inFolder(ctx context.Context, u *api.Upload, size int64, listed listing) (*job.Job, error) {
	folder, _ := rule.CleanFolder(u.Folder.Or("/"))
	if _, read := listed[nameSize{folder: folder}]; !read {
		listed[nameSize{folder: folder}] = nil
		for f, err := range s.Client.All(ctx, api.Query{Folder: folder, Type: api.TypeFile}) {
			if api.Unavailable(err) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			for _, name := range slices.Compact([]string{f.Name, rule.WithoutSuffix(f.Name)}) {
				at := nameSize{folder, name, f.Size.Or(-1)}
				listed[at] = append(listed[at], f)
			}
		}
	}
	for _, f := range listed[nameSize{folder, rule.StoredName(u.FileName), size}] {
		stored, err := s.HashOf(ctx, f, true)
		if err != nil {
			return nil, api.WithHint(err, "Nothing was sent. Without --skip-stored, files are sent without a comparison.")
		}
		if sum, _, err := api.HashSource(u.Source.Path); err == nil && sum == stored {
			return &job.Job{Upload: *u, State: job.Stored, File: f, Updated: rule.Updated(f)}, nil
		}
	}
	return nil, nil
}

// HashOf returns the hash of a stored content, with its kind, if the journal has it; else, with
// read, that of the downloaded bytes, or "".
func (s *Session) HashOf(ctx context.Context, f *api.File, read bool) (string, error) {
	if s.Journal != nil {
		sent, ok, err := s.Journal.JobOfFile(ctx, s.Profile.Name, f.FileID)
		known := ok && sent.File != nil && sent.Hash != "" && !sent.Upload.Transformation.IsSet()
		if err != nil || known && contentOf(sent.File) == contentOf(f) {
			return sent.Hash, err
		}
	}
	if !read {
		return "", nil
	}
	body, err := s.Fetch(ctx, *f, f.Size.Or(MaxUnknown))
	if err == nil {
		defer body.Close()
		var sum string
		if sum, _, err = api.HashContent(body); err == nil {
			return sum, nil
		}
	}
	return "", fmt.Errorf("cannot compare with %s: %w", f.FilePath, err)
}

// maxNames limits the names in a search query, and with them the length of its address.
const maxNames = 50

// Places returns what is at the path of each upload. If the service does not list files, it is
// what the journal knows.
func (s *Session) Places(ctx context.Context, uploads []api.Upload) ([]rule.Place, error) {
	return s.places(ctx, rule.Mapped(uploads, func(u api.Upload) string { return rule.PathOf(&u) }))
}

func (s *Session) places(ctx context.Context, paths []string) ([]rule.Place, error) {
	places := make([]rule.Place, len(paths))
	names := map[string][]string{} // search values by folder
	for _, at := range paths {
		folder, name := path.Split(at)
		names[folder] = append(names[folder], api.SearchValue(name))
	}
	for folder, values := range names {
		var files []api.File
		unlisted := false
		for portion := range slices.Chunk(values, maxNames) {
			search := `type = "file" AND path = ` + api.SearchValue(folder) + " AND name IN [" + strings.Join(portion, ",") + "]"
			found, err := s.Client.List(ctx, api.Query{Search: search})
			if unlisted = api.Unavailable(err); err != nil && !unlisted {
				return nil, err
			}
			files = append(files, found...)
		}
		var seen []journal.Seen
		if unlisted {
			var err error
			if seen, err = s.Journal.Files(ctx, s.Profile.Name, folder); err != nil {
				return nil, err
			}
		}
		for i, at := range paths {
			if in, _ := path.Split(at); in != folder {
				continue
			}
			places[i].Known = !unlisted // the journal knows only files sent from here
			if n := slices.IndexFunc(files, func(f api.File) bool { return f.FilePath == at }); n >= 0 {
				places[i].File = &files[n]
			}
			if n := slices.IndexFunc(seen, func(s journal.Seen) bool { return s.File.FilePath == at }); n >= 0 {
				places[i] = rule.Place{Known: true, File: &seen[n].File, At: seen[n].At}
			}
		}
	}
	return places, nil
}

func noFile(err error) bool {
	answer, ok := errors.AsType[*api.ServiceError](err)
	return ok && answer.Status == http.StatusNotFound
}

// stillThere asks the service whether a stored file exists. It assumes so if the service does not
// tell.
func (s *Session) stillThere(ctx context.Context, j *job.Job) bool {
	if j.File == nil || s.Client == nil {
		return true
	}
	file, err := s.Client.Details(ctx, j.File.FileID)
	if err != nil {
		return !noFile(err)
	}
	j.File.FilePath = file.FilePath // it may have moved
	if size, ok := file.Size.Get(); !ok || size == j.Identity.Size {
		return true
	}
	// Another size is fine if an extension made a newer version.
	runs, err := s.Journal.Runs(ctx, job.RunFilter{Profile: j.Profile, FileID: j.File.FileID})
	return err == nil && slices.ContainsFunc(runs, func(r job.Run) bool {
		return r.Status != api.StatusFailed && rule.MakesVersion(r.Extension)
	})
}
