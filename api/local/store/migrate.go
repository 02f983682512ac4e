package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mediadesk/api/atomicfile"
)

// steps are the upgrades from format to format. A database's user_version is the number of steps
// done.
var steps = []string{format1, format2, format3, format4, format5, format6, format7, format8, format9, format10, format11}

// formatsOnce is the last format that stores its number only once.
const formatsOnce = 2

// now is the database's clock in milliseconds since 1970.
const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

// Tables are clustered by folder and name, the usual order of reading.
const format1 = `
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

// Format 2 finds files by tag with a table that triggers maintain.
const format2 = `
CREATE TABLE file_tags (
	tag     TEXT NOT NULL,
	created INTEGER NOT NULL, -- of the file
	file    TEXT NOT NULL,    -- its id
	PRIMARY KEY (tag, created, file)
) WITHOUT ROWID;
CREATE TRIGGER file_tags_insert AFTER INSERT ON files WHEN NEW.tags IS NOT NULL BEGIN
	INSERT OR IGNORE INTO file_tags (tag, created, file) SELECT value, NEW.created, NEW.id FROM json_each(NEW.tags);
END;
CREATE TRIGGER file_tags_update AFTER UPDATE OF tags ON files WHEN OLD.tags IS NOT NEW.tags BEGIN
	DELETE FROM file_tags WHERE created = OLD.created AND file = OLD.id AND tag IN (SELECT value FROM json_each(OLD.tags));
	INSERT OR IGNORE INTO file_tags (tag, created, file) SELECT value, NEW.created, NEW.id FROM json_each(NEW.tags);
END;
CREATE TRIGGER file_tags_delete AFTER DELETE ON files WHEN OLD.tags IS NOT NULL BEGIN
	DELETE FROM file_tags WHERE created = OLD.created AND file = OLD.id AND tag IN (SELECT value FROM json_each(OLD.tags));
END;
INSERT OR IGNORE INTO file_tags (tag, created, file) SELECT value, files.created, files.id FROM files, json_each(files.tags) WHERE files.tags IS NOT NULL;
`

// Format 3 adds deletions, the attempts of runs, the time of creation, and a second copy of the
// format number against bit errors.
const format3 = `
CREATE TABLE library (
	format  INTEGER NOT NULL,
	created INTEGER NOT NULL
);
INSERT INTO library (format, created) VALUES (3, ` + now + `);
CREATE TABLE deletions (
	hash TEXT NOT NULL PRIMARY KEY,
	at   INTEGER NOT NULL
) WITHOUT ROWID;
ALTER TABLE runs ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
`

// Format 4 records which contents are being removed from a shared store.
const format4 = `
CREATE TABLE removals (
	hash TEXT NOT NULL PRIMARY KEY,
	at   INTEGER NOT NULL,
	done INTEGER NOT NULL
) WITHOUT ROWID;
`

// Format 5 adds presets, descriptions and deletion of metadata fields, and AI tags to file_tags.
const format5 = `
CREATE TABLE presets (
	kind    TEXT NOT NULL,
	id      TEXT NOT NULL,
	name    TEXT NOT NULL,
	body    TEXT NOT NULL, -- JSON
	created INTEGER NOT NULL,
	updated INTEGER NOT NULL,
	PRIMARY KEY (kind, id)
) WITHOUT ROWID;
ALTER TABLE fields ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE fields ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0; -- 0: it is not
DROP TRIGGER file_tags_insert;
DROP TRIGGER file_tags_update;
DROP TRIGGER file_tags_delete;
CREATE TRIGGER file_tags_insert AFTER INSERT ON files WHEN NEW.tags IS NOT NULL OR NEW.ai_tags IS NOT NULL BEGIN
	INSERT OR IGNORE INTO file_tags (tag, created, file) SELECT value, NEW.created, NEW.id FROM json_each(NEW.tags)
		UNION SELECT json_extract(value, '$.name'), NEW.created, NEW.id FROM json_each(NEW.ai_tags);
END;
CREATE TRIGGER file_tags_update AFTER UPDATE OF tags, ai_tags ON files WHEN OLD.tags IS NOT NEW.tags OR OLD.ai_tags IS NOT NEW.ai_tags BEGIN
	DELETE FROM file_tags WHERE created = OLD.created AND file = OLD.id
		AND tag IN (SELECT value FROM json_each(OLD.tags) UNION SELECT json_extract(value, '$.name') FROM json_each(OLD.ai_tags));
	INSERT OR IGNORE INTO file_tags (tag, created, file) SELECT value, NEW.created, NEW.id FROM json_each(NEW.tags)
		UNION SELECT json_extract(value, '$.name'), NEW.created, NEW.id FROM json_each(NEW.ai_tags);
