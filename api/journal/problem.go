package journal

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Damaged is what helps where the file of a journal is damaged.
const Damaged = "Move the file away to begin with a new one: what was stored is safe at the service. Keep it: it can often be read with sqlite3 and .recover."

// problem is what went wrong with the journal at a path, with what helps.
type problem struct {
	path   string
	opened bool // it was open already
	err    error
}

func (p *problem) Error() string {
	if p.opened {
		return fmt.Sprintf("journal %q: %v", p.path, p.err)
	}
	return fmt.Sprintf("journal %q cannot be opened: %v", p.path, p.err)
}

func (p *problem) Unwrap() error { return p.err }

// Hint says what helps.
func (p *problem) Hint() string {
	var e *sqlite.Error
	if !errors.As(p.err, &e) {
		return ""
	}
	switch e.Code() & 0xff { // the rest tells where in SQLite
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return Damaged
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return "Look whether the disk is full or has errors, then try again."
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return "Look whether the file and its folder can be written, or set MEDIADESK_HOME to another folder."
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return "Another program keeps it to itself: end it, or try again."
	}
	return ""
}
