package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mediadesk/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openTest opens a journal that is closed when the test ends.
func openTest(t testing.TB, path string) *Journal {
	t.Helper()
	j, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "state", "journal.db") }

func newJob(name string) api.Job {
	return api.Job{
		Profile: "home", Naming: api.NameHere,
		Upload: api.Upload{Source: api.Source{Path: "/pictures/" + name}, FileName: name, UseUniqueFileName: api.Set(false)},
	}
}

func add(t testing.TB, j *Journal, jobs ...api.Job) []api.Job {
	t.Helper()
	added, err := j.AddJobs(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func record(t testing.TB, text string) *api.File {
	t.Helper()
	f := new(api.File)
	if err := f.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestOnlyTheUserCanReadIt(t *testing.T) {
	path := newPath(t)
	j := openTest(t, path)
	add(t, j, newJob("a.jpg"))
	for name, want := range map[string]os.FileMode{filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
}

func TestJobsComeBackAsTheyWere(t *testing.T) {
	path := newPath(t)
	j, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	first := newJob("a.jpg")
	first.Upload.Tags = api.Set([]string{"one", "two"})
	first.Upload.Extensions = api.Set([]api.Extension{{Name: "remove-bg"}})
	first.OwnWebhook, first.Batch = true, "b1"
	first.Identity = api.Identity{Inode: 7, Size: 12, Modified: time.Unix(1_700_000_000, 123)}
	jobs := add(t, j, first, newJob("b.jpg"))
	jobs[0].State, jobs[0].Attempts, jobs[0].Unclear = api.Stored, 2, true
	jobs[0].File = record(t, `{"fileId":"f1","filePath":"/x/a.jpg","tags":["one"],"unknown":{"kept":true},"extensionStatus":{"remove-bg":"pending"}}`)
	if err := j.UpdateJob(t.Context(), jobs[0]); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}

	j = openTest(t, path)
	got, err := j.Jobs(t.Context(), JobFilter{Profile: "home"})
	if err != nil || len(got) != 2 {
		t.Fatalf("%d jobs, %v", len(got), err)
	}
	back := got[0]
	if back.ID != jobs[0].ID || back.State != api.Stored || !back.Unclear || back.Attempts != 2 || !back.OwnWebhook || back.Batch != "b1" ||
		!back.Identity.Same(first.Identity) || back.Upload.Tags.Or(nil)[1] != "two" || back.Upload.Extensions.Or(nil)[0].Name != "remove-bg" {
		t.Errorf("came back as %+v", back)
	}
	if string(back.File.Raw) != string(jobs[0].File.Raw) {
		t.Errorf("the record came back as %s", back.File.Raw)
	}
	seen, ok, err := j.File(t.Context(), "home", "f1")
	if err != nil || !ok || string(seen.File.Raw) != string(jobs[0].File.Raw) {
		t.Errorf("the file was not seen: %v %v %s", ok, err, seen.File.Raw)
	}
	runs, err := j.Runs(t.Context(), RunFilter{Pending: true, Answers: true})
	if err != nil || len(runs) != 1 || !runs[0].Webhook || runs[0].Answer == nil || runs[0].FilePath != "/x/a.jpg" {
		t.Errorf("runs %+v, %v", runs, err)
	}
	open, err := j.Jobs(t.Context(), JobFilter{Open: true})
	if err != nil || len(open) != 1 || open[0].Upload.FileName != "b.jpg" {
		t.Errorf("open jobs %+v, %v", open, err)
	}
}
