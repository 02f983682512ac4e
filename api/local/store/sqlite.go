package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mediadesk/api/atomicfile"
)

const (
	readers  = 4
	maxGroup = 128 // updates that share a transaction
)

// sqliteRecords implements Records in SQLite, with one writing connection and a few reading ones.
// Updates that arrive during a commit share the next transaction: with 8 clients the disk then
// takes twice as many uploads a second.
type sqliteRecords struct {
	path        string
	write, read *sql.DB
	updates     chan *update     // closed by Close; nil if read-only
	free        chan *connection // for reading
	writer      sync.WaitGroup

	closing sync.RWMutex // held for reading while an update is queued
	closed  bool
}

type update struct {
	fn   func(Tx) error
	ctx  context.Context
	done chan error
}

// OpenRecords opens or creates the database at path, for its owner only. The folder must exist.
func OpenRecords(ctx context.Context, path string) (Records, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the records in %s: %w", path, err)
	}
	f.Close()
	atomicfile.Restrict(path) // SQLite copies its permissions to new files
	s := &sqliteRecords{path: path, updates: make(chan *update), free: make(chan *connection, readers)}
	// FULL makes commits durable. NORMAL lost some in every second power cut.
	if s.write, err = openDatabase(path, "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(4000)", 1); err != nil {
		return nil, err
	}
	if s.read, err = openDatabase(path, "_pragma=journal_mode(WAL)&_pragma=query_only(1)", readers); err != nil {
		return nil, errors.Join(err, s.write.Close())
	}
	s.writer.Go(s.writeAll)
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
	s := &sqliteRecords{path: path, read: read, free: make(chan *connection, 1)}
	if err := s.openReaders(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the records in %s: %w", path, err), s.Close())
	}
	return s, nil
}

func (s *sqliteRecords) openReaders(ctx context.Context) error {
	for range cap(s.free) {
		c, err := newConnection(ctx, s.read)
		if err != nil {
			return err
		}
		s.free <- c
	}
	return nil
}

func openReading(path string) (*sql.DB, error) { return openDatabase(path, "mode=ro", 1) }

func openDatabase(path, parameters string, connections int) (*sql.DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	file := &url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	db, err := sql.Open("sqlite", file.String()+"?_pragma=busy_timeout(5000)&"+parameters)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// Close waits for updates in progress.
func (s *sqliteRecords) Close() error {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	if s.updates != nil {
		close(s.updates)
		s.writer.Wait()
		errs = append(errs, s.write.Close())
	}
	for range len(s.free) {
		errs = append(errs, (<-s.free).Close())
	}
	return errors.Join(append(errs, s.read.Close())...)
}

func (s *sqliteRecords) Update(ctx context.Context, fn func(Tx) error) error {
	s.closing.RLock()
	defer s.closing.RUnlock()
	if s.closed || s.updates == nil {
		return errors.New("the records are closed or read-only")
	}
	// A started transaction finishes even if the caller is gone.
	u := &update{fn: fn, ctx: context.WithoutCancel(ctx), done: make(chan error, 1)}
	s.updates <- u
	return <-u.done
}

func (s *sqliteRecords) writeAll() {
	var conn *connection // nil if not open
	defer func() {
		if conn != nil {
			conn.Close()
		}
	}()
	for first := range s.updates {
		group := []*update{first}
		runtime.Gosched() // updates that are about to start join this transaction
	collect:
		for len(group) < maxGroup {
			select {
			case u, ok := <-s.updates:
				if !ok {
					break collect
				}
				group = append(group, u)
			default:
				break collect
			}
		}
		// If one update fails, each gets a transaction of its own: that is rare, and savepoints cost a
		// third more.
		refused, err := s.transact(&conn, group)
		for _, u := range group {
			if refused && len(group) > 1 {
				_, err = s.transact(&conn, []*update{u})
			}
			u.done <- err
		}
	}
}

// transact runs a group in one transaction. It reports whether an update refused it, so that
// nothing was written. After a disk error it closes the connection, whose state is unknown.
func (s *sqliteRecords) transact(conn **connection, group []*update) (refused bool, err error) {
	if *conn == nil {
		if *conn, err = newConnection(context.Background(), s.write); err != nil {
			return false, fmt.Errorf("open the records: %w", err)
		}
	}
	c := *conn
	if _, err = c.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		err = fmt.Errorf("begin with the records: %w", diskFull(err))
	} else {
		end := "COMMIT"
		for _, u := range group {
			if err = guarded(u.fn, newTx(u.ctx, c, nil)); err != nil {
				end, refused = "ROLLBACK", true
				break
			}
		}
		_, ended := c.ExecContext(context.Background(), end)
		if ended == nil {
			return refused, err
		}
		err = fmt.Errorf("write the records: %w", errors.Join(err, diskFull(ended)))
	}
	c.ExecContext(context.Background(), "ROLLBACK") //nolint:errcheck // there may be nothing to take back
	c.forget()
	c.Raw(func(any) error { return driver.ErrBadConn }) //nolint:errcheck // that is what closes it
	c.Close()
	*conn = nil
	return false, err
}

func (s *sqliteRecords) View(ctx context.Context, fn func(Tx) error) error {
	var c *connection
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

// connection has prepared statements: with them a record is read in 25 µs, not in 200. It serves one
// user at a time.
type connection struct {
	*sql.Conn
	statements map[string]*sql.Stmt
}

func newConnection(ctx context.Context, db *sql.DB) (*connection, error) {
	conn, err := db.Conn(ctx)
	return &connection{conn, map[string]*sql.Stmt{}}, err
}

const maxStatements = 200

func (c *connection) prepare(query string) (statement *sql.Stmt, err error) {
	if statement = c.statements[query]; statement != nil {
		return statement, nil
	}
	if len(c.statements) == maxStatements {
		c.forget()
	}
	if statement, err = c.PrepareContext(context.Background(), query); err == nil {
		c.statements[query] = statement
	}
	return statement, err
}

func (c *connection) forget() {
	for _, statement := range c.statements {
		statement.Close()
	}
	clear(c.statements)
}

// ExecContext runs a statement. The driver needs no watcher, since the context is not cancelable.
func (c *connection) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	statement, err := c.prepare(query) //nolint:sqlclosecheck // the connection keeps it
	if err != nil {
		return nil, err
	}
	return statement.ExecContext(context.Background(), args...)
}

// QueryContext runs a query.
func (c *connection) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := c.prepare(query) //nolint:sqlclosecheck // the connection keeps it
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(ctx, args...)
}

// Close closes the statements and returns the connection.
func (c *connection) Close() error {
	c.forget()
	return c.Conn.Close()
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
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, tables+sqliteSchema+newLibrary+"PRAGMA user_version = 1"); err != nil {
		return err
	}
	return tx.Commit()
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
	var lines []string
	rows, err := db.QueryContext(ctx, "PRAGMA integrity_check(20)")
	if err == nil {
		err = eachRow(rows, func(rows *sql.Rows) error {
			var line string
			err := rows.Scan(&line)
			if line != "ok" {
				lines = append(lines, line)
			}
			return err
		})
	}
	if err == nil && len(lines) == 0 {
		err = checkFormat(ctx, db)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrFormat) && !Unavailable(err) {
		// An unreadable database is damaged.
		lines, err = []string{err.Error()}, nil
	}
	return lines, errors.Join(err, db.Close())
}

func (s *sqliteRecords) Damage(ctx context.Context) ([]string, error) { return Damage(ctx, s.path) }

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
