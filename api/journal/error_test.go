package journal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/media/mediatest"
)

// TestDamagedJournal: a journal that cannot be opened is reported with a help, and is not changed.
func TestDamagedJournal(t *testing.T) {
	for about, text := range map[string]string{
		"no database": strings.Repeat("words ", 2000),
		"cut":         "SQLite format 3\x00" + strings.Repeat("\x10", 100),
	} {
		path := filepath.Join(t.TempDir(), "journal.db")
		mediatest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		j, err := journal.Open(t.Context(), path)
		if err == nil {
			t.Fatalf("%s: opening gave the error %v", about, j.Close())
		}
		if api.Hint(err) != journal.Damaged || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v\n%s", about, err, api.Hint(err))
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != text {
			t.Errorf("%s: the file was changed: %v", about, err)
		}
	}
	odd := filepath.Join(t.TempDir(), "a %20?#&=день", "j?o%u#r.db")
	if j, err := journal.Open(t.Context(), odd); err != nil {
		t.Error(err)
	} else if _, err := os.Stat(odd); err != nil || j.Close() != nil {
		t.Errorf("a name with odd characters: %v", err)
	}
	folder := filepath.Join(t.TempDir(), "journal.db")
	mediatest.Must(t, os.Mkdir(folder, 0o700))
	if _, err := journal.Open(t.Context(), folder); err == nil ||
		!strings.Contains(api.Hint(err), "MEDIADESK_HOME") {
		t.Errorf("a folder: %v, %q", err, api.Hint(err))
	}
}
