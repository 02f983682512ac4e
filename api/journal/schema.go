package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// migrations migrate a journal from version i to i+1. A released step must never be changed.
var migrations = []string{`
CREATE TABLE jobs (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	profile TEXT    NOT NULL,
	state   TEXT    NOT NULL,
	open    INTEGER NOT NULL,             -- waiting or sending
	owner   TEXT    NOT NULL,             -- the process that has it; empty: none
	file    TEXT    NOT NULL DEFAULT '',  -- id of the stored file
	body    TEXT    NOT NULL,             -- the job as JSON, without the record
	record  TEXT,                         -- the record as the service wrote it
	updated INTEGER NOT NULL
);
CREATE INDEX jobs_open    ON jobs(profile, id) WHERE open = 1;
CREATE INDEX jobs_profile ON jobs(profile, id);

CREATE TABLE files (
	profile TEXT    NOT NULL,
	id      TEXT    NOT NULL,
	kind    TEXT    NOT NULL,             -- file or folder
	folder  TEXT    NOT NULL,             -- where it is, with a slash at both ends
	name    TEXT    NOT NULL,
	record  TEXT    NOT NULL,
	at      INTEGER NOT NULL,
	PRIMARY KEY (profile, id)
);
CREATE INDEX files_place ON files(profile, folder, name);

CREATE TABLE tags (
	profile TEXT NOT NULL,
	tag     TEXT NOT NULL,
	file    TEXT NOT NULL,
	PRIMARY KEY (profile, tag, file)
) WITHOUT ROWID;
CREATE INDEX tags_file ON tags(profile, file);

CREATE TABLE hooks (
	hash    BLOB    PRIMARY KEY,          -- SHA-256 of the token
	profile TEXT    NOT NULL,
	job     INTEGER NOT NULL,
	file    TEXT    NOT NULL,
	made    INTEGER NOT NULL,
	expires INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX hooks_expires ON hooks(expires);

CREATE TABLE posts (
	id        INTEGER PRIMARY KEY,
	hook      BLOB    NOT NULL,
	digest    BLOB    NOT NULL,           -- SHA-256 of the body
	extension TEXT    NOT NULL,
	status    TEXT    NOT NULL,
	file      TEXT    NOT NULL,           -- as the post says
	error     TEXT    NOT NULL,
	body      BLOB    NOT NULL,
	at        INTEGER NOT NULL,
	times     INTEGER NOT NULL,
	applied   INTEGER NOT NULL,
	run       INTEGER NOT NULL,           -- 0: belongs to no run (yet)
	UNIQUE (hook, digest)
);
CREATE INDEX posts_run   ON posts(run) WHERE run <> 0;
CREATE INDEX posts_early ON posts(extension COLLATE NOCASE) WHERE run = 0;

CREATE TABLE runs (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	profile   TEXT    NOT NULL,
	file      TEXT    NOT NULL,
	path      TEXT    NOT NULL,
	extension TEXT    NOT NULL,
	status    TEXT    NOT NULL,
	open      INTEGER NOT NULL,           -- its end is not known
	source    TEXT    NOT NULL,           -- where the status comes from
	error     TEXT    NOT NULL,
	started   INTEGER NOT NULL,
	at        INTEGER NOT NULL,
	webhook   INTEGER NOT NULL,
	job       INTEGER NOT NULL,           -- 0: of no upload that is known
	answer    TEXT    NOT NULL,           -- the record in the answer
	digest    BLOB    NOT NULL,           -- of the answer, so that it counts once
	UNIQUE (profile, file, extension, digest)
);
CREATE INDEX runs_open ON runs(profile, id) WHERE open = 1;
CREATE INDEX runs_job  ON runs(job) WHERE job <> 0;

CREATE TABLE events (
	run     INTEGER NOT NULL,
	at      INTEGER NOT NULL,
	source  TEXT    NOT NULL,
	status  TEXT    NOT NULL,
	applied INTEGER NOT NULL,
	raw     BLOB
);
CREATE INDEX events_run ON events(run);

CREATE TABLE edits (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	profile   TEXT    NOT NULL,
	file      TEXT    NOT NULL,
	batch     TEXT    NOT NULL,
	"before"  TEXT    NOT NULL,
	"after"   TEXT    NOT NULL,
	at        INTEGER NOT NULL,
	undone    INTEGER NOT NULL
);
CREATE INDEX edits_profile ON edits(profile, id);
`, `
CREATE TABLE drafts (
	profile TEXT    PRIMARY KEY,          -- the form of a profile that is not sent
	body    BLOB    NOT NULL,
	at      INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE presets (
	name TEXT    PRIMARY KEY,             -- of all profiles
	body BLOB    NOT NULL,
	at   INTEGER NOT NULL
) WITHOUT ROWID;
`, `
ALTER TABLE runs ADD COLUMN asked TEXT NOT NULL DEFAULT '';  -- the element of the request, as JSON
ALTER TABLE runs ADD COLUMN hook  BLOB NOT NULL DEFAULT x''; -- the address of the request; empty: see job
CREATE INDEX runs_hook ON runs(hook) WHERE hook <> x'';

CREATE TABLE strays (
	id        INTEGER PRIMARY KEY,
	hash      BLOB    NOT NULL,           -- SHA-256 of the token posted to
	digest    BLOB    NOT NULL,           -- SHA-256 of the body
	why       TEXT    NOT NULL,
	profile   TEXT    NOT NULL,
	file      TEXT    NOT NULL,
	extension TEXT    NOT NULL,
	status    TEXT    NOT NULL,
	body      BLOB    NOT NULL,
	at        INTEGER NOT NULL,
	times     INTEGER NOT NULL,
	UNIQUE (hash, digest)
);
`, `
ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN batch    TEXT    NOT NULL DEFAULT ''; -- what was handed over together
ALTER TABLE jobs ADD COLUMN size     INTEGER NOT NULL DEFAULT 0;  -- of the source, in bytes
ALTER TABLE jobs ADD COLUMN hash     TEXT    NOT NULL DEFAULT ''; -- of a stored content
DROP INDEX jobs_open;
CREATE INDEX jobs_open    ON jobs(profile, owner) WHERE open = 1;
CREATE INDEX jobs_batch   ON jobs(batch) WHERE batch <> '';
CREATE INDEX jobs_content ON jobs(profile, size, hash) WHERE hash <> '';
`, `
ALTER TABLE hooks ADD COLUMN listen TEXT NOT NULL DEFAULT ''; -- HOST:PORT of the receiver that it leads to
`, `
ALTER TABLE edits ADD COLUMN act    TEXT NOT NULL DEFAULT ''; -- what was done; empty: details were changed
ALTER TABLE edits ADD COLUMN was    TEXT NOT NULL DEFAULT ''; -- the path or the version before the act
ALTER TABLE edits ADD COLUMN became TEXT NOT NULL DEFAULT ''; -- and after it
`, `
UPDATE jobs SET                                               -- a hash says of which kind it is
	hash = iif(hash = '', '', 'sha256:' || hash),
	body = json_set(body, '$.hash', 'sha256:' || json_extract(body, '$.hash'))
	WHERE iif(json_valid(body), json_extract(body, '$.hash'), '') <> '';
`, `
DROP INDEX jobs_open;
CREATE INDEX jobs_open ON jobs(profile, owner, priority DESC, id) WHERE open = 1; -- in the order in which they go
`, `
CREATE INDEX jobs_failed ON jobs(profile, id) WHERE state IN ('refused', 'unsent', 'unknown', 'cancelled', 'processing');
`}

