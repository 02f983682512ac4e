package terminal

import (
	"image"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// TestTmuxPane: tmux reports where its pane is, which may have lines of tmux above it.
func TestTmuxPane(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	getenv := func(name string) string { return map[string]string{"TMUX": "x", "TMUX_PANE": "%3"}[name] }
	for answer, want := range map[string]image.Point{
		"40 0 on bottom": {X: 40}, "0 12 on top": {Y: 13}, "1 2 3 top": {X: 1, Y: 5}, "0 0 off top": {}, "": {},
	} {
		script := "#!/bin/sh\n[ \"$*\" = 'display-message -p -t %3 #{pane_left} #{pane_top} #{status} #{status-position}' ] && echo '" + answer + "'\n"
		if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := TmuxPane(t.Context(), getenv); got != want && runtime.GOOS != "windows" {
			t.Errorf("%q: %v, not %v", answer, got, want)
		}
	}
	if got := TmuxPane(t.Context(), func(string) string { return "" }); got != (image.Point{}) {
		t.Errorf("without tmux: %v", got)
	}
}

func TestColors(t *testing.T) {
	tmuxEnv := []string{"TERM=tmux-256color", "TMUX=/tmp/none,1,0", "TTY_FORCE=1"}
	for name, c := range map[string]struct {
		setting   string
		env, tmux []string
		want      colorprofile.Profile
		reason    string
	}{
		"setting 16":           {setting: "16", env: []string{"COLORTERM=truecolor", "TERM=xterm", "TTY_FORCE=1"}, want: colorprofile.ANSI, reason: "16: the settings"},
		"setting 256":          {setting: "256", want: colorprofile.ANSI256, reason: "256: the settings"},
		"setting truecolor":    {setting: "truecolor", env: []string{"NO_COLOR=1"}, want: colorprofile.TrueColor, reason: "16 million: the settings"},
		"setting none":         {setting: "none", want: colorprofile.ASCII, reason: "none: the settings"},
		"NO_COLOR":             {setting: "auto", env: []string{"NO_COLOR=1", "TERM=xterm-256color", "TTY_FORCE=1"}, want: colorprofile.ASCII, reason: "NO_COLOR"},
		"an empty NO_COLOR":    {env: []string{"NO_COLOR=", "TERM=xterm-256color", "TTY_FORCE=1"}, want: colorprofile.ANSI256, reason: "by TERM"},
		"COLORTERM":            {env: []string{"TERM=xterm-256color", "COLORTERM=truecolor", "TTY_FORCE=1"}, want: colorprofile.TrueColor, reason: "COLORTERM is truecolor"},
		"tmux that passes RGB": {env: tmuxEnv, tmux: []string{"256", "RGB", "title"}, want: colorprofile.TrueColor, reason: "tmux says"},
		"tmux that does not":   {env: tmuxEnv, tmux: []string{"256", "title"}, want: colorprofile.ANSI256, reason: "terminal-features"},
	} {
		t.Run(name, func(t *testing.T) {
			got, reason := Colors(c.setting, os.Stdout, c.env, c.tmux)
			if got != c.want || !strings.Contains(reason, c.reason) {
				t.Errorf("%v (%s), not %v (%s)", got, reason, c.want, c.reason)
			}
		})
	}
}
