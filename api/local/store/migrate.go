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

// steps lead from one format of the database to the next. The
// user_version of a database is the number of steps that it has taken.
var steps = []string{format1, format2, format3, format4, format5, format6, format7, format8, format9, format10}

// formatsOnce is the last format that has its number in one place only.
const formatsOnce = 2

// now is the database's clock, in milliseconds since 1970.
const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

// The tables lie in the order of folder and name, because that is how a
// library is looked at.
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

// The second format finds files by their tags without looking at each. The
// triggers keep its table up to date.
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

// The third format records which contents may be removed, how often the work
// of a run began, and when the records were made. It has its number twice, so
// that one wrong bit does not make it look like another format.
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

// The fourth format records which contents are being removed from a store that
// several instances share.
const format4 = `
CREATE TABLE removals (
	hash TEXT NOT NULL PRIMARY KEY,
	at   INTEGER NOT NULL,
	done INTEGER NOT NULL
) WITHOUT ROWID;
`

// The fifth format has the presets, what a custom metadata field is for and when it
// was deleted, and AI tags among the tags that files are found by.
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

// The sixth format remembers the tokens that uploads without the key have used.
const format6 = `
CREATE TABLE tokens (
	hash   TEXT NOT NULL PRIMARY KEY,
	expire INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX tokens_expire ON tokens (expire);
`

// The seventh format records which instance works on what. The work of one that is no
// longer there is taken by another.
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

// The eighth format has the identity of the library, which is also in the store of its
// contents.
const format8 = `
ALTER TABLE library ADD COLUMN identity TEXT NOT NULL DEFAULT ''; -- empty: none yet
`

// The ninth format has the folder jobs that are not done, so that another instance goes
// on with those of one that is gone.
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

// ErrNewer says that the records were written by a newer program.
var ErrNewer = errors.New("a newer mediadesk wrote them")

// migrate brings the database at path to the newest format. Before an older
// one is changed, it is copied to the file that backupPath names.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	var format int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&format); err != nil {
		return err
	}
	if format > len(steps) {
		return fmt.Errorf("%w (format %d, this one knows %d): use that one", ErrNewer, format, len(steps))
	}
	if format == len(steps) {
		return nil
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

// backupPath is where the copy of a database is kept that had an older format.
func backupPath(path string, format int) string { return fmt.Sprintf("%s.format%d", path, format) }

// snapshot copies the state of a database to a file, which it replaces atomically.
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
