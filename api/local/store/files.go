package store

import (
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// NewID returns 24 hex digits, the form of every id: the time in milliseconds
// and 48 random bits. What is written one after the other lies side by side in
// an index then, which a large library needs.
func NewID() string {
	var b [14]byte
	binary.BigEndian.PutUint64(b[:], uint64(time.Now().UnixMilli()))
	rand.Read(b[8:]) //nolint:errcheck // crypto/rand.Read never fails
	return hex.EncodeToString(b[2:])
}

// IsID reports whether text has the form of an id.
func IsID(text string) bool {
	return len(text) == 24 && strings.Trim(text, "0123456789abcdef") == ""
}

const fileColumns = `id, folder, name, private, tags, ai_tags, region, metadata, description,
	version_id, root, version, hash, size, mime, kind, width, height, has_alpha, version_at, created, updated`

type scanner interface{ Scan(into ...any) error }

func scanFile(row scanner) (*File, error) {
	f := new(File)
	v := &f.Version
	var tags, aiTags, metadata sql.NullString
	var versionAt, created, updated int64
	err := row.Scan(&f.ID, &f.Folder, &f.Name, &f.Private, &tags, &aiTags, &f.Region, &metadata, &f.Description,
		&v.ID, &v.Root, &v.Number, &v.Hash, &v.Size, &v.Mime, &v.Kind, &v.Width, &v.Height, &v.HasAlpha, &versionAt, &created, &updated)
	if err != nil {
		return nil, notFound(err)
	}
	v.Created, f.Created, f.Updated = time.UnixMilli(versionAt), time.UnixMilli(created), time.UnixMilli(updated)
	for text, into := range map[*sql.NullString]any{&tags: &f.Tags, &aiTags: &f.AITags, &metadata: &f.Metadata} {
		if !text.Valid {
			continue
		}
		if err := json.Unmarshal([]byte(text.String), into); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// jsonOrNull writes a list or map as JSON, an empty one as NULL.
func jsonOrNull(v any, length int) (any, error) {
	if length == 0 {
		return nil, nil
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// texts are the JSON columns of a file.
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
	return scanFile(t.row("SELECT "+fileColumns+" FROM files WHERE id = ?", id))
}

func (t *sqlTx) FileAt(folder, name string) (*File, error) {
	return scanFile(t.row("SELECT "+fileColumns+" FROM files WHERE folder = ? AND name_key = ?", norm.NFC.String(folder), norm.NFC.String(name)))
}

func (t *sqlTx) InsertFile(f *File) error {
	tags, aiTags, metadata, err := f.texts()
	if err != nil {
		return err
	}
	v := &f.Version
	n, err := t.exec("INSERT INTO files (name_key, "+fileColumns+") VALUES (?, ?,?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (folder, name_key) DO NOTHING",
		norm.NFC.String(f.Name), f.ID, norm.NFC.String(f.Folder), f.Name, f.Private, tags, aiTags, f.Region, metadata, f.Description,
		v.ID, v.Root, v.Number, v.Hash, v.Size, v.Mime, v.Kind, v.Width, v.Height, v.HasAlpha, v.Created.UnixMilli(), f.Created.UnixMilli(), f.Updated.UnixMilli())
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrExists
	}
	return t.insertVersion(f)
}

func (t *sqlTx) UpdateFile(f *File) error {
	tags, aiTags, metadata, err := f.texts()
	if err != nil {
		return err
	}
	v := &f.Version
	n, err := t.exec(`UPDATE files SET private=?, tags=?, ai_tags=?, region=?, metadata=?, description=?,
		version_id=?, root=?, version=?, hash=?, size=?, mime=?, kind=?, width=?, height=?, has_alpha=?, version_at=?, updated=? WHERE id=?`,
		f.Private, tags, aiTags, f.Region, metadata, f.Description,
		v.ID, v.Root, v.Number, v.Hash, v.Size, v.Mime, v.Kind, v.Width, v.Height, v.HasAlpha, v.Created.UnixMilli(), f.Updated.UnixMilli(), f.ID)
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrNotFound
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
	_, err = t.exec("INSERT INTO versions (file_id, number, id, root, hash, size, mime, kind, width, height, has_alpha, embedded, created) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
		f.ID, v.Number, v.ID, v.Root, v.Hash, v.Size, v.Mime, v.Kind, v.Width, v.Height, v.HasAlpha, embedded, v.Created.UnixMilli())
	return err
}

func (t *sqlTx) Version(id string) (*Version, error) {
	v := &Version{ID: id}
	var created int64
	err := t.row("SELECT root, number, hash, size, mime, kind, width, height, has_alpha, created FROM versions WHERE id = ?", id).
		Scan(&v.Root, &v.Number, &v.Hash, &v.Size, &v.Mime, &v.Kind, &v.Width, &v.Height, &v.HasAlpha, &created)
	v.Created = time.UnixMilli(created)
	return v, notFound(err)
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
	hashes := map[string]bool{}
	err := t.each(func(rows *sql.Rows) error {
		var hash string
		err := rows.Scan(&hash)
		hashes[hash] = true
		return err
	}, "SELECT hash FROM versions WHERE hash >= ? AND hash < ?", prefix, prefix+"g") // behind every hexadecimal digit
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

func (t *sqlTx) Fields() ([]Field, error) {
	var fields []Field
	err := t.each(func(rows *sql.Rows) error {
		var f Field
		var text string
		if err := rows.Scan(&f.ID, &f.Name, &f.Label, &text); err != nil {
			return err
		}
		f.Schema = json.RawMessage(text)
		fields = append(fields, f)
		return nil
	}, "SELECT id, name, label, schema FROM fields ORDER BY name")
	return fields, err
}

func (t *sqlTx) AddField(f *Field) error {
	n, err := t.exec("INSERT INTO fields (name, id, label, schema) VALUES (?,?,?,?) ON CONFLICT (name) DO NOTHING", f.Name, f.ID, f.Label, string(f.Schema))
	if err == nil && n == 0 {
		return ErrExists
	}
	return err
}
