package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mediadesk/api/atomicfile"
)

// ReadRecords opens the database at path for reading, in any format and even while another process
// writes to it. Update is an error.
func ReadRecords(ctx context.Context, path string) (Records, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	s := &database{path: path, read: make(chan *session, 1), turn: make(chan struct{}, 1), group: maxGroup}
	var err error
	if s.query, err = openReading(path); err != nil {
		return nil, err
	}
	s.db = s.query
	var known int
	if s.query.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE name = 'unpublished'").Scan(&known) == nil && known == 0 {
		// An older format publishes all versions.
		if _, err := s.query.ExecContext(ctx, "CREATE TEMP TABLE unpublished (id TEXT NOT NULL PRIMARY KEY)"); err != nil {
			return nil, errors.Join(fmt.Errorf("open the records in %s: %w", path, err), s.Close())
		}
	}
	session, err := newSession(ctx, s.query, nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the records in %s: %w", path, err), s.Close())
	}
	s.read <- session
	return s, nil
}

// ReadContents opens the contents in dir for reading. It creates and removes nothing.
func ReadContents(dir string) Contents { return &blobs{dir: dir} }

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

// Outdated reports whether OpenRecords would upgrade the database at path.
func Outdated(ctx context.Context, path string) (bool, error) {
	db, err := openReading(path)
	if err != nil {
		return false, err
	}
	var format int
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&format)
	return format < len(steps), errors.Join(err, db.Close())
}

// maxDamage limits the lines that an inspection returns.
const maxDamage = 20

// Damage checks the database at path and returns a line per defect. An error means that it could
// not be checked; it is ErrNewer for a database of a newer program.
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
		lines, err = checkFormat(ctx, db)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrNewer) && !Unavailable(err) {
		// An unreadable database is damaged.
		lines, err = []string{err.Error()}, nil
	}
	return lines, errors.Join(err, db.Close())
}

func (s *database) Damage(ctx context.Context) ([]string, error) { return Damage(ctx, s.path) }

// checkFormat compares the tables with those of the format number.
func checkFormat(ctx context.Context, db *sql.DB) ([]string, error) {
	var format, second int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&format); err != nil {
		return nil, err
	}
	if format == 0 {
		return []string{"it has no tables"}, nil
	}
	// The oldest formats store their number only once.
	if err := db.QueryRowContext(ctx, "SELECT format FROM library").Scan(&second); format > formatsOnce && (err != nil || second != format) {
		return []string{fmt.Sprintf("its format number is %d (this mediadesk writes %d, a newer one may write more), but its tables do not match", format, len(steps))}, nil
	}
	if err := checkNewer(format); err != nil {
		return nil, err
	}
	if format < 0 {
		return []string{fmt.Sprintf("its format number is damaged: %d", format)}, nil
	}
	want, err := schemaOf(ctx, format)
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

// schemaOf returns the schema of a new database of a format.
func schemaOf(ctx context.Context, format int) (map[string]string, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, strings.Join(steps[:format], "")); err != nil {
		return nil, err
	}
	return schema(ctx, db)
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
	empty, err := View(ctx, records, Tx.Empty)
	return errors.Join(err, records.Close()) != nil || empty
}

// RemoveRecords removes the database at path with its companion files.
func RemoveRecords(path string) error {
	for _, end := range []string{"-wal", "-shm", ""} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
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

// Holding is a version and its file, as returned by Tx.Holdings.
type Holding struct {
	FileID, Path string // empty if the file is missing
	Version      Version
	Current      bool
}

func (t *sqlTx) Holdings(prefix string) ([]Holding, error) {
	return list(t, func(row scanner, h *Holding) error {
		var folder, name sql.NullString
		v := &h.Version
		err := row.Scan(&h.FileID, &folder, &name, &v.ID, &v.Number, &v.Hash, &v.Size, &h.Current)
		h.Path = folder.String + name.String
		return err
	}, `SELECT v.file_id, f.folder, f.name, v.id, v.number, v.hash, v.size, coalesce(f.version_id = v.id, FALSE)
		FROM versions v LEFT JOIN files f ON f.id = v.file_id WHERE v.hash >= ? AND v.hash < ? ORDER BY v.hash`, prefix, prefix+"g")
}

func (t *sqlTx) Contradictions() ([]File, error) {
	return list(t, func(row scanner, f *File) error { return row.Scan(&f.ID, &f.Folder, &f.Name, &f.Version.ID) },
		`SELECT f.id, f.folder, f.name, f.version_id FROM files f LEFT JOIN versions v ON v.id = f.version_id
		WHERE v.id IS NULL OR v.file_id != f.id OR v.hash != f.hash OR v.size != f.size`)
}
