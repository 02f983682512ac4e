package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// TestProgressLines draws a bar for each upload in progress and one for all, within the terminal.
func TestProgressLines(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	var s session.Snapshot
	row := func(name string, sent, total int64, state api.State) *session.Row {
		job := api.Job{State: state, Upload: api.Upload{Source: api.Source{Path: "/" + name}}}
		s.Rows = append(s.Rows, session.Row{Job: &job, Sent: sent, Total: total})
		return &s.Rows[len(s.Rows)-1]
	}
	row("a.jpg", 50, 100, api.Sending).Rate = 2048
	row("waits.jpg", 0, 100, api.Waiting)
	row("b.jpg", 100, 100, api.Sending).Answer = true
	row("c\x1b[2J.jpg", 0, 0, api.Sending).Stalled = true
	s.Totals = session.Totals{Jobs: 5, Count: map[api.State]int{api.Stored: 1, api.Refused: 1}, Sent: 30, Total: 100, Left: 3 * time.Second}
	lines := func(w, h int) []string {
		return progressLines(s, now, func() (int, int) { return w, h })
	}
	got := strings.Join(lines(80, 24), "\n")
	for _, want := range []string{
		"a.jpg                      ██████████░░░░░░░░░░  50 % · ",
		"b.jpg                      ████████████████████  waiting for the answer",
		".jpg  ", "stalled",
		"1 of 5 stored              ██████░░░░░░░░░░░░░░  1 failed · 30 % · 3 s left",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "waits") || strings.Contains(got, "\x1b") || len(lines(80, 24)) != 4 {
		t.Errorf("drawn:\n%s", got)
	}
	s.Offline = session.Offline{Host: "media.test", Since: now, Next: now.Add(time.Minute)}
	for i := range 30 {
		row(fmt.Sprint(i), 1, 2, api.Sending)
	}
	for _, size := range [][2]int{{200, 60}, {80, 24}, {40, 12}, {20, 5}, {1, 1}} {
		drawn := lines(size[0], size[1])
		if len(drawn) > max(3, size[1]-1) {
			t.Errorf("%v: %d lines", size, len(drawn))
		}
		for _, line := range drawn {
			if text.Width(line) > max(1, size[0]-1) {
				t.Errorf("%v: %q is too wide", size, line)
			}
		}
	}
	if last := lines(120, 24); !strings.Contains(last[len(last)-1], "offline: media.test") || !strings.Contains(last[len(last)-2], "more") {
		t.Errorf("offline:\n%s", strings.Join(last, "\n"))
	}
}