END;
CREATE TRIGGER file_tags_delete AFTER DELETE ON files WHEN OLD.tags IS NOT NULL OR OLD.ai_tags IS NOT NULL BEGIN
	DELETE FROM file_tags WHERE created = OLD.created AND file = OLD.id
		AND tag IN (SELECT value FROM json_each(OLD.tags) UNION SELECT json_extract(value, '$.name') FROM json_each(OLD.ai_tags));
END;
INSERT OR IGNORE INTO file_tags (tag, created, file)
	SELECT json_extract(value, '$.name'), files.created, files.id FROM files, json_each(files.ai_tags) WHERE files.ai_tags IS NOT NULL;
`

// Format 6 adds the used tokens of uploads without the key.
const format6 = `
CREATE TABLE tokens (
	hash   TEXT NOT NULL PRIMARY KEY,
	expire INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX tokens_expire ON tokens (expire);
`

// Format 7 records which instance works on what, so that others can take over.
const format7 = `
CREATE TABLE instances (
	id    TEXT NOT NULL PRIMARY KEY,
	until INTEGER NOT NULL -- it is there until then, by the clock of the database
) WITHOUT ROWID;
CREATE TABLE claims (
	work  TEXT NOT NULL PRIMARY KEY,
	owner TEXT NOT NULL -- an instance
) WITHOUT ROWID;
ALTER TABLE runs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN owner TEXT NOT NULL DEFAULT '';
`

// Format 8 adds the identity of the library, which its content store also has.
const format8 = `
ALTER TABLE library ADD COLUMN identity TEXT NOT NULL DEFAULT ''; -- empty: none yet
`

// Format 9 adds unfinished folder jobs, so that other instances can take them over.
const format9 = `
CREATE TABLE jobs (
	id    TEXT NOT NULL PRIMARY KEY,
	owner TEXT NOT NULL, -- an instance
	body  TEXT NOT NULL -- JSON
) WITHOUT ROWID;
`

// The tenth format has the mark of the store of the contents, and of the one that they
// were copied to.
const format10 = `
ALTER TABLE library ADD COLUMN store TEXT NOT NULL DEFAULT ''; -- empty: not known
ALTER TABLE library ADD COLUMN next_store TEXT NOT NULL DEFAULT ''; -- empty: none
`

// The eleventh format has the versions that are not published.
const format11 = `
CREATE TABLE unpublished (
	id TEXT NOT NULL PRIMARY KEY -- of a version
) WITHOUT ROWID;
`

// ErrNewer reports that a newer program wrote the records.
var ErrNewer = errors.New("written by a newer mediadesk")

// migrate upgrades the database to the newest format. It first copies an older one to backupPath.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	var format int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&format); err != nil {
		return err
	}
	if format >= len(steps) {
		return checkNewer(format)
	}
	if format < 0 {
		return fmt.Errorf("their format number is damaged: %d", format)
	}
	if format > 0 {
		if err := snapshot(ctx, db, backupPath(path, format)); err != nil {
			return fmt.Errorf("keep a copy of the older format %d: %w", format, err)
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for n, step := range steps {
		if n < format {
			continue
		}
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("change format %d to %d: %w", n, n+1, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("UPDATE library SET format = %d; PRAGMA user_version = %[1]d", len(steps))); err != nil {
		return err
	}
	return tx.Commit()
}

// checkNewer returns ErrNewer if the format is not known.
func checkNewer(format int) error {
	if format <= len(steps) {
		return nil
	}
	return fmt.Errorf("%w (format %d, this one reads up to %d): use the newer one", ErrNewer, format, len(steps))
}

// backupPath returns the path for the copy of an older format.
func backupPath(path string, format int) string { return fmt.Sprintf("%s.format%d", path, format) }

// snapshot copies the database to a file, replaced atomically.
func snapshot(ctx context.Context, db *sql.DB, to string) error {
	draft := to + ".new"
	if err := os.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", draft); err != nil {
		os.Remove(draft)
		return err
	}
	return atomicfile.Publish(draft, to, 0o600)
}
