package uploads

import (
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/queue"
	"mediadesk/api/session"
	"mediadesk/ui/theme"
)

func TestOrder(t *testing.T) {
	old := *plain(100, api.Refused, "old.jpg")
	older := *plain(99, api.Stored, "older.jpg")
	again := *plain(5, api.Stored, "five.jpg") // the journal also has the jobs of the queue
	d := still(t, busy(), older, again, old)
	want := "two.jpg six.jpg ten.jpg old.jpg " + // failed, in queue order
		"four.jpg seven.jpg eleven.jpg " + // sending
		"three.jpg eight.jpg " + // waiting
		"one.jpg five.jpg nine.jpg older.jpg" // done
	if got := d.names(); got != want {
		t.Errorf("order\n%s, want\n%s", got, want)
	}
}

// TestCursorStays: the cursor stays at the top until the user moves it; then it stays on its job.
func TestCursorStays(t *testing.T) {
	d := still(t, busy())
	under := func() string { r, _ := d.m.current(); return name(r.Job) }
	s := busy()
	s.Rows[1].Job = plain(2, api.Stored, "two.jpg")
	swap := func(to queue.Snapshot) {
		d.m.rows.set(to, d.m.o.Now())
		d.m.list.Arrange()
	}
	swap(s)
	if under() != "six.jpg" {
		t.Errorf("at the top: %s, want \"six.jpg\"", under())
	}
	d.Press("j", "j")
	if under() != "four.jpg" {
		t.Fatalf("moved to %s, want \"four.jpg\"", under())
	}
	s.Rows[3].Job = plain(4, api.Stored, "four.jpg")
	swap(s)
	if under() != "four.jpg" || d.m.list.Cursor() < 5 {
		t.Errorf("not on its job: %s at %d", under(), d.m.list.Cursor())
	}
	// If its job is gone, the cursor keeps its position.
	at := d.m.list.Cursor()
	s.Rows = append(s.Rows[:3:3], s.Rows[4:]...)
	swap(s)
	if d.m.list.Cursor() != at {
		t.Errorf("cursor at %d, want %d", d.m.list.Cursor(), at)
	}
	d.Press("g")
	swap(busy())
	if under() != "two.jpg" {
		t.Errorf("free at the top again: %s, want \"two.jpg\"", under())
	}
}

func TestFilter(t *testing.T) {
	d := still(t, busy(), *plain(100, api.Refused, "Grüße.jpg"))
	for _, c := range []struct{ pattern, want string }{
		{"", d.names()},
		{"refused", "two.jpg Grüße.jpg"},
		{"STALLED", "seven.jpg"},
		{"paused", "eight.jpg"},
		{"/pictures/ten", "ten.jpg"},
		{"jpg sto", "one.jpg five.jpg"},
		{"grÜSS", ""},
		{"grü", "Grüße.jpg"},
		{"nothing like it", ""},
	} {
		d.m.list.SetFilter(c.pattern)
		if got := d.names(); got != c.want {
			t.Errorf("%q finds %q, want %q", c.pattern, got, c.want)
		}
	}
	d.m.list.SetFilter("")
	d.Press("/", "z", "z", "z")
	d.Sees("No upload has this", "0 of 12")
	d.Press("esc")
	d.Sees("two.jpg")
	d.Press("/", "s", "t", "o", "enter", "n")
	if r, _ := d.m.current(); name(r.Job) != "five.jpg" {
		t.Errorf("next is %s, want \"five.jpg\"", name(r.Job))
	}
	d.Press("n")
	if r, _ := d.m.current(); name(r.Job) != "one.jpg" {
		t.Errorf("round to %s, want \"one.jpg\"", name(r.Job))
	}
	d.Press("N")
	if r, _ := d.m.current(); name(r.Job) != "five.jpg" {
		t.Errorf("previous is %s, want \"five.jpg\"", name(r.Job))
	}
}

func TestRefreshKnowsWhetherTheOrderHolds(t *testing.T) {
	var r rows
	now := time.Now()
	r.set(busy(), now)
	more := busy()
	more.Rows[3].Sent = 1_900_000
	if !r.refresh(more, now) || r.live[3].Sent != 1_900_000 {
		t.Error("only counters moved")
	}
	other := busy()
	other.Rows[3].Job = plain(4, api.Stored, "four.jpg")
	if r.refresh(other, now) {
		t.Error("a state changed")
	}
	if r.refresh(busy(), now); r.refresh(queue.Snapshot{Rows: busy().Rows[1:]}, now) {
		t.Error("a row disappeared")
	}
	r.set(busy(), now)
	r.stale = true
	if r.refresh(busy(), now) {
		t.Error("there was news")
	}
}

