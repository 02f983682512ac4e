package cli

import "testing"

// TestProgressIsDrawnOnTerminalsOnly: redrawn progress lines are only for people at a terminal, not
// for programs, files or screen readers.
func TestProgressIsDrawnOnTerminalsOnly(t *testing.T) {
	for _, c := range []struct {
		terminal, json, quiet, accessible bool
		variable                          string
		want                              bool
	}{
		{terminal: true, want: true},
		{terminal: true, variable: "0", want: true},
		{terminal: true, variable: "1"},
		{terminal: true, accessible: true},
		{terminal: true, json: true},
		{terminal: true, quiet: true},
		{},
	} {
		p := &Program{TerminalErr: c.terminal, Getenv: func(string) string { return c.variable }, json: c.json, quiet: c.quiet, accessible: c.accessible}
		if got := newUploadOutput(p).live; got != c.want {
			t.Errorf("%+v: %t, want %v", c, got, c.want)
		}
	}
}
