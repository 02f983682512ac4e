package uploads

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/ui/page"
)

// A person sends one before the others, or after them; what is under way stays.
func TestOrderByHand(t *testing.T) {
	gate := make(chan struct{})
	d := start(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			<-gate
		}
		return true
	})
	d.queue.SetConcurrency(1)
	added := d.add(d.job("a.txt", 10, api.NameExact), d.job("b.txt", 10, api.NameExact), d.job("c.txt", 10, api.NameExact), d.job("d.txt", 10, api.NameExact))
	d.until("the first is under way", func() bool { return d.m.rows.totals.Sending == 1 })
	to := func(i int) {
		d.m.list.Go(added[i].ID)
	}
	to(3)
	d.Press("+")
	to(1)
	d.Press("-")
	d.until("the order is as asked", func() bool { return d.names() == "a.txt d.txt c.txt b.txt" })
	to(0)
	d.Press("+")
	if got := one[page.Toast](d); !strings.Contains(got.Text, "being sent") {
		t.Errorf("said %q", got.Text)
	}
	close(gate)
	d.until("all are stored", func() bool { return d.m.rows.totals.Stored == 4 })
}

// What is unknown is looked for once more, without sending anything.
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
	d.add(d.job("a.txt", 10, api.NameService))
	d.until("the outcome is unknown", func() bool { return d.m.rows.totals.Unknown == 1 })
	d.Sees("does not list its")
	lists = true
	d.Press("L")
	d.until("it was looked for", func() bool {
		return d.m.rows.totals.Unknown == 1 && strings.Contains(d.Text(), "library shows no new file")
	})
	if posts != 1 {
		t.Errorf("it was sent %d times", posts)
	}
}

// Of many jobs of another program the ones that are being sent are seen, and how
// many there are.
func TestAnotherProgramWithMany(t *testing.T) {
	d := start(t, nil)
	other, err := journal.Open(t.Context(), d.files.Path())
	must(t, err)
	defer other.Close()
	jobs := make([]api.Job, 2*maxEarlier)
	for i := range jobs {
		jobs[i] = d.job(fmt.Sprintf("theirs%d.txt", i), 10, api.NameExact)
	}
	added, err := other.AddJobs(t.Context(), jobs)
	must(t, err)
	added[0].State = api.Sending
	must(t, other.UpdateJob(t.Context(), added[0]))
	d.Send(page.Shown{})
	d.Sees("400 uploads under way in another mediadesk", "theirs0.txt")
	if r := d.shown()[0]; r.Job.ID != added[0].ID {
		t.Errorf("the first row is %v", r.Job)
	}
	added[0].State = api.Stored
	must(t, other.UpdateJob(t.Context(), added[0]))
	d.Run(d.m.watch())
	d.Sees("399 uploads under way in another mediadesk")
}

// The jobs of another program are watched.
func TestAnotherProgram(t *testing.T) {
	d := start(t, nil)
	other, err := journal.Open(t.Context(), d.files.Path())
	must(t, err)
	defer other.Close()
	job := d.job("theirs.txt", 10, api.NameExact)
	added, err := other.AddJobs(t.Context(), []api.Job{job})
	must(t, err)
	d.Send(page.Shown{})
	d.Sees("theirs.txt", "waiting", "another mediadesk has it")
	added[0].State = api.Sending
	must(t, other.UpdateJob(t.Context(), added[0]))
	d.Run(d.m.watch())
	d.Sees("1 upload under way in another mediadesk", "in another mediadesk")
	if strings.Contains(d.Text(), "sending 0 %") {
		t.Error("it claims to know how far the other program is")
	}
	added[0].State, added[0].File = api.Stored, &api.File{FileID: "x", Name: "theirs.txt", FilePath: "/theirs.txt"}
	must(t, other.UpdateJob(t.Context(), added[0]))
	d.Run(d.m.watch())
	d.Sees("theirs.txt", "stored")
}
