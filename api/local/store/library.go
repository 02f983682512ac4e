package store

import "time"

// Library reads and writes what is there once in a library: its identity, its settings and what
// counts for all of it.
type Library struct{ session }

// Identity returns the identity of the library. If it has none it becomes fresh, which may be
// empty.
func (t Library) Identity(fresh string) (identity string, err error) {
	identity, err = value[string](t.session, "SELECT identity FROM library")
	if err == nil && identity == "" && fresh != "" {
		identity = fresh
		_, err = t.exec("UPDATE library SET identity = ?", fresh)
	}
	return identity, err
}

// UseStore makes the contents with that StoreMark those of the library, or returns false because it
// has others. Those that MoveStore named replace them, unless an instance is there.
func (t Library) UseStore(mark string) (bool, error) {
	n, err := t.exec("UPDATE library SET store = ?, next_store = CASE next_store WHEN ? THEN '' ELSE next_store END"+
		" WHERE store IN ('', ?) OR next_store = ? AND NOT EXISTS "+present, mark, mark, mark, mark)
	return n > 0, err
}

// MoveStore lets the library use the contents with the StoreMark to instead of those with the mark
// from. It returns false if its contents are others.
func (t Library) MoveStore(from, to string) (bool, error) {
	n, err := t.exec("UPDATE library SET store = ?, next_store = ? WHERE store IN ('', ?)", from, to, from)
	return n > 0, err
}

// Created returns when the records were created.
func (t Library) Created() (at time.Time, err error) {
	return at, t.scan([]any{milliseconds{&at}}, "SELECT created FROM library")
}

// Empty reports whether there are no versions.
func (t Library) Empty() (bool, error) {
	return value[bool](t.session, "SELECT NOT EXISTS (SELECT 1 FROM versions)")
}

// cleared lists the tables that Clear empties, besides versions.
var cleared = []string{"files", "folders", "fields", "presets", "runs", "outbox", "tokens", "jobs"}

// Clear deletes everything but the identity and the format; see Deletion.
func (t Library) Clear() error {
	_, err := Versions(t).delete("TRUE")
	for _, table := range cleared {
		if err == nil {
			_, err = t.exec("DELETE FROM " + table)
		}
	}
	return err
}

// Usage returns what the library uses: its bytes now, and the runs of a period.
func (t Library) Usage(start, end time.Time) (u Usage, err error) {
	err = t.scan([]any{&u.Bytes, &u.Runs}, "SELECT coalesce(sum(size), 0), (SELECT count(*) FROM runs "+
		"WHERE created >= ? AND created < ? AND json_extract(extension, '$.name') != ?) FROM versions",
		start.UnixMilli(), end.UnixMilli(), PostTransformation)
	return u, err
}

// withoutKey removes one key from the metadata of a file.
const withoutKey = "json_remove(metadata, (SELECT fullkey FROM json_each(files.metadata) WHERE key = ?))"

// DeleteField deletes a custom metadata field and its values in files. The name stays reserved.
func (t Library) DeleteField(id string, at time.Time) error {
	f, err := get[Field](t.session, "id = ? AND deleted = 0", id)
	if err != nil {
		return err
	}
	if _, err := t.exec("UPDATE fields SET deleted = ? WHERE id = ?", at.UnixMilli(), id); err != nil {
		return err
	}
	// Only fields in use can have values.
	_, err = t.exec(`UPDATE files SET metadata = nullif(`+withoutKey+`, '{}')
		WHERE metadata IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(files.metadata) WHERE key = ?)`, f.Name, f.Name)
	return err
}

// UseToken uses a token up; ErrExists if it was. It forgets tokens that expired before now.
func (t Library) UseToken(hash string, expire, now time.Time) error {
	if _, err := t.exec("DELETE FROM tokens WHERE expire < ?", now.UnixMilli()); err != nil {
		return err
	}
	return t.change(ErrExists, "INSERT INTO tokens (hash, expire) VALUES (?,?) ON CONFLICT DO NOTHING", hash, expire.UnixMilli())
}

// State is what the records of a library hold, without runs, posts and jobs.
type State struct {
	Folders  []Folder
	Files    []File
	Versions map[string][]Version // all of a file, by its id
	Fields   []Field
	Presets  []Preset
}

// State returns the state of the library.
func (t Library) State() (s State, err error) {
	tx := t.tx()
	s.Versions = map[string][]Version{}
	if s.Folders, err = All[Folder](tx, nil); err == nil {
		s.Files, err = All[File](tx, nil)
	}
	if err == nil {
		s.Fields, err = All[Field](tx, nil)
	}
	if err == nil {
		s.Presets, err = All[Preset](tx, nil)
	}
	for i := 0; i < len(s.Files) && err == nil; i++ {
		var list []Version
		list, err = tx.Versions.Of(s.Files[i].ID)
		for n := 0; n < len(list) && err == nil; n++ {
			list[n].Embedded, err = tx.Versions.Embedded(list[n].ID)
		}
		s.Versions[s.Files[i].ID] = list
	}
	return s, err
}

// Restore adds a state to an empty library.
func (t Library) Restore(s State) error {
	tx := t.tx()
	for _, f := range s.Folders {
		parent := f.Path[:len(f.Path)-len(f.Name)-1]
		if _, err := t.exec("INSERT INTO folders (path, parent, id, name, created, updated) VALUES (?,?,?,?,?,?)",
			f.Path, parent, f.ID, f.Name, f.Created.UnixMilli(), f.Updated.UnixMilli()); err != nil {
			return err
		}
	}
	for i := range s.Fields {
		if err := tx.Add(&s.Fields[i]); err != nil {
			return err
		}
	}
	for i := range s.Presets {
		if err := tx.Add(&s.Presets[i]); err != nil {
			return err
		}
	}
	for _, f := range s.Files {
		for _, v := range s.Versions[f.ID] {
			if v.ID == f.Version.ID {
				f.Version = v
				if err := tx.Files.Insert(&f); err != nil {
					return err
				}
			} else if err := tx.Versions.Add(f.ID, &v); err != nil {
				return err
			}
		}
	}
	return nil
}
