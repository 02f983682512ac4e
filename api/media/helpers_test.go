package media

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// write puts data into a file of a new folder.
func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, data, 0o600))
	return path
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tool is the path of a program that a test needs; where it is missing the test
// is skipped, or fails where the environment says that all are required.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("MEDIADESK_TEST_REQUIRE") == "all":
		t.Fatal(err)
	default:
		t.Skip("needs ", name)
	}
	return path
}

// large is the path of a program that a test needs and that is too large to be asked
// for: where it is missing the test is skipped.
func large(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("needs ", name, ", which is too large to be asked for")
	}
	return path
}

// decodePath is DecodeFile for a file that is opened first.
func decodePath(ctx context.Context, path string, limits Limits) (*Picture, error) {
	f, _, err := OpenFile(path)
	if err != nil {
		return nil, WithPath(path, err)
	}
	defer func() { _ = f.Close() }()
	return DecodeFile(ctx, f, limits)
}
