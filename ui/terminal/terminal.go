// Package terminal knows what the terminal around the screens supports, and handles the
// signals that end the program.
package terminal

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
)

// SignalError reports that a signal ended the program or a prompt. It needs no message.
type SignalError struct {
	// Code is the shell's exit code for the signal, such as 130.
	Code int
}

func (e *SignalError) Error() string { return "ended by a signal" }

// OpenAddress opens an address in the browser of this computer. It returns the error of
// the system's tool.
func OpenAddress(address string) error {
	args := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	cmd := exec.Command(args[0], args[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(2 * time.Second):
		return nil // some tools run as long as the browser does
	}
}

// TmuxFeatures returns what tmux knows about the outer terminal (its format
// client_termfeatures), such as "RGB" and "sixel"; nil outside tmux or without an answer
// within two seconds.
func TmuxFeatures(ctx context.Context, getenv func(string) string) []string {
	if getenv("TMUX") == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	const format = "#{client_termfeatures}"
	cmd := exec.CommandContext(ctx, "tmux", "display-message", "-p", "-t", getenv("TMUX_PANE"), format)
	out, _ := cmd.Output() // empty without an answer
	if features := strings.TrimSpace(string(out)); features != "" {
		return strings.Split(features, ",")
	}
	return nil
}

// profiles are the color profiles by their setting, and amounts their numbers of colors.
var (
	profiles = map[string]colorprofile.Profile{
		"none": colorprofile.ASCII, "16": colorprofile.ANSI,
		"256": colorprofile.ANSI256, "truecolor": colorprofile.TrueColor,
	}
	amounts = map[colorprofile.Profile]string{
		colorprofile.ANSI: "16", colorprofile.ANSI256: "256", colorprofile.TrueColor: "16 million",
	}
)

// Colors returns the color profile for the terminal out, and the reason. The settings
// "16", "256", "truecolor" and "none" decide; any other value means "auto", which uses
// NO_COLOR, the environment env and the features of tmux.
func Colors(setting string, out io.Writer, env, tmux []string) (colorprofile.Profile, string) {
	profile, set := profiles[setting]
	reason := "by TERM"
	switch {
	case set:
		reason = "the settings say so"
	case uv.Environ(env).Getenv("NO_COLOR") != "":
		profile, reason = colorprofile.ASCII, "NO_COLOR is set"
	case slices.Contains(tmux, "RGB"):
		profile, reason = colorprofile.TrueColor, "tmux says that the terminal around it has them"
	default:
		profile = colorprofile.Detect(out, env)
		if value, ok := uv.Environ(env).LookupEnv("COLORTERM"); ok && profile == colorprofile.TrueColor {
			reason = "COLORTERM is " + value
		} else if tmux != nil && profile == colorprofile.ANSI256 {
			reason = "tmux does not say that the terminal around it has more (terminal-features)"
		}
	}
	return profile, cmp.Or(amounts[profile], "none") + ": " + reason
}

// NotifyContext returns a context that the first interrupt or SIGTERM cancels, with a
// *SignalError as its cause. A second signal ends the program at once.
func NotifyContext(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := notify(parent, os.Interrupt, syscall.SIGTERM)
	return ctx, func() { cancel(nil) }
}

// ScreensContext returns a context that SIGHUP, SIGQUIT and SIGABRT cancel, too. hangUp acts
// like a SIGHUP. Use it for Bubble Tea programs with tea.WithoutSignalHandler: Bubble Tea's
// own handler blocks forever if the program ends while it delivers a signal.
func ScreensContext(parent context.Context) (ctx context.Context, hangUp func()) {
	ctx, cancel := notify(parent, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	// A shell and the system may both report that the terminal is gone.
	context.AfterFunc(ctx, func() { signal.Ignore(syscall.SIGHUP) })
	return ctx, func() { cancel(signaled(syscall.SIGHUP)) }
}

// notify returns a context that the first of the signals cancels.
func notify(parent context.Context, signals ...os.Signal) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	came := make(chan os.Signal, 1)
	signal.Notify(came, signals...)
	go func() {
		defer signal.Stop(came)
		select {
		case s := <-came:
			cancel(signaled(s.(syscall.Signal))) // there is no other kind
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// signaled returns the error with a shell's exit code for a program that a signal ended.
func signaled(s syscall.Signal) error { return &SignalError{128 + int(s)} }

// Input is the terminal as a program's input. It calls Ended at the end of input, when
// the terminal is gone: without a controlling terminal, no SIGHUP arrives.
type Input struct {
	*os.File
	Ended func()
}

func (i Input) Read(b []byte) (int, error) {
	n, err := i.File.Read(b)
	if n == 0 && err != nil {
		i.Ended()
		err = io.EOF
	}
	return n, err
}

// Ask returns the result of ask, or a *SignalError as soon as ctx ends, so that the user
// need not press enter after ctrl+c. It restores the terminal modes that ask changed, such
// as echo; the goroutine of ask keeps running.
func Ask(ctx context.Context, in io.Reader, ask func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	restore := func() {}
	if tty, ok := in.(*os.File); ok {
		if before, err := term.GetState(tty.Fd()); err == nil {
			restore = func() { _ = term.Restore(tty.Fd(), before) }
		}
	}
	given := make(chan answer, 1)
	go func() {
		text, err := ask()
		given <- answer{text, err}
	}()
	select {
	case a := <-given:
		return a.text, a.err
	case <-ctx.Done():
		restore()
		return "", signaled(syscall.SIGINT)
	}
}
