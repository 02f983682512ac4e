package local

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mediadesk/api/local/store"
)

// Records that are new beside contents, or damaged, say nothing about what may
// be removed.
func TestSweepSparesContentsOfLostRecords(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"no records": func(string) error { return nil },
		"garbage in a page": func(path string) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteAt([]byte(strings.Repeat("x", 512)), 3*4096)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			contents, err := store.OpenContents(contentsPath(dir))
			if err != nil {
				t.Fatal(err)
			}
			d, err := contents.Draft()
			if err != nil {
				t.Fatal(err)
			}
			d.Write([]byte("a picture"))
			hash, err := d.Commit()
			if err != nil {
				t.Fatal(err)
			}
			old := time.Now().Add(-2 * time.Hour)
			if err := os.Chtimes(filepath.Join(contentsPath(dir), hash[:2], hash), old, old); err != nil {
				t.Fatal(err)
			}
			records, err := store.OpenRecords(t.Context(), recordsPath(dir))
			if err != nil {
				t.Fatal(err)
			}
			l := &Library{o: Options{Dir: dir}, log: slog.New(slog.DiscardHandler), ctx: t.Context(), contents: contents, records: records}
			if err := harm(recordsPath(dir)); err != nil {
				t.Fatal(err)
			}
			l.sweep()
			records.Close()
			if _, err := contents.Open(hash); err != nil {
				t.Errorf("the content is gone: %v", err)
			}
		})
	}
}
