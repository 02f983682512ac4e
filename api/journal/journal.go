// Package journal stores uploads, answers and runs in SQLite.
//
// Changes survive a kill and a power cut: every change is committed with a sync before the method
// returns. Concurrent changes share a commit. Several processes may use a journal at the same time;
// each job belongs to one of them (see Journal.Claim).
package journal

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mediadesk/api/atomicfile"
	"mediadesk/api/commit"
)

// ErrClosed is the error of a call on a closed journal.
var ErrClosed = commit.ErrClosed

// Journal is an open journal. It is safe for concurrent use.
type Journal struct {
	path  string
	owner *owner
	// Aside is the path to which Open moved an empty file; "" if the file was missing or not empty.
	Aside string

	writer *commit.Writer
	write  *sql.DB // of the writer, with one connection
	read   *sql.DB

	once     sync.Once
	closeErr error

	watched  sync.Mutex
	watching *sql.Conn // for Changes
}

// Open opens the journal at path, or creates it with permissions for the user only. An empty file
// is set aside. The journal of another version is an error.
func Open(ctx context.Context, path string) (*Journal, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	fail := func(err error) (*Journal, error) {
		return nil, &Error{Path: path, Err: err}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fail(err)
	}
	// Concurrent starts wait for each other until the schema is complete.
	turn := flock.New(path + ".opening")
	if _, err := turn.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return fail(err)
	}
	defer turn.Unlock() //nolint:errcheck // the lock goes with the file handle
	aside, err := setAsideEmpty(path)
	if err == nil {
		err = private(path)
	}
	if err != nil {
		return fail(err)
	}
	j := &Journal{path: path, Aside: aside}
	if j.write, err = commit.Open(path, settings, 1); err != nil {
		return fail(err)
	}
	found, err := checkVersion(ctx, j.write)
	if err == nil && found != version {
		err = commit.Create(ctx, j.write, schema+fmt.Sprintf("PRAGMA user_version = %d", version))
	}
	if err == nil {
		name := rand.Text()
		j.owner = &owner{name, flock.New(ownerFile(path, name))}
		_, err = j.owner.lock.TryLock() // nobody else has the name
	}
	if err != nil {
		return fail(errors.Join(err, j.write.Close()))
	}
	if j.read, err = commit.Open(path, settings+"&_pragma=query_only(1)", 4); err != nil {
		return fail(errors.Join(err, j.write.Close(), j.owner.close()))
	}
	j.writer = commit.NewWriter(j.write)
	return j, nil
}

// setAsideEmpty renames an empty file at path, with its companions, and returns its new path:
// SQLite would take it for a new database and delete a log beside it that may still have the data.
func setAsideEmpty(path string) (aside string, err error) {
	if info, err := os.Stat(path); err != nil || info.Size() > 0 {
		return "", nil // private reports errors
	}
	aside = path + ".empty" + time.Now().Format("-20060102-150405.000")
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return aside, nil
}

// private creates the file if needed, removes other users' access to it and its companions, and
// refuses a file too short for a journal. It does not open an existing file, since closing it would
// drop this process's locks.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	atomicfile.Restrict(path)
	// SQLite treats a file shorter than a page as empty and overwrites it.
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() < 512 {
		return errNoJournal
	}
	return nil
}

// settings of a connection. A cache of 512 KiB is enough: the default of 2 MB uses 3 MB more at the
// peak of 2,000 uploads and is no faster.
const settings = "_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-512)"

// Path returns the path of the journal.
func (j *Journal) Path() string { return j.path }

// Close commits pending changes and closes the journal. The jobs of this process can then be
// claimed by another.
func (j *Journal) Close() error {
	j.once.Do(func() {
		j.writer.Close()
		j.watched.Lock()
		defer j.watched.Unlock()
		var errs []error
		if j.watching != nil {
			errs = append(errs, j.watching.Close())
		}
		errs = append(errs, j.read.Close(), j.write.Close(), j.owner.close())
		if err := errors.Join(errs...); err != nil {
			j.closeErr = &Error{j.path, true, err}
		}
	})
	return j.closeErr
}

