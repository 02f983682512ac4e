package journal

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// Seen is the last known record of a file, and its time.
type Seen struct {
	File api.File
	At   time.Time
}

// SaveFile saves the newest record of a file, exactly as the service wrote it.
func (j *Journal) SaveFile(ctx context.Context, profile string, f api.File) error {
	return j.change(ctx, func(t tx) error { return saveFile(t, profile, &f, time.Now()) })
}

func saveFile(t tx, profile string, f *api.File, at time.Time) error {
	kind, id, place := api.TypeFile, f.FileID, f.FilePath
	if f.IsFolder() { // only some services give folders an id
		kind, id, place = api.TypeFolder, cmp.Or(f.FolderID, "folder "+f.FolderPath), f.FolderPath
	}
	if id == "" {
		return errors.New("a record without a file id cannot be kept")
	}
	folder, name := path.Split(place)
	folder, name = cmp.Or(folder, "/"), cmp.Or(name, f.Name)
	text, err := recordText(f)
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT OR REPLACE INTO files (profile, id, kind, folder, name, record, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		profile, id, kind, folder, name, text, stamp(at))
	return err
}

// ForgetFile removes a deleted file from the known files. It keeps the uploads.
func (j *Journal) ForgetFile(ctx context.Context, profile, id string) error {
	return j.exec(ctx, "DELETE FROM files WHERE profile = ? AND id = ?", profile, id)
}

// ForgetFolder removes a deleted folder and its content from the known files. It keeps the uploads.
func (j *Journal) ForgetFolder(ctx context.Context, profile, folder string) error {
	below, _ := rule.CleanFolder(folder)
	parent, name := path.Split(strings.TrimSuffix(below, "/"))
	if name == "" {
		return errors.New("the root folder cannot be forgotten")
	}
	return j.exec(ctx, `DELETE FROM files WHERE profile = ?1 AND (substr(folder, 1, length(?2)) = ?2
		OR kind = 'folder' AND folder = ?3 AND name = ?4)`, profile, below, parent, name)
}

// Files returns the known files of a profile in exactly a folder, such as "/a/b/", or everywhere if
// folder is empty, sorted by folder and name.
func (j *Journal) Files(ctx context.Context, profile, folder string) ([]Seen, error) {
	return list(ctx, j, scanSeen, `SELECT record, at FROM files WHERE profile = ?1 AND kind = 'file'
		AND (?2 = '' OR folder = ?2) ORDER BY folder, name`, profile, folder)
}

// File returns the last known record of a file, and false if there is none.
func (j *Journal) File(ctx context.Context, profile, id string) (Seen, bool, error) {
	return first(ctx, j, scanSeen, "SELECT record, at FROM files WHERE profile = ? AND id = ?", profile, id)
}

func scanSeen(scan scan) (seen Seen, err error) {
	err = scan(asJSON{&seen.File}, when{&seen.At})
	return seen, err
}

// Tags returns the tags of the known files, most frequent first.
func (j *Journal) Tags(ctx context.Context, profile string) ([]string, error) {
	return list(ctx, j, value[string], `SELECT tag.value FROM files, json_each(record, '$.tags') AS tag
		WHERE profile = ? AND tag.type = 'text' GROUP BY tag.value ORDER BY count(*) DESC, tag.value`, profile)
}

// Folders returns the known folders and their parents without the root, in the form "/a/b/",
// sorted.
func (j *Journal) Folders(ctx context.Context, profile string) ([]string, error) {
	seen, err := list(ctx, j, value[string], `SELECT DISTINCT folder FROM files WHERE profile = ?1
		UNION SELECT folder || name FROM files WHERE profile = ?1 AND kind = 'folder'`, profile)
	known := map[string]bool{}
	for _, folder := range seen {
		for folder = path.Clean(folder); folder != "/" && folder != "."; folder = path.Dir(folder) {
			known[folder+"/"] = true
		}
	}
	return slices.Sorted(maps.Keys(known)), err
}
