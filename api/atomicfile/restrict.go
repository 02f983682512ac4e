package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
)

// Restrict keeps group and others out of path, a file or a folder, and out of
// the regular files beside it whose names begin with the same name, such as
// those that SQLite makes. What is missing, belongs to somebody else or is a
// folder that all share, such as /tmp, stays as it is.
func Restrict(path string) {
	dir, base := filepath.Dir(path), filepath.Base(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, base) {
			continue
		}
		info, err := entry.Info()
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if info.Mode().IsRegular() || name == base && info.IsDir() && info.Mode()&os.ModeSticky == 0 {
			os.Chmod(filepath.Join(dir, name), info.Mode().Perm()&^0o077) //nolint:errcheck // see above
		}
	}
}
