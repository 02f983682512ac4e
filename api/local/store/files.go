package store

import (
	"crypto/rand"
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

// FileAt returns the file at a path; names compare as NFC.
func (t Tx) FileAt(folder, name string) (*File, error) {
	return get[File](t, "folder = ? AND name_key = ?", norm.NFC.String(folder), norm.NFC.String(name))
}

// InsertFile adds a file with its version; ErrExists if the path is taken.
func (t Tx) InsertFile(f *File) error {
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
	return t.AddVersion(f.ID, &f.Version)
}

// UpdateFile changes all but the id, folder and name of a file, and adds its version if that is new.
func (t Tx) UpdateFile(f *File) error {
	err := t.save(files, reflect.ValueOf(*f), func(c column) bool { return !c.once && c.name != "folder" && c.name != "name" })
	if err != nil {
		return err
	}
	var known int
	if err := t.row("SELECT count(*) FROM versions WHERE id = ?", f.Version.ID).Scan(&known); err != nil || known > 0 {
		return err
	}
	return t.AddVersion(f.ID, &f.Version)
}

// AddVersion adds a version of a file without making it the current one.
func (t Tx) AddVersion(fileID string, v *Version) error {
	names, args, err := versions.values(reflect.ValueOf(*v), func(column) bool { return true })
	if err != nil {
		return err
	}
	n, err := t.exec("INSERT INTO versions (file_id, "+strings.Join(names, ", ")+") SELECT ?, "+places(len(names))+
		" WHERE NOT EXISTS (SELECT 1 FROM removals WHERE hash = ?)", append(append([]any{fileID}, args...), v.Hash)...)
	if err != nil || n > 0 {
		return err
	}
	r, err := get[Removal](t, "hash = ?", v.Hash)
	if err != nil {
		return err
	}
	return &RetiredError{*r}
}

// Embedded returns the embedded metadata of a version.
func (t Tx) Embedded(versionID string) (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	return members, notFound(t.row("SELECT embedded FROM versions WHERE id = ?", versionID).Scan(jsonText{&members}))
}

// Hashes returns the hashes of the contents of all versions that begin with prefix.
func (t Tx) Hashes(prefix string) (map[string]bool, error) {
	all, err := list(t, func(row scanner, hash *string) error { return row.Scan(hash) },
		"SELECT DISTINCT hash FROM versions WHERE hash >= ? AND hash < ?", prefix, prefix+"g") // "g" sorts after every hexadecimal digit
	hashes := map[string]bool{}
	for _, hash := range all {
		hashes[hash] = true
	}
	return hashes, err
}

// MakeFolder makes a folder with its missing parents. An existing one is no error.
func (t Tx) MakeFolder(path string, now time.Time) error {
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
