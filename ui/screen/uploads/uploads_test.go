package uploads

import (
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/media/mediatest"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

func TestStoredFiles(t *testing.T) {
	d := start(t, nil)
	d.Sees("No uploads yet. Press 1 to pick files.")
	d.add(d.job("a.txt", 10, job.NameExact), d.job("b.txt", 20, job.NameExact),
		d.job("c.txt", 30, job.NameExact))
	d.until("3 of 3 stored")
	d.Sees("3 of 3 stored", "✓ stored", "a.txt", "Folder       /")

	d.Press("/", "b", ".", "t", "enter")
	if d.names() != "b.txt" || d.m.Capturing() {
		t.Fatalf("filtered: %s", d.names())
	}
	d.Press("enter")
	seen := one[page.Inspect](d)
	if len(seen.Files) != 1 || seen.Files[0].Name != "b.txt" || seen.Files[0].FileID == "" {
		t.Errorf("details of %+v", seen.Files)
	}
	d.Press("y")
	if d.m.Overlays().Top() == nil {
		t.Error("the menu does not have the focus")
	}
	d.Sees("URL", "file id", "Markdown", "curl command")
	d.Press("u")
	if got := one[page.Copy](d); got.Text != seen.Files[0].URL || got.What != "URL" {
		t.Errorf("copied %+v", got)
	}
	for key, want := range map[string]string{
		"i": seen.Files[0].FileID, "p": "/b.txt", "m": "[b.txt](" + seen.Files[0].URL + ")",
		"s": seen.Files[0].Name, "c": "/api/v1/files/upload'",
	} {
		d.Press("y", key)
		if got := one[page.Copy](d); !strings.HasSuffix(got.Text, want) {
			t.Errorf("%s copied %q, want %q", key, got.Text, want)
		}
	}
	d.Press("y", "esc")
	if d.m.Capturing() || len(d.Out) > 0 {
		t.Errorf("esc does not close the menu: %+v", d.Out)
	}
	d.Press("o")
	if got := one[page.Open](d); got.Address != seen.Files[0].URL {
		t.Errorf("opened %+v", got)
	}
	d.Press("r")
	if got := one[page.Toast](d); got.Text != "It is stored." {
		t.Errorf("why not again: %+v", got)
	}
	d.Press("4")
	if got := one[page.Reveal](d); got != (page.Reveal{Folder: "/", FileID: seen.Files[0].FileID}) {
		t.Errorf("the library shows %+v", got)
	}
}

func TestRefusedAndUnsent(t *testing.T) {
	d := start(t, nil)
	gone := d.job("gone.txt", 10, job.NameHere)
	must(t, os.Remove(gone.Upload.Source.Path))
	d.add(d.job("large.bin", 5000, job.NameExact), gone, d.job("good.txt", 10, job.NameExact))
	d.until("1 of 3 stored", "1 refused · 1 unsent")
	d.Sees("1 of 3 stored", "1 refused", "1 unsent", "does not exist")
	d.SeesNot("of 10 B")
	if !strings.HasPrefix(d.names(), "large.bin gone") {
		t.Errorf("order: %s", d.names())
	}
	d.Sees("refused", "Nothing was stored", "Status")
	d.Press("enter")
	if !d.Focused("large.bin") {
		t.Error("enter does not open the error")
	}
	d.Press("esc", "y", "e")
	uitest.Shows(t, one[page.Copy](d).Text, "The file size exceeds limits.")
	d.Press("R")
	mediatest.Equal(t, one[page.Toast](d).Text, "Sending 2 uploads again.", "the messages")
	d.wait("both were tried again", func() bool {
		d.To("large.bin")
		return strings.Contains(d.Flat(), "Attempts 2") && strings.Contains(d.Text(), "1 refused · 1 unsent")
	})
	// Remove a job from the list and restore it.
	d.Press("G", "d")
	uitest.Lacks(t, d.names(), "good.txt")
	d.Press("z")
	d.On("good.txt")
}

func TestCancel(t *testing.T) {
	release := make(chan struct{})
	d := start(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		return true
	})
	defer close(release)
	d.add(d.job("large.bin", 60_000_000, job.NameHere))
	d.wait("it is under way", func() bool {
		return strings.Contains(d.Text(), "» sending") && strings.Contains(d.Text(), "B of 60.0 MB") &&
			!strings.Contains(d.Text(), " 0 B of")
	})
	d.Press("d")
	ask := one[page.Ask](d)
	if ask.Choices[0].Do != nil || !strings.Contains(ask.Text, "may be stored") {
		t.Errorf("got the question %+v", ask)
	}
	d.Pick(ask.Choices[1])
	d.until("1 canceled")
	d.Sees("canceled", "You canceled it")
	// A waiting job is canceled without a question.
	d.queue.SetConcurrency(1)
	added := d.add(d.job("first.bin", 60_000_000, job.NameHere), d.job("second.bin", 10, job.NameHere))
	d.until("» sen")
	d.To(added[1].Upload.FileName)
	d.Press("d")
	d.until("2 canceled")
	if len(d.Out) > 0 {
		t.Errorf("got the messages %+v, want none", d.Out)
	}
}

// TestUnknownAsks: the user decides about an unknown job that could be stored twice.
// TestSentAgainReplacesTheFailure: what was refused and is sent with other options has one row.
func TestSentAgainReplacesTheFailure(t *testing.T) {
	d := start(t, nil)
	d.add(d.job("large.bin", 5000, job.NameExact))
	d.until("1 refused")
	again := *d.queue.Snapshot().Rows[0].Job
	again.ID++
	d.Send(page.Sent{Jobs: []job.Job{again}})
	d.SeesNot("refused")
	d.Press("z")
	d.Sees("refused")
}

