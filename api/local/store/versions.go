package store

import (
	"database/sql"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// Of reads and writes the versions of files, and what happens to their contents.
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

// delete deletes the versions that match and schedules contents for deletion that no other
// version has.
func (t Versions) delete(where string, args ...any) (int64, error) {
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
func (t Versions) Retire(r Removal) (bool, error) {
	n, err := t.exec(`INSERT INTO removals (hash, at, done) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM versions WHERE hash = ?)
		ON CONFLICT (hash) DO UPDATE SET at = excluded.at, done = excluded.done`, r.Hash, r.At.UnixMilli(), r.Done, r.Hash)
	return n > 0, err
}

// Holding is a version and its file, as returned by Tx.Holdings.
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
	}, `SELECT v.file_id, coalesce(f.folder || f.name, ''), v.id, v.number, v.hash, v.size, coalesce(f.version_id = v.id, FALSE)
		FROM versions v LEFT JOIN files f ON f.id = v.file_id WHERE v.hash >= ? AND v.hash < ? ORDER BY v.hash`, prefix, prefix+"g")
	return all, err
}
