package session

import (
	"context"
	"path"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
)

// Read fetches the record of a file and keeps it. An error that api.Unavailable
// knows says that the service does not let us read it.
func (s *Session) Read(ctx context.Context, fileID string) (*api.File, error) {
	file, err := s.Client.Details(ctx, fileID)
	if err != nil {
		return nil, err
	}
	return file, s.Journal.SaveFile(ctx, s.Profile.Name, *file)
}

// Locate looks up what is at the path of an upload: in the service, or in the
// journal where the service does not list.
func (s *Session) Locate(ctx context.Context, filePath string) (api.Place, error) {
	folder, name := path.Split(filePath)
	files, err := s.Client.List(ctx, api.Query{Folder: folder, Name: name, Limit: 10})
	if err == nil {
		for i := range files {
			if files[i].FilePath == filePath {
				return api.Place{Known: true, File: &files[i]}, nil
			}
		}
		return api.Place{Known: true}, nil
	}
	if !api.Unavailable(err) {
		return api.Place{}, err
	}
	seen, err := s.Journal.Files(ctx, s.Profile.Name, journal.FileFilter{Folder: folder})
	for i := range seen {
		if seen[i].File.FilePath == filePath {
			return api.Place{Known: true, File: &seen[i].File, At: seen[i].At}, err
		}
	}
	// The journal knows only what was sent from here.
	return api.Place{}, err
}

// List lists folders and files of the service. An error that api.Unavailable knows
// says that the service does not list.
func (s *Session) List(ctx context.Context, q api.Query) ([]api.File, error) {
	return s.Client.List(ctx, q)
}

// Runs are the runs of extensions that are known of this profile, newest last.
func (s *Session) Runs(ctx context.Context) ([]api.Run, error) { return s.Watch.Runs(ctx) }

// Tags are the tags of the files that were seen, the most used first.
func (s *Session) Tags(ctx context.Context) ([]string, error) {
	counts, err := s.Journal.TagCounts(ctx, s.Profile.Name)
	return tagsOf(counts), err
}

// Folders are the folders that were seen.
func (s *Session) Folders(ctx context.Context) ([]string, error) {
	return s.Journal.Folders(ctx, s.Profile.Name)
}

// TagsIn are the tags of the files that were seen in a folder, the most used
// first.
func (s *Session) TagsIn(ctx context.Context, folder string) ([]string, error) {
	counts, err := s.Journal.TagCountsIn(ctx, s.Profile.Name, folder)
	return tagsOf(counts), err
}

func tagsOf(counts []journal.TagCount) []string {
	tags := make([]string, len(counts))
	for i, c := range counts {
		tags[i] = c.Tag
	}
	return tags
}

// FoldersIn are the folders in a folder, as the service lists them.
func (s *Session) FoldersIn(ctx context.Context, folder string) ([]string, error) {
	records, err := s.Client.List(ctx, api.Query{Folder: folder, Type: api.TypeFolder, Limit: 1000})
	folders := make([]string, len(records))
	for i := range records {
		folders[i], _ = api.CleanFolder(records[i].FolderPath)
	}
	return folders, err
}

// Draft is the upload form that was not sent; empty for none.
func (s *Session) Draft(ctx context.Context) ([]byte, error) {
	text, _, err := s.Journal.Draft(ctx, s.Profile.Name)
	return text, err
}

// MetadataFields are the custom metadata fields for files in a folder; empty: those of
// the library. An error says that they are not known.
func (s *Session) MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error) {
	return s.Client.MetadataFields(ctx, folder)
}

// CheckSearch refuses a search query that asks for a value which its custom metadata
// field does not have (api.CheckSearch). It asks the service for the fields only where the
// query names one; what the service does not tell is left to it.
func (s *Session) CheckSearch(ctx context.Context, query string) error {
	if !strings.Contains(query, api.SearchKey) {
		return nil
	}
	fields, err := s.MetadataFields(ctx, "")
	if err != nil {
		return nil //nolint:nilerr // the service checks the query as well
	}
	return api.CheckSearch(fields, query)
}

// SaveDraft keeps the upload form while it is not sent; empty text removes it.
func (s *Session) SaveDraft(ctx context.Context, text []byte) error {
	return s.Journal.SaveDraft(ctx, s.Profile.Name, text)
}

// SeenIn is what the journal knows of a folder: its files, and the folders in it as
// records of type folder.
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
	seen, err := s.Journal.Files(ctx, s.Profile.Name, journal.FileFilter{Folder: folder})
	for i := range seen {
		files = append(files, seen[i].File)
	}
	return files, err
}

// SeenAt is when a record was last seen; the zero time where it never was.
func (s *Session) SeenAt(ctx context.Context, fileID string) (time.Time, error) {
	seen, _, err := s.Journal.File(ctx, s.Profile.Name, fileID)
	return seen.At, err
}

// Curl writes the request of a job as a command, without the key.
func (s *Session) Curl(j api.Job) (string, error) {
	r, err := s.Client.DescribeUpload(&j.Upload)
	return r.Curl(), err
}

// Seen is every file that the journal knows.
func (s *Session) Seen(ctx context.Context) ([]api.File, error) {
	seen, err := s.Journal.Files(ctx, s.Profile.Name, journal.FileFilter{})
	files := make([]api.File, len(seen))
	for i := range seen {
		files[i] = seen[i].File
	}
	return files, err
}

// Sent is the upload that stored a file; false if none from this computer did.
func (s *Session) Sent(ctx context.Context, fileID string) (api.Job, bool, error) {
	return s.Journal.SentAs(ctx, s.Profile.Name, fileID)
}

// Usage is what the account uses from the day of start until the day before end. An
// error that api.Unavailable knows says that the service does not tell.
func (s *Session) Usage(ctx context.Context, start, end time.Time) (api.Usage, error) {
	return s.Client.Usage(ctx, start, end)
}
