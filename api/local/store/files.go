package store

import (
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
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

const fileColumns = `id, folder, name, private, tags, ai_tags, region, metadata, description,
	version_id, root, version, hash, size, mime, kind, width, height, has_alpha, version_at, created, updated`

// fileValues are the columns of a file to read: fileColumns, and whether it is unpublished.
const fileValues = fileColumns + ", CASE WHEN EXISTS (SELECT 1 FROM unpublished WHERE unpublished.id = files.version_id) THEN 1 ELSE 0 END"

type scanner interface{ Scan(into ...any) error }

// fileRow reads rows of fileValues. It takes raw values: converting each takes longer than reading
// the row.
type fileRow struct {
	values [23]any
	into   [23]any // pointers to values
	wrong  bool    // a value had an unexpected type
}

func newFileRow() *fileRow {
	r := new(fileRow)
	for i := range r.values {
		r.into[i] = &r.values[i]
	}
	return r
}

func (r *fileRow) text(column int) string {
	text, ok := r.values[column].(string)
	r.wrong = r.wrong || !ok
	return text
}

func (r *fileRow) number(column int) int64 {
	n, ok := r.values[column].(int64)
	r.wrong = r.wrong || !ok
	return n
}

func (r *fileRow) time(column int) time.Time { return time.UnixMilli(r.number(column)) }

func (r *fileRow) scan(row scanner) (*File, error) {
	if err := row.Scan(r.into[:]...); err != nil {
		return nil, notFound(err)
	}
	f := &File{
		ID: r.text(0), Folder: r.text(1), Name: r.text(2), Private: r.number(3) != 0, Region: r.text(6), Description: r.text(8),
		Version: Version{
			ID: r.text(9), Root: r.text(10), Number: int(r.number(11)), Hash: r.text(12), Created: r.time(19), Unpublished: r.number(22) != 0,
			Facts: Facts{
				Size: r.number(13), Mime: r.text(14), Kind: r.text(15), Width: int(r.number(16)), Height: int(r.number(17)),
				HasAlpha: r.number(18) != 0,
			},
		},
		Created: r.time(20), Updated: r.time(21),
	}
	err := errors.Join(r.json(4, &f.Tags), r.json(5, &f.AITags), r.json(7, &f.Metadata))
	if r.wrong {
		err = fmt.Errorf("the record of the file %q has a value of the wrong type", f.ID)
	}
	return f, err
}

// json reads a column written by jsonOrNull.
func (r *fileRow) json(column int, into any) error {
	if r.values[column] == nil {
		return nil
	}
	return json.Unmarshal([]byte(r.text(column)), into)
}

func scanFile(row scanner) (*File, error) { return newFileRow().scan(row) }

// jsonOrNull encodes a list or map as JSON, or an empty one as NULL.
func jsonOrNull(v any, length int) (any, error) {
	if length == 0 {
		return nil, nil
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// texts returns the JSON columns of a file.
func (f *File) texts() (tags, aiTags, metadata any, err error) {
	if tags, err = jsonOrNull(f.Tags, len(f.Tags)); err != nil {
		return
	}
	if aiTags, err = jsonOrNull(f.AITags, len(f.AITags)); err != nil {
		return
	}
	metadata, err = jsonOrNull(f.Metadata, len(f.Metadata))
	return
}

func (t *sqlTx) File(id string) (*File, error) {
	return scanFile(t.row("SELECT "+fileValues+" FROM files WHERE id = ?", id))
}

func (t *sqlTx) FileAt(folder, name string) (*File, error) {
	return scanFile(t.row("SELECT "+fileValues+" FROM files WHERE folder = ? AND name_key = ?", norm.NFC.String(folder), norm.NFC.String(name)))
}

func (t *sqlTx) InsertFile(f *File) error {
	tags, aiTags, metadata, err := f.texts()
	if err != nil {
		return err
	}
	v := &f.Version
	err = t.change(ErrExists, "INSERT INTO files (name_key, "+fileColumns+") VALUES (?, ?,?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (folder, name_key) DO NOTHING",
		norm.NFC.String(f.Name), f.ID, norm.NFC.String(f.Folder), f.Name, f.Private, tags, aiTags, f.Region, metadata, f.Description,
		v.ID, v.Root, v.Number, v.Hash, v.Size, v.Mime, v.Kind, v.Width, v.Height, v.HasAlpha, v.Created.UnixMilli(), f.Created.UnixMilli(), f.Updated.UnixMilli())
	if err != nil {
		return err
	}
	return t.insertVersion(f)
}

func (t *sqlTx) UpdateFile(f *File) error {
	tags, aiTags, metadata, err := f.texts()
	if err != nil {
		return err
	}
	v := &f.Version
	err = t.change(ErrNotFound, `UPDATE files SET private=?, tags=?, ai_tags=?, region=?, metadata=?, description=?,
		version_id=?, root=?, version=?, hash=?, size=?, mime=?, kind=?, width=?, height=?, has_alpha=?, version_at=?, updated=? WHERE id=?`,
		f.Private, tags, aiTags, f.Region, metadata, f.Description,
		v.ID, v.Root, v.Number, v.Hash, v.Size, v.Mime, v.Kind, v.Width, v.Height, v.HasAlpha, v.Created.UnixMilli(), f.Updated.UnixMilli(), f.ID)
	if err != nil {
		return err
	}
	var known int
	if err := t.row("SELECT count(*) FROM versions WHERE id = ?", v.ID).Scan(&known); err != nil || known > 0 {
		return err
	}
	return t.insertVersion(f)
}

func (t *sqlTx) insertVersion(f *File) error {
	v := &f.Version
	embedded, err := jsonOrNull(v.Embedded, len(v.Embedded))
	if err != nil {
		return err
	}
	n, err := t.exec("INSERT INTO versions (file_id, number, id, root, hash, size, mime, kind, width, height, has_alpha, embedded, created)"+
		" SELECT ?,?,?,?,?,?,?,?,?,?,?,?,? WHERE NOT EXISTS (SELECT 1 FROM removals WHERE hash = ?)",
		f.ID, v.Number, v.ID, v.Root, v.Hash, v.Size, v.Mime, v.Kind, v.Width, v.Height, v.HasAlpha, embedded, v.Created.UnixMilli(), v.Hash)
	if err == nil && n == 0 {
		err = t.checkRetired(v.Hash)
	}
	if err == nil && v.Unpublished {
		_, err = t.exec("INSERT INTO unpublished (id) VALUES (?) ON CONFLICT DO NOTHING", v.ID)
	}
	return err
}

func (t *sqlTx) Embedded(versionID string) (map[string]json.RawMessage, error) {
	var text sql.NullString
	if err := t.row("SELECT embedded FROM versions WHERE id = ?", versionID).Scan(&text); err != nil {
		return nil, notFound(err)
	}
	members := map[string]json.RawMessage{}
	if text.Valid {
		if err := json.Unmarshal([]byte(text.String), &members); err != nil {
			return nil, err
		}
	}
	return members, nil
}

func (t *sqlTx) Hashes(prefix string) (map[string]bool, error) {
	all, err := list(t, func(row scanner, hash *string) error { return row.Scan(hash) },
		"SELECT DISTINCT hash FROM versions WHERE hash >= ? AND hash < ?", prefix, prefix+"g") // "g" sorts after every hexadecimal digit
	hashes := map[string]bool{}
	for _, hash := range all {
		hashes[hash] = true
	}
	return hashes, err
}

func (t *sqlTx) MakeFolder(path string, now time.Time) error {
	parent := "/"
	for name := range strings.SplitSeq(strings.Trim(norm.NFC.String(path), "/"), "/") {
		if name == "" {
			continue
		}
		full := parent + name + "/"
		_, err := t.exec("INSERT INTO folders (path, parent, id, name, created, updated) VALUES (?,?,?,?,?,?) ON CONFLICT (path) DO NOTHING",
			full, parent, NewID(), name, now.UnixMilli(), now.UnixMilli())
		if err != nil {
			return err
		}
		parent = full
	}
	return nil
}
