// Package journal stores uploads, answers and runs in SQLite.
//
// Changes survive a kill and a power cut: every change is committed with a sync before the method
// returns. Concurrent changes share a commit. Several processes may use a journal at the same time;
// each job belongs to one of them (see Journal.Claim).
package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver

	"mediadesk/api/atomicfile"
)

// ErrClosed is the error of a call on a closed journal.
var ErrClosed = errors.New("the journal is closed")

// Journal is an open journal. It is safe for concurrent use.
type Journal struct {
	path  string
	owner *owner

	write *sql.DB // of the writer, with one connection
	read  *sql.DB

	requests chan *request
	closing  chan struct{}
	written  chan struct{} // closed when the writer has ended
	once     sync.Once
	closeErr error

	watched  sync.Mutex
	watching *sql.Conn // for Changes
}

// Open opens the journal at path, or creates it with permissions for the user only. It copies and then
// migrates the journal of an older version. The journal of a newer version is an error.
func Open(ctx context.Context, path string) (*Journal, error) {
	return open(ctx, path, migrations)
}

func open(ctx context.Context, path string, steps []string) (*Journal, error) {
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
	if err := private(path); err != nil {
		return fail(err)
	}
	j := &Journal{
		path: path, requests: make(chan *request, maxBatch),
		closing: make(chan struct{}), written: make(chan struct{}),
	}
	if j.write, err = sql.Open("sqlite", address(path)); err != nil {
		return fail(err)
	}
	j.write.SetMaxOpenConns(1)
	if err := migrate(ctx, j.write, path, steps); err != nil {
		return fail(errors.Join(err, j.write.Close()))
	}
	if j.owner, err = newOwner(path); err != nil {
		return fail(errors.Join(err, j.write.Close()))
	}
	if j.read, err = sql.Open("sqlite", address(path)+"&_pragma=query_only(1)"); err != nil {
		return fail(errors.Join(err, j.write.Close(), j.owner.close()))
	}
	j.read.SetMaxOpenConns(4)
	conn, err := j.write.Conn(ctx)
	if err != nil {
		return fail(errors.Join(err, j.write.Close(), j.read.Close(), j.owner.close()))
	}
	go j.writer(tx{conn, map[string]*sql.Stmt{}})
	return j, nil
}

// private creates the file if needed and removes other users' access to it and its companions. It
// does not open an existing file, since closing it would drop this process's locks.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		atomicfile.Restrict(path)
		// SQLite treats a file shorter than a page as empty and overwrites it.
		if info, err := os.Stat(path); err == nil && info.Size() > 0 && info.Size() < 512 {
			return errNoJournal
		}
		return nil
	case err != nil:
		return err
	}
	return f.Close()
}

// address returns the data source name with its settings. A cache of 512 KiB per connection is enough:
// the default of 2 MB uses 3 MB more at the peak of 2,000 uploads and is no faster.
func address(path string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	return u.String() + "?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-512)"
}

// Path returns the path of the journal.
func (j *Journal) Path() string { return j.path }

// Close commits pending changes and closes the journal. The jobs of this process can then be claimed
// by another.
func (j *Journal) Close() error {
	j.once.Do(func() {
		close(j.closing)
		<-j.written
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
	select {
	case <-j.closing:
		return 0, ErrClosed
	default:
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

// RunMark returns a text that changes with every new run and every report about one, by any process,
// except for repeated webhooks. It reads the ends of three tables.
func (j *Journal) RunMark(ctx context.Context) (string, error) {
	mark, _, err := first(ctx, j, value[string], `SELECT
		coalesce((SELECT max(id) FROM runs), 0) || ' ' ||
		coalesce((SELECT max(rowid) FROM events), 0) || ' ' ||
		coalesce((SELECT max(id) FROM posts), 0)`)
	return mark, err
}
