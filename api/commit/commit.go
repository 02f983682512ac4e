// Package commit writes to SQLite. Concurrent changes share a transaction, because its sync is most
// of their cost: with 8 clients the disk then takes twice as many uploads a second.
package commit

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"sync"

	_ "modernc.org/sqlite" // the driver
)

// Open opens the database at path with parameters for the driver.
func Open(path, parameters string, connections int) (*sql.DB, error) {
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

// Create runs the statements that make the tables of a database, all or none.
func Create(ctx context.Context, db *sql.DB, statements string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, statements); err != nil {
		return err
	}
	return tx.Commit()
}

// ErrClosed is the error of a change after Close.
var ErrClosed = errors.New("the database is closed")

// Writer makes the changes of a database in their order, over one connection.
type Writer struct {
	db      *sql.DB
	changes chan *change // closed by Close
	ended   sync.WaitGroup

	closing sync.RWMutex // held for reading while a change is queued
	closed  bool
}

type change struct {
	ctx  context.Context
	fn   func(*Conn) error
	done func(error)
}

// maxGroup is the maximum number of changes in a transaction.
const maxGroup = 256

// NewWriter returns a writer, which is to be closed before db.
func NewWriter(db *sql.DB) *Writer {
	w := &Writer{db: db, changes: make(chan *change, maxGroup)}
	w.ended.Go(w.write)
	return w
}

// Do calls fn in a transaction and waits for the commit. An error of fn takes its changes back. fn may
// run again then, because of another change in the transaction, so it resets what it sets outside. If
// ctx ends before fn begins, nothing is written. Later its end is ignored, because the caller must
// know the result.
func (w *Writer) Do(ctx context.Context, fn func(*Conn) error) error {
	result := make(chan error, 1)
	w.Start(ctx, fn, func(err error) { result <- err })
	return <-result
}

// Start is Do without waiting: it calls done with the result.
func (w *Writer) Start(ctx context.Context, fn func(*Conn) error, done func(error)) {
	w.closing.RLock()
	defer w.closing.RUnlock()
	err := ErrClosed
	if !w.closed {
		select {
		case w.changes <- &change{ctx, fn, done}:
			return
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	done(err)
}

// Closed reports whether Close was called.
func (w *Writer) Closed() bool {
	w.closing.RLock()
	defer w.closing.RUnlock()
	return w.closed
}

// Close makes the pending changes and ends the writer.
func (w *Writer) Close() {
	w.closing.Lock()
	if !w.closed {
		w.closed = true
		close(w.changes)
	}
	w.closing.Unlock()
	w.ended.Wait()
}

func (w *Writer) write() {
	var conn *Conn // nil if not open
	defer func() {
		if conn != nil {
			conn.Close()
		}
	}()
	for first := range w.changes {
		group := []*change{first}
		runtime.Gosched() // changes that are about to start join this transaction
		for len(w.changes) > 0 && len(group) < maxGroup {
			group = append(group, <-w.changes)
		}
		// If one change fails, each gets a transaction of its own: that is rare, and savepoints cost a
		// third more.
		refused, err := w.transact(&conn, group)
		for _, c := range group {
			if refused && len(group) > 1 {
				_, err = w.transact(&conn, []*change{c})
			}
			c.done(err)
		}
	}
}

// transact makes a group of changes in one transaction. It reports whether a change refused it, so
// that nothing was written. After an error of the database it closes the connection, whose state is
// unknown.
func (w *Writer) transact(conn **Conn, group []*change) (refused bool, err error) {
	if *conn == nil {
		if *conn, err = NewConn(context.Background(), w.db); err != nil {
			return false, fmt.Errorf("open the database: %w", err)
		}
	}
	c := *conn
	// IMMEDIATE takes the write lock now rather than in the middle.
	if _, err = c.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		err = fmt.Errorf("begin to write the database: %w", err)
	} else {
		end := "COMMIT"
		for _, u := range group {
			if err = u.ctx.Err(); err == nil {
				err = u.fn(c)
			}
			if err != nil {
				end, refused = "ROLLBACK", true
				break
			}
		}
		_, ended := c.ExecContext(context.Background(), end)
		if ended == nil {
			return refused, err
		}
		err = fmt.Errorf("write the database: %w", errors.Join(err, ended))
	}
	c.ExecContext(context.Background(), "ROLLBACK") //nolint:errcheck // there may be nothing to take back
	c.forget()
	c.Raw(func(any) error { return driver.ErrBadConn }) //nolint:errcheck // that is what closes it
	c.Close()
	*conn = nil
	return false, err
}

// Conn is a connection with prepared statements: with them a record is read in 25 µs, not in 200. It
// serves one user at a time.
type Conn struct {
	*sql.Conn
	statements map[string]*sql.Stmt
}

// NewConn returns a connection to db.
func NewConn(ctx context.Context, db *sql.DB) (*Conn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &Conn{conn, map[string]*sql.Stmt{}}, nil
}

const maxStatements = 200

// Statement returns a statement that the connection keeps.
func (c *Conn) Statement(query string) (statement *sql.Stmt, err error) {
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

func (c *Conn) forget() {
	for _, statement := range c.statements {
		statement.Close()
	}
	clear(c.statements)
}

// ExecContext runs a statement. The driver needs no watcher, since the context is not cancelable.
func (c *Conn) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	statement, err := c.Statement(query) //nolint:sqlclosecheck // the connection keeps it
	if err != nil {
		return nil, err
	}
	return statement.Exec(args...)
}

// QueryContext runs a query.
func (c *Conn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := c.Statement(query) //nolint:sqlclosecheck // the connection keeps it
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(ctx, args...)
}

// Close closes the statements and returns the connection.
func (c *Conn) Close() error {
	c.forget()
	return c.Conn.Close()
}
