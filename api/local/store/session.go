package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxStatements limits the prepared statements of a session.
const maxStatements = 200

// session is a database connection with its prepared statements, since preparing takes longer than
// running. It is not safe for concurrent use.
type session struct {
	conn       *sql.Conn
	network    io.Closer // below the connection; nil for SQLite
	dialect    *dialect  // nil for SQLite
	statements map[string]*sql.Stmt
	reading    map[string]bool // statements whose rows are being read
}

func newSession(ctx context.Context, db *sql.DB, d *dialect) (*session, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &session{conn: conn, dialect: d, statements: map[string]*sql.Stmt{}, reading: map[string]bool{}}, nil
}

func (s *session) Close() error {
	errs := make([]error, 0, len(s.statements)+1)
	for _, statement := range s.statements {
		errs = append(errs, statement.Close())
	}
	return errors.Join(append(errs, s.conn.Close())...)
}

// discard closes the session and its connection.
func (s *session) discard() {
	for _, statement := range s.statements {
		statement.Close()
	}
	s.conn.Raw(func(any) error { return driver.ErrBadConn }) //nolint:errcheck // that is what closes it
	s.conn.Close()
}

// prepare returns the statement of a query. It returns nil to run the query unprepared, while its
// rows are being read or when there are too many statements.
func (s *session) prepare(query string) (*sql.Stmt, error) {
	if s.reading[query] {
		return nil, nil
	}
	if statement := s.statements[query]; statement != nil {
		return statement, nil
	}
	if len(s.statements) >= maxStatements {
		return nil, nil
	}
	statement, err := s.conn.PrepareContext(context.Background(), s.dialect.query(query))
	if err == nil {
		s.statements[query] = statement
	}
	return statement, err
}

func (s *session) exec(query string, args ...any) (sql.Result, error) {
	statement, err := s.prepare(query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return nil, err
	}
	// Without a cancelable context, the driver needs no watcher.
	var res sql.Result
	if statement == nil {
		res, err = s.conn.ExecContext(context.Background(), s.dialect.query(query), s.dialect.values(args)...)
	} else {
		res, err = statement.ExecContext(context.Background(), s.dialect.values(args)...)
	}
	return res, diskFull(err)
}

// diskFull converts the database's error for a full disk to that of the system.
func diskFull(err error) error {
	var own *sqlite.Error
	if errors.As(err, &own) && own.Code()&0xff == sqlite3.SQLITE_FULL {
		return fmt.Errorf("%w: %w", syscall.ENOSPC, err)
	}
	return err
}

func (s *session) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := s.prepare(query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return nil, err
	}
	if statement == nil {
		return s.conn.QueryContext(ctx, s.dialect.query(query), s.dialect.values(args)...)
	}
	return statement.QueryContext(ctx, s.dialect.values(args)...)
}

// sqlTx implements Tx within a transaction on a session. The caller's context can end long
// listings.
type sqlTx struct {
	ctx   context.Context //nolint:containedctx // see above
	s     *session
	wrote bool // or may have
}

func (t *sqlTx) exec(query string, args ...any) (int64, error) {
	res, err := t.s.exec(query, args...)
	if err != nil {
		t.wrote = true // how much was written is unknown
		return 0, err
	}
	n, err := res.RowsAffected()
	t.wrote = t.wrote || n > 0
	return n, err
}

// insert adds a row to a table with generated ids and returns its id.
func (t *sqlTx) insert(query string, args ...any) (id int64, err error) {
	t.wrote = true
	err = t.row(query+" RETURNING id", args...).Scan(&id)
	return id, diskFull(err)
}

// row runs a query for one row.
func (t *sqlTx) row(query string, args ...any) scanner {
	statement, err := t.s.prepare(query) //nolint:sqlclosecheck // the session keeps it
	switch {
	case err != nil:
		return failedRow{err}
	case statement == nil:
		return t.s.conn.QueryRowContext(context.Background(), t.s.dialect.query(query), t.s.dialect.values(args)...)
	}
	return statement.QueryRowContext(context.Background(), t.s.dialect.values(args)...)
}

// failedRow is the row of a failed query.
type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

// each runs a query and calls scan for every row.
func (t *sqlTx) each(scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := t.s.query(t.ctx, query, args...)
	if !t.s.reading[query] {
		t.s.reading[query] = true
		defer delete(t.s.reading, query)
	}
	return eachRow(rows, err, scan)
}

// eachRow calls scan for every row, unless err is set.
func eachRow(rows *sql.Rows, err error, scan func(*sql.Rows) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// list reads all rows of a query.
func list[T any](t *sqlTx, scan func(scanner, *T) error, query string, args ...any) (all []T, err error) {
	err = t.each(func(rows *sql.Rows) error {
		var one T
		err := scan(rows, &one)
		if err == nil {
			all = append(all, one)
		}
		return err
	}, query, args...)
	return all, err
}

// one reads one row; the error is ErrNotFound if there is none.
func one[T any](row scanner, scan func(scanner, *T) error) (*T, error) {
	v := new(T)
	return v, notFound(scan(row, v))
}

// change runs a statement and returns the error none if it changed no row.
func (t *sqlTx) change(none error, query string, args ...any) error {
	n, err := t.exec(query, args...)
	if err == nil && n == 0 {
		return none
	}
	return err
}

// milliseconds scans a time stored as milliseconds since 1970.
type milliseconds struct{ *time.Time }

// Scan implements sql.Scanner.
func (m milliseconds) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("%v is not a time", value)
	}
	*m.Time = time.UnixMilli(n)
	return nil
}

func notFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}