func TestUnknownAsks(t *testing.T) {
	broken := true
	d := start(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || !broken {
			return true
		}
		broken = false
		io.Copy(io.Discard, r.Body)
		conn, _, err := w.(http.Hijacker).Hijack()
		must(t, err)
		conn.Close()
		return false
	})
	d.add(d.job("a.txt", 10, job.NameService))
	d.until("1 unknown")
	d.Sees("? unknown", "It may have arrived.", "may be stored twice")
	d.Press("R")
	uitest.Shows(t, one[page.Toast](d).Text, "decide about each")
	d.Press("r")
	ask := one[page.Ask](d)
	if ask.Choices[0].Do != nil || !ask.Choices[1].Danger {
		t.Errorf("the safe choice is first: %+v", ask)
	}
	d.Pick(ask.Choices[1])
	d.until("1 of 1 stored")
}

// TestEarlierJobs: the list shows jobs of earlier runs after the current ones, and they can be sent again.
func TestEarlierJobs(t *testing.T) {
	old := []job.Job{}
	for i := range maxEarlier + 30 {
		j := *plain(0, job.Stored, "old"+string(rune('a'+i%26))+".txt")
		j.Profile = "home"
		old = append(old, j)
	}
	other := *plain(0, job.Stored, "other.txt")
	other.Profile = "elsewhere"
	d := start(t, nil, append(old, other)...)
	d.Sees("1,000 of 1,000 stored · the last ones")
	d.SeesNot("other.txt")

	failedJob := d.job("again.txt", 10, job.NameHere)
	failedJob.State = job.Refused
	failedJob.Failure = &job.Failure{Status: 403, Message: "no"}
	added, err := d.files.AddJobs(t.Context(), []job.Job{failedJob})
	must(t, err)
	d.Send(page.Shown{})
	d.On(failedJob.Upload.FileName) // the newest is first
	d.Press("r")
	d.until("1,000 of 1,000 stored")
	jobs, err := d.queue.Wait(t.Context(), nil)
	must(t, err)
	if jobs[0].ID != added[0].ID || jobs[0].Upload.FileName != failedJob.Upload.FileName {
		t.Errorf("sent as another job or under another name: %+v", jobs[0])
	}
}

// TestRetryKeepsWhatIsKnown: only the user can resend a job of an earlier run that could be stored twice.
func TestRetryKeepsWhatIsKnown(t *testing.T) {
	for _, naming := range []job.Naming{job.NameHere, job.NameService} {
		d := start(t, nil)
		j := d.job("a.txt", 10, naming)
		j.State, j.Evidence, j.Attempts = job.Unknown, job.MaybeStored, 2
		added, err := d.files.AddJobs(t.Context(), []job.Job{j})
		must(t, err)
		d.Send(page.Shown{})
		d.Press("r")
		if naming == job.NameService {
			d.Choose(d.Question(), "Send again")
		}
		d.until("1 of 1 stored")
		jobs, err := d.queue.Wait(t.Context(), nil)
		must(t, err)
		if jobs[0].Attempts != 3 || jobs[0].ID != added[0].ID ||
			jobs[0].Upload.FileName != j.Upload.FileName {
			t.Errorf("%s: %+v", naming, jobs[0])
		}
	}
}

// TestRetryAllCoversEarlierRuns: R resends every failed upload of the profile that cannot be stored
// twice and shows the number. The jobs are in the journal by then.
func TestRetryAllCoversEarlierRuns(t *testing.T) {
	d := start(t, nil)
	var failed []job.Job
	for name, state := range map[string]job.State{
		"a.txt": job.Refused, "b.txt": job.Unknown, "c.txt": job.Unsent, "d.txt": job.Canceled,
	} {
		j := d.job(name, 10, job.NameHere)
		j.State = state
		failed = append(failed, j)
	}
	twice := d.job("e.txt", 10, job.NameService)
	twice.State, twice.Evidence = job.Unknown, job.MaybeStored
	dismissed := d.job("f.txt", 10, job.NameHere)
	dismissed.State, dismissed.Dismissed = job.Refused, true
	_, err := d.files.AddJobs(t.Context(), append(failed, twice, dismissed))
	must(t, err)
	d.Send(page.Shown{})
	d.Press("R")
	ask := d.Question()
	if ask.Title != "Send 4 failed uploads again?" || !strings.Contains(ask.Text, "4 of them are of earlier starts") {
		t.Errorf("got the question %+v", ask)
	}
	d.Choose(ask, "Send again")
	said := one[page.Toast](d)
	if want := "Sending 3 uploads again. 1 upload of unknown outcome could be stored twice: decide about each with r."; said.Text != want {
		t.Errorf("got the message %q, want %q", said.Text, want)
	}
	jobs, err := d.files.Jobs(t.Context(), journal.JobFilter{}) // read once: they are being sent
	must(t, err)
	jobs = slices.DeleteFunc(jobs, func(j job.Job) bool { return !j.State.Open() && j.State != job.Stored })
	mediatest.Equal(t, len(jobs), 3, "uploads that wait in the journal or are stored")
	d.until("3 of ")
	d.Press("R")
	d.Choose(d.Question(), "Send again")
	if said := one[page.Toast](d); !strings.Contains(said.Text, "1 upload of unknown outcome") ||
		strings.Contains(said.Text, "Sending") {
		t.Errorf("got the message %q", said.Text)
	}
}
