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
		Upload: api.Upload{Source: api.Source{Path: "/pictures/" + name}, FileName: name, UseUniqueFileName: api.Set(false), OverwriteFile: api.Set(false)},
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
	jobs[0].State, jobs[0].Attempts, jobs[0].Evidence = api.Stored, 2, api.SurelyStored
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
		t.Fatalf("%d jobs, %v, want 2", len(got), err)
	}
	back := got[0]
	if back.ID != jobs[0].ID || back.State != api.Stored || back.Evidence != api.SurelyStored || back.Attempts != 2 || !back.OwnWebhook || back.Batch != "b1" ||
		!back.Identity.Same(first.Identity) || back.Upload.Tags.Or(nil)[1] != "two" || back.Upload.Extensions.Or(nil)[0].Name != "remove-bg" {
		t.Errorf("got %+v back", back)
	}
	if string(back.File.Raw) != string(jobs[0].File.Raw) {
		t.Errorf("got the record %s back", back.File.Raw)
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

func TestOneBadChangeLeavesTheOthers(t *testing.T) {
	j := openTest(t, newPath(t))
	jobs := add(t, j, newJob("a"))
	bad := newJob("bad")
	bad.Upload.CustomMetadata = api.Set(map[string]json.RawMessage{"x": json.RawMessage("{")})
	results := make(chan error, 20)
	for i := range 20 {
		go func() {
			if i%2 == 0 {
				_, err := j.AddJobs(t.Context(), []api.Job{newJob("good"), bad})
				if err == nil {
					err = errors.New("a job that cannot be written was kept")
				} else {
					err = nil
				}
				results <- err
				return
			}
			_, err := j.AddJobs(t.Context(), []api.Job{newJob("fine")})
			results <- err
		}()
	}
	for range 20 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	kept, err := j.Jobs(t.Context(), JobFilter{})
	if err != nil || len(kept) != 10+len(jobs) {
		t.Errorf("%d jobs are kept: %v", len(kept), err)
	}
	if err := j.UpdateJob(t.Context(), api.Job{ID: 9999}); !errors.Is(err, ErrNoJob) {
		t.Errorf("updating no job: %v", err)
	}
}

func TestChangesOfThisAndOtherPrograms(t *testing.T) {
	path := newPath(t)
	j, other := openTest(t, path), openTest(t, path)
	look := func() int64 {
		t.Helper()
		n, err := j.Changes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := look()
	if look() != before {
		t.Error("another number without a change")
	}
	add(t, j, newJob("a"))
	ours := look()
	if ours == before {
		t.Error("an own change did not show")
	}
	add(t, other, newJob("b"))
	if look() == ours {
		t.Error("another's change did not show")
	}
}

func TestFilesAsLastSeen(t *testing.T) {
	j := openTest(t, newPath(t))
	for _, text := range []string{
		`{"fileId":"1","type":"file","name":"a.jpg","filePath":"/x/y/a.jpg","tags":["red","blue"]}`,
		`{"fileId":"2","type":"file","name":"b.jpg","filePath":"/x/b.jpg","tags":["red"]}`,
		`{"fileId":"3","name":"c.jpg","filePath":"/c.jpg","tags":["old"]}`,
		`{"fileId":"3","name":"c.jpg","filePath":"/c.jpg","size":3,"tags":null}`,
		`{"fileId":"2","type":"file","name":"b.jpg","filePath":"/x/b.jpg","size":7}`,
		`{"type":"folder","name":"z","folderId":"f","folderPath":"/x/z"}`,
	} {
		if err := j.SaveFile(t.Context(), "home", *record(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.SaveFile(t.Context(), "work", *record(t, `{"fileId":"1","filePath":"/w.jpg","tags":["work"]}`)); err != nil {
		t.Fatal(err)
	}
	if err := j.SaveFile(t.Context(), "home", api.File{Name: "no id"}); err == nil {
		t.Error("a record without id was kept")
	}
	names := func(f FileFilter) string {
		t.Helper()
		files, err := j.Files(t.Context(), "home", f)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, seen := range files {
			all = append(all, seen.File.FilePath)
			if time.Since(seen.At) > time.Minute {
				t.Errorf("seen at %s", seen.At)
			}
		}
		return strings.Join(all, " ")
	}
	for f, want := range map[FileFilter]string{
		{}:               "/c.jpg /x/b.jpg /x/y/a.jpg",
		{Folder: "/x/"}:  "/x/b.jpg",
		{Limit: 1}:       "/c.jpg",
		{Folder: "/no/"}: "",
	} {
		if got := names(f); got != want {
			t.Errorf("Files(%+v) = %q, want %q", f, got, want)
		}
	}
	tags, err := j.Tags(t.Context(), "home", "")
	if err != nil || !slices.Equal(tags, []string{"red", "blue"}) {
		t.Errorf("tags %v, %v", tags, err)
	}
	folders, err := j.Folders(t.Context(), "home")
	if err != nil || !slices.Equal(folders, []string{"/x/", "/x/y/", "/x/z/"}) {
		t.Errorf("folders %v, %v", folders, err)
	}
	if err := j.ForgetFile(t.Context(), "home", "1"); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := j.File(t.Context(), "home", "1"); ok || err != nil {
		t.Errorf("forgotten, and there: %v %v", ok, err)
	}
	if _, ok, _ := j.File(t.Context(), "work", "1"); !ok {
		t.Error("the file of another profile was removed")
	}
}

func TestUndoAndRedo(t *testing.T) {
	j := openTest(t, newPath(t))
	edit := func(file, batch, tag string) Edit {
		return Edit{Profile: "home", FileID: file, Batch: batch, Before: api.Details{Tags: api.Null[[]string]()}, After: api.Details{Tags: api.Set([]string{tag})}}
	}
	added, err := j.AddEdits(t.Context(), []Edit{edit("1", "", "a"), edit("1", "both", "b"), edit("2", "both", "b")})
	if err != nil {
		t.Fatal(err)
	}
	next := func(what func(f EditFilter) ([]Edit, error), file string, want ...int64) []Edit {
		t.Helper()
		edits, err := what(EditFilter{Profile: "home", FileID: file})
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for _, e := range edits {
			ids = append(ids, e.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("got edits %v, want %v", ids, want)
		}
		return edits
	}
	undo := func(f EditFilter) ([]Edit, error) { return j.NextUndo(t.Context(), f) }
	redo := func(f EditFilter) ([]Edit, error) { return j.NextRedo(t.Context(), f) }
	mark := func(undone bool, ids ...int64) {
		t.Helper()
		if err := j.MarkEdits(t.Context(), ids, undone); err != nil {
			t.Fatal(err)
		}
	}
	one, two, three := added[0].ID, added[1].ID, added[2].ID
	next(redo, "")
	got := next(undo, "", two, three)
	if !got[0].Before.Tags.IsNull() || got[0].After.Tags.Or(nil)[0] != "b" || got[0].Before.CustomCoordinates.IsNull() {
		t.Errorf("got %+v back", got[0])
	}
	mark(true, two, three)
	next(undo, "", one)
	next(redo, "", two, three)
	mark(true, one)
	next(undo, "")
	next(redo, "", one)
	next(redo, "2", two, three)
	mark(false, one)
	next(redo, "", two, three)
	more, err := j.AddEdits(t.Context(), []Edit{edit("1", "", "c")})
	if err != nil {
		t.Fatal(err)
	}
	next(redo, "")
	next(undo, "", more[0].ID)
}

func TestBringingUpToDate(t *testing.T) {
	path := newPath(t)
	j, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, newJob("a.jpg"))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	steps := append(slices.Clone(migrations), "CREATE TABLE later (x); ALTER TABLE jobs ADD COLUMN note TEXT")
	if _, err := open(t.Context(), path, append(slices.Clone(steps), "nonsense")); err == nil {
		t.Fatal("a step that fails passed")
	}
	j, err = open(t.Context(), path, steps)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := j.Jobs(t.Context(), JobFilter{})
	if err != nil || len(jobs) != 1 {
		t.Errorf("%d jobs, %v, want 1", len(jobs), err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	copied := fmt.Sprintf("%s.v%d", path, len(migrations))
	info, err := os.Stat(copied)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v %v", info, err)
	}
	old := openTest(t, copied)
	if jobs, err := old.Jobs(t.Context(), JobFilter{}); err != nil || len(jobs) != 1 {
		t.Errorf("the copy has %d jobs, %v, want 1", len(jobs), err)
	}
	if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "newer mediadesk") {
		t.Errorf("opening a newer journal: %v", err)
	}
}

// TestHashesOfOlderPrograms: older hashes had no kind. They have one now and still find stored files.
func TestHashesOfOlderPrograms(t *testing.T) {
	path := newPath(t)
	j, err := open(t.Context(), path, migrations[:6])
	if err != nil {
		t.Fatal(err)
	}
	one := newJob("a & <b>.jpg")
	one.Identity = api.Identity{Size: 100, Inode: 1<<64 - 1, Device: 1 << 63}
	added := add(t, j, one, one, one)
	added[0].State, added[0].Hash, added[0].File = api.Stored, "abc", record(t, `{"fileId":"f1","filePath":"/a.jpg"}`)
	added[1].State, added[1].Hash = api.Unknown, "def"
	for _, job := range added[:2] {
		if err := j.UpdateJob(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}

	j = openTest(t, path)
	jobs, err := j.Jobs(t.Context(), JobFilter{})
	if err != nil || len(jobs) != 3 {
		t.Fatal(jobs, err)
	}
	for i, want := range []string{"sha256:abc", "sha256:def", ""} {
		if jobs[i].Hash != want || jobs[i].Identity != one.Identity || jobs[i].Upload.FileName != one.Upload.FileName {
			t.Errorf("%+v, want the hash %q", jobs[i], want)
		}
	}
	known, err := j.StoredKinds(t.Context(), one.Profile, []int64{100})
	if err != nil || !slices.Equal(known[100], []api.HashKind{api.SHA256}) {
		t.Errorf("known are %v %v", known, err)
	}
	if job, ok, err := j.StoredAs(t.Context(), one.Profile, "/", 100, "sha256:abc"); err != nil || !ok || job.File.FileID != "f1" {
		t.Errorf("%+v %v %v", job, ok, err)
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database ", 200)), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, filepath.Join(file, "journal.db"), dir} {
		if j, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("Open(%q) = %v, %v", path, j, err)
		}
	}
	odd := filepath.Join(dir, "a %20?#&=день", "j?o%u#r.db")
	add(t, openTest(t, odd), newJob("a"))
	if _, err := os.Stat(odd); err != nil {
		t.Error(err)
	}
}

// BenchmarkOpen: only open jobs are read at the start.
func BenchmarkOpen(b *testing.B) {
	path := newPath(b)
	j := openTest(b, path)
	if err := j.change(b.Context(), func(t tx) error {
		_, err := t.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
			INSERT INTO jobs (profile, state, open, owner, body, updated)
			SELECT 'home', 'stored', i % 10000 = 0, '', '{"profile":"home","upload":{"source":{"path":"/a/b/c.jpg"},"fileName":"c.jpg"},"state":"waiting"}', i FROM n`)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		j, err := Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		jobs, err := j.Claim(b.Context(), "home", nil)
		if err != nil || len(jobs) != 10 {
			b.Fatal(len(jobs), err)
		}
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestEvidenceOfVersion01: jobs of version 0.1 had two flags for their evidence.
func TestEvidenceOfVersion01(t *testing.T) {
	j, err := Open(t.Context(), newPath(t))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	want := []api.Evidence{api.NotSent, api.MaybeStored, api.Orphaned, api.MaybeStored}
	jobs := add(t, j, newJob(`"unclear":true`), newJob("b"), newJob("c"), newJob("d"))
	for i, flags := range []string{`"unclear":false`, `"unclear":true`, `"unclear":false,"left":true`, `"unclear":true,"left":true`} {
		err := j.change(t.Context(), func(tx tx) error {
			_, err := tx.exec("UPDATE jobs SET body = replace(body, '\"attempts\":', ? || ',\"attempts\":') WHERE id = ?", flags, jobs[i].ID)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	kept, err := j.Jobs(t.Context(), JobFilter{})
	if err != nil || len(kept) != len(want) {
		t.Fatal(len(kept), err)
	}
	for i, job := range kept {
		if job.Evidence != want[i] {
			t.Errorf("job %d: %q, want %q", i, job.Evidence, want[i])
		}
	}
}
