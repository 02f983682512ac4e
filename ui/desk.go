package ui

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/queue"
	"mediadesk/api/watch"
	"mediadesk/ui/page"
)

// Desk is everything that is open for the profile in use. Main opens it and
// closes it; the screens and the commands work with its parts.
type Desk struct {
	Profile page.Profile
	Client  *api.Client
	Journal *journal.Journal
	Queue   *queue.Queue
	Watch   *watch.Watch

	// Cache is a folder for what can be fetched again.
	Cache string

	// Notice is one sentence that the person should read when the desk opens,
	// such as that uploads of last time go on; empty for none.
	Notice string

	// Close closes the parts in the reverse order of their opening. It waits
	// for uploads under way at most until ctx ends; what was not done then
	// waits in the journal.
	Close func(ctx context.Context) error
}

// Read looks at a file anew and keeps the record.
func (d *Desk) Read(ctx context.Context, fileID string) (*api.File, error) {
	file, err := d.Client.Details(ctx, fileID)
	if err != nil {
		return nil, err
	}
	return file, d.Journal.SaveFile(ctx, d.Profile.Name, *file)
}

// Place looks at what is at the place of an upload: in the service, or in the
// journal where the service does not list.
func (d *Desk) Place(ctx context.Context, filePath string) (api.Place, error) {
	folder, name := path.Split(filePath)
	files, err := d.Client.List(ctx, api.Query{Folder: folder, Name: name, Limit: 10})
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
	seen, err := d.Journal.Files(ctx, d.Profile.Name, journal.FileFilter{Folder: folder})
	for i := range seen {
		if seen[i].File.FilePath == filePath {
			return api.Place{Known: true, File: &seen[i].File, At: seen[i].At}, err
		}
	}
	// The journal knows only what was sent from here.
	return api.Place{}, err
}

// Tags are those of the files that were seen, the most used first.
func (d *Desk) Tags(ctx context.Context) ([]string, error) {
	counts, err := d.Journal.TagCounts(ctx, d.Profile.Name)
	tags := make([]string, len(counts))
	for i, c := range counts {
		tags[i] = c.Tag
	}
	return tags, err
}

// Folders are those that were seen.
func (d *Desk) Folders(ctx context.Context) ([]string, error) {
	return d.Journal.Folders(ctx, d.Profile.Name)
}

// TagsIn are those of the files that were seen in a folder, the most used
// first.
func (d *Desk) TagsIn(ctx context.Context, folder string) ([]string, error) {
	counts, err := d.Journal.TagCountsIn(ctx, d.Profile.Name, folder)
	tags := make([]string, len(counts))
	for i, c := range counts {
		tags[i] = c.Tag
	}
	return tags, err
}

// FoldersIn are the folders in a folder, as the service lists them.
func (d *Desk) FoldersIn(ctx context.Context, folder string) ([]string, error) {
	records, err := d.Client.List(ctx, api.Query{Folder: folder, Type: api.TypeFolder, Limit: 1000})
	folders := make([]string, len(records))
	for i := range records {
		folders[i], _ = api.CleanFolder(records[i].FolderPath)
	}
	return folders, err
}

// SaveDraft keeps the upload form while it is not sent; empty text keeps none.
func (d *Desk) SaveDraft(ctx context.Context, text []byte) error {
	return d.Journal.SaveDraft(ctx, d.Profile.Name, text)
}

// Seen is what the journal has of a folder: its files, and the folders in it.
func (d *Desk) Seen(ctx context.Context, folder string) ([]api.File, error) {
	var files []api.File
	folders, err := d.Folders(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		if parent := path.Dir(path.Clean(f)); path.Clean("/"+folder) == parent {
			files = append(files, api.File{Type: api.TypeFolder, Name: path.Base(f), FolderPath: path.Clean(f)})
		}
	}
	seen, err := d.Journal.Files(ctx, d.Profile.Name, journal.FileFilter{Folder: folder})
	for _, s := range seen {
		files = append(files, s.File)
	}
	return files, err
}

// SeenAt is when a record was last seen; the zero time where it never was.
func (d *Desk) SeenAt(ctx context.Context, fileID string) (time.Time, error) {
	seen, _, err := d.Journal.File(ctx, d.Profile.Name, fileID)
	return seen.At, err
}

// maxPicture is how much is fetched to show a picture, in bytes.
const maxPicture = 64 << 20

// Picture returns the path of a file of this computer that holds the stored
// picture: the one that was sent, while it is the same, else one that is fetched
// once for each version, within a limit.
func (d *Desk) Picture(ctx context.Context, f api.File) (string, error) {
	if source := d.sameSource(ctx, f); source != "" {
		return source, nil
	}
	return d.cached(f, f.URL, func() (io.ReadCloser, error) { return d.Fetch(ctx, f, maxPicture) })
}

// cached is the path of a file of the cache that holds what an address delivers
// of a version of a file: fetched once.
func (d *Desk) cached(f api.File, address string, fetch func() (io.ReadCloser, error)) (string, error) {
	version := f.FileID
	if f.VersionInfo != nil {
		version += f.VersionInfo.ID
	}
	sum := sha256.Sum256([]byte(d.Profile.Name + "\x00" + address + "\x00" + version))
	name := filepath.Join(d.Cache, "pictures", hex.EncodeToString(sum[:16]))
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", err
	}
	body, err := fetch()
	if err != nil {
		return "", fmt.Errorf("the picture cannot be fetched: %w", err)
	}
	defer body.Close()
	if err := writeWhole(name, body); err != nil {
		return "", fmt.Errorf("the picture cannot be fetched: %w", err)
	}
	return name, nil
}

// writeWhole writes a file of our own: whole, or not at all.
func writeWhole(path string, from io.Reader) error {
	part, err := os.CreateTemp(filepath.Dir(path), "part-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(part, from)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return nil
}

// Curl writes the request of a job as a command, without the key.
func (d *Desk) Curl(j api.Job) (string, error) {
	r, err := d.Client.DescribeUpload(&j.Upload)
	return r.Curl(), err
}
