package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mediadesk/api/atomicfile"
)

// ReadContents opens the contents in dir for reading. It creates and removes nothing.
func ReadContents(dir string) Contents { return &folder{dir: dir} }

// Snapshot copies one state of the database at path to the file to, replaced atomically. Other
// processes may write meanwhile; the copy contains everything committed before it began.
func Snapshot(ctx context.Context, path, to string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	db, err := openReading(path)
	if err != nil {
		return err
	}
	return errors.Join(snapshot(ctx, db, to), db.Close())
}

// Unavailable reports whether err is not caused by the database itself but by a full or failing
// disk, permissions, or another program.
func Unavailable(err error) bool {
	var down *DownError
	if errors.As(err, &down) {
		return true
	}
	var own *sqlite.Error
	if !errors.As(err, &own) {
		var path *fs.PathError
		return errors.As(err, &path)
	}
	switch own.Code() & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return true
	}
	return false
}

// maxDamage limits the lines that an inspection returns.
const maxDamage = 20

// Damage checks the database at path and returns a line per defect. An error means that it could
// not be checked; it is ErrFormat for a database of another version of the program.
func Damage(ctx context.Context, path string) ([]string, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	db, err := openReading(path)
	if err != nil {
		return nil, err
	}
	lines, err := integrity(ctx, db)
	if err == nil && len(lines) == 0 {
		err = checkFormat(ctx, db)
	}
	if err == nil && len(lines) == 0 {
		lines, err = checkTables(ctx, db)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrFormat) && !Unavailable(err) {
		// An unreadable database is damaged.
		lines, err = []string{err.Error()}, nil
	}
	return lines, errors.Join(err, db.Close())
}

func (s *sqliteRecords) Damage(ctx context.Context) ([]string, error) { return Damage(ctx, s.path) }

// checkTables compares the byType with those of a new database.
func checkTables(ctx context.Context, db *sql.DB) ([]string, error) {
	fresh, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer fresh.Close()
	fresh.SetMaxOpenConns(1)
	if err := createTables(ctx, fresh); err != nil {
		return nil, err
	}
	want, err := schema(ctx, fresh)
	if err != nil {
		return nil, err
	}
	have, err := schema(ctx, db)
	if err != nil {
		return nil, err
	}
	var lines []string
	for name, text := range want {
		if have[name] != text {
			lines = append(lines, "its table, index or trigger "+name+" is damaged or missing")
		}
	}
	slices.Sort(lines)
	return lines, nil
}

func schema(ctx context.Context, db *sql.DB) (map[string]string, error) {
	texts := map[string]string{}
	rows, err := db.QueryContext(ctx, "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
	return texts, eachRow(rows, err, func(rows *sql.Rows) error {
		var name, text string
		err := rows.Scan(&name, &text)
		texts[name] = text
		return err
	})
}

func integrity(ctx context.Context, db *sql.DB) (lines []string, err error) {
	rows, err := db.QueryContext(ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", maxDamage))
	err = eachRow(rows, err, func(rows *sql.Rows) error {
		var line string
		err := rows.Scan(&line)
		if line != "ok" {
			lines = append(lines, line)
		}
		return err
	})
	return lines, err
}

// Empty reports whether the database at path contains no version of any file, or is unreadable.
func Empty(ctx context.Context, path string) bool {
	records, err := ReadRecords(ctx, path)
	if err != nil {
		return true
	}
	empty, err := View(ctx, records, func(tx Tx) (bool, error) { return tx.Library.Empty() })
	return errors.Join(err, records.Close()) != nil || empty
}

// MoveRecords renames the database at path with its companion files. It must not be open.
func MoveRecords(path, to string) error {
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := atomicfile.Rename(path+end, to+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Unreadable returns a line for each record that is invalid or contradicts another.
func (t Library) Unreadable() (lines []string, err error) {
	tell := func(what string, err error) {
		if err != nil && len(lines) < maxDamage {
			lines = append(lines, what+" cannot be read: "+err.Error())
		}
	}
	for _, tb := range byType {
		err := t.each(func(rows *sql.Rows) error {
			record := reflect.New(tb.record).Elem()
			err := tb.scan(rows, record)
			id := record.FieldByName("ID")
			if !id.IsValid() {
				id = record.FieldByName("Hash")
			}
			tell(fmt.Sprintf("the row %v of %s", id, tb.name), err)
			return nil
		}, "SELECT "+tb.read+" FROM "+tb.name)
		if err != nil {
			return nil, err
		}
	}
	err = t.each(func(rows *sql.Rows) error {
		var embedded jsonText
		embedded.into = new(json.RawMessage)
		tell("the embedded metadata of a version", rows.Scan(embedded))
		return nil
	}, "SELECT embedded FROM versions WHERE embedded IS NOT NULL")
	if err != nil {
		return nil, err
	}
	err = t.each(func(rows *sql.Rows) error {
		var id sql.NullString
		err := rows.Scan(&id)
		tell("the version of the file "+id.String, cmp.Or(err, errors.New("it differs from that in the record of the file, or one of both is missing")))
		return nil
	}, `SELECT coalesce(f.id, v.file_id) FROM files f FULL JOIN versions v ON v.file_id = f.id AND v.id = f.version_id
		WHERE f.id IS NOT NULL AND (v.id IS NULL OR v.hash != f.hash OR v.size != f.size OR v.unpublished != f.unpublished)
		OR f.id IS NULL AND NOT EXISTS (SELECT 1 FROM files WHERE id = v.file_id)`)
	return lines, err
}
