package config

import (
	"os"
	"path/filepath"
	"testing"

	"mediadesk/api/media/mediatest"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestFindPaths(t *testing.T) {
	home := t.TempDir()
	p := FindPaths(env("MEDIADESK_HOME", home, "XDG_DATA_HOME", "/elsewhere"))
	want := Paths{
		Config: filepath.Join(home, "config.toml"), Data: filepath.Join(home, "data"),
		State: filepath.Join(home, "state"), Cache: filepath.Join(home, "cache"),
	}
	mediatest.Equal(t, p, want, "the paths")
	if p.Journal() != filepath.Join(home, "data", "journal.db") ||
		p.Library() != filepath.Join(home, "data", "library") ||
		p.Log() != filepath.Join(home, "state", "mediadesk.log") {
		t.Errorf("got %s %s %s", p.Journal(), p.Library(), p.Log())
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) != 0 {
		t.Errorf("finding the paths made something: %v %v", entries, err)
	}

	x := filepath.Join(home, "x")
	p = FindPaths(env("XDG_CONFIG_HOME", filepath.Join(x, "c"), "XDG_DATA_HOME", filepath.Join(x, "d"),
		"XDG_STATE_HOME", filepath.Join(x, "s"), "XDG_CACHE_HOME", "relative"))
	if p.Config != filepath.Join(x, "c", "mediadesk", "config.toml") || p.Data != filepath.Join(x, "d", "mediadesk") ||
		p.State != filepath.Join(x, "s", "mediadesk") {
		t.Errorf("got %+v", p)
	}
	mediatest.Equal(t, filepath.IsAbs(p.Cache), true, "%s is absolute in spite of a relative XDG variable", p.Cache)
	for _, home := range []string{"", "relative"} {
		t.Setenv("HOME", home)
		t.Setenv("USERPROFILE", home)
		mediatest.Equal(t, FindPaths(env()), Paths{}, "with the home folder %q", home)
	}
	if p := FindPaths(env("MEDIADESK_HOME", "here")); !filepath.IsAbs(p.Config) {
		t.Errorf("a relative home stays relative: %s", p.Config)
	}
}

func TestPathsMake(t *testing.T) {
	home := filepath.Join(t.TempDir(), "new", "home")
	p := FindPaths(env("MEDIADESK_HOME", home))
	must(t, p.Make())
	for _, dir := range []string{home, p.Data, p.State, p.Cache} {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() {
			t.Errorf("%s: %v", dir, err)
		} else if os.PathSeparator == '/' && info.Mode().Perm() != 0o700 {
			t.Errorf("%s is open to others: %v", dir, info.Mode())
		}
	}
	must(t, os.WriteFile(filepath.Join(home, "file"), nil, 0o600))
	if err := FindPaths(env("MEDIADESK_HOME", filepath.Join(home, "file", "below"))).Make(); err == nil {
		t.Error("a folder below a file was made")
	}
}
