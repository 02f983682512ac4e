package journal

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"mediadesk/api"
)

// TestOtherDatabases: a negative version, a newer one, and another database are refused with a help,
// and are not changed.
func TestOtherDatabases(t *testing.T) {
	for text, want := range map[string]string{
		"PRAGMA user_version = -3": "no journal",
		"PRAGMA user_version = 99": "another version",
		"PRAGMA user_version = 0":  "no journal",
		"DROP TABLE jobs":          "no journal",
	} {
		path := newPath(t)
		must(t, openTest(t, path).Close())
		db, err := sql.Open("sqlite", path)
		must(t, err)
		_, err = db.ExecContext(t.Context(), text)
		must(t, errors.Join(err, db.Close()))
		_, opened := Open(t.Context(), path)
		_, checked := Check(t.Context(), path)
		for _, err := range []error{opened, checked} {
			if err == nil || !strings.Contains(err.Error(), want) ||
				!strings.Contains(api.Hint(err), "journal.db-wal") {
				t.Errorf("%s: %v, %s", text, err, api.Hint(err))
			}
		}
	}
}
