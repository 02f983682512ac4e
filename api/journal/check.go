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
)

// State describes a journal.
type State struct {
	Version int // of the schema; this program supports up to Newest
	Newest  int
	Jobs    int   // number of uploads
	Bytes   int64 // file size
}

// Check inspects the journal at path without changing it. The error is fs.ErrNotExist for a missing
// file, and an *Error for one that cannot be used.
func Check(ctx context.Context, path string) (s State, err error) {
	s.Newest = len(migrations)
	info, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	s.Bytes = info.Size()
	abs, err := filepath.Abs(path)
	if err != nil {
		return s, err
	}
	dsn := (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String() + "?mode=ro&_pragma=busy_timeout(5000)&_pragma=query_only(1)"
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		// No other process uses it, so SQLite need not create its side files.
		dsn += "&immutable=1"
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	fail := func(err error) (State, error) { return s, &Error{path, true, err} }
	var found string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		return fail(err)
	}
	if found != "ok" {
		return fail(fmt.Errorf("%w: %s", errNoJournal, found))
	}
	if s.Version, err = checkVersion(ctx, db, s.Newest); err != nil {
		return fail(err)
	}
	if s.Version > 0 {
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM jobs").Scan(&s.Jobs); err != nil {
			return fail(err)
		}
	}
	return s, nil
}
