package session

import (
	"os"
	"path/filepath"
	"testing"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/config"
)

// TestAlreadyStoredByItsHash: files that were sent are recognized by their content.
func TestAlreadyStoredByItsHash(t *testing.T) {
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	sources := make([]api.Upload, 3)
	for i, text := range []string{"sent now", "sent two", "not sent"} { // of the same size
		path := filepath.Join(t.TempDir(), "a.txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sources[i] = api.Upload{Source: api.Source{Path: path}, FileName: "a.txt"}
	}
	for i := range 2 {
		sum, id, err := api.HashSource(sources[i].Source.Path)
		if err != nil {
			t.Fatal(err)
		}
		added, err := j.AddJobs(t.Context(), []api.Job{{Profile: "home", Upload: sources[i], Identity: id}})
		if err != nil {
			t.Fatal(err)
		}
		added[0].State, added[0].Hash = api.Stored, sum
		if err := j.UpdateJob(t.Context(), added[0]); err != nil {
			t.Fatal(err)
		}
	}
	s := &Session{Journal: j, Profile: Profile{Name: "home"}}
	jobs, err := s.AlreadyStored(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{1, 2, 0} {
		if got := jobs[i]; (got == nil) != (want == 0) || got != nil && got.ID != want {
			t.Errorf("source %d: %+v, want job %d", i, got, want)
		}
	}
}

// TestListed: a file counts as listed only under its name in its folder, with or without a suffix.
// One of the same size is preferred.
func TestListed(t *testing.T) {
	s, end := program(t, newLibrary(t), t.TempDir())
	defer end()
	source := filepath.Join(t.TempDir(), "my photo.jpg")
	if err := os.WriteFile(source, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	in := func(folder, name string) api.Upload {
		u := api.Upload{Source: api.Source{Path: source}, FileName: name}
		if folder != "" {
			u.Folder = api.Set(folder)
		}
		return u
	}
	uploadFile(t, s, "my_photo_abcdefghi.jpg", api.Upload{Folder: api.Set("/trip/")})
	same := uploadFile(t, s, "my_photo_123456789.jpg", in("/trip/", ""))
	exact := uploadFile(t, s, "exact.jpg", api.Upload{})
	uploadFile(t, s, "exact_more_123456789.jpg", api.Upload{})
	uploadFile(t, s, "below.jpg", api.Upload{Folder: api.Set("/trip/deep/")})
	found, err := s.Listed(t.Context(), []api.Upload{
		in("/trip/", "my photo.jpg"), in("", "exact.jpg"), in("/", "my photo.jpg"), in("/trip/", "below.jpg"), in("", "exact_more.png"), in("", `a"b\.jpg`),
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []*api.File{same, exact, nil, nil, nil, nil} {
		if got := found[i]; (got == nil) != (want == nil) || got != nil && got.FileID != want.FileID {
			t.Errorf("upload %d: %+v, want %+v", i, got, want)
		}
	}
}

// TestKeepNaming: the answer is saved in the settings, and the profile is not asked again.
func TestKeepNaming(t *testing.T) {
	home := t.TempDir()
	options := Options{Paths: config.FindPaths(func(name string) string {
		return map[string]string{"MEDIADESK_HOME": home}[name]
	})}
	if err := os.MkdirAll(filepath.Dir(options.Paths.Config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(options.Paths.Config, []byte("[local]\naddr = \"127.0.0.1:0\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		s, err := Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		if s.Profile.AskNaming != want {
			t.Errorf("asks: %v, want %v", s.Profile.AskNaming, want)
		}
		if err := s.KeepNaming(api.NameHere); err != nil {
			t.Error(err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
