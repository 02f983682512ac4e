package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mediadesk/api"
)

// salvaged is a readable file with its other versions.
type salvaged struct {
	file     *File
	versions []Version
}

// Salvage copies all readable records of the database at path, which may be damaged or missing,
// into to. It skips files whose id or path is taken. With unfinished it includes pending runs and
// webhook posts. It returns the number of copied files; errors are write errors.
func Salvage(ctx context.Context, path string, to Records, unfinished bool) (files int, err error) {
	from, err := ReadRecords(ctx, path)
	if err != nil {
		return 0, ctx.Err() // nothing is readable
	}
	defer from.Close()
	var batch []salvaged
	var failed error
	flush := func() error {
		n := 0
		failed = to.Update(ctx, func(tx Tx) error {
			n = 0
			for _, s := range batch {
				written, err := s.write(tx)
				if err != nil {
					return err
				}
				if written {
					n++
				}
			}
			return nil
		})
		files, batch = files+n, batch[:0]
		return failed
	}
	// A read error is the damage itself.
	from.View(ctx, func(tx Tx) error { //nolint:errcheck // see above
		t := tx.(*sqlTx)
		if failed = t.salvageRest(ctx, to, unfinished); failed != nil {
			return failed
		}
		// Rows after a damaged page are reached from the other end.
		for _, direction := range []string{"ASC", "DESC"} {
			err := t.each(func(rows *sql.Rows) error {
				if s, ok := t.salvageFile(rows); ok {
					batch = append(batch, s)
				}
				if len(batch) < 500 {
					return nil
				}
				return flush()
			}, "SELECT "+fileValues+" FROM files ORDER BY folder "+direction+", name_key "+direction)
			if err == nil || failed != nil || ctx.Err() != nil {
				break
			}
		}
		if failed == nil {
			return flush()
		}
		return failed
	})
	return files, errors.Join(failed, ctx.Err())
}

// salvageFile reads a file; ok is false for an invalid one.
func (t *sqlTx) salvageFile(rows *sql.Rows) (s salvaged, ok bool) {
	f, err := scanFile(lenient{rows})
	if err != nil || !IsID(f.ID) || f.Name == "" || !isHash(f.Version.Hash) {
		return s, false
	}
	if clean, err := api.CleanFolder(f.Folder); err != nil || clean != f.Folder {
		return s, false
	}
	s.file = f
	f.Version.Embedded, _ = t.Embedded(f.Version.ID)
	s.versions, _ = t.Versions(f.ID)
	for i := range s.versions {
		s.versions[i].Embedded, _ = t.Embedded(s.versions[i].ID)
	}
	return s, true
}

// lenient reads rows of fileValues and skips damaged JSON.
type lenient struct{ rows *sql.Rows }

// Scan implements scanner.
func (l lenient) Scan(into ...any) error {
	if err := l.rows.Scan(into...); err != nil {
		return err
	}
	for column, value := range map[int]any{4: &[]string{}, 5: &[]api.AITag{}, 7: &map[string]json.RawMessage{}} {
		kept := into[column].(*any)
		if text, ok := (*kept).(string); !ok || json.Unmarshal([]byte(text), value) != nil {
			*kept = nil
		}
	}
	return nil
}

// write inserts the file unless its id or path is taken.
func (s *salvaged) write(tx Tx) (bool, error) {
	if _, err := tx.File(s.file.ID); !errors.Is(err, ErrNotFound) {
		return false, err
	}
	if _, err := tx.Version(s.file.Version.ID); !errors.Is(err, ErrNotFound) {
		return false, err
	}
	if err := tx.MakeFolder(s.file.Folder, s.file.Created); err != nil {
		return false, err
	}
	if err := tx.InsertFile(s.file); err != nil {
		return false, skipTaken(err)
	}
	for i := range s.versions {
		v := &s.versions[i]
		if v.ID == s.file.Version.ID || !isHash(v.Hash) {
			continue
		}
		if err := skipTaken(tx.AddVersion(s.file.ID, v)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// skipTaken drops the error of a row that conflicts with another one.
func skipTaken(err error) error {
	var own *sqlite.Error
	if errors.Is(err, ErrExists) || errors.As(err, &own) && own.Code()&0xff == sqlite3.SQLITE_CONSTRAINT {
		return nil
	}
	return err
}

// salvageRest copies everything but files. Errors are write errors.
func (t *sqlTx) salvageRest(ctx context.Context, to Records, unfinished bool) error {
	fields, _ := t.Fields(true)
	if fields == nil { // in an older format
		fields, _ = t.fields("id, name, label, '', schema, 0", "TRUE")
	}
	presets, _ := t.Presets("")
	identity, _ := t.Identity("")
	folders := map[string]time.Time{}
	t.each(func(rows *sql.Rows) error { //nolint:errcheck // as far as it goes
		var path string
		var created int64
		if rows.Scan(&path, &created) != nil {
			return nil
		}
		if clean, err := api.CleanFolder(path); err == nil && clean == path {
			folders[path] = time.UnixMilli(created)
		}
		return nil
	}, "SELECT path, created FROM folders")
	var runs []Run
	var posts []Post
	var jobs []Job
	if unfinished {
		jobs, _ = list(t, scanJob, "SELECT id, owner, body FROM jobs")
		runs, _ = t.PendingRuns()
		posts, _ = t.Posts()
	}
	return to.Update(ctx, func(tx Tx) error {
		if _, err := tx.Identity(identity); err != nil {
			return err
		}
		for path, created := range folders {
			if err := tx.MakeFolder(path, created); err != nil {
				return err
			}
		}
		return cmp.Or(
			each(fields, func(f *Field) error { return skipTaken(tx.AddField(f)) }),
			each(presets, func(p *Preset) error { return skipTaken(tx.AddPreset(p)) }),
			each(runs, tx.AddRun), each(jobs, tx.KeepJob), each(posts, tx.AddPost),
		)
	})
}

// each calls write for all elements until it fails.
func each[T any](list []T, write func(*T) error) error {
	for i := range list {
		if err := write(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (t *sqlTx) Unreadable() (lines []string, err error) {
	tell := func(what string, err error) {
		if err != nil && len(lines) < maxDamage {
			lines = append(lines, what+" cannot be read: "+err.Error())
		}
	}
	err = t.each(func(rows *sql.Rows) error {
		row := newFileRow()
		_, err := row.scan(rows)
		tell("the record of file "+row.text(0), err)
		return nil
	}, "SELECT "+fileValues+" FROM files")
	if err != nil {
		return nil, err
	}
	err = t.each(func(rows *sql.Rows) error {
		var embedded sql.NullString
		err := scanVersion(and{rows, &embedded}, new(Version))
		if err == nil && embedded.Valid && !json.Valid([]byte(embedded.String)) {
			err = errors.New("its embedded metadata is not JSON")
		}
		tell("a version", err)
		return nil
	}, "SELECT "+versionColumns+", embedded FROM versions")
	_, runs := t.PendingRuns()
	tell("an extension run", runs)
	_, posts := t.Posts()
	tell("a webhook post", posts)
	_, fields := t.Fields(true)
	tell("a custom metadata field", fields)
	_, presets := t.Presets("")
	tell("a saved extension or named transformation", presets)
	return lines, err
}

// and scans one extra column.
type and struct {
	scanner
	last any
}

// Scan implements scanner.
func (a and) Scan(into ...any) error { return a.scanner.Scan(append(into, a.last)...) }
