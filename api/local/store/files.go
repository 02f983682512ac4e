package store

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
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
	err := t.save(files, reflect.ValueOf(*f), func(c column) bool { return !c.once && c.name != "folder" && c.name != "name" })
	if err != nil {
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
	case err != nil && err != ErrNotFound: //nolint:errorlint // as FileAt returns it
		return err
	}
	return t.change(ErrNotFound, "UPDATE files SET folder=?, name_key=?, name=? WHERE id = ?",
		norm.NFC.String(folder), norm.NFC.String(name), name, id)
}
