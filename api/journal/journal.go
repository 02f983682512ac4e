// Package journal keeps what was sent, what came back and what was learnt, in
// SQLite.
//
// Whatever a method has acknowledged survives a kill and a power cut: every
// change is committed with a sync before the method returns. Changes that
// arrive together share one commit. Several processes may use one journal at
// the same time; each job belongs to one of them (see Journal.Claim).
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

// ErrClosed is the error of a call on a journal that was closed.
var ErrClosed = errors.New("the journal is closed")

// Journal is an open journal. Its methods may be called from any goroutine.
type Journal struct {
	path  string
	owner *owner

	write *sql.DB // of the writer, who uses one connection
	read  *sql.DB

	requests chan *request
	closing  chan struct{}
	written  chan struct{} // closed when the writer has ended
	once     sync.Once
	closeErr error

	watched  sync.Mutex
	watching *sql.Conn // of Changes
}

// Open opens the journal at path and makes it where there is none: a file that
// only the user can read, in a folder that only the user can read. A journal
// of an older program is brought up to date after a copy of it was put beside
// it; one of a newer program is an error.
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
	// Programs that start together take turns until the schema stands.
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
	t, err := newTx(ctx, j.write)
	if err != nil {
		return fail(errors.Join(err, j.write.Close(), j.read.Close(), j.owner.close()))
	}
	go j.writer(t)
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

// address is the database with its settings. A cache of 512 KiB per connection is
// enough for a journal: the usual 2 MB are 3 MB more at the peak of 2,000 uploads
// and no faster.
func address(path string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	return u.String() + "?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-512)"
}

// Path is where the journal is.
func (j *Journal) Path() string { return j.path }

// Close ends the journal. Changes that were handed over are committed first;
// the jobs of this process are free for the next one.
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

// Changes returns a number that is another one whenever something in the
// journal has changed, by this process or another. It costs microseconds.
func (j *Journal) Changes(ctx context.Context) (int64, error) {
	j.watched.Lock()
	defer j.watched.Unlock()
	select {
	case <-j.closing:
		return 0, ErrClosed
	default:
	}
	// SQLite counts the commits of others than the connection itself, so a
	// connection that never commits sees all of them.
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

// RunMark returns a text that is another one whenever a run has begun or
// something was learnt or heard of one, by this process or another. That a post
// came once more it does not tell. It reads the ends of three tables.
func (j *Journal) RunMark(ctx context.Context) (string, error) {
	mark, _, err := first(ctx, j, value[string], `SELECT
		coalesce((SELECT max(id) FROM runs), 0) || ' ' ||
		coalesce((SELECT max(rowid) FROM events), 0) || ' ' ||
		coalesce((SELECT max(id) FROM posts), 0)`)
	return mark, err
}
