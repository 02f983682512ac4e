package uploads

import (
	"testing"

	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

func TestOrder(t *testing.T) {
	old := *plain(100, job.Refused, "old.jpg")
	older := *plain(99, job.Stored, "older.jpg")
	d := still(t, busy(), older, old)
	want := "two.jpg six.jpg ten.jpg old.jpg " + // failed
		"one.jpg three.jpg four.jpg five.jpg seven.jpg eight.jpg nine.jpg eleven.jpg older.jpg" // as they were sent
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
		d.Press("/", "ctrl+u")
		d.Type(c.pattern)
		mediatest.Equal(t, d.names(), c.want, "%q finds", c.pattern)
	}
	d.Press("ctrl+u", "z", "z", "z")
	d.Sees("No upload has this", "0 of 12")
	d.Press("esc")
	d.Sees("two.jpg")
}