// checkVersion returns the version of a journal, 0 for an empty file. It returns an error if a program
// that supports up to newest cannot use it.
func checkVersion(ctx context.Context, db *sql.DB, newest int) (version int, err error) {
	var journal bool
	err = db.QueryRowContext(ctx, "SELECT user_version, EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'jobs') FROM pragma_user_version").Scan(&version, &journal)
	switch {
	case err != nil:
		return 0, err
	case version < 0 || journal != (version > 0):
		return version, fmt.Errorf("%w (version %d)", errNoJournal, version)
	case version > newest:
		return version, fmt.Errorf("%w (version %d, this one knows %d): use that one, or move the file away", ErrNewer, version, newest)
	}
	return version, nil
}

// migrate migrates the schema. It first copies a journal that is not empty to path.v<version>.
func migrate(ctx context.Context, db *sql.DB, path string, steps []string) error {
	version, err := checkVersion(ctx, db, len(steps))
	if err != nil || version == len(steps) {
		return err
	}
	if version > 0 {
		if err := backup(ctx, db, fmt.Sprintf("%s.v%d", path, version)); err != nil {
			return fmt.Errorf("the copy before bringing it up to date failed: %w", err)
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for i, text := range steps[version:] {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("bringing it to version %d: %w", version+i+1, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(steps))); err != nil {
		return err
	}
	return tx.Commit()
}

func backup(ctx context.Context, db *sql.DB, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return err
	}
	return os.Chmod(to, 0o600)
}
