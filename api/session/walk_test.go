package session_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/api/session"
)

// tree creates files and links ("a -> b") in a new folder.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		link, to, isLink := strings.Cut(name, " -> ")
		at := filepath.Join(root, filepath.FromSlash(link))
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		if isLink {
			if err := os.Symlink(to, at); err != nil {
				t.Skip("this system does not allow links:", err)
			}
			continue
		}
		must(t, os.WriteFile(at, []byte(name), 0o600))
	}
	return root
}

func describeTree(tree session.Tree) string {
	var lines []string
	for _, s := range tree.Sources {
		lines = append(lines, filepath.ToSlash(s.Label)+" in "+rule.FolderUnder(s, "/up"))
	}
	return strings.Join(lines, "\n")
}

func TestWalkFolder(t *testing.T) {
	files := []string{"b.jpg", "a.PNG", ".hidden", ".git/x", "sub dir/c.jpg", "sub dir/deep.er/d.txt", "raw/e.cr2", "raw/f.jpg"}
	for _, c := range []struct {
		name             string
		filter           session.Filter
		want             string
		excluded, hidden int
	}{
		{"all", session.Filter{}, "top/a.PNG in /up|top/b.jpg in /up|top/raw/e.cr2 in /up/raw/|top/raw/f.jpg in /up/raw/|top/sub dir/c.jpg in /up/sub_dir/|top/sub dir/deep.er/d.txt in /up/sub_dir/deep_er/", 0, 2},
		{"by name", session.Filter{Include: []string{"*.jpg", "*.png"}}, "top/a.PNG in /up|top/b.jpg in /up|top/raw/f.jpg in /up/raw/|top/sub dir/c.jpg in /up/sub_dir/", 2, 2},
		{"without a folder", session.Filter{Exclude: []string{"raw", "*.txt"}}, "top/a.PNG in /up|top/b.jpg in /up|top/sub dir/c.jpg in /up/sub_dir/", 2, 2},
		{"by path", session.Filter{Include: []string{"sub dir/**"}, Exclude: []string{"**/d.*"}}, "top/sub dir/c.jpg in /up/sub_dir/", 5, 2},
		{"slash at the end", session.Filter{Exclude: []string{"raw/", "sub dir/"}}, "top/a.PNG in /up|top/b.jpg in /up", 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := session.WalkFolder(t.Context(), tree(t, files...), "top", c.filter)
			must(t, err)
			if want := strings.ReplaceAll(c.want, "|", "\n"); describeTree(got) != want {
				t.Errorf("got\n%s\nwant\n%s", describeTree(got), want)
			}
			if got.Excluded != c.excluded || got.Hidden != c.hidden {
				t.Errorf("excluded %d, hidden %d", got.Excluded, got.Hidden)
			}
		})
	}
}

// TestWalkFolderLinks: cycles end, a folder is listed once and at its own path, and links to files
// count as files.
func TestWalkFolderLinks(t *testing.T) {
	root := tree(t, "z/one.jpg", "a -> z", "z/up -> ..", "self -> .", "cover.jpg -> z/one.jpg",
		"gone.jpg -> nowhere")
	got, err := session.WalkFolder(t.Context(), root, "top", session.Filter{})
	must(t, err)
	want := "top/cover.jpg in /up\ntop/gone.jpg in /up\ntop/z/one.jpg in /up/z/"
	if describeTree(got) != want || len(got.Again) != 3 {
		t.Errorf("got\n%s\nagain %q", describeTree(got), got.Again)
	}
	if _, err := api.Identify(got.Sources[1].Path); err == nil {
		t.Error("a link to nothing can be sent")
	}
}

func TestWalkFolderErrors(t *testing.T) {
	root := tree(t, "a.jpg", "sub/b.jpg")
	if _, err := session.WalkFolder(t.Context(), filepath.Join(root, "a.jpg"), "",
		session.Filter{}); err == nil {
		t.Error("a file was walked")
	}
	for _, pattern := range []string{"", "[a", "x/[a"} {
		_, err := session.WalkFolder(t.Context(), root, "", session.Filter{Include: []string{pattern}})
		if err == nil {
			t.Errorf("pattern %q was accepted", pattern)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := session.WalkFolder(ctx, root, "", session.Filter{}); err == nil {
		t.Error("the walk did not end with its context")
	}
}

var must = mediatest.Must
