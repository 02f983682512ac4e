package api_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
)

// wantSourceError fails unless err says that the source at path cannot be sent, with the reason.
func wantSourceError(t *testing.T, err error, path, says string) {
	t.Helper()
	var source *api.SourceError
	if !errors.As(err, &source) {
		t.Fatalf("got %v (%T), want a *SourceError", err, err)
	}
	if source.Path != path || !strings.Contains(source.Reason, says) || !strings.Contains(err.Error(), says) {
		t.Fatalf("got %+v, want the reason %q", source, says)
	}
	if job.OutcomeOf(err) != job.Unsent {
		t.Fatalf("outcome %s, want %v", job.OutcomeOf(err), job.Unsent)
	}
}

// TestPathsThatAreNoText: a path that is not UTF-8, as in old archives, is unchanged after it was
// stored. Its name is valid text.
func TestPathsThatAreNoText(t *testing.T) {
	for _, path := range []string{"/pictures/caf\xe9 1.jpg", "/pictures/\xff\xfe/\xe9\xe9\ufffd.jpg", "/pictures/été.jpg"} {
		source := api.Source{Path: path, Sub: "a", Label: "x"}
		text, err := json.Marshal(api.Upload{Source: source, FileName: source.Name()})
		must(t, err)
		var read api.Upload
		if err := json.Unmarshal(text, &read); err != nil || read.Source != source {
			t.Errorf("%q was kept as %s and is %+v: %v, want %v", path, text, read.Source, err, source)
		}
		if read.FileName != source.Name() ||
			rule.StoredName(source.Name()) != rule.StoredName(filepath.Base(path)) {
			t.Errorf("%q is called %q", path, read.FileName)
		}
	}
}

func TestSourcesThatCannotBeSent(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(in("empty"), nil, 0o600))
	for link, to := range map[string]string{"to-folder": dir, "dangling": in("missing"), "loop": in("loop")} {
		must(t, os.Symlink(to, in(link)))
	}
	for path, says := range map[string]string{
		dir: "is a folder", in("empty"): "is empty", in("missing"): "does not exist", in("to-folder"): "is a folder",
		in("dangling"): "does not exist", in("loop"): "leads back to itself", in("empty/below"): "cannot be read", "": "does not exist",
		in("\x1b[31m\u202e"): "does not exist", in(strings.Repeat("x", 5000)): "cannot be read", in("a\x00b"): "cannot be read",
	} {
		_, _, err := api.OpenSource(path)
		wantSourceError(t, err, path, says)
		_, err = api.Identify(path)
		wantSourceError(t, err, path, says)
		if strings.ContainsAny(err.Error(), "\x1b\u202e\x00") {
			t.Errorf("the message carries raw characters: %q", err)
		}
	}
}

func TestIdentityTellsChanges(t *testing.T) {
	path := writeFile(t, "a", []byte("content"))
	before, err := api.Identify(path)
	must(t, err)
	if again, err := api.Identify(path); err != nil || !again.Same(before) {
		t.Errorf("an unchanged file is another: %+v, %+v, %v", before, again, err)
	}
	for about, change := range changes {
		path := writeFile(t, "a", []byte("content"))
		before, err := api.Identify(path)
		must(t, err)
		must(t, change(path))
		if after, err := api.Identify(path); err == nil && after.Same(before) {
			t.Errorf("%s: looks unchanged", about)
		}
	}
	if !(api.Identity{}).Same(api.Identity{}) {
		t.Error("two of no file differ")
	}
}

// changes are what can happen to a file during the upload.
var changes = map[string]func(path string) error{
	"grown":   func(path string) error { return appendTo(path) },
	"shorter": func(path string) error { return os.Truncate(path, 1) },
	"emptied": func(path string) error { return os.Truncate(path, 0) },
	"removed": os.Remove,
	"touched": func(path string) error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) },
	"replaced": func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		other := path + "-new"
		f, err := os.Create(other)
		if err != nil {
			return err
		}
		f.Close()
		if err := os.Truncate(other, info.Size()); err != nil {
			return err
		}
		if err := os.Chtimes(other, time.Time{}, info.ModTime()); err != nil {
			return err
		}
		return os.Rename(other, path)
	},
}

func appendTo(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("more")
	return err
}

func TestSourceNames(t *testing.T) {
	for _, test := range []struct {
		source       api.Source
		name, called string
	}{
		{api.Source{Path: "/a/b.jpg"}, "b.jpg", "/a/b.jpg"},
		{api.Source{Path: "/tmp/x", Label: "standard input"}, "x", "standard input"},
		{api.Source{URL: "https://s.example/a/b%20c.jpg?x=/y"}, "b c.jpg", "https://s.example/a/b%20c.jpg?x=/y"},
		{api.Source{URL: "https://s.example/"}, "s.example", "https://s.example/"},
		{api.Source{URL: "https://s.example"}, "s.example", "https://s.example"},
		{api.Source{URL: "https://s.example/a/"}, "a", "https://s.example/a/"},
		{api.Source{URL: "%zz"}, "", "%zz"},
		{api.Source{URL: "https://s.example/a%E2%80%AE%0Ab.jpg"}, "a__b.jpg", "https://s.example/a%E2%80%AE%0Ab.jpg"},
		{api.Source{Path: "/a\u0085\u2028\xff.jpg", Label: "x"}, "a___.jpg", "x"},
	} {
		if test.source.Name() != test.name || test.source.String() != test.called {
			t.Errorf("%+v: name %q, called %q", test.source, test.source.Name(), test.source.String())
		}
	}
}
