package session

import (
	"os"
	"path/filepath"
	"testing"

	"mediadesk/api"
	"mediadesk/api/journal"
)

// TestAlreadyStoredByItsHash: what this and what older programs sent is
// recognised by its content, each by its kind of hash.
func TestAlreadyStoredByItsHash(t *testing.T) {
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	sources := make([]api.Upload, 3)
	for i, text := range []string{"sent now", "sent old", "not sent"} { // of one size
		path := filepath.Join(t.TempDir(), "a.txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sources[i] = api.Upload{Source: api.Source{Path: path}, FileName: "a.txt"}
	}
	for i, kind := range []api.HashKind{api.XXH128, api.SHA256} {
		sum, id, err := api.HashSource(sources[i].Source.Path, kind)
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
