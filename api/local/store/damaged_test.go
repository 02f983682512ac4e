package store

import (
	"path/filepath"
	"testing"
)

// TestRecordOfWrongTypes: a record with wrong types is an error, not a different record.
func TestRecordOfWrongTypes(t *testing.T) {
	r := openRecords(t, filepath.Join(t.TempDir(), "r.db"))
	f := sample("/", "a")
	err := r.Update(t.Context(), func(tx Tx) error {
		if err := tx.Files.Insert(f); err != nil {
			return err
		}
		_, err := tx.exec("UPDATE files SET size = 'many', hash = x'00ff' WHERE id = ?", f.ID)
		return err
	})
	must(t, err)
	err = r.View(t.Context(), func(tx Tx) error {
		if got, err := Get[File](tx, f.ID); err == nil {
			t.Errorf("read %+v", got)
		}
		if list, err := tx.Files.List(Query{Files: true, Limit: 1}); err == nil {
			t.Errorf("listed %v", list)
		}
		return nil
	})
	must(t, err)
}
