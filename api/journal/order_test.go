package journal

import (
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/job"
)

// TestStoredAs finds stored files by content and folder, and no others.
func TestStoredAs(t *testing.T) {
	j := openTest(t, newPath(t))
	one := newJob("a.jpg")
	one.Upload.Folder, one.Identity.Size = api.Set("/x"), 100
	other := one
	added := add(t, j, one, other)
	added[0].State, added[0].Hash, added[0].File = job.Stored, "xxh128:abc", record(t, `{"fileId":"f1","filePath":"/x/a.jpg"}`)
	added[1].State, added[1].Hash, added[1].Failure = job.Refused, "xxh128:def", &job.Failure{Message: "no"}
	for _, upload := range added {
		must(t, j.UpdateJob(t.Context(), upload))
	}
	for size, want := range map[int64]bool{100: true, 101: false} {
		if known, err := j.StoredSize(t.Context(), one.Profile, size); err != nil || known != want {
			t.Errorf("%d bytes: known %v, %v", size, known, err)
		}
	}
	for _, c := range []struct {
		folder, hash string
		size         int64
		want         bool
	}{
		{"/x/", "xxh128:abc", 100, true},
		{"x", "xxh128:abc", 100, true},
		{"/y/", "xxh128:abc", 100, false},
		{"/x/", "xxh128:abc", 101, false},
		{"/x/", "xxh128:def", 100, false},
		{"/x/", "", 100, false},
	} {
		got, ok, err := j.StoredAs(t.Context(), one.Profile, c.folder, c.size, c.hash)
		if err != nil || ok != c.want || ok && (got.File == nil || got.File.FileID != "f1") {
			t.Errorf("%+v: %v %v %+v", c, ok, err, got)
		}
	}
	if _, ok, _ := j.StoredAs(t.Context(), "somebody else", "/x/", 100, "abc"); ok {
		t.Error("another profile's file was found")
	}
}

// TestNotes: notes keep their place among the changes of a job, without making callers wait.
func TestNotes(t *testing.T) {
	path := newPath(t)
	j := openTest(t, path)
	added := add(t, j, newJob("a.jpg"), newJob("b.jpg"))
	for i := range 100 {
		note := added[0]
		note.State, note.Attempts = job.Sending, i+1
		j.NoteJob(note)
	}
	last := added[0]
	last.State, last.Attempts = job.Refused, 100
	must(t, j.UpdateJob(t.Context(), last))
	note := added[1]
	note.State, note.Attempts = job.Sending, 7
	j.NoteJob(note)
	must(t, j.Close())
	j.NoteJob(note) // a repeat has no effect
	jobs, err := openTest(t, path).Jobs(t.Context(), JobFilter{})
	if err != nil || jobs[0].State != job.Refused || jobs[0].Attempts != 100 ||
		jobs[1].State != job.Sending || jobs[1].Attempts != 7 {
		t.Errorf("%v %+v", err, jobs)
	}
}

// TestAStartReadsOnlyWhatItTakes: the queued jobs are read in order, without reading the others.
func TestAStartReadsOnlyWhatItTakes(t *testing.T) {
	j := openTest(t, newPath(t))
	plan, err := list(t.Context(), j, func(scan scan) (step string, err error) {
		var id, parent, unused int
		err = scan(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+jobColumns+openOf, "home", "somebody")
	if err != nil || len(plan) != 1 || !strings.Contains(plan[0], "jobs_open") {
		t.Errorf("%q, %v", plan, err)
	}
}
