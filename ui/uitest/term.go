// Package uitest provides a virtual terminal that drives the program in tests.
//
// Start runs a model with a terminal emulator; StartBinary runs a built binary on a
// pseudo-terminal. A test presses keys and waits for changes of the screen. Nothing sleeps: every
// wait ends with the expected change, or fails after Deadline and prints the screen.
package uitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"mediadesk/api/media/mediatest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Deadline is the time limit of a wait.
const Deadline = time.Minute

// Term is a running program with its terminal. Only the test's own goroutine may call its methods.
type Term struct {
	t testing.TB

	mu        sync.Mutex // guards everything up to the blank line
	em        *vt.Emulator
	raw       bytes.Buffer
	changed   chan struct{}
	altScreen bool
	hidden    bool
	title     string

	wire    wire
	program *tea.Program // nil for a binary
	command *exec.Cmd    // nil for a model
	stop    context.CancelFunc

	done  chan struct{} // closed when the program has ended and all is drawn
	model tea.Model
	err   error
}

var environment = []string{"TERM=xterm-256color", "COLORTERM=truecolor"}

// Start runs the model on a terminal of w columns by h rows and returns when the program has drawn
// something. The end of the test stops the program. opts come after our own options and override
// them. An option that sets another context has to cancel it.
//
// The program runs in this process and talks to the emulator over pipes. Use StartBinary for tests
// that need a terminal of the operating system, such as suspending or an editor in the foreground.
func Start(t testing.TB, model tea.Model, w, h int, opts ...tea.ProgramOption) *Term {
	t.Helper()
	line := newPipes()
	ctx, cancel := context.WithCancel(context.Background())
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(line.in), tea.WithOutput(line.out),
		tea.WithEnvironment(environment), tea.WithColorProfile(colorprofile.TrueColor),
		tea.WithWindowSize(w, h), tea.WithoutSignalHandler(),
	}
	term := newTerm(t, line, w, h)
	term.stop = cancel
	term.program = tea.NewProgram(model, append(options, opts...)...)
	drawn := term.connect()
	go func() {
		term.model, term.err = term.program.Run()
		term.finish(drawn)
	}()
	term.begin()
	return term
}

