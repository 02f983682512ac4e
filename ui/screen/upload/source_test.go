package upload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api/session"
)

// TestLinkOutOfTheFolder: of a folder that was picked as a whole, the form says which file a link brings in
// from outside, and where that is.
func TestLinkOutOfTheFolder(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	secret, trip := filepath.Join(dir, "secret.jpg"), filepath.Join(dir, "my trip", "day 1")
	for _, err := range []error{
		os.MkdirAll(trip, 0o700),
		os.WriteFile(secret, []byte("x"), 0o600),
		os.WriteFile(filepath.Join(trip, "a.jpg"), []byte("y"), 0o600),
		os.Symlink(secret, filepath.Join(trip, "out.jpg")),
		os.Symlink("a.jpg", filepath.Join(trip, "in.jpg")),
	} {
		must(t, err)
	}
	tree, err := session.WalkFolder(t.Context(), filepath.Dir(trip), "", session.Filter{})
	must(t, err)
	text := told(started(t, localOptions(tree.Sources, &stub{})))
	if !strings.Contains(text, "out.jpg: A link leads out of the picked folder, to "+secret+".") || strings.Count(text, "A link leads out") != 1 {
		t.Errorf("the form does not say where the link leads:\n%s", text)
	}
}
