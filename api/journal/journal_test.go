package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

func TestMain(m *testing.M) {
	if what := os.Getenv("JOURNAL_TEST_CHILD"); what != "" {
		if err := child(what, os.Getenv("JOURNAL_TEST_PATH")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// openTest opens a journal that is closed when the test ends.
func openTest(t testing.TB, path string) *Journal {
	t.Helper()
	j, err := Open(t.Context(), path)
	must(t, err)
	t.Cleanup(func() { must(t, j.Close()) })
	return j
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "state", "journal.db") }

func newJob(name string) job.Job {
	return job.Job{
		Profile: "home", Naming: job.NameHere,
		Upload: api.Upload{Source: api.Source{Path: "/pictures/" + name}, FileName: name, UseUniqueFileName: api.Set(false), OverwriteFile: api.Set(false)},
	}
}

func add(t testing.TB, j *Journal, jobs ...job.Job) []job.Job {
	t.Helper()
	added, err := j.AddJobs(t.Context(), jobs)
	must(t, err)
	return added
}

func record(t testing.TB, text string) *api.File {
	t.Helper()
	f := new(api.File)
	must(t, f.UnmarshalJSON([]byte(text)))
	return f
}

func TestOnlyTheUserCanReadIt(t *testing.T) {
	path := newPath(t)
	j := openTest(t, path)
	add(t, j, newJob("a.jpg"))
	for name, want := range map[string]os.FileMode{
		filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600,
	} {
		info, err := os.Stat(name)
		must(t, err)
		mediatest.Equal(t, info.Mode().Perm(), want, "%s has mode", name)
	}
}

func TestJobsComeBackAsTheyWere(t *testing.T) {
	path := newPath(t)
	j, err := Open(t.Context(), path)
	must(t, err)
	first := newJob("a.jpg")
	first.Upload.Tags = api.Set([]string{"one", "two"})
	first.Upload.Extensions = api.Set([]api.Extension{{Name: "remove-bg"}})
	first.JobWebhook, first.Batch = true, "b1"
	first.Identity = api.Identity{Inode: 7, Size: 12, Modified: time.Unix(1_700_000_000, 123)}
	jobs := add(t, j, first, newJob("b.jpg"))
	jobs[0].State, jobs[0].Attempts, jobs[0].Evidence = job.Stored, 2, job.SurelyStored
	jobs[0].File = record(t, `{"fileId":"f1","filePath":"/x/a.jpg","tags":["one"],"unknown":{"kept":true},"extensionStatus":{"remove-bg":"pending"}}`)
	must(t, j.UpdateJob(t.Context(), jobs[0]))
	must(t, j.Close())

	j = openTest(t, path)
	got, err := j.Jobs(t.Context(), JobFilter{Profile: "home"})
	if err != nil || len(got) != 2 {
		t.Fatalf("%d jobs, %v, want 2", len(got), err)
	}
	back := got[0]
	if back.ID != jobs[0].ID || back.State != job.Stored || back.Evidence != job.SurelyStored ||
		back.Attempts != 2 || !back.JobWebhook || back.Batch != "b1" ||
		!back.Identity.Same(first.Identity) || back.Upload.Tags.Or(nil)[1] != "two" ||
		back.Upload.Extensions.Or(nil)[0].Name != "remove-bg" {
		t.Errorf("got %+v back", back)
	}
	mediatest.Equal(t, string(back.File.Raw), string(jobs[0].File.Raw), "the record that came back")
	seen, ok, err := j.File(t.Context(), "home", "f1")
	if err != nil || !ok || string(seen.File.Raw) != string(jobs[0].File.Raw) {
		t.Errorf("the file was not seen: %v %v %s", ok, err, seen.File.Raw)
	}
	runs, err := j.Runs(t.Context(), job.RunFilter{Pending: true, Answers: true})
	if err != nil || len(runs) != 1 || !runs[0].Webhook || runs[0].Answer == nil ||
		runs[0].FilePath != "/x/a.jpg" {
		t.Errorf("runs %+v, %v", runs, err)
	}
	open, err := j.Jobs(t.Context(), JobFilter{Open: true})
	if err != nil || len(open) != 1 || open[0].Upload.FileName != "b.jpg" {
		t.Errorf("open jobs %+v, %v", open, err)
	}
}

func TestOneBadChangeLeavesTheOthers(t *testing.T) {
	j := openTest(t, newPath(t))
	jobs := add(t, j, newJob("a"))
	bad := newJob("bad")
	bad.Upload.CustomMetadata = api.Set(map[string]json.RawMessage{"x": json.RawMessage("{")})
	results := make(chan error, 20)
	for i := range 20 {
		go func() {
			if i%2 == 0 {
				_, err := j.AddJobs(t.Context(), []job.Job{newJob("good"), bad})
				if err == nil {
					err = errors.New("a job that cannot be written was kept")
				} else {
					err = nil
				}
				results <- err
				return
			}
			_, err := j.AddJobs(t.Context(), []job.Job{newJob("fine")})
			results <- err
		}()
	}
	for range 20 {
		must(t, <-results)
	}
	kept, err := j.Jobs(t.Context(), JobFilter{})
	if err != nil || len(kept) != 10+len(jobs) {
		t.Errorf("%d jobs are kept: %v", len(kept), err)
	}
	if err := j.UpdateJob(t.Context(), job.Job{ID: 9999}); !errors.Is(err, ErrNoJob) {
		t.Errorf("updating no job: %v", err)
	}
}

func TestChangesOfThisAndOtherPrograms(t *testing.T) {
	path := newPath(t)
	j, other := openTest(t, path), openTest(t, path)
	look := func() int64 {
		t.Helper()
		n, err := j.Changes(t.Context())
		must(t, err)
		return n
	}
	before := look()
	mediatest.Equal(t, look(), before, "another number without a change")
	add(t, j, newJob("a"))
	ours := look()
	mediatest.Equal(t, ours == before, false, "an own change did not show")
	add(t, other, newJob("b"))
	mediatest.Equal(t, look() == ours, false, "another's change did not show")
}

func TestFilesAsLastSeen(t *testing.T) {
	j := openTest(t, newPath(t))
	for _, text := range []string{
		`{"fileId":"1","type":"file","name":"a.jpg","filePath":"/x/y/a.jpg","tags":["red","blue"]}`,
		`{"fileId":"2","type":"file","name":"b.jpg","filePath":"/x/b.jpg","tags":["red"]}`,
		`{"fileId":"3","name":"c.jpg","filePath":"/c.jpg","tags":["old"]}`,
		`{"fileId":"3","name":"c.jpg","filePath":"/c.jpg","size":3,"tags":null}`,
		`{"fileId":"2","type":"file","name":"b.jpg","filePath":"/x/b.jpg","tags":["red"],"size":7}`,
		`{"type":"folder","name":"z","folderId":"f","folderPath":"/x/z"}`,
	} {
		must(t, j.SaveFile(t.Context(), "home", *record(t, text)))
	}
	must(t, j.SaveFile(t.Context(), "work", *record(t, `{"fileId":"1","filePath":"/w.jpg","tags":["work"]}`)))
	mediatest.Equal(t, j.SaveFile(t.Context(), "home", api.File{Name: "no id"}) == nil, false, "a record without id was kept")
	names := func(folder string) string {
		t.Helper()
		files, err := j.Files(t.Context(), "home", folder)
		must(t, err)
		var all []string
		for _, seen := range files {
			all = append(all, seen.File.FilePath)
			if time.Since(seen.At) > time.Minute {
				t.Errorf("seen at %s", seen.At)
			}
		}
		return strings.Join(all, " ")
	}
	for folder, want := range map[string]string{"": "/c.jpg /x/b.jpg /x/y/a.jpg", "/x/": "/x/b.jpg", "/no/": ""} {
		mediatest.Equal(t, names(folder), want, "Files(%q)", folder)
	}
	tags, err := j.Tags(t.Context(), "home")
	if err != nil || !slices.Equal(tags, []string{"red", "blue"}) {
		t.Errorf("tags %v, %v", tags, err)
	}
	folders, err := j.Folders(t.Context(), "home")
	if err != nil || !slices.Equal(folders, []string{"/x/", "/x/y/", "/x/z/"}) {
		t.Errorf("folders %v, %v", folders, err)
	}
	must(t, j.ForgetFile(t.Context(), "home", "1"))
	if _, ok, err := j.File(t.Context(), "home", "1"); ok || err != nil {
		t.Errorf("forgotten, and there: %v %v", ok, err)
	}
	if _, ok, _ := j.File(t.Context(), "work", "1"); !ok {
		t.Error("the file of another profile was removed")
	}
}

// TestOpenEdits: edits whose result is unknown are not undone. A journal that opens later gets those
// of programs that have ended, and no others.
func TestOpenEdits(t *testing.T) {
	path := newPath(t)
	j, err := Open(t.Context(), path)
	must(t, err)
	var begun [3]Edit
	for i := range begun {
		begun[i], err = j.BeginEdit(t.Context(), Edit{Profile: "home", FileID: fmt.Sprint(i + 1)})
		must(t, err)
	}
	must(t, errors.Join(j.EndEdit(t.Context(), begun[0], false), j.LeaveEdit(t.Context(), begun[2].ID)))
	other := openTest(t, path)
	open := func(want ...int64) []Edit {
		t.Helper()
		edits, err := other.OpenEdits(t.Context(), "home")
		var ids []int64
		for _, e := range edits {
			ids = append(ids, e.ID)
		}
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("got the open edits %v, %v, want %v", ids, err, want)
		}
		return edits
	}
	open(begun[2].ID)
	open()
	must(t, j.Close())
	if next, err := other.NextEdits(t.Context(), "home", "", true); err != nil || len(next) != 0 {
		t.Errorf("to undo: %+v, %v", next, err)
	}
	must(t, other.EndEdit(t.Context(), open(begun[1].ID)[0], true))
	if next, err := other.NextEdits(t.Context(), "home", "", true); err != nil || len(next) != 1 ||
		next[0].FileID != "2" {
		t.Errorf("to undo: %+v, %v", next, err)
	}
}

// TestAnEmptyFileIsSetAside: a journal without content is kept beside a new one, with its log.
func TestAnEmptyFileIsSetAside(t *testing.T) {
	path := newPath(t)
	j := openTest(t, path)
	if err := j.Close(); err != nil || j.Aside != "" {
		t.Fatalf("a new journal was set aside as %q, %v", j.Aside, err)
	}
	must(t, errors.Join(os.Truncate(path, 0), os.WriteFile(path+"-wal", []byte("log"), 0o600)))
	j = openTest(t, path)
	if log, err := os.ReadFile(j.Aside + "-wal"); err != nil || string(log) != "log" {
		t.Errorf("the log is %q, %v", log, err)
	}
	must(t, j.Close())
	mediatest.Equal(t, openTest(t, path).Aside, "", "it is said twice")
}

var must = mediatest.Must