// StartBinary runs a built binary with args on a terminal of w columns by h rows, as the leader of
// its own session. It returns when the program has drawn something or ended. The environment is
// TERM, COLORTERM and env, and nothing is inherited. The end of the test kills the process.
// Without pseudo-terminals the test is skipped.
func StartBinary(t testing.TB, path string, args, env []string, w, h int) *Term {
	t.Helper()
	line, slave, err := openPty(w, h)
	if err != nil {
		mediatest.Missing(t, "this machine has no pseudo-terminals: %v", err)
		return nil
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(append([]string{}, environment...), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	newSession(cmd)
	term := newTerm(t, line, w, h)
	term.command = cmd
	term.stop = func() { _ = cmd.Process.Kill() } // it may have ended already
	if err := cmd.Start(); err != nil {
		line.Hangup()
		_ = line.Close()
		t.Fatalf("starting %s: %v", path, err)
	}
	line.Hangup()
	drawn := term.connect()
	go func() {
		term.err = cmd.Wait()
		term.finish(drawn)
	}()
	term.begin()
	return term
}

func newTerm(t testing.TB, line wire, w, h int) *Term {
	term := &Term{
		t: t, wire: line, em: vt.NewEmulator(w, h),
		changed: make(chan struct{}), done: make(chan struct{}),
	}
	// The callbacks run inside Write, under the lock.
	term.em.SetCallbacks(vt.Callbacks{
		AltScreen:        func(on bool) { term.altScreen = on },
		CursorVisibility: func(visible bool) { term.hidden = !visible },
		Title:            func(s string) { term.title = s },
	})
	// A program that has not seen a new size may set margins below the screen. Terminals
	// clamp them; the emulator would panic later.
	term.em.RegisterCsiHandler('r', func(params ansi.Params) bool {
		bottom, _, _ := params.Param(1, 0)
		return bottom > term.em.Height()
	})
	if _, ok := line.(*pipes); ok {
		// Without a pty the terminal itself must convert \n to a line end.
		_, _ = term.em.WriteString("\x1b[20h")
	}
	return term
}

// connect copies bytes in both directions. It returns a channel that is closed when all
// output of the program is drawn.
func (term *Term) connect() (drawn chan struct{}) {
	drawn = make(chan struct{})
	go func() {
		defer close(drawn)
		buf := make([]byte, 32*1024)
		for {
			n, err := term.wire.Read(buf)
			if n > 0 {
				term.draw(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	// Copy the terminal's replies to the program.
	go func() {
		buf := make([]byte, 4*1024)
		for {
			n, err := term.em.Read(buf)
			if err != nil {
				return
			}
			_, _ = term.wire.Write(buf[:n])
		}
	}()
	term.t.Cleanup(term.close)
	return drawn
}

// draw writes output to the emulator and wakes waiting tests.
func (term *Term) draw(b []byte) {
	term.mu.Lock()
	defer term.mu.Unlock()
	_, _ = term.em.Write(b)
	term.raw.Write(b)
	close(term.changed)
	term.changed = make(chan struct{})
}

// Draw writes output to the terminal as if the program had just written it.
func (term *Term) Draw(output string) { term.draw([]byte(output)) }

// finish waits, after the program has ended, until its last output is drawn.
func (term *Term) finish(drawn chan struct{}) {
	term.wire.Hangup()
	select {
	case <-drawn:
	case <-time.After(Deadline / 5):
		// A child process may keep the terminal open.
	}
	close(term.done)
}

// begin waits until the program has drawn something: from then on the terminal is in raw mode.
func (term *Term) begin() {
	term.t.Helper()
	term.wait("the program's first output", func() bool { return term.raw.Len() > 0 }, true)
}

func (term *Term) close() {
	term.stop()
	select {
	case <-term.done:
	case <-time.After(Deadline):
		term.t.Errorf("the program did not stop; screen:\n%s", term.Screen())
	}
	_ = term.wire.Close()
	// Closing the emulator would race with its reader; closing its pipe does not.
	if c, ok := term.em.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
}

// Screen returns the text of the screen: rows without trailing blanks, separated by \n. The
// emulator loses combining marks after ASCII letters: look for those in Raw.
func (term *Term) Screen() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.screen()
}

func (term *Term) screen() string {
	lines := strings.Split(term.em.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \r")
	}
	return strings.Join(lines, "\n")
}

// Raw returns everything that the program wrote, to check for forbidden output. It does not show
// the content of the screen, because the program writes differences. An incomplete character at
// its end is left out.
func (term *Term) Raw() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return wholeRunes(term.raw.String())
}

// wholeRunes returns text without an incomplete character at its end.
func wholeRunes(text string) string {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if at := len(text) - n; utf8.RuneStart(text[at]) {
			if !utf8.FullRuneInString(text[at:]) {
				return text[:at]
			}
			break
		}
	}
	return text
}

// Cursor returns the column and row of the cursor, and whether it is visible.
func (term *Term) Cursor() (x, y int, visible bool) {
	term.mu.Lock()
	defer term.mu.Unlock()
	at := term.em.CursorPosition()
	return at.X, at.Y, !term.hidden
}

// AltScreen reports whether the alternate screen is active.
func (term *Term) AltScreen() bool {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.altScreen
}

// Title returns the title of the terminal's window.
func (term *Term) Title() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.title
}

// Find returns the column and row of the first occurrence of text on the screen, for clicks.
func (term *Term) Find(text string) (x, y int, ok bool) {
	for y, line := range strings.Split(term.Screen(), "\n") {
		if before, _, found := strings.Cut(line, text); found {
			return ansi.StringWidth(before), y, true
		}
	}
	return 0, 0, false
}

// WaitFor waits until text is on the screen.
func (term *Term) WaitFor(text string) {
	term.t.Helper()
	term.wait(fmt.Sprintf("%q on the screen", text),
		func() bool { return strings.Contains(term.screen(), text) }, false)
}

// WaitGone waits until text is not on the screen.
func (term *Term) WaitGone(text string) {
	term.t.Helper()
	term.wait(fmt.Sprintf("%q to go from the screen", text),
		func() bool { return !strings.Contains(term.screen(), text) }, false)
}

// WaitUntil waits until ok returns true for the text on the screen.
func (term *Term) WaitUntil(ok func(screen string) bool) {
	term.t.Helper()
	term.wait("the screen to be as wanted", func() bool { return ok(term.screen()) }, false)
}

// WaitRaw waits until ok returns true for the raw output: for output that is not drawn, such as the
// clipboard.
func (term *Term) WaitRaw(ok func(raw string) bool) {
	term.t.Helper()
	term.wait("the output to be as wanted", func() bool { return ok(term.raw.String()) }, false)
}

// wait checks ok after every change of the screen, under the lock, until the program ends.
func (term *Term) wait(what string, ok func() bool, endIsFine bool) {
	term.t.Helper()
	limit := time.NewTimer(Deadline)
	defer limit.Stop()
	for {
		term.mu.Lock()
		good, changed := ok(), term.changed
		term.mu.Unlock()
		if good {
			return
		}
		select {
		case <-changed:
		case <-term.done:
			term.mu.Lock()
			good = ok()
			term.mu.Unlock()
			if !good && !endIsFine {
				_, panicked, _ := strings.Cut(term.Raw(), "Caught panic")
				term.t.Fatalf("waiting for %s, but the program ended (%v); screen:\n%s\n%s", what, term.err, term.Screen(), panicked)
			}
			return
		case <-limit.C:
			term.t.Fatalf("waited %v for %s; screen:\n%s", Deadline, what, term.Screen())
		}
	}
}

// Quit ends the program, a binary with a termination signal, and waits for its end.
func (term *Term) Quit() {
	term.t.Helper()
	if term.program != nil {
		term.program.Quit()
	} else {
		term.Signal(terminate)
	}
	term.Wait()
}

// Wait waits until the program has ended by itself and its output is drawn. It returns the last
// model, or nil for a binary.
func (term *Term) Wait() tea.Model {
	term.t.Helper()
	select {
	case <-term.done:
		return term.model
	case <-time.After(Deadline):
		term.t.Fatalf("the program did not end within %v; screen:\n%s", Deadline, term.Screen())
		return nil
	}
}

// Done returns a channel that is closed when the program has ended.
func (term *Term) Done() <-chan struct{} { return term.done }

// ExitCode returns the exit code of a binary, -1 if a signal ended it. Call it after Wait.
func (term *Term) ExitCode() int { return term.command.ProcessState.ExitCode() }

// Pid returns the process ID of a binary, 0 for a model.
func (term *Term) Pid() int {
	if term.command == nil {
		return 0
	}
	return term.command.Process.Pid
}

// Signal sends a signal to a binary.
func (term *Term) Signal(sig os.Signal) {
	term.t.Helper()
	if term.command == nil {
		term.t.Fatal("a model has no process to send a signal to")
	}
	if err := term.command.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		term.t.Fatalf("sending %v: %v", sig, err)
	}
}

// Send sends a message to a model's program.
func (term *Term) Send(msg tea.Msg) {
	term.t.Helper()
	if term.program == nil {
		term.t.Fatal("a binary takes no messages")
	}
	term.program.Send(msg)
}
