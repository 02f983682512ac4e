package media

import (
	"context"
	"os"
	"os/exec"
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

// large returns the path of a program that is too large to be required. If it is missing, the test is
// skipped.
func large(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("needs ", name, ", which is too large to be asked for")
	}
	return path
}

// decodePath opens a file and calls DecodeFile.
func decodePath(ctx context.Context, path string, limits Limits) (*Picture, error) {
	f, _, err := OpenFile(path)
	if err != nil {
		return nil, WithPath(path, err)
	}
	defer func() { _ = f.Close() }()
	return DecodeFile(ctx, f, limits)
}
