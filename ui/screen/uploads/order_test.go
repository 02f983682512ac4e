package uploads

import (
	"fmt"
	"image"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"

	"github.com/charmbracelet/x/ansi"
)

// TestLookAgain: a check looks for an unknown job again and sends nothing.
func TestLookAgain(t *testing.T) {
	lists, posts := false, 0
	d := start(t, func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Method == http.MethodPost:
			posts++
			io.Copy(io.Discard, r.Body)
			conn, _, err := w.(http.Hijacker).Hijack()
			must(t, err)
			conn.Close()
			return false
		case !lists:
			http.NotFound(w, r)
			return false
		}
		return true
	})
	d.add(d.job("a.txt", 10, job.NameService))
	d.until("1 unknown")
	d.Sees("does not list its")
	lists = true
	d.Press("L")
	d.until("1 unknown", "shows no new file of this name")
	if posts != 1 {
		t.Errorf("it was sent %d times, want 1", posts)
	}
}

// TestAnotherProgram: the screen watches the jobs of another program.
func TestAnotherProgram(t *testing.T) {
	d := start(t, nil)
	other, err := journal.Open(t.Context(), d.files.Path())
	must(t, err)
	defer other.Close()
	j := d.job("theirs.txt", 10, job.NameExact)
	added, err := other.AddJobs(t.Context(), []job.Job{j})
	must(t, err)
	d.Send(page.Shown{})
	d.Sees("theirs.txt", "waiting", "another mediadesk has it")
	added[0].State = job.Sending
	must(t, other.UpdateJob(t.Context(), added[0]))
	d.Send(watchTick{})
	d.Sees("in another mediadesk")
	d.SeesNot("sending 0 %") // another program shows its own progress
	added[0].State, added[0].File = job.Stored, &api.File{
		FileID: "x", Name: "theirs.txt", FilePath: "/theirs.txt",
	}
	must(t, other.UpdateJob(t.Context(), added[0]))
	d.Send(watchTick{})
	d.Sees("theirs.txt", "stored")
}

// TestFolders: rows are grouped by folder, those with failures first, with counts.
func TestFolders(t *testing.T) {
	d := start(t, nil)
	other, err := journal.Open(t.Context(), d.files.Path())
	must(t, err)
	var jobs []job.Job
	add := func(n int, state job.State, folder string) {
		for i := range n {
			j := *plain(0, state, fmt.Sprintf("%s-%d.jpg", state, i))
			j.Profile, j.Upload.Folder = "home", api.Set(folder)
			if j.File != nil {
				j.File.FilePath = folder + "/" + j.File.Name
			}
			jobs = append(jobs, j)
		}
	}
	add(2, job.Refused, "/2026/greece")
	add(1, job.Canceled, "/2026/greece")
	add(4, job.Stored, "/2026/greece")
	add(3, job.Stored, "/2026/italy")
	add(manyUploads, job.Stored, "/2026/spain")
	jobs, err = other.AddJobs(t.Context(), jobs)
	must(t, err)
	must(t, other.Close())
	d.Resize(image.Pt(160, 32))
	d.Send(page.Shown{})
	d.Send(page.Sent{Jobs: jobs[3:]}) // the form sent them all, and some have failed since
	d.On("refused-0.jpg")
	d.Sees("4 of 7 · 2 refused · 1 canceled", "▾ /2026/greece/", "refused-0.jpg", "▸ /2026/italy/", "6 MB  3 of 3", "▸ /2026/spain/")
	hints := ansi.Strip(kit.Hints(d.m.Actions(), 200, d.Theme))
	uitest.Shows(t, hints, "R send all failed again")

	// A folder can be folded, and an action applies to all its jobs.
	d.Press("k", "enter")
	d.Sees("▸ /2026/greece/", "▸ /2026/italy/")
	d.SeesNot("refused-0.jpg")
	d.Press("enter", "d")
	d.SeesNot("/2026/greece/")
	d.Press("z")
	d.Sees("▾ /2026/greece/", "4 of 7")
}

// TestMarks: actions apply to the marked uploads, wherever the cursor is.
func TestMarks(t *testing.T) {
	d := start(t, nil)
	gone := []job.Job{
		d.job("a.txt", 10, job.NameHere), d.job("b.txt", 10, job.NameHere), d.job("c.txt", 10, job.NameHere),
	}
	for i := range gone {
		gone[i].Batch = "one"
		must(t, os.Remove(gone[i].Upload.Source.Path))
	}
	d.add(gone...)
	d.until("3 unsent")
	d.Press("space", "space")
	d.Sees("2 marked", "✓ a_", "✗ unsent")
	for i := range gone {
		must(t, os.WriteFile(gone[i].Upload.Source.Path, []byte("x"), 0o600))
		must(t, os.Truncate(gone[i].Upload.Source.Path, 10))
	}
	d.Press("r")
	mediatest.Equal(t, one[page.Toast](d).Text, "Sending 2 uploads again.", "the messages")
	d.wait("the marked ones were sent again", func() bool {
		return strings.Contains(d.Text(), "2 of 3 stored") && strings.Contains(d.Text(), "1 unsent")
	})
	d.SeesNot("marked")
	d.Press("ctrl+a", "d")
	d.Sees("No uploads yet.")
	d.Press("z")
	mediatest.Equal(t, len(d.Column("Name")), 3, "rows")
}
