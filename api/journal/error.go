package journal

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Damaged is advice for a damaged journal.
const Damaged = "Move journal.db, journal.db-wal and journal.db-shm to another folder to begin with a new one: what was stored is safe at the service. Keep them: they can often be read with sqlite3 and .recover."

// ErrNewer reports that a newer version of the program wrote the journal.
var ErrNewer = errors.New("it was written by a newer mediadesk")

// errNoJournal reports that the file is a database, but not a journal.
var errNoJournal = errors.New("it is damaged, or no journal")

// errRow reports an invalid row. The error for a missing row is sql.ErrNoRows.
var errRow = errors.New("a row makes no sense")

// decode reads a column that holds JSON.
func decode(text string, into any) error {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("%w: %w", errRow, err)
	}
	return nil
}

// Error is the error of an unusable journal, with a hint.
type Error struct {
	Path   string
	Opened bool // it had been opened before
	Err    error
}

func (e *Error) Error() string {
	if e.Opened {
		return fmt.Sprintf("journal %q: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("journal %q cannot be opened: %v", e.Path, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Hint returns a hint.
func (e *Error) Hint() string {
	switch {
	case errors.Is(e.Err, ErrNewer):
		return "Start the newer mediadesk, or move journal.db, journal.db-wal and journal.db-shm to another folder to begin with a new one."
	case errors.Is(e.Err, errNoJournal):
		return Damaged
	}
	var own *sqlite.Error
	if !errors.As(e.Err, &own) {
		if errors.Is(e.Err, errRow) || errors.Is(e.Err, sql.ErrNoRows) || strings.Contains(e.Err.Error(), "sql: Scan error") {
			return Damaged
		}
		return ""
	}
	switch own.Code() & 0xff { // the other bits are details
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR: // SQLITE_ERROR means other tables than expected
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
