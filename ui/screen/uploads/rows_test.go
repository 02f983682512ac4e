package uploads

import (
	"testing"

	"mediadesk/api/job"
	"mediadesk/api/queue"
)

func TestOrder(t *testing.T) {
	old := *plain(100, job.Refused, "old.jpg")
	older := *plain(99, job.Stored, "older.jpg")
	again := *plain(5, job.Stored, "five.jpg") // the journal also has the jobs of the queue
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
	s.Rows[1].Job = plain(2, job.Stored, "two.jpg")
	swap := func(to queue.Snapshot) {
		d.m.rows.Snapshot = to
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
	s.Rows[3].Job = plain(4, job.Stored, "four.jpg")
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
	d := still(t, busy(), *plain(100, job.Refused, "Grüße.jpg"))
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
