package session

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/rule"
)

// Read fetches and stores the record of a file. If the service does not allow it, api.Unavailable
// is true for the error.
func (s *Session) Read(ctx context.Context, fileID string) (*api.File, error) {
	file, err := s.Client.Details(ctx, fileID)
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

func (s *Session) lastPlace(ctx context.Context, filePath string) (rule.Place, error) {
	folder, _ := path.Split(filePath)
	seen, err := s.Journal.Files(ctx, s.Profile.Name, folder)
	for i := range seen {
		if seen[i].File.FilePath == filePath {
			return rule.Place{Known: true, File: &seen[i].File, At: seen[i].At}, err
		}
	}
	// The journal knows only files sent from here.
	return rule.Place{}, err
}

// List lists folders and files. If the service does not support it, api.Unavailable is true for the
// error.
func (s *Session) List(ctx context.Context, q api.Query) ([]api.File, error) {
	return s.Client.List(ctx, q)
}

// Runs returns the known runs of this profile, newest last.
func (s *Session) Runs(ctx context.Context) ([]job.Run, error) { return s.Watch.Runs(ctx) }

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
	folders := make([]string, len(records))
	for i := range records {
		folders[i], _ = rule.CleanFolder(records[i].FolderPath)
	}
	return folders, err
}

// MetadataFields returns the custom metadata fields for files in a folder, or for the library if
// folder is empty.
func (s *Session) MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error) {
	var fields []api.MetadataField
	err := s.Client.Do(ctx, &fields)(api.ListMetadataFields(folder))
	return fields, err
}

// CheckMetadata checks the custom metadata of files with check, such as [rule.CheckNewMetadata], against
// the fields of the library, which it reads only if there are values. What the service does not list is
// left to it. at is the index of the first wrong values; the error is a *api.RuleError.
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
		if parent := path.Dir(path.Clean(f)); path.Clean("/"+folder) == parent {
			files = append(files, api.File{Type: api.TypeFolder, Name: path.Base(f), FolderPath: path.Clean(f)})
		}
	}
	seen, err := s.Journal.Files(ctx, s.Profile.Name, folder)
	for i := range seen {
		files = append(files, seen[i].File)
	}
	return files, err
}

// LastSeen returns the record of a file as last seen; false if never.
func (s *Session) LastSeen(ctx context.Context, fileID string) (journal.Seen, bool, error) {
	seen, ok, err := s.Journal.File(ctx, s.Profile.Name, fileID)
	seen.File = s.here(seen.File)
	return seen, ok, err
}

// SeenAt returns when a record was last seen, or the zero time.
func (s *Session) SeenAt(ctx context.Context, fileID string) (time.Time, error) {
	seen, _, err := s.Journal.File(ctx, s.Profile.Name, fileID)
	return seen.At, err
}

// Seen returns all files that the journal knows.
func (s *Session) Seen(ctx context.Context) ([]api.File, error) {
	seen, err := s.Journal.Files(ctx, s.Profile.Name, "")
	files := make([]api.File, len(seen))
	for i := range seen {
		files[i] = seen[i].File
	}
	return files, err
}

// Usage returns the usage of the account from start to the day before end. If the service does not
// support it, api.Unavailable is true for the error.
func (s *Session) Usage(ctx context.Context, start, end time.Time) (api.Usage, error) {
	var used api.Usage
	err := s.Client.Do(ctx, &used)(api.ReadUsage(start, end))
	return used, err
}
