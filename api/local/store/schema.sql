-- The tables of the records, for SQLite; postgres.go translates them for PostgreSQL. Texts are JSON
-- where that is said, times are milliseconds since 1970, and 0 is no time.

CREATE TABLE library (
	format     INTEGER NOT NULL, -- for PostgreSQL; SQLite has user_version
	created    INTEGER NOT NULL,
	identity   TEXT NOT NULL DEFAULT '' -- also in the store of the contents; empty: none yet
);

CREATE TABLE folders (
	path    TEXT NOT NULL,
	parent  TEXT NOT NULL,
	id      TEXT NOT NULL UNIQUE,
	name    TEXT NOT NULL,
	created INTEGER NOT NULL,
	updated INTEGER NOT NULL,
	PRIMARY KEY (path)
) WITHOUT ROWID;

-- Clustered by folder and name, the usual order of reading.
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
	unpublished INTEGER NOT NULL,
	created     INTEGER NOT NULL,
	updated     INTEGER NOT NULL,
	PRIMARY KEY (folder, name_key)
) WITHOUT ROWID;
CREATE INDEX files_created ON files (created);

CREATE TABLE versions (
	file_id     TEXT NOT NULL,
	number      INTEGER NOT NULL,
	id          TEXT NOT NULL UNIQUE,
	root        TEXT NOT NULL,
	hash        TEXT NOT NULL,
	size        INTEGER NOT NULL,
	mime        TEXT NOT NULL,
	kind        TEXT NOT NULL,
	width       INTEGER NOT NULL,
	height      INTEGER NOT NULL,
	has_alpha   INTEGER NOT NULL,
	embedded    TEXT, -- JSON; NULL: none
	created     INTEGER NOT NULL,
	unpublished INTEGER NOT NULL,
	PRIMARY KEY (file_id, number)
) WITHOUT ROWID;
CREATE INDEX versions_hash ON versions (hash);

CREATE TABLE deletions (
	hash TEXT NOT NULL PRIMARY KEY,
	at   INTEGER NOT NULL
) WITHOUT ROWID;

-- Contents that are being removed from a shared store.
CREATE TABLE removals (
	hash TEXT NOT NULL PRIMARY KEY,
	at   INTEGER NOT NULL,
	done INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE fields (
	name        TEXT NOT NULL PRIMARY KEY,
	id          TEXT NOT NULL UNIQUE,
	label       TEXT NOT NULL,
	description TEXT NOT NULL,
	schema      TEXT NOT NULL, -- JSON
	deleted     INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE presets (
	kind    TEXT NOT NULL,
	id      TEXT NOT NULL,
	name    TEXT NOT NULL,
	body    TEXT NOT NULL, -- JSON
	created INTEGER NOT NULL,
	updated INTEGER NOT NULL,
	PRIMARY KEY (kind, id)
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
	attempts   INTEGER NOT NULL,
	created    INTEGER NOT NULL,
	ended      INTEGER NOT NULL,
	owner      TEXT NOT NULL -- an instance
);
CREATE INDEX runs_pending ON runs (id) WHERE status = 'pending';

CREATE TABLE outbox (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	address  TEXT NOT NULL,
	body     BLOB NOT NULL,
	attempts INTEGER NOT NULL,
	next     INTEGER NOT NULL,
	created  INTEGER NOT NULL,
	owner    TEXT NOT NULL -- an instance
);
CREATE INDEX outbox_next ON outbox (owner, next);

CREATE TABLE tokens (
	hash   TEXT NOT NULL PRIMARY KEY,
	expire INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX tokens_expire ON tokens (expire);

-- Which instance works on what, so that others can take over.
CREATE TABLE instances (
	id    TEXT NOT NULL PRIMARY KEY,
	until INTEGER NOT NULL -- it is there until then, by the clock of the database
) WITHOUT ROWID;
CREATE TABLE claims (
	work  TEXT NOT NULL PRIMARY KEY,
	owner TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE jobs (
	id    TEXT NOT NULL PRIMARY KEY,
	owner TEXT NOT NULL,
	body  TEXT NOT NULL -- JSON
) WITHOUT ROWID;
