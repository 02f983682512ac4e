package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestNoticeIsSeen: the top line shows the service's permanent notice at every width.
func TestNoticeIsSeen(t *testing.T) {
	d := openSession(t)
	d.Profile.Notice = "faults on: delay=2s webhooks=repeated"
	m := newModel(t, d)
	for width := 40; width <= 200; width++ {
		line := ansi.Strip(m.topLine(width))
		if !strings.Contains(line, "faults on") || ansi.StringWidth(line) != width {
			t.Errorf("at %d columns the line is %q", width, line)
		}
	}
	if line := ansi.Strip(m.topLine(140)); !strings.Contains(line, "webhooks=repeated") {
		t.Errorf("with room for it the line is %q", line)
	}
}
