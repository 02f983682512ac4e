package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// schemaVersion is the user_version of the schema below.
const schemaVersion = 1

// The tables lie in the order of folder and name, because that is how a
// library is looked at.
const schema = `
CREATE TABLE folders (
	path    TEXT NOT NULL PRIMARY KEY,
	parent  TEXT NOT NULL,
	id      TEXT NOT NULL UNIQUE,
	name    TEXT NOT NULL,
	created INTEGER NOT NULL,
	updated INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX folders_parent ON folders (parent, name);

CREATE TABLE files (
	folder      TEXT NOT NULL,
	name_key    TEXT NOT NULL, -- the name as NFC
	id          TEXT NOT NULL UNIQUE,
	name        TEXT NOT NULL,
	private     INTEGER NOT NULL,
	tags        TEXT, -- JSON; NULL: none
	ai_tags     TEXT, -- JSON; NULL: none
	region      TEXT NOT NULL,
	metadata    TEXT, -- JSON; NULL: none
	description TEXT NOT NULL,
	version_id  TEXT NOT NULL,
	root        TEXT NOT NULL, -- the uploaded version that this one descends from
	version     INTEGER NOT NULL,
	hash        TEXT NOT NULL,
	size        INTEGER NOT NULL,
	mime        TEXT NOT NULL,
	kind        TEXT NOT NULL,
	width       INTEGER NOT NULL,
	height      INTEGER NOT NULL,
	has_alpha   INTEGER NOT NULL,
	version_at  INTEGER NOT NULL,
	created     INTEGER NOT NULL,
	updated     INTEGER NOT NULL,
	PRIMARY KEY (folder, name_key)
) WITHOUT ROWID;
CREATE INDEX files_created ON files (created);
CREATE INDEX files_folder_created ON files (folder, created);
CREATE INDEX files_name ON files (name_key);

CREATE TABLE versions (
	file_id   TEXT NOT NULL,
	number    INTEGER NOT NULL,
	id        TEXT NOT NULL UNIQUE,
	root      TEXT NOT NULL,
	hash      TEXT NOT NULL,
	size      INTEGER NOT NULL,
	mime      TEXT NOT NULL,
	kind      TEXT NOT NULL,
	width     INTEGER NOT NULL,
	height    INTEGER NOT NULL,
	has_alpha INTEGER NOT NULL,
	embedded  TEXT, -- JSON; NULL: none
	created   INTEGER NOT NULL,
	PRIMARY KEY (file_id, number)
) WITHOUT ROWID;
CREATE INDEX versions_hash ON versions (hash);

CREATE TABLE fields (
	name   TEXT NOT NULL PRIMARY KEY,
	id     TEXT NOT NULL UNIQUE,
	label  TEXT NOT NULL,
	schema TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE runs (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	file_id    TEXT NOT NULL,
	version_id TEXT NOT NULL,
	extension  TEXT NOT NULL, -- JSON
	status     TEXT NOT NULL,
	error      TEXT NOT NULL,
	webhook    TEXT NOT NULL,
	awaited    INTEGER NOT NULL,
	created    INTEGER NOT NULL,
	ended      INTEGER NOT NULL -- 0: not yet
);
CREATE INDEX runs_pending ON runs (id) WHERE status = 'pending';

CREATE TABLE outbox (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	address  TEXT NOT NULL,
	body     BLOB NOT NULL,
	attempts INTEGER NOT NULL,
	next     INTEGER NOT NULL,
	created  INTEGER NOT NULL
);
`

// sqlite is Records in a SQLite database: one connection writes, a few read.
type sqlite struct {
	write, read *sql.DB
}

// OpenRecords opens the database file at path and makes it where there is
// none. The folder must exist.
func OpenRecords(ctx context.Context, path string) (Records, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	open := func(extra string, connections int) (*sql.DB, error) {
		// FULL: a commit is on the disk when it returns. NORMAL lost some in
		// every second power cut.
		dsn := (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String() +
			"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)" + extra
		db, err := sql.Open("sqlite", dsn)
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(connections)
		db.SetMaxIdleConns(connections)
		return db, nil
	}
	s := new(sqlite)
	if s.write, err = open("&_txlock=immediate", 1); err != nil {
		return nil, err
	}
	if err := migrate(ctx, s.write); err != nil {
		s.write.Close()
		return nil, fmt.Errorf("open the records in %s: %w", path, err)
	}
	if s.read, err = open("&_pragma=query_only(1)", 4); err != nil {
		s.write.Close()
		return nil, err
	}
	return s, nil
}

func migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	switch {
	case version > schemaVersion:
		return fmt.Errorf("they were written by a newer mediadesk (format %d, this one knows %d): use that one", version, schemaVersion)
	case version == schemaVersion:
		return nil
	}
	if _, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *sqlite) Close() error { return errors.Join(s.read.Close(), s.write.Close()) }

func (s *sqlite) Update(ctx context.Context, fn func(Tx) error) error {
	// A transaction that began is brought to its end even if the one who
	// asked went away: database/sql would roll back at any point.
	return s.run(context.WithoutCancel(ctx), s.write, fn)
}

func (s *sqlite) View(ctx context.Context, fn func(Tx) error) error {
	return s.run(ctx, s.read, fn)
}

func (s *sqlite) run(ctx context.Context, db *sql.DB, fn func(Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin with the records: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	if err := fn(&sqlTx{ctx: ctx, tx: tx}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("write the records: %w", err)
	}
	return nil
}

// sqlTx is Tx over a transaction of database/sql. It keeps the context of the
// transaction, which lives as long as it does.
type sqlTx struct {
	ctx context.Context //nolint:containedctx // see above
	tx  *sql.Tx
}

func (t *sqlTx) exec(query string, args ...any) (int64, error) {
	res, err := t.tx.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (t *sqlTx) insert(query string, args ...any) (int64, error) {
	res, err := t.tx.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

func (t *sqlTx) row(query string, args ...any) *sql.Row {
	return t.tx.QueryRowContext(t.ctx, query, args...)
}

// each runs a query and calls scan for every row.
func (t *sqlTx) each(scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := t.tx.QueryContext(t.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func notFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}
