package cli

import "testing"

// A line that is drawn over and over is for people who look at a terminal: not
// for programs, files, or a screen reader.
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
		p := &Program{TerminalErr: c.terminal, Getenv: func(string) string { return c.variable }}
		if got := newUploadOutput(p, &flags{json: c.json, quiet: c.quiet, accessible: c.accessible}).live; got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}
