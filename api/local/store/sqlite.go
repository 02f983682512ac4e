package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mediadesk/api/atomicfile"
	"mediadesk/api/commit"
)

const readers = 4

// sqliteRecords implements Records in SQLite, with one writing connection and a few reading ones.
type sqliteRecords struct {
	write, read *sql.DB
	writer      *commit.Writer    // nil if read-only
	free        chan *commit.Conn // for reading
}

// OpenRecords opens or creates the database at path, for its owner only. The folder must exist.
func OpenRecords(ctx context.Context, path string) (Records, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the records in %s: %w", path, err)
	}
	f.Close()
	atomicfile.Restrict(path) // SQLite copies its permissions to new files
	s := &sqliteRecords{free: make(chan *commit.Conn, readers)}
	// FULL makes commits durable. NORMAL lost some in every second power cut.
	if s.write, err = commit.Open(path, "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(4000)", 1); err != nil {
		return nil, err
	}
	if s.read, err = commit.Open(path, "_pragma=journal_mode(WAL)&_pragma=query_only(1)", readers); err != nil {
		return nil, errors.Join(err, s.write.Close())
	}
	s.writer = commit.NewWriter(s.write)
	if err = createTables(ctx, s.write); err == nil {
		err = s.openReaders(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the records in %s: %w", path, err), s.Close())
	}
	return s, nil
}

// ReadRecords opens the database at path for reading, even while another process writes to it.
func ReadRecords(ctx context.Context, path string) (Records, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	read, err := openReading(path)
	if err != nil {
		return nil, err
	}
	s := &sqliteRecords{read: read, free: make(chan *commit.Conn, 1)}
	if err := s.openReaders(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the records in %s: %w", path, err), s.Close())
	}
	return s, nil
}

func (s *sqliteRecords) openReaders(ctx context.Context) error {
	for range cap(s.free) {
		c, err := commit.NewConn(ctx, s.read)
		if err != nil {
			return err
		}
		s.free <- c
	}
	return nil
}

func openReading(path string) (*sql.DB, error) { return commit.Open(path, "mode=ro", 1) }

// Close waits for updates in progress. A second call does nothing.
func (s *sqliteRecords) Close() (err error) {
	if s.writer != nil {
		s.writer.Close()
		err = s.write.Close()
	}
	for range len(s.free) {
		err = errors.Join(err, (<-s.free).Close())
	}
	return errors.Join(err, s.read.Close())
}

func (s *sqliteRecords) Update(ctx context.Context, fn func(Tx) error) error {
	if s.writer == nil {
		return errors.New("the records are read-only")
	}
	// A started transaction finishes even if the caller is gone.
	ctx = context.WithoutCancel(ctx)
	return diskFull(s.writer.Do(ctx, func(c *commit.Conn) error { return guarded(fn, newTx(ctx, c, nil)) }))
}

func (s *sqliteRecords) View(ctx context.Context, fn func(Tx) error) error {
	var c *commit.Conn
	select {
	case c = <-s.free:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { s.free <- c }()
	if _, err := c.ExecContext(context.Background(), "BEGIN"); err != nil {
		return fmt.Errorf("begin with the records: %w", err)
	}
	defer c.ExecContext(context.Background(), "ROLLBACK") //nolint:errcheck // there is nothing to take back
	return fn(newTx(ctx, c, nil))
}

const format = 1 // of the tables; others are not opened

var (
	//go:embed schema.sql
	tables string
	//go:embed sqlite.sql
	sqliteSchema string
	//go:embed postgres.sql
	postgresSchema string
)

// now is the database's clock in milliseconds since 1970.
const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

const newLibrary = "INSERT INTO library (format, created) VALUES (1, " + now + ");"

// ErrFormat reports that another version of the program wrote the records.
var ErrFormat = errors.New("written by another version of mediadesk")

func otherFormat(found int) error {
	return fmt.Errorf("%w (format %d; this one uses %d)", ErrFormat, found, format)
}

// checkFormat returns ErrFormat unless the tables are those that this program writes.
func checkFormat(ctx context.Context, db *sql.DB) error {
	var found int
	err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&found)
	switch {
	case err != nil || found == format:
		return err
	case found == 0:
		return errors.New("it has no tables")
	}
	return otherFormat(found)
}

func createTables(ctx context.Context, db *sql.DB) error {
	var objects int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&objects); err != nil {
		return err
	}
	if objects > 0 {
		return checkFormat(ctx, db)
	}
	return commit.Create(ctx, db, tables+sqliteSchema+newLibrary+"PRAGMA user_version = 1")
}

// ReadContents opens the contents in dir for reading. It creates and removes nothing.
func ReadContents(dir string) Contents { return &folder{dir: dir} }

// Snapshot copies one state of the database at path to the file to, replaced atomically. Other
// processes may write meanwhile; the copy contains everything committed before it began. Its time of
// change is before that, so that what was written after it is newer.
func Snapshot(ctx context.Context, path, to string) error {
	db, err := openReading(path)
	if err != nil {
		return err
	}
	defer db.Close()
	draft := to + ".new"
	if err := os.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	start := time.Now().Add(-time.Second) // the times of files are not exact
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", draft)
	if err == nil {
		err = os.Chtimes(draft, start, start)
	}
	if err != nil {
		os.Remove(draft)
		return err
	}
	return atomicfile.Publish(draft, to, 0o600)
}

// Unavailable reports whether err is due to the disk, permissions, a server or another program.
func Unavailable(err error) bool {
	_, down := errors.AsType[*DownError](err)
	_, file := errors.AsType[*fs.PathError](err)
	failure, ok := errors.AsType[*sqlite.Error](err)
	if down || !ok {
		return down || file
	}
	return slices.Contains([]int{
		sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED,
	}, failure.Code()&0xff)
}

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
	lines, err := firstColumn[string](newTx(ctx, db, nil).session, "PRAGMA integrity_check(20)")
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "ok" })
	if err == nil && len(lines) == 0 {
		err = checkFormat(ctx, db)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrFormat) && !Unavailable(err) {
		// An unreadable database is damaged.
		lines, err = []string{err.Error()}, nil
	}
	return lines, errors.Join(err, db.Close())
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
