package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"mediadesk/api/atomicfile"
)

const (
	readers  = 4
	maxGroup = 128 // updates that share a transaction
)

// database implements Records in SQLite, with one writing session and a few reading ones. Updates
// that arrive during a commit share the next transaction, since the disk takes as long for one as
// for many.
type database struct {
	path      string
	db, query *sql.DB       // for writing and for reading
	read      chan *session // free sessions
	turn      chan struct{} // held by the writer
	write     *session      // of the current update; nil if not open

	mu      sync.Mutex
	waiting []*update
}

// update is a call of Update.
type update struct {
	fn   func(Tx) error
	ctx  context.Context
	err  error
	done chan struct{} // closed when err is set
}

// OpenRecords opens or creates the database at path, readable by its owner only. The folder must
// exist.
func OpenRecords(ctx context.Context, path string) (Records, error) {
	// FULL makes commits durable. NORMAL lost some in every second power cut.
	s := &database{path: path, read: make(chan *session, readers), turn: make(chan struct{}, 1)}
	err := makePrivate(path)
	if err != nil {
		return nil, fmt.Errorf("open the records in %s: %w", path, err)
	}
	if s.db, err = openDatabase(path, "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(4000)", 1); err != nil {
		return nil, err
	}
	if s.query, err = openDatabase(path, "_pragma=journal_mode(WAL)&_pragma=query_only(1)", readers); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	err = createTables(ctx, s.db)
	for range readers {
		if err != nil {
			break
		}
		var session *session
		if session, err = newSession(ctx, s.query, nil); err == nil {
			s.read <- session
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the records in %s: %w", path, err), s.Close())
	}
	return s, nil
}

// makePrivate creates the database file if it is missing, and removes other users' permissions from
// it and its companion files. SQLite copies its permissions to new files.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		atomicfile.Restrict(path)
		return CheckHeader(path)
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// CheckHeader returns an error if the file at path is neither a database nor empty, or if its
// log is not one: SQLite would overwrite them. This process must not have the database open, since
// it would lose its locks.
func CheckHeader(path string) error {
	for end, magic := range map[string]string{"": "SQLite format 3\x00", "-wal": "\x37\x7f\x06"} {
		f, err := os.Open(path + end)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		head := make([]byte, len(magic))
		n, err := io.ReadFull(f, head)
		f.Close()
		if n == 0 && errors.Is(err, io.EOF) {
			continue
		}
		// After a power cut a log can begin with zeros.
		if text := string(head[:n]); text != magic && (end == "" || strings.Trim(text, "\x00") != "") {
			return errors.New("the file is not a database")
		}
	}
	return nil
}

// openReading opens a database file read-only, even while another process writes to it.
func openReading(path string) (*sql.DB, error) { return openDatabase(path, "mode=ro", 1) }

func openDatabase(path, parameters string, connections int) (*sql.DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()+"?_pragma=busy_timeout(5000)&"+parameters)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// Close waits for updates in progress.
func (s *database) Close() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	var errs []error
	for range len(s.read) {
		errs = append(errs, (<-s.read).Close())
	}
	if s.write != nil {
		errs = append(errs, s.write.Close())
		s.write = nil
	}
	return errors.Join(append(errs, s.query.Close(), s.db.Close())...)
}

func (s *database) Update(ctx context.Context, fn func(Tx) error) error {
	// A started transaction finishes even if the caller is gone.
	u := &update{fn: fn, ctx: context.WithoutCancel(ctx), done: make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, u)
	s.mu.Unlock()
	for {
		select {
		case <-u.done:
			return u.err
		case s.turn <- struct{}{}:
			s.writeGroup()
			<-s.turn
		}
	}
}

// writeGroup writes the waiting updates. The caller holds the turn.
func (s *database) writeGroup() {
	// Updates that are about to start join this transaction.
	runtime.Gosched()
	s.mu.Lock()
	n := min(len(s.waiting), maxGroup)
	group := s.waiting[:n:n]
	s.waiting = s.waiting[n:]
	s.mu.Unlock()
	if n == 0 {
		return
	}
	if err := guarded(func(Tx) error { return s.transact(group) }, Tx{}); err != nil {
		for _, u := range group {
			if u.err == nil {
				u.err = err
			}
		}
	}
	for _, u := range group {
		close(u.done)
	}
}

// transact runs a group in one transaction; an error applies to all. If a failed update had written
// something, each gets a transaction of its own: that is rare, and savepoints cost a third more.
func (s *database) transact(group []*update) (err error) {
	if s.write == nil {
		if s.write, err = newSession(context.Background(), s.db, nil); err != nil {
			return fmt.Errorf("open the records: %w", err)
		}
	}
	if err := s.write.begin("BEGIN IMMEDIATE"); err != nil {
		return s.broken(fmt.Errorf("begin with the records: %w", err))
	}
	var failed error
	end := "ROLLBACK"
	for _, u := range group {
		tx := Tx{ctx: u.ctx, s: s.write, wrote: new(bool)}
		u.err = guarded(u.fn, tx)
		if !*tx.wrote {
			continue
		}
		end = "COMMIT"
		if failed = u.err; failed != nil {
			end = "ROLLBACK"
			break
		}
	}
	if _, err := s.write.exec(end); err != nil {
		return s.broken(fmt.Errorf("write the records: %w", errors.Join(failed, err)))
	}
	if failed == nil || len(group) == 1 {
		return nil
	}
	for _, u := range group {
		if err := s.transact([]*update{u}); err != nil && u.err == nil {
			u.err = err
		}
	}
	return nil
}

// guarded converts a panic of an update into its error, to protect the others in its group.
func guarded(fn func(Tx) error, tx Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("an update of the records crashed: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

// broken discards the session, whose state after a disk error is unknown. Closing rolls back
// uncommitted changes.
func (s *database) broken(err error) error {
	s.write.exec("ROLLBACK") //nolint:errcheck // there may be nothing left to take back
	s.write.discard()
	s.write = nil
	return err
}

func (s *database) View(ctx context.Context, fn func(Tx) error) error {
	var session *session
	select {
	case session = <-s.read:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { s.read <- session }()
	if err := session.begin("BEGIN"); err != nil {
		return fmt.Errorf("begin with the records: %w", err)
	}
	defer session.exec("ROLLBACK") //nolint:errcheck // there is nothing to take back
	return fn(Tx{ctx: ctx, s: session, wrote: new(bool)})
}
