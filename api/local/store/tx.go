package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Tx reads and writes within one Update or View, and must not be used after its function has
// returned. Writing in a View is an error. Reading a missing record gives ErrNotFound.
//
// Get, All, Add, Save and Remove work on records of every kind. The members have what is special
// about one subject.
type Tx struct {
	session
	Files     Files
	Folders   Folders
	Versions  Versions
	Instances Instances
	Library   Library
}

// session runs the queries of a transaction, which are written for SQLite.
type session struct {
	ctx     context.Context // of the caller; it can end long listings
	db      database
	dialect *strings.Replacer // for PostgreSQL; nil for SQLite
	changes *[]Change         // nil unless watched
}

// Change is a change of a file, or of one of its versions.
type Change struct{ Kind, FileID, VersionID string }

// Kinds of Change.
const (
	FileCreated    = "file.created"
	FileUpdated    = "file.updated"
	FileDeleted    = "file.deleted"
	VersionCreated = "file-version.created"
	VersionDeleted = "file-version.deleted"
)

func (s session) changed(kind, fileID, versionID string) {
	if s.changes != nil {
		*s.changes = append(*s.changes, Change{kind, fileID, versionID})
	}
}

// Watch returns the transaction, and where it lists its changes from now on.
func (t Tx) Watch() (Tx, *[]Change) {
	s := t.session
	s.changes = new([]Change)
	return s.tx(), s.changes
}

// database is a connection in a transaction.
type database interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func newTx(ctx context.Context, db database, dialect *strings.Replacer) Tx {
	return session{ctx: ctx, db: db, dialect: dialect}.tx()
}

func (s session) tx() Tx { return Tx{s, Files{s}, Folders{s}, Versions{s}, Instances{s}, Library{s}} }

// guarded converts a panic of a transaction into its error, to protect others that share it.
func guarded(fn func(Tx) error, tx Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a transaction crashed: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

// translate returns a query and its arguments in the dialect. PostgreSQL numbers parameters, and
// stores bools as integers. postgres.sql defines SQLite's functions, so there is little else.
func (s session) translate(query string, args []any) (string, []any) {
	if s.dialect == nil {
		return query, args
	}
	var b strings.Builder
	for n, part := range strings.Split(s.dialect.Replace(query), "?") {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
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
	return b.String(), args
}

// storable replaces what PostgreSQL cannot store in a text: NUL and invalid UTF-8.
func storable(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// exec runs a statement and returns the number of changed rows.
func (s session) exec(query string, args ...any) (int64, error) {
	query, args = s.translate(query, args)
	res, err := s.db.ExecContext(s.ctx, query, args...)
	if err != nil {
		return 0, diskFull(err)
	}
	return res.RowsAffected()
}

// change runs a statement and returns the error none if it changed no row.
func (s session) change(none error, query string, args ...any) error {
	n, err := s.exec(query, args...)
	if err == nil && n == 0 {
		return none
	}
	return err
}

// each calls scan for every row of a query.
func (s session) each(scan func(*sql.Rows) error, query string, args ...any) error {
	query, args = s.translate(query, args)
	rows, err := s.db.QueryContext(s.ctx, query, args...)
	return eachRow(rows, err, scan)
}

// eachRow calls scan for every row, unless err is set.
func eachRow(rows *sql.Rows, err error, scan func(*sql.Rows) error) error {
	if err != nil {
		return diskFull(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// scan reads the first row of a query into these variables; ErrNotFound if there is none.
func (s session) scan(into []any, query string, args ...any) error {
	if s.dialect == nil {
		s.ctx = context.WithoutCancel(s.ctx) // one row comes at once
	}
	found := false
	err := s.each(func(rows *sql.Rows) error {
		if found {
			return nil
		}
		found = true
		return rows.Scan(into...)
	}, query, args...)
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}

// value returns the only column of the first row of a query; ErrNotFound if there is none.
func value[T any](s session, query string, args ...any) (v T, err error) {
	return v, s.scan([]any{&v}, query, args...)
}

// firstColumn returns the first column of all rows of a query. Others are for its order.
func firstColumn[T any](s session, query string, args ...any) (all []T, err error) {
	err = s.each(func(rows *sql.Rows) error {
		columns, err := rows.Columns()
		into := make([]any, len(columns))
		for i := range into {
			into[i] = new(any)
		}
		var v T
		into[0] = &v
		err = errors.Join(err, rows.Scan(into...))
		all = append(all, v)
		return err
	}, query, args...)
	return all, err
}

// diskFull converts the database's error for a full disk to that of the system.
func diskFull(err error) error {
	if own, ok := errors.AsType[*sqlite.Error](err); ok && own.Code()&0xff == sqlite3.SQLITE_FULL {
		return fmt.Errorf("%w: %w", syscall.ENOSPC, err)
	}
	return err
}