func TestManyJobs(t *testing.T) {
	s := queue.Snapshot{Rows: make([]queue.Row, 100_000), Totals: queue.Totals{Jobs: 100_000}}
	states := []api.State{api.Stored, api.Waiting, api.Refused}
	for i := range s.Rows {
		s.Rows[i] = queue.Row{Job: plain(int64(i+1), states[i%3], "a.jpg")}
	}
	d := still(t, s)
	if d.m.list.Len() != len(s.Rows)+1 {
		t.Errorf("%d rows", d.m.list.Len())
	}
	d.Press("G", "pgup", "k")
	if r, _ := d.m.current(); r.Job.State != api.Stored {
		t.Errorf("the last ones are %s, want %v", r.Job.State, api.Stored)
	}
}

// TestRowsProperty: each job appears once, the parts keep their order, the queue's jobs come before
// those of other programs, and a moved cursor stays on its job.
func TestRowsProperty(t *testing.T) {
	states := []api.State{api.Waiting, api.Sending, api.Stored, api.Refused, api.Unsent, api.Unknown, api.Cancelled}
	rapid.Check(t, func(rt *rapid.T) {
		d := still(t, queue.Snapshot{})
		draw := func() queue.Snapshot {
			var s queue.Snapshot
			for _, id := range rapid.SliceOfNDistinct(rapid.Int64Range(1, 12), 0, 12, rapid.ID).Draw(rt, "ids") {
				s.Rows = append(s.Rows, queue.Row{Job: plain(id, rapid.SampledFrom(states).Draw(rt, "state"), "a.jpg")})
			}
			return s
		}
		moved := false
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			s := draw()
			before := d.under()
			if rapid.Bool().Draw(rt, "journal") {
				d.m.rows.earlier = nil
				for _, r := range draw().Rows {
					d.m.rows.earlier = append(d.m.rows.earlier, *r.Job)
				}
				slices.SortFunc(d.m.rows.earlier, func(a, b api.Job) int { return int(a.ID - b.ID) })
			}
			d.m.rows.set(s, d.m.o.Now())
			d.m.list.Arrange()
			seen, part, theirs := map[int64]bool{}, 0, false
			for i, r := range d.shown() {
				at := partOf(r.Job.State)
				if seen[r.Job.ID] || at < part || at == part && theirs && !r.earlier {
					rt.Fatalf("job %d, %s, at %d of %s", r.Job.ID, r.Job.State, i, d.names())
				}
				seen[r.Job.ID], part, theirs = true, at, r.earlier
			}
			for _, r := range s.Rows {
				if !seen[r.Job.ID] {
					rt.Fatalf("job %d is not shown", r.Job.ID)
				}
			}
			if moved && seen[before] && d.under() != before {
				rt.Fatalf("the cursor went from %d to %d", before, d.under())
			}
			key := rapid.SampledFrom([]string{"j", "k", "g", "G", "d", "z"}).Draw(rt, "key")
			d.Press(key)
			moved = strings.Contains("jkgG", key) && d.m.list.Len() > 0 && d.m.list.Cursor() != 1
			for len(d.m.rows.removed) > 0 { // the checks above do not expect removed jobs
				d.m.restore()
			}
		}
	})
}

// BenchmarkManyJobs measures one state change among 100,000 jobs: read the queue, sort and count the batches,
// and draw a frame.
func BenchmarkManyJobs(b *testing.B) {
	s := queue.Snapshot{Rows: make([]queue.Row, 100_000), Totals: queue.Totals{Jobs: 100_000, Waiting: 100_000}}
	for i := range s.Rows {
		s.Rows[i] = queue.Row{Job: plain(int64(i+1), api.Waiting, "a.jpg")}
		s.Rows[i].Job.Batch = "20261122-081500-abcdefghi"
	}
	m := New(Options{Queue: queue.New(queue.Options{}), Session: curling{&session.Session{}}})
	th := theme.New(true, true)
	m.list.Resize(image.Pt(118, 32))
	for b.Loop() {
		m.rows.set(s, m.o.Now())
		m.list.Arrange()
		m.list.Changed()
		m.View(image.Pt(118, 32), th)
	}
}
