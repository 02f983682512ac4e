package terminal

import (
	"context"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
)

// TmuxFeatures returns what tmux knows about the outer terminal (its format
// client_termfeatures), such as "RGB" and "sixel"; nil outside tmux or without an answer
// within two seconds.
func TmuxFeatures(ctx context.Context, getenv func(string) string) []string {
	if features := tmux(ctx, getenv, "#{client_termfeatures}"); features != "" {
		return strings.Split(features, ",")
	}
	return nil
}

func tmux(ctx context.Context, getenv func(string) string, format string) string {
	if getenv("TMUX") == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, "tmux", "display-message", "-p", "-t", getenv("TMUX_PANE"), format).Output() // empty without an answer
	return strings.TrimSpace(string(out))
}

// Colors returns the color profile for the terminal out, and the reason. The settings
// "16", "256", "truecolor" and "none" decide; any other value means "auto", which uses
// NO_COLOR, the environment env and the features of tmux.
func Colors(setting string, out io.Writer, env, tmux []string) (colorprofile.Profile, string) {
	const chosen = "the settings say so"
	switch setting {
	case "none":
		return colorprofile.ASCII, "none: " + chosen
	case "16":
		return colorprofile.ANSI, "16: " + chosen
	case "256":
		return colorprofile.ANSI256, "256: " + chosen
	case "truecolor":
		return colorprofile.TrueColor, "16 million: " + chosen
	}
	if value, ok := variable(env, "NO_COLOR"); ok && value != "" {
		return colorprofile.ASCII, "none: NO_COLOR is set"
	}
	if slices.Contains(tmux, "RGB") {
		return colorprofile.TrueColor, "16 million: tmux says that the terminal around it has them"
	}
	profile := colorprofile.Detect(out, env)
	reason := "by TERM"
	if value, ok := variable(env, "COLORTERM"); ok && profile == colorprofile.TrueColor {
		reason = "COLORTERM is " + value
	}
	switch profile {
	case colorprofile.TrueColor:
		return profile, "16 million: " + reason
	case colorprofile.ANSI256:
		if tmux != nil {
			reason = "tmux does not say that the terminal around it has more (terminal-features)"
		}
		return profile, "256: " + reason
	case colorprofile.ANSI:
		return profile, "16: " + reason
	}
	return profile, "none: " + reason
}

func variable(env []string, name string) (value string, ok bool) {
	for _, e := range env {
		if v, is := strings.CutPrefix(e, name+"="); is {
			value, ok = v, true
		}
	}
	return value, ok
}
