package journal

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed" // schema.sql
	"fmt"
	"slices"
	"time"
)

const version = 2

//go:embed schema.sql
var schema string

// checkVersion returns the version of a journal, 0 for an empty file. It returns an error for
// another version than that of this program.
func checkVersion(ctx context.Context, db *sql.DB) (found int, err error) {
	var journal bool
	err = db.QueryRowContext(ctx, "SELECT user_version, EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'jobs') FROM pragma_user_version").Scan(&found, &journal)
	switch {
	case err != nil:
		return 0, err
	case found < 0 || journal != (found > 0):
		return found, fmt.Errorf("%w (version %d)", errNoJournal, found)
	case found > version, found == 1:
		return found, fmt.Errorf("%w (version %d, this one reads %d)", ErrVersion, found, version)
	}
	return found, nil
}

type scan = func(into ...any) error

func list[T any](ctx context.Context, j *Journal, read func(scan) (T, error), text string,
	args ...any,
) ([]T, error) {
	if j.writer.Closed() {
		return nil, ErrClosed
	}
	query := func(text string, args ...any) (*sql.Rows, error) {
		return j.read.QueryContext(ctx, text, args...)
	}
	all, err := collect(query, read, text, args...)
	if err != nil {
		err = &Error{j.path, true, err}
	}
	return all, err
}

func first[T any](ctx context.Context, j *Journal, read func(scan) (T, error), text string,
	args ...any,
) (item T, found bool, err error) {
	all, err := list(ctx, j, read, text, args...)
	if err != nil || len(all) == 0 {
		return item, false, err
	}
	return all[0], true, nil
}

func collect[T any](query func(string, ...any) (*sql.Rows, error), read func(scan) (T, error),
	text string, args ...any,
) (all []T, _ error) {
	rows, err := query(text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		item, err := read(rows.Scan)
		if err != nil {
			return all, err
		}
		all = append(all, item)
	}
	return all, rows.Err()
}

func value[T any](scan scan) (v T, err error) {
	err = scan(&v)
	return v, err
}

// newest completes a query by columns and the values that they must have, where not empty, for the
// newest rows up to a limit; 0 for all.
func newest(text string, limit int, columns ...string) (string, []any) {
	var args []any
	for pair := range slices.Chunk(columns, 2) {
		if pair[1] != "" {
			text += " AND " + pair[0] + " = ?"
			args = append(args, pair[1])
		}
	}
	return fmt.Sprintf("%s ORDER BY id DESC LIMIT %d", text, cmp.Or(max(limit, 0), -1)), args
}

// stamp converts a time to Unix nanoseconds, or 0 for the zero time.
func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

type when struct{ into *time.Time }

func (w when) Scan(column any) error {
	*w.into = time.Time{}
	if n, _ := column.(int64); n != 0 {
		*w.into = time.Unix(0, n)
	}
	return nil
}

// asJSON reads a JSON column; an empty or null column changes nothing.
type asJSON struct{ into any }

func (v asJSON) Scan(column any) error {
	text, _ := column.(string)
	if text == "" {
		return nil
	}
	return decode(text, v.into)
}
