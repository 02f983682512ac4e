CREATE TABLE jobs (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	profile  TEXT    NOT NULL,
	state    TEXT    NOT NULL,
	open     INTEGER NOT NULL,             -- without an outcome
	owner    TEXT    NOT NULL,             -- the process that has it; empty: none
	file     TEXT    NOT NULL,             -- id of the stored file
	body     TEXT    NOT NULL,             -- the job as JSON, without the record
	record   TEXT,                         -- the record as the service wrote it
	updated  INTEGER NOT NULL,
	size     INTEGER NOT NULL,             -- of the source, in bytes
	hash     TEXT    NOT NULL              -- of stored content, with its kind
);
CREATE INDEX jobs_open    ON jobs(profile, owner, id) WHERE open = 1; -- in the order of sending
CREATE INDEX jobs_profile ON jobs(profile, id);
CREATE INDEX jobs_content ON jobs(profile, size, hash) WHERE hash <> '';
CREATE INDEX jobs_failed  ON jobs(profile, id) WHERE state IN ('refused', 'unsent', 'unknown', 'cancelled', 'processing');

CREATE TABLE files (
	profile TEXT    NOT NULL,
	id      TEXT    NOT NULL,
	kind    TEXT    NOT NULL,             -- file or folder
	folder  TEXT    NOT NULL,             -- with a slash at both ends
	name    TEXT    NOT NULL,
	record  TEXT    NOT NULL,
	at      INTEGER NOT NULL,
	PRIMARY KEY (profile, id)
);
CREATE INDEX files_place ON files(profile, folder, name);

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
	source    TEXT    NOT NULL,           -- of the status
	error     TEXT    NOT NULL,
	started   INTEGER NOT NULL,
	at        INTEGER NOT NULL,
	webhook   INTEGER NOT NULL,
	job       INTEGER NOT NULL,           -- 0: no known upload
	answer    TEXT    NOT NULL,           -- the record in the answer
	digest    BLOB    NOT NULL,           -- of the answer, so that it counts once
	asked     TEXT    NOT NULL,           -- the element of the request, as JSON
	hook      BLOB    NOT NULL,           -- hash of the address of its own; empty: none
	UNIQUE (profile, file, extension, digest)
);
CREATE INDEX runs_open ON runs(profile, id) WHERE open = 1;
CREATE INDEX runs_job  ON runs(job) WHERE job <> 0;
CREATE INDEX runs_hook ON runs(hook) WHERE hook <> x'';

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
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	profile  TEXT    NOT NULL,
	file     TEXT    NOT NULL,
	batch    TEXT    NOT NULL,
	"before" TEXT    NOT NULL,
	"after"  TEXT    NOT NULL,
	at       INTEGER NOT NULL,
	undone   INTEGER NOT NULL,
	act      TEXT    NOT NULL,            -- empty: details were changed
	was      TEXT    NOT NULL,            -- the path or the version before the action
	became   TEXT    NOT NULL,            -- and after it
	open     INTEGER NOT NULL,            -- it is not known whether the service made it
	owner    TEXT    NOT NULL             -- the process that makes an open one; empty: none
);
CREATE INDEX edits_profile ON edits(profile, id);
CREATE INDEX edits_open    ON edits(profile, owner) WHERE open = 1;

CREATE TABLE drafts (
	profile TEXT    PRIMARY KEY,          -- whose upload form it is
	body    BLOB    NOT NULL,
	at      INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE presets (
	name TEXT    PRIMARY KEY,             -- of all profiles
	body BLOB    NOT NULL,
	at   INTEGER NOT NULL
) WITHOUT ROWID;
