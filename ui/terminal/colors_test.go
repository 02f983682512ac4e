package terminal

import (
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

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
