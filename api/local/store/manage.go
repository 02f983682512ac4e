package store

import (
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// DeleteFile deletes a file with all its versions; see Deletion.
func (t Tx) DeleteFile(id string) error {
	if err := t.change(ErrNotFound, "DELETE FROM files WHERE id = ?", id); err != nil {
		return err
	}
	_, err := t.deleteVersions("file_id = ?", id)
	return err
}

// deleteVersions deletes the versions that match and schedules contents for deletion that no other
// version has.
func (t Tx) deleteVersions(where string, args ...any) (int64, error) {
	all := append([]any{time.Now().UnixMilli()}, args...)
	_, err := t.exec("INSERT INTO deletions (hash, at) SELECT DISTINCT hash, CAST(? AS BIGINT) FROM versions gone WHERE "+where+
		" AND NOT EXISTS (SELECT 1 FROM versions WHERE hash = gone.hash AND NOT ("+where+")) ON CONFLICT (hash) DO UPDATE SET at = excluded.at", append(all, args...)...)
	if err != nil {
		return 0, err
	}
	return t.exec("DELETE FROM versions WHERE "+where, args...)
}

// Retire records a removal, or returns false if a version uses the content. Afterwards adding a
// version with it is a *RetiredError.
func (t Tx) Retire(r Removal) (bool, error) {
	n, err := t.exec(`INSERT INTO removals (hash, at, done) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM versions WHERE hash = ?)
		ON CONFLICT (hash) DO UPDATE SET at = excluded.at, done = excluded.done`, r.Hash, r.At.UnixMilli(), r.Done, r.Hash)
	return n > 0, err
}

// cleared lists the tables that Clear empties, besides versions.
var cleared = []string{"files", "folders", "fields", "presets", "runs", "outbox", "tokens", "jobs"}

// Clear deletes everything but the identity and the format; see Deletion.
func (t Tx) Clear() error {
	_, err := t.deleteVersions("TRUE")
	for _, table := range cleared {
		if err == nil {
			_, err = t.exec("DELETE FROM " + table)
		}
	}
	return err
}

// Identity returns the identity of the library. If it has none it becomes fresh, which may be empty.
func (t Tx) Identity(fresh string) (identity string, err error) {
	err = t.row("SELECT identity FROM library").Scan(&identity)
	if err == nil && identity == "" && fresh != "" {
		identity = fresh
		_, err = t.exec("UPDATE library SET identity = ?", fresh)
	}
	return identity, err
}

// UseStore makes the contents with that StoreMark those of the library, or returns false because it
// has others. Those that MoveStore named replace them, unless an instance is there.
func (t Tx) UseStore(mark string) (bool, error) {
	n, err := t.exec("UPDATE library SET store = ?, next_store = CASE next_store WHEN ? THEN '' ELSE next_store END"+
		" WHERE store IN ('', ?) OR next_store = ? AND NOT EXISTS "+present, mark, mark, mark, mark)
	return n > 0, err
}

// MoveStore lets the library use the contents with the StoreMark to instead of those with the mark
// from. It returns false if its contents are others.
func (t Tx) MoveStore(from, to string) (bool, error) {
	n, err := t.exec("UPDATE library SET store = ?, next_store = ? WHERE store IN ('', ?)", from, to, from)
	return n > 0, err
}

// Created returns when the records were created.
func (t Tx) Created() (at time.Time, err error) {
	return at, t.row("SELECT created FROM library").Scan(milliseconds{&at})
}

// Empty reports whether there are no versions.
func (t Tx) Empty() (empty bool, err error) {
	err = t.row("SELECT NOT EXISTS (SELECT 1 FROM versions)").Scan(&empty)
	return empty, err
}

// MoveFile changes the path of a file; ErrExists if another file has it.
func (t Tx) MoveFile(id, folder, name string) error {
	there, err := t.FileAt(folder, name)
	switch {
	case err == nil && there.ID != id:
		return ErrExists
	case err != nil && err != ErrNotFound: //nolint:errorlint // as FileAt returns it
		return err
	}
	return t.change(ErrNotFound, "UPDATE files SET folder=?, name_key=?, name=? WHERE id = ?",
		norm.NFC.String(folder), norm.NFC.String(name), name, id)
}

// Versions returns the versions of a file, newest first.
func (t Tx) Versions(fileID string) ([]Version, error) {
	return records[Version](t, "SELECT "+versions.read+" FROM versions WHERE file_id = ? ORDER BY number DESC", fileID)
}

// CountVersions returns how many versions a file has, and the highest number.
func (t Tx) CountVersions(fileID string) (count, last int, err error) {
	err = t.row("SELECT count(*), coalesce(max(number), 0) FROM versions WHERE file_id = ?", fileID).Scan(&count, &last)
	return count, last, err
}

// Publish publishes the current version of a file, or all, or takes that back.
func (t Tx) Publish(fileID string, published, all bool) error {
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

// DeleteVersion deletes a version; ErrNotFound for the current one. See Deletion.
func (t Tx) DeleteVersion(fileID, id string) error {
	n, err := t.deleteVersions("file_id = ? AND id = ? AND id NOT IN (SELECT version_id FROM files WHERE id = ?)", fileID, id, fileID)
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

// FolderAt returns the folder at a path.
func (t Tx) FolderAt(path string) (*Folder, error) {
	return get[Folder](t, "path = ?", norm.NFC.String(path))
}

// DeleteFolder deletes a folder with its contents; see Deletion.
func (t Tx) DeleteFolder(path string) error {
	path = norm.NFC.String(path)
	first, last := below(path)
	if err := t.change(ErrNotFound, "DELETE FROM folders WHERE path >= ? AND path < ?", first, last); err != nil {
		return err
	}
	_, err := t.deleteVersions("file_id IN (SELECT id FROM files WHERE folder >= ? AND folder < ?)", first, last)
	if err != nil {
		return err
	}
	_, err = t.exec("DELETE FROM files WHERE folder >= ? AND folder < ?", first, last)
	return err
}

// LongestPaths returns the file and the folder in a folder whose paths have the most bytes, and the
// folder with the most levels; empty without files.
func (t Tx) LongestPaths(folder string) ([]string, error) {
	first, last := below(norm.NFC.String(folder))
	var paths []string
	for _, query := range []string{
		"SELECT folder || name FROM files WHERE folder >= ? AND folder < ? ORDER BY octet_length(folder) + octet_length(name) DESC LIMIT 1",
		"SELECT path FROM folders WHERE path >= ? AND path < ? ORDER BY octet_length(path) DESC LIMIT 1",
		"SELECT path FROM folders WHERE path >= ? AND path < ? ORDER BY length(path) - length(replace(path, '/', '')) DESC LIMIT 1",
	} {
		found, err := list(t, func(row scanner, path *string) error { return row.Scan(path) }, query, first, last)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	return paths, nil
}

// below returns the bounds of the paths in a folder: "0" is the character after "/".
func below(folder string) (first, last string) {
	return folder, strings.TrimSuffix(folder, "/") + "0"
}

// Usage returns what the library uses: its bytes now, and the runs of a period.
func (t Tx) Usage(start, end time.Time) (u Usage, err error) {
	err = t.row("SELECT coalesce(sum(size), 0), (SELECT count(*) FROM runs WHERE created >= ? AND created < ? AND json_extract(extension, '$.name') != ?) FROM versions",
		start.UnixMilli(), end.UnixMilli(), PostTransformation).Scan(&u.Bytes, &u.Runs)
	return u, err
}

// withoutKey removes one key from the metadata of a file.
const withoutKey = "json_remove(metadata, (SELECT fullkey FROM json_each(files.metadata) WHERE key = ?))"

// DeleteField deletes a custom metadata field and its values in files. The name stays reserved.
func (t Tx) DeleteField(id string, at time.Time) error {
	f, err := get[Field](t, "id = ? AND deleted = 0", id)
	if err != nil {
		return err
	}
	f.Deleted = at
	if err := t.Save(f); err != nil {
		return err
	}
	// Only fields in use can have values.
	_, err = t.exec(`UPDATE files SET metadata = nullif(`+withoutKey+`, '{}')
		WHERE metadata IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(files.metadata) WHERE key = ?)`, f.Name, f.Name)
	return err
}

// UseToken uses a token up; ErrExists if it was. It forgets tokens that expired before now.
func (t Tx) UseToken(hash string, expire, now time.Time) error {
	if _, err := t.exec("DELETE FROM tokens WHERE expire < ?", now.UnixMilli()); err != nil {
		return err
	}
	return t.change(ErrExists, "INSERT INTO tokens (hash, expire) VALUES (?,?) ON CONFLICT DO NOTHING", hash, expire.UnixMilli())
}
