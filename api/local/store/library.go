package store

import (
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
)

// Library reads and writes what is there once: the identity, and what counts for all.
type Library struct{ session }

// Identity returns the identity of the library. If it has none it becomes fresh, or "".
func (t Library) Identity(fresh string) (identity string, err error) {
	identity, err = value[string](t.session, "SELECT identity FROM library")
	if err == nil && identity == "" && fresh != "" {
		identity = fresh
		_, err = t.exec("UPDATE library SET identity = ?", fresh)
	}
	return identity, err
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

// Usage returns the bytes of all versions now, and the number of runs requested in a period.
func (t Library) Usage(start, end time.Time) (bytes, runs int64, err error) {
	err = t.scan([]any{&bytes, &runs}, "SELECT coalesce(sum(size), 0), (SELECT count(*) FROM runs "+
		"WHERE created >= ? AND created < ?) FROM versions",
		start.UnixMilli(), end.UnixMilli())
	return bytes, runs, err
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

// State is what the records of a library hold, without runs, posts and jobs: rows by table.
type State map[string][]map[string]any

// Hashes returns the hashes of the contents of all versions.
func (s State) Hashes() (list []string) {
	for _, row := range s["versions"] {
		list = append(list, row["hash"].(string))
	}
	return list
}

// State returns the state of the library.
func (t Library) State() (State, error) {
	s := State{}
	for _, table := range []string{"folders", "files", "versions", "fields", "presets"} {
		err := t.each(func(rows *sql.Rows) error {
			names, err := rows.Columns()
			values, into := make([]any, len(names)), make([]any, len(names))
			for i := range values {
				into[i] = &values[i]
			}
			err = errors.Join(err, rows.Scan(into...))
			row := map[string]any{}
			for i, name := range names {
				row[name] = values[i]
			}
			s[table] = append(s[table], row)
			return err
		}, "SELECT * FROM "+table)
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Restore adds a state to an empty library.
func (t Library) Restore(s State) error {
	for table, rows := range s {
		for _, row := range rows {
			names := slices.Sorted(maps.Keys(row))
			values := make([]any, len(names))
			for i, name := range names {
				values[i] = row[name]
			}
			query := "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + places(len(names)) + ")"
			if _, err := t.exec(query, values...); err != nil {
				return err
			}
		}
	}
	return nil
}

// Instances reads and writes which processes serve the library, and what each of them works on.
type Instances struct{ session }

// present selects the present instances.
const present = "(SELECT id FROM instances WHERE until > " + now + ")"

// unlocked ends a query for rows that no other transaction has locked, for PostgreSQL.
const unlocked = "LIMIT ?+0 /* unlocked */"

// Present marks an instance as present for a span, by the database's clock.
func (t Instances) Present(id string, span time.Duration) error {
	_, err := t.exec("INSERT INTO instances (id, until) VALUES (?, "+now+" + CAST(? AS BIGINT)) ON CONFLICT (id) DO UPDATE SET until = excluded.until",
		id, span.Milliseconds())
	return err
}

// Absent removes an instance, or all if id is empty.
func (t Instances) Absent(id string) error {
	_, err := t.exec("DELETE FROM instances WHERE id = ? OR ? = ''", id, id)
	return err
}

// Claim reports whether owner holds the exclusive work.
func (t Instances) Claim(work, owner string) (bool, error) {
	n, err := t.exec("INSERT INTO claims (work, owner) VALUES (?, ?) ON CONFLICT (work) DO UPDATE SET owner = excluded.owner"+
		" WHERE claims.owner = excluded.owner OR claims.owner NOT IN "+present, work, owner)
	return n > 0, err
}

// Adopt gives owner up to most pending runs, posts and jobs of absent instances, all awaited. It
// returns the jobs.
func (t Instances) Adopt(owner string, most int) (jobs []Job, err error) {
	left := func(table, condition, change string) string {
		return "UPDATE " + table + " SET owner = ?" + change + " WHERE id IN (SELECT id FROM " + table + " WHERE " + condition + "owner NOT IN " + present + " ORDER BY id " + unlocked + ")"
	}
	if _, err := t.exec(left("outbox", "", ""), owner, most); err != nil {
		return nil, err
	}
	jobs, err = records[Job](t.session, left("jobs", "", "")+" RETURNING "+tableFor[Job]().read, owner, most)
	if err == nil {
		_, err = t.exec(left("runs", "status = 'pending' AND ", ", awaited = 1"), owner, most)
	}
	return jobs, err
}
