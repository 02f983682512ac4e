package store

import (
	"errors"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

func (t *sqlTx) DeleteFile(id string) error {
	if err := t.change(ErrNotFound, "DELETE FROM files WHERE id = ?", id); err != nil {
		return err
	}
	_, err := t.deleteVersions("file_id = ?", id)
	return err
}

// deleteVersions deletes the versions that match and schedules contents for deletion that no other
// version has.
func (t *sqlTx) deleteVersions(where string, args ...any) (int64, error) {
	all := append([]any{time.Now().UnixMilli()}, args...)
	_, err := t.exec("INSERT INTO deletions (hash, at) SELECT DISTINCT hash, CAST(? AS BIGINT) FROM versions gone WHERE "+where+
		" AND NOT EXISTS (SELECT 1 FROM versions WHERE hash = gone.hash AND NOT ("+where+")) ON CONFLICT (hash) DO UPDATE SET at = excluded.at", append(all, args...)...)
	if err != nil {
		return 0, err
	}
	if _, err := t.exec("DELETE FROM unpublished WHERE id IN (SELECT id FROM versions WHERE "+where+")", args...); err != nil {
		return 0, err
	}
	return t.exec("DELETE FROM versions WHERE "+where, args...)
}

func (t *sqlTx) Deletions() ([]Deletion, error) {
	return list(t, func(row scanner, d *Deletion) error { return row.Scan(&d.Hash, milliseconds{&d.At}) },
		"SELECT hash, at FROM deletions ORDER BY at")
}

func (t *sqlTx) ForgetDeletion(d Deletion) error {
	_, err := t.exec("DELETE FROM deletions WHERE hash = ? AND at = ?", d.Hash, d.At.UnixMilli())
	return err
}

func (t *sqlTx) Retire(r Removal) (bool, error) {
	n, err := t.exec(`INSERT INTO removals (hash, at, done) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM versions WHERE hash = ?)
		ON CONFLICT (hash) DO UPDATE SET at = excluded.at, done = excluded.done`, r.Hash, r.At.UnixMilli(), r.Done, r.Hash)
	return n > 0, err
}

func (t *sqlTx) Removals() ([]Removal, error) {
	return list(t, scanRemoval, "SELECT hash, at, done FROM removals ORDER BY at")
}

func scanRemoval(row scanner, r *Removal) error {
	return row.Scan(&r.Hash, milliseconds{&r.At}, &r.Done)
}

func (t *sqlTx) ForgetRemoval(r Removal) error {
	_, err := t.exec("DELETE FROM removals WHERE hash = ? AND at = ? AND done = ?", r.Hash, r.At.UnixMilli(), r.Done)
	return err
}

// checkRetired returns a *RetiredError if the content is being removed or was.
func (t *sqlTx) checkRetired(hash string) error {
	r, err := one(t.row("SELECT hash, at, done FROM removals WHERE hash = ?", hash), scanRemoval)
	switch {
	case err == nil:
		return &RetiredError{*r}
	case errors.Is(err, ErrNotFound):
		return nil
	}
	return err
}

// cleared lists the tables that Clear empties, besides versions.
var cleared = []string{"files", "folders", "fields", "presets", "runs", "outbox", "tokens", "jobs"}

func (t *sqlTx) Clear() error {
	_, err := t.deleteVersions("TRUE")
	for _, table := range cleared {
		if err == nil {
			_, err = t.exec("DELETE FROM " + table)
		}
	}
	return err
}

func (t *sqlTx) Identity(fresh string) (identity string, err error) {
	err = t.row("SELECT identity FROM library").Scan(&identity)
	if err == nil && identity == "" && fresh != "" {
		identity = fresh
		_, err = t.exec("UPDATE library SET identity = ?", fresh)
	}
	return identity, err
}

func (t *sqlTx) UseStore(mark string) (bool, error) {
	n, err := t.exec("UPDATE library SET store = ?, next_store = CASE next_store WHEN ? THEN '' ELSE next_store END"+
		" WHERE store IN ('', ?) OR next_store = ? AND NOT EXISTS "+present, mark, mark, mark, mark)
	return n > 0, err
}

func (t *sqlTx) MoveStore(from, to string) (bool, error) {
	n, err := t.exec("UPDATE library SET store = ?, next_store = ? WHERE store IN ('', ?)", from, to, from)
	return n > 0, err
}

func (t *sqlTx) Created() (at time.Time, err error) {
	return at, t.row("SELECT created FROM library").Scan(milliseconds{&at})
}

func (t *sqlTx) Empty() (empty bool, err error) {
	err = t.row("SELECT NOT EXISTS (SELECT 1 FROM versions)").Scan(&empty)
	return empty, err
}

func (t *sqlTx) MoveFile(id, folder, name string) error {
	there, err := t.FileAt(folder, name)
	switch {
	case err == nil && there.ID != id:
		return ErrExists
	case err != nil && err != ErrNotFound: //nolint:errorlint // as FileAt returns it
		return err
	}
	return t.change(ErrNotFound, "UPDATE files SET folder = ?, name_key = ?, name = ? WHERE id = ?",
		norm.NFC.String(folder), norm.NFC.String(name), name, id)
}

const versionColumns = "id, root, number, hash, size, mime, kind, width, height, has_alpha, created, " +
	"CASE WHEN EXISTS (SELECT 1 FROM unpublished WHERE unpublished.id = versions.id) THEN 1 ELSE 0 END"

func scanVersion(row scanner, v *Version) error {
	return row.Scan(&v.ID, &v.Root, &v.Number, &v.Hash, &v.Size, &v.Mime, &v.Kind, &v.Width, &v.Height, &v.HasAlpha, milliseconds{&v.Created}, &v.Unpublished)
}

func (t *sqlTx) Version(id string) (*Version, error) {
	return one(t.row("SELECT "+versionColumns+" FROM versions WHERE id = ?", id), scanVersion)
}

func (t *sqlTx) Versions(fileID string) ([]Version, error) {
	return list(t, scanVersion, "SELECT "+versionColumns+" FROM versions WHERE file_id = ? ORDER BY number DESC", fileID)
}

func (t *sqlTx) CountVersions(fileID string) (count, last int, err error) {
	err = t.row("SELECT count(*), coalesce(max(number), 0) FROM versions WHERE file_id = ?", fileID).Scan(&count, &last)
	return count, last, err
}

func (t *sqlTx) Publish(fileID string, published, all bool) error {
	versions, args := "SELECT id FROM versions WHERE file_id = ?", []any{fileID}
	if !all {
		versions = "SELECT version_id FROM files WHERE id = ?"
	}
	_, err := t.exec("DELETE FROM unpublished WHERE id IN ("+versions+")", args...)
	if err == nil && !published {
		_, err = t.exec("INSERT INTO unpublished (id) "+versions, args...)
	}
	return err
}

func (t *sqlTx) AddVersion(fileID string, v *Version) error {
	return t.insertVersion(&File{ID: fileID, Version: *v})
}

func (t *sqlTx) DeleteVersion(fileID, id string) error {
	n, err := t.deleteVersions("file_id = ? AND id = ? AND id NOT IN (SELECT version_id FROM files WHERE id = ?)", fileID, id, fileID)
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

func (t *sqlTx) FolderAt(path string) (*Folder, error) {
	return t.folder("path", norm.NFC.String(path))
}

func (t *sqlTx) DeleteFolder(path string) error {
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

// below returns the bounds of the paths in a folder: "0" is the character after "/".
func below(folder string) (first, last string) {
	return folder, strings.TrimSuffix(folder, "/") + "0"
}

func (t *sqlTx) Usage(start, end time.Time) (u Usage, err error) {
	err = t.row("SELECT coalesce(sum(size), 0), (SELECT count(*) FROM runs WHERE created >= ? AND created < ? AND json_extract(extension, '$.name') != ?) FROM versions",
		start.UnixMilli(), end.UnixMilli(), PostTransformation).Scan(&u.Bytes, &u.Runs)
	return u, err
}
