package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxStatements limits the prepared statements that a session keeps between transactions.
const maxStatements = 200

// session is a database connection with its prepared statements, since preparing takes longer than
// running. It is not safe for concurrent use.
type session struct {
	conn       *sql.Conn
	network    io.Closer // below the connection; nil for SQLite
	dialect    *dialect  // nil for SQLite
	statements map[string]*sql.Stmt
}

func newSession(ctx context.Context, db *sql.DB, d *dialect) (*session, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &session{conn: conn, dialect: d, statements: map[string]*sql.Stmt{}}, nil
}

func (s *session) Close() error { return errors.Join(s.forget(), s.conn.Close()) }

// forget closes the statements.
func (s *session) forget() (err error) {
	for _, statement := range s.statements {
		err = errors.Join(err, statement.Close())
	}
	clear(s.statements)
	return err
}

// discard closes the session and its connection.
func (s *session) discard() {
	s.forget()                                               //nolint:errcheck // the connection ends
	s.conn.Raw(func(any) error { return driver.ErrBadConn }) //nolint:errcheck // that is what closes it
	s.conn.Close()
}

// begin begins a transaction.
func (s *session) begin(query string) error {
	if len(s.statements) > maxStatements {
		if err := s.forget(); err != nil {
			return err
		}
	}
	_, err := s.exec(query)
	return err
}

// prepare returns the statement of a query.
func (s *session) prepare(query string) (*sql.Stmt, error) {
	if statement := s.statements[query]; statement != nil {
		return statement, nil
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
	res, err := statement.ExecContext(context.Background(), s.dialect.values(args)...)
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
	return statement.QueryContext(ctx, s.dialect.values(args)...)
}

// Tx reads and writes within one Update or View, and must not be used after its function has
// returned. Writing in a View is an error. Reading a missing record gives ErrNotFound.
type Tx struct {
	ctx   context.Context // of the caller; it can end long listings
	s     *session
	wrote *bool // or may have
}

func (t Tx) exec(query string, args ...any) (int64, error) {
	res, err := t.s.exec(query, args...)
	if err != nil {
		*t.wrote = true // how much was written is unknown
		return 0, err
	}
	n, err := res.RowsAffected()
	*t.wrote = *t.wrote || n > 0
	return n, err
}

// row runs a query for one row.
func (t Tx) row(query string, args ...any) scanner {
	statement, err := t.s.prepare(query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return failedRow{err}
	}
	return statement.QueryRowContext(context.Background(), t.s.dialect.values(args)...)
}

// failedRow is the row of a failed query.
type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

// each runs a query and calls scan for every row.
func (t Tx) each(scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := t.s.query(t.ctx, query, args...)
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
func list[T any](t Tx, scan func(scanner, *T) error, query string, args ...any) (all []T, err error) {
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

// change runs a statement and returns the error none if it changed no row.
func (t Tx) change(none error, query string, args ...any) error {
	n, err := t.exec(query, args...)
	if err == nil && n == 0 {
		return none
	}
	return err
}

func notFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// dialect translates queries, which are written for SQLite. The nil dialect changes nothing. For
// PostgreSQL, postgres.sql defines SQLite's functions, so there is little to translate.
type dialect struct{ queries *strings.Replacer }

// query translates a query and numbers its parameters.
func (d *dialect) query(text string) string {
	if d == nil {
		return text
	}
	parts := strings.Split(d.queries.Replace(text), "?")
	var b strings.Builder
	for n, part := range parts {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
	}
	return b.String()
}

// values converts arguments to column types: bools are stored as integers.
func (d *dialect) values(args []any) []any {
	if d == nil {
		return args
	}
	for i, arg := range args {
		switch v := arg.(type) {
		case bool:
			args[i] = 0
			if v {
				args[i] = 1
			}
		case string:
			args[i] = storable(v)
		}
	}
	return args
}

// storable replaces what PostgreSQL cannot store in a text: NUL and invalid UTF-8.
func storable(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
