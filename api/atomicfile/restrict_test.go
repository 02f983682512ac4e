package atomicfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"mediadesk/api/atomicfile"
	"mediadesk/api/media/mediatest"
)

func TestRestrict(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this system has no such permissions")
	}
	dir := t.TempDir()
	for name, want := range map[string]os.FileMode{
		"a.db": 0o600, "a.db-wal": 0o600, "a.db.snapshot": 0o600, "b": 0o644,
	} {
		mediatest.Must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
		defer func() {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
				t.Errorf("%s has %v, %v, want %v", name, info.Mode(), err, want)
			}
		}()
	}
	folder := filepath.Join(dir, "folder")
	mediatest.Must(t, os.Mkdir(folder, 0o755))
	for _, name := range []string{"a.db", "folder", "missing"} {
		atomicfile.Restrict(filepath.Join(dir, name))
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has %v, %v", info.Mode(), err)
	}
}
