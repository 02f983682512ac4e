package session

import (
	"os"
	"path/filepath"
	"testing"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/config"
)

// TestAlreadyStoredByItsHash: files that were sent are recognized by their content.
func TestAlreadyStoredByItsHash(t *testing.T) {
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "journal.db"))
	must(t, err)
	defer j.Close()
	sources := make([]api.Upload, 3)
	for i, text := range []string{"sent now", "sent two", "not sent"} { // of the same size
		path := filepath.Join(t.TempDir(), "a.txt")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		sources[i] = api.Upload{Source: api.Source{Path: path}, FileName: "a.txt"}
	}
	for i := range 2 {
		sum, id, err := api.HashSource(sources[i].Source.Path)
		must(t, err)
		added, err := j.AddJobs(t.Context(), []job.Job{{Profile: "home", Upload: sources[i], Identity: id}})
		must(t, err)
		added[0].State, added[0].Hash = job.Stored, sum
		must(t, j.UpdateJob(t.Context(), added[0]))
	}
	s := &Session{Journal: j, Profile: Profile{Name: "home"}}
	jobs, err := s.AlreadyStored(t.Context(), sources, false)
	must(t, err)
	for i, want := range []int64{1, 2, 0} {
		if got := jobs[i]; (got == nil) != (want == 0) || got != nil && got.ID != want {
			t.Errorf("source %d: %+v, want job %d", i, got, want)
		}
	}
}

// TestPlaces: a file is at the path of an upload only under its exact name in its folder.
func TestPlaces(t *testing.T) {
	s, end := program(t, newLibrary(t), t.TempDir())
	defer end()
	in := func(folder, name string) api.Upload {
		u := api.Upload{FileName: name}
		if folder != "" {
			u.Folder = api.Set(folder)
		}
		return u
	}
	trip := uploadFile(t, s, "my photo.jpg", in("/trip/", ""))
	exact := uploadFile(t, s, "exact.jpg", api.Upload{})
	uploadFile(t, s, "exact_more_123456789.jpg", api.Upload{})
	uploadFile(t, s, "below.jpg", in("/trip/deep/", ""))
	places, err := s.Places(t.Context(), []api.Upload{
		in("/trip/", "my photo.jpg"), in("", "exact.jpg"), in("/", "my photo.jpg"), in("/trip/", "below.jpg"), in("", "exact_more.jpg"), in("", `a"b\.jpg`),
	})
	must(t, err)
	for i, want := range []*api.File{trip, exact, nil, nil, nil, nil} {
		if got := places[i]; !got.Known || (got.File == nil) != (want == nil) ||
			want != nil && got.File.FileID != want.FileID {
			t.Errorf("upload %d: %+v, want %+v", i, got, want)
		}
	}
}

// TestFormNaming: the form uses exact names unless the user chose a naming.
func TestFormNaming(t *testing.T) {
	for settings, want := range map[string]job.Naming{"": job.NameExact, "[profiles.local]\nkind = \"local\"\nnaming = \"here\"\n": job.NameHere} {
		home := t.TempDir()
		options := Options{Paths: config.FindPaths(func(name string) string {
			return map[string]string{"MEDIADESK_HOME": home}[name]
		})}
		must(t, os.MkdirAll(filepath.Dir(options.Paths.Config), 0o700))
		must(t, os.WriteFile(options.Paths.Config, []byte("[local]\naddr = \"127.0.0.1:0\"\n"+settings),
			0o600))
		s, err := Open(t.Context(), options)
		must(t, err)
		if s.Profile.FormNaming != want || s.Profile.Naming != job.NameHere {
			t.Errorf("%q: %v in the form, %v in commands", settings, s.Profile.FormNaming, s.Profile.Naming)
		}
		must(t, s.Close(t.Context()))
	}
}