// Changes returns a number that changes with every change of the journal by any process. It costs
// microseconds.
func (j *Journal) Changes(ctx context.Context) (int64, error) {
	j.watched.Lock()
	defer j.watched.Unlock()
	if j.writer.Closed() {
		return 0, ErrClosed
	}
	// SQLite counts only the commits of other connections, so a connection that never commits sees all
	// of them.
	if j.watching == nil {
		conn, err := j.read.Conn(ctx)
		if err != nil {
			return 0, &Error{j.path, true, err}
		}
		j.watching = conn
	}
	var n int64
	if err := j.watching.QueryRowContext(ctx, "PRAGMA data_version").Scan(&n); err != nil {
		return 0, &Error{j.path, true, err}
	}
	return n, nil
}

// State describes a journal.
type State struct {
	Version int   // of the schema; 0 for an empty file
	Jobs    int   // number of uploads
	Bytes   int64 // file size
}

// Check inspects the journal at path without changing it. The error wraps fs.ErrNotExist for a missing
// file, and is an *Error if SQLite cannot use it.
func Check(ctx context.Context, path string) (s State, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	s.Bytes = info.Size()
	parameters := "mode=ro&_pragma=query_only(1)"
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		// No other process uses it, so SQLite need not create its side files.
		parameters += "&immutable=1"
	}
	db, err := commit.Open(path, parameters, 1)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	fail := func(err error) (State, error) { return s, &Error{path, true, err} }
	var found string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		return fail(err)
	}
	if found != "ok" {
		return fail(fmt.Errorf("%w: %s", errNoJournal, found))
	}
	if s.Version, err = checkVersion(ctx, db); err != nil {
		return fail(err)
	}
	if s.Version > 0 {
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM jobs").Scan(&s.Jobs); err != nil {
			return fail(err)
		}
	}
	return s, nil
}

// owner identifies this process as the owner of jobs: a random name, and a lock on a file of that
// name, which ends with the process.
type owner struct {
	name string
	lock *flock.Flock
}

func ownerFile(path, name string) string { return path + "." + name + ".lock" }

// close releases the lock. It removes the file first, while it is still locked.
func (o *owner) close() error { return errors.Join(remove(o.lock.Path()), o.lock.Unlock()) }

// ownerGone reports whether the process that owned jobs under name has ended.
func ownerGone(path, name string) bool {
	if name == "" {
		return true
	}
	file := ownerFile(path, name)
	if _, err := os.Stat(file); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	lock := flock.New(file)
	ok, err := lock.TryLock()
	if err != nil || !ok {
		return false
	}
	// Remove the lock file of a killed process.
	return errors.Join(remove(file), lock.Unlock()) == nil
}

func remove(file string) error {
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Damaged is advice for a damaged journal.
const Damaged = "Move journal.db, journal.db-wal and journal.db-shm to another folder to begin with a new one: what was stored is safe at the service. Keep them: they can often be read with sqlite3 and .recover."

// ErrVersion reports that the journal has a schema that this program does not read.
var ErrVersion = errors.New("another version of mediadesk wrote it")

// errNoJournal reports a damaged file, or one that is not a journal.
var errNoJournal = errors.New("it is damaged, or no journal")

// errRow reports an invalid row. The error for a missing row is sql.ErrNoRows.
var errRow = errors.New("a row makes no sense")

func decode(text string, into any) error {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("%w: %w", errRow, err)
	}
	return nil
}

// Error is the error of an unusable journal, with a hint.
type Error struct {
	Path   string
	Opened bool // it had been opened before
	Err    error
}

func (e *Error) Error() string {
	if e.Opened {
		return fmt.Sprintf("journal %q: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("journal %q cannot be opened: %v", e.Path, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Hint() string {
	failure, ok := errors.AsType[*sqlite.Error](e.Err)
	switch {
	case errors.Is(e.Err, ErrVersion):
		return "Start that version, or move journal.db, journal.db-wal and journal.db-shm to another folder to begin with a new one."
	case errors.Is(e.Err, errNoJournal), errors.Is(e.Err, errRow), errors.Is(e.Err, sql.ErrNoRows),
		strings.Contains(e.Err.Error(), "sql: Scan error"):
		return Damaged
	case !ok:
		return ""
	}
	switch failure.Code() & 0xff { // the other bits are details
	// SQLITE_ERROR means other tables than expected
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR:
		return Damaged
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return "Check whether the disk is full or has errors, then try again."
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return "Check whether the file and its folder can be written, or set MEDIADESK_HOME to another folder."
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return "Another program has locked it: end it, or try again."
	}
	return ""
}
