package store

import (
	"encoding/json"
	"time"
)

// orZero converts a time to milliseconds since 1970, and the zero time to 0.
func orZero(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}

// scanZero reads what orZero wrote.
type scanZero struct{ *time.Time }

// Scan implements sql.Scanner.
func (z scanZero) Scan(value any) error {
	err := milliseconds(z).Scan(value)
	if z.UnixMilli() == 0 {
		*z.Time = time.Time{}
	}
	return err
}

func (t *sqlTx) Fields(deleted bool) ([]Field, error) {
	return t.fields("id, name, label, description, schema, deleted", "deleted = 0 OR ? = 1", deleted)
}

func (t *sqlTx) fields(columns, where string, args ...any) ([]Field, error) {
	return list(t, func(row scanner, f *Field) error {
		var schema string
		err := row.Scan(&f.ID, &f.Name, &f.Label, &f.Description, &schema, scanZero{&f.Deleted})
		f.Schema = json.RawMessage(schema)
		return err
	}, "SELECT "+columns+" FROM fields WHERE "+where+" ORDER BY name", args...)
}

func (t *sqlTx) AddField(f *Field) error {
	return t.change(ErrExists, "INSERT INTO fields (name, id, label, description, schema, deleted) VALUES (?,?,?,?,?,?) ON CONFLICT (name) DO NOTHING",
		f.Name, f.ID, f.Label, f.Description, string(f.Schema), orZero(f.Deleted))
}

func (t *sqlTx) UpdateField(f *Field) error {
	return t.change(ErrNotFound, "UPDATE fields SET label = ?, description = ?, schema = ? WHERE id = ? AND deleted = 0",
		f.Label, f.Description, string(f.Schema), f.ID)
}

// withoutKey removes one key from the metadata of a file.
const withoutKey = "json_remove(metadata, (SELECT fullkey FROM json_each(files.metadata) WHERE key = ?))"

func (t *sqlTx) DeleteField(id string, at time.Time) error {
	var name string
	if err := t.row("SELECT name FROM fields WHERE id = ? AND deleted = 0", id).Scan(&name); err != nil {
		return notFound(err)
	}
	if _, err := t.exec("UPDATE fields SET deleted = ? WHERE id = ?", orZero(at), id); err != nil {
		return err
	}
	// Only fields in use can have values.
	_, err := t.exec(`UPDATE files SET metadata = nullif(`+withoutKey+`, '{}')
		WHERE metadata IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(files.metadata) WHERE key = ?)`, name, name)
	return err
}

func (t *sqlTx) Presets(kind string) ([]Preset, error) {
	return list(t, func(row scanner, p *Preset) error {
		var body string
		err := row.Scan(&p.Kind, &p.ID, &p.Name, &body, milliseconds{&p.Created}, milliseconds{&p.Updated})
		p.Body = json.RawMessage(body)
		return err
	}, "SELECT kind, id, name, body, created, updated FROM presets WHERE kind = ? OR ? = '' ORDER BY created, id", kind, kind)
}

func (t *sqlTx) AddPreset(p *Preset) error {
	_, err := t.exec("INSERT INTO presets (kind, id, name, body, created, updated) VALUES (?,?,?,?,?,?)",
		p.Kind, p.ID, p.Name, string(p.Body), p.Created.UnixMilli(), p.Updated.UnixMilli())
	return err
}

func (t *sqlTx) UpdatePreset(p *Preset) error {
	return t.change(ErrNotFound, "UPDATE presets SET name = ?, body = ?, updated = ? WHERE kind = ? AND id = ?",
		p.Name, string(p.Body), p.Updated.UnixMilli(), p.Kind, p.ID)
}

func (t *sqlTx) DeletePreset(kind, id string) error {
	return t.change(ErrNotFound, "DELETE FROM presets WHERE kind = ? AND id = ?", kind, id)
}
