package store

import (
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// NewID returns an id of 24 hex digits: the time in milliseconds and 48 random bits. Rows written
// together are then neighbors in an index, which large libraries need.
func NewID() string {
	var b [14]byte
	binary.BigEndian.PutUint64(b[:], uint64(time.Now().UnixMilli()))
	rand.Read(b[8:])
	return hex.EncodeToString(b[2:])
}

// IsID reports whether text has the form of an id.
func IsID(text string) bool {
	return len(text) == 24 && strings.Trim(text, "0123456789abcdef") == ""
}

// Files reads and writes files.
type Files struct{ session }

// At returns the file at a path; names compare as NFC.
func (t Files) At(folder, name string) (*File, error) {
	return get[File](t.session, "folder = ? AND name_key = ?", norm.NFC.String(folder), norm.NFC.String(name))
}

// Insert adds a file with its version; ErrExists if the path is taken.
func (t Files) Insert(f *File) error {
	stored := *f
	stored.Folder = norm.NFC.String(f.Folder)
	names, args, err := files.values(reflect.ValueOf(stored), func(column) bool { return true })
	if err != nil {
		return err
	}
	query := "INSERT INTO files (name_key, " + strings.Join(names, ", ") + ") VALUES (?, " + places(len(names)) + ") ON CONFLICT DO NOTHING"
	if err := t.change(ErrExists, query, append([]any{norm.NFC.String(f.Name)}, args...)...); err != nil {
		return err
	}
	t.changed(FileCreated, f.ID, "")
	return Versions(t).Add(f.ID, &f.Version)
}

// Update changes all but the id, folder and name of a file, and adds its version if that is new.
func (t Files) Update(f *File) error {
	changes := func(c column) bool { return !c.once && c.name != "folder" && c.name != "name" }
	if err := t.save(files, reflect.ValueOf(*f), changes); err != nil {
		return err
	}
	known, err := value[int](t.session, "SELECT count(*) FROM versions WHERE id = ?", f.Version.ID)
	if err != nil {
		return err
	}
	if known > 0 {
		t.changed(FileUpdated, f.ID, "")
		return nil
	}
	t.changed(VersionCreated, f.ID, f.Version.ID)
	return Versions(t).Add(f.ID, &f.Version)
}

// Delete deletes a file with all its versions; see Deletion.
func (t Files) Delete(id string) error {
	if err := t.change(ErrNotFound, "DELETE FROM files WHERE id = ?", id); err != nil {
		return err
	}
	t.changed(FileDeleted, id, "")
	_, err := Versions(t).delete("file_id = ?", id)
	return err
}

// Move changes the path of a file; ErrExists if another file has it.
func (t Files) Move(id, folder, name string) error {
	there, err := t.At(folder, name)
	switch {
	case err == nil && there.ID != id:
		return ErrExists
	case err != nil && err != ErrNotFound: //nolint:errorlint // as At returns it
		return err
	}
	return t.change(ErrNotFound, "UPDATE files SET folder=?, name_key=?, name=? WHERE id = ?",
		norm.NFC.String(folder), norm.NFC.String(name), name, id)
}

// Folders reads and writes folders.
type Folders struct{ session }

// At returns the folder at a path.
func (t Folders) At(path string) (*Folder, error) {
	return get[Folder](t.session, "path = ?", norm.NFC.String(path))
}

// Make makes a folder with its missing parents. An existing one is no error.
func (t Folders) Make(path string, now time.Time) error {
	parent := "/"
	for name := range strings.SplitSeq(strings.Trim(norm.NFC.String(path), "/"), "/") {
		if name == "" {
			continue
		}
		full := parent + name + "/"
		_, err := t.exec("INSERT INTO folders (path, parent, id, name, created, updated) VALUES (?,?,?,?,?,?) ON CONFLICT DO NOTHING",
			full, parent, NewID(), name, now.UnixMilli(), now.UnixMilli())
		if err != nil {
			return err
		}
		parent = full
	}
	return nil
}

// Delete deletes a folder with its contents; see Deletion.
func (t Folders) Delete(path string) error {
	path = norm.NFC.String(path)
	first, last := below(path)
	if err := t.change(ErrNotFound, "DELETE FROM folders WHERE path >= ? AND path < ?", first, last); err != nil {
		return err
	}
	if t.changes != nil {
		files, err := firstColumn[string](t.session, "SELECT id FROM files WHERE folder >= ? AND folder < ?", first, last)
		if err != nil {
			return err
		}
		for _, id := range files {
			t.changed(FileDeleted, id, "")
		}
	}
	_, err := Versions(t).delete("file_id IN (SELECT id FROM files WHERE folder >= ? AND folder < ?)", first, last)
	if err != nil {
		return err
	}
	_, err = t.exec("DELETE FROM files WHERE folder >= ? AND folder < ?", first, last)
	return err
}

// below returns the bounds of the paths in a folder: "0" is the character after "/".
func below(folder string) (first, last string) {
	return folder, strings.TrimSuffix(folder, "/") + "0"
}

// Versions reads and writes the versions of files, and what happens to their contents.
type Versions struct{ session }

// Of returns the versions of a file, newest first.
func (t Versions) Of(fileID string) ([]Version, error) {
	return records[Version](t.session, "SELECT "+versions.read+" FROM versions WHERE file_id = ? ORDER BY number DESC", fileID)
}

// Count returns how many versions a file has, and the highest number.
func (t Versions) Count(fileID string) (count, last int, err error) {
	err = t.scan([]any{&count, &last}, "SELECT count(*), coalesce(max(number), 0) FROM versions WHERE file_id = ?", fileID)
	return count, last, err
}

// Publish publishes the current version of a file, or all, or takes that back.
func (t Versions) Publish(fileID string, published, all bool) error {
	where := "file_id = ?"
	if !all {
		where = "id = (SELECT version_id FROM files WHERE id = ?)"
	}
	if _, err := t.exec("UPDATE versions SET unpublished = ? WHERE "+where, !published, fileID); err != nil {
		return err
	}
	_, err := t.exec("UPDATE files SET unpublished = ? WHERE id = ?", !published, fileID)
	return err
}

// Add adds a version of a file without making it the current one.
func (t Versions) Add(fileID string, v *Version) error {
	names, args, err := versions.values(reflect.ValueOf(*v), func(column) bool { return true })
	if err != nil {
		return err
	}
	n, err := t.exec("INSERT INTO versions (file_id, "+strings.Join(names, ", ")+") SELECT ?, "+places(len(names))+
		" WHERE NOT EXISTS (SELECT 1 FROM removals WHERE hash = ?)", append(append([]any{fileID}, args...), v.Hash)...)
	if err != nil || n > 0 {
		return err
	}
	r, err := get[Removal](t.session, "hash = ?", v.Hash)
	if err != nil {
		return err
	}
	return &RetiredError{*r}
}

// Embedded returns the embedded metadata of a version.
func (t Versions) Embedded(versionID string) (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	return members, t.scan([]any{jsonText{&members}}, "SELECT embedded FROM versions WHERE id = ?", versionID)
}

// Hashes returns the hashes of the contents of all versions that begin with prefix.
func (t Versions) Hashes(prefix string) (map[string]bool, error) {
	all, err := firstColumn[string](t.session,
		"SELECT DISTINCT hash FROM versions WHERE hash >= ? AND hash < ?", prefix, prefix+"g") // "g" sorts after every hexadecimal digit
	hashes := map[string]bool{}
	for _, hash := range all {
		hashes[hash] = true
	}
	return hashes, err
}

// Delete deletes a version; ErrNotFound for the current one. See Deletion.
func (t Versions) Delete(fileID, id string) error {
	n, err := t.delete("file_id = ? AND id = ? AND id NOT IN (SELECT version_id FROM files WHERE id = ?)", fileID, id, fileID)
	if err == nil && n == 0 {
		return ErrNotFound
	}
	t.changed(VersionDeleted, fileID, id)
	return err
}

// delete deletes versions and schedules contents for deletion that no other version has.
func (t Versions) delete(where string, args ...any) (int64, error) {
	all := append([]any{time.Now().UnixMilli()}, args...)
	_, err := t.exec("INSERT INTO deletions (hash, at) SELECT DISTINCT hash, CAST(? AS BIGINT) FROM versions gone WHERE "+where+
		" AND NOT EXISTS (SELECT 1 FROM versions WHERE hash = gone.hash AND NOT ("+where+")) ON CONFLICT (hash) DO UPDATE SET at = excluded.at", append(all, args...)...)
	if err != nil {
		return 0, err
	}
	return t.exec("DELETE FROM versions WHERE "+where, args...)
}

// Retire records a removal: adding the content is a *RetiredError then. False: it is in use.
func (t Versions) Retire(r Removal) (bool, error) {
	n, err := t.exec(`INSERT INTO removals (hash, at, done) SELECT ?, ?, ?
		WHERE NOT EXISTS (SELECT 1 FROM versions WHERE hash = ?)
		ON CONFLICT (hash) DO UPDATE SET at = excluded.at, done = excluded.done`,
		r.Hash, r.At.UnixMilli(), r.Done, r.Hash)
	return n > 0, err
}

// ForgetRemovals forgets the removals recorded before a time.
func (t Versions) ForgetRemovals(before time.Time) error {
	_, err := t.exec("DELETE FROM removals WHERE at < ?", before.UnixMilli())
	return err
}

// Holding is a version and its file, as returned by Versions.Holdings.
type Holding struct {
	FileID, Path string // the path is empty if the file is missing
	Version      Version
	Current      bool
}

// Holdings returns all versions whose hash begins with prefix, sorted by hash.
func (t Versions) Holdings(prefix string) (all []Holding, err error) {
	err = t.each(func(rows *sql.Rows) error {
		var h Holding
		v := &h.Version
		err := rows.Scan(&h.FileID, &h.Path, &v.ID, &v.Number, &v.Hash, &v.Size, &h.Current)
		all = append(all, h)
		return err
	}, `SELECT v.file_id, coalesce(f.folder || f.name, ''), v.id, v.number, v.hash, v.size,
			coalesce(f.version_id = v.id, FALSE)
		FROM versions v LEFT JOIN files f ON f.id = v.file_id
		WHERE v.hash >= ? AND v.hash < ? ORDER BY v.hash`, prefix, prefix+"g")
	return all, err
}
