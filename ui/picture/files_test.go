package picture

import (
	"os"
	"path/filepath"
	"testing"

	"mediadesk/api/media/mediatest"
)

// write writes data to a file in a new folder.
func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, data, 0o600))
	return path
}

var must = mediatest.Must
