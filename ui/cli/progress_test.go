package cli

import (
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/queue"
	"mediadesk/ui/text"
	"mediadesk/ui/uitest"
)

// TestProgressLine draws one bar for all uploads and names those in progress, within the terminal.
func TestProgressLine(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	var s queue.Snapshot
	row := func(name string, state job.State) *queue.Row {
		j := job.Job{State: state, Upload: api.Upload{Source: api.Source{Path: "/" + name}}}
		s.Rows = append(s.Rows, queue.Row{Job: &j})
		return &s.Rows[len(s.Rows)-1]
	}
	row("waits.jpg", job.Waiting)
	row("a.jpg", job.Sending)
	row("b.jpg", job.Sending).Answer = true
	row("c\x1b[2J.jpg", job.Sending).Stalled = true
	s.Totals = queue.Totals{
		Jobs: 5, Count: map[job.State]int{job.Stored: 1, job.Refused: 1}, Sent: 30, Total: 100,
		Left: 3 * time.Second,
	}
	s.Offline = queue.Offline{Host: "media.test", Since: now, Next: now.Add(time.Minute)}
	line := progressLine(s, now, 300)
	uitest.Shows(t, line,
		"1 of 5 stored  ██████░░░░░░░░░░░░░░ · 30 % · ", "3 s left · 1 failed · offline: media.test · next try",
		" · a.jpg · b.jpg: waiting for the answer · c", "stalled")
	if strings.ContainsAny(line, "\x1b\n") || strings.Contains(line, "waits") {
		t.Errorf("drawn: %q", line)
	}
	for _, w := range []int{80, 20, 1} {
		if got := text.Width(progressLine(s, now, w)); got > max(1, w-1) {
			t.Errorf("%d columns in a terminal of %d", got, w)
		}
	}
}
