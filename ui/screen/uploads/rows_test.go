package uploads

import (
	"testing"

	"mediadesk/api/job"
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

func TestFilter(t *testing.T) {
	d := still(t, busy(), *plain(100, job.Refused, "Grüße.jpg"))
	for _, c := range []struct{ pattern, want string }{
		{"", d.names()},
		{"refused", "two.jpg Grüße.jpg"},
		{"STALLED", "seven.jpg"},
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
}
