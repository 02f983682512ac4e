//go:build unix

package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/cli"
	"mediadesk/ui/terminal"
	"mediadesk/ui/uitest"
)

// dieVariable makes the test binary a small program that shows a screen, protected like the real
// one, and dies in the way that the variable names.
const dieVariable = "MEDIADESK_TEST_DIE"

// deaths are the ways in which a program dies, with the exit code that a shell gets.
var deaths = []struct {
	name string
	sent syscall.Signal // to the process of the screens; 0 if it dies by itself
	code int
}{
	{"quit", 0, 0},
	{"panic in Update", 0, 1},
	{"panic in a command", 0, 1},
	{"panic in a goroutine", 0, 2},
	{"fatal error", 0, 2},
	{"exit", 0, 7},
	{"interrupt", syscall.SIGINT, 130},
	{"terminate", syscall.SIGTERM, 143},
	{"hang up", syscall.SIGHUP, 129},
	{"quit signal", syscall.SIGQUIT, 131},
	{"abort", syscall.SIGABRT, 134},
	{"segmentation fault", syscall.SIGSEGV, 2},
	{"kill", syscall.SIGKILL, 137},
	{"kill of the guard", syscall.SIGKILL, 137},
}

// dyingScreen is a screen that changes every state of a terminal.
type dyingScreen struct{ way string }

func (m dyingScreen) Init() tea.Cmd { return nil }

func (m dyingScreen) View() tea.View {
	v := tea.NewView("alive as " + strconv.Itoa(os.Getpid()) + " guarded by " + strconv.Itoa(os.Getppid()) + " ")
	v.AltScreen, v.ReportFocus, v.MouseMode = true, true, tea.MouseModeAllMotion
	v.KeyboardEnhancements.ReportEventTypes = true
	return v
}

func (m dyingScreen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok || key.String() != "x" {
		return m, nil
	}
	switch m.way {
	case "quit":
		return m, tea.Quit
	case "panic in Update":
		panic("private_canary_0123 in Update")
	case "panic in a command":
		return m, func() tea.Msg { panic("in a command") }
	case "panic in a goroutine":
		go func() { panic("private_canary_0123 in a goroutine") }()
	case "fatal error":
		new(sync.Mutex).Unlock()
	case "exit":
		os.Exit(7)
	}
	return m, nil
}

// runDyingScreen is the program that the tests below start. It does not return.
func runDyingScreen(way string) {
	run := func(ctx context.Context, _ session.Options, _ string, _ []api.Source) error {
		guarded := terminal.JoinGuard()
		program := tea.NewProgram(dyingScreen{way}, tea.WithContext(ctx), tea.WithoutSignalHandler())
		_, ended := terminal.Endings(program.Quit)
		_, err := program.Run()
		guarded.Restored()
		if errors.Is(err, tea.ErrInterrupted) {
			err = nil
		}
		return errors.Join(err, ended())
	}
	os.Exit(cli.Main(context.Background(), cli.Program{
		Options: session.Options{Paths: config.FindPaths(os.Getenv), Version: "test"}, Screens: run, Terminal: true, TerminalOut: true, Getenv: os.Getenv, Log: config.NewLog(os.DevNull, nil),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}, nil))
}

// shellScript runs the mortal program from a shell script. The script prints the exit code and
// whether the terminal is as it was.
func shellScript(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("stty -g >%[1]s/a; '%[2]s'; code=$?; stty -g >%[1]s/b; cmp -s %[1]s/a %[1]s/b && same=same || same=changed; echo \"ended with $code, the terminal is $same.\"", dir, self)
}

// pids returns the processes of the screens and of the guard, which the screen shows.
func pids(t *testing.T, screen string) (screens, guard int) {
	t.Helper()
	_, after, _ := strings.Cut(screen, "alive as ")
	if _, err := fmt.Sscanf(after, "%d guarded by %d", &screens, &guard); err != nil || screens < 2 || guard < 2 {
		t.Fatalf("no processes on the screen: %q", screen)
	}
	return screens, guard
}

// kill makes the program die. It reports whether the test has to press a key for that.
func kill(t *testing.T, sent syscall.Signal, way, screen string) (press bool) {
	t.Helper()
	if sent == 0 {
		return true
	}
	pid, guard := pids(t, screen)
	if way == "kill of the guard" {
		pid = guard
	}
	if err := syscall.Kill(pid, sent); err != nil {
		t.Fatal(err)
	}
	return false
}

// TestDeaths: the terminal is restored, however the program ends.
func TestDeaths(t *testing.T) {
	for _, d := range deaths {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			env := []string{dieVariable + "=" + d.name, "PATH=" + os.Getenv("PATH"), "MEDIADESK_HOME=" + dir, "MEDIADESK_PRIVATE_KEY=private_canary_0123", "GOTRACEBACK=all"}
			term := uitest.StartBinary(t, "/bin/sh", []string{"-c", shellScript(t, dir) + "; read stay"}, env, 100, 30)
			term.WaitFor("guarded by")
			if kill(t, d.sent, d.name, term.Screen()) {
				term.Type("x")
			}
			if d.name != "kill of the guard" { // in that case the shell writes before the screens are gone
				term.WaitFor(fmt.Sprintf("ended with %d, the terminal is same.", d.code))
			}
			waitFor(t, "the terminal", func() bool { return !term.AltScreen() })
			if _, _, visible := term.Cursor(); !visible {
				t.Error("the cursor is hidden")
			}
			for _, mode := range []string{"1003", "1004", "2004"} {
				if raw := term.Raw(); strings.LastIndex(raw, "\x1b[?"+mode+"l") < strings.LastIndex(raw, "\x1b[?"+mode+"h") {
					t.Errorf("mode %s is still on", mode)
				}
			}
			for _, name := range []string{"crash.txt", filepath.Join("state", "crash.txt")} {
				if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil && strings.Contains(string(text), "canary") {
					t.Error("the key is in the report of the crash")
				}
			}
			if strings.Contains(term.Raw(), ansi.RequestBackgroundColor) {
				t.Error("the program queried the background, which swallows keys typed early")
			}
			if strings.Contains(term.Raw(), "canary") {
				t.Error("the key was written to the terminal")
			}
			term.Type("\r")
		})
	}
}

// TestDeathsInTmux does the same in tmux, which reports the state of its terminal.
func TestDeathsInTmux(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("MEDIADESK_TEST_REQUIRE") == "all" {
			t.Fatal("tmux is not installed, and MEDIADESK_TEST_REQUIRE is all")
		}
		t.Skip("tmux is not installed")
	}
	socket := filepath.Join(t.TempDir(), "tmux")
	tmux := func(args ...string) string {
		out, err := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	tmux("new-session", "-d", "-x", "100", "-y", "30", "-s", "keep", "cat")
	t.Cleanup(func() { exec.Command("tmux", "-S", socket, "kill-server").Run() })
	for i, d := range deaths {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			window := "w" + strconv.Itoa(i)
			tmux("new-window", "-d", "-n", window, "-e", dieVariable+"="+d.name, "-e", "MEDIADESK_HOME="+dir, shellScript(t, dir)+"; read stay")
			pane := "keep:" + window
			screen := func() string { return tmux("capture-pane", "-p", "-t", pane) }
			waitFor(t, "the screen", func() bool { return strings.Contains(screen(), "guarded by") })
			if kill(t, d.sent, d.name, screen()) {
				tmux("send-keys", "-t", pane, "x")
			}
			if d.name != "kill of the guard" {
				waitFor(t, "the shell", func() bool {
					return strings.Contains(screen(), fmt.Sprintf("ended with %d, the terminal is same.", d.code))
				})
			}
			waitFor(t, "the terminal", func() bool {
				return strings.TrimSpace(tmux("display-message", "-p", "-t", pane, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}")) == "0 1 0"
			})
			tmux("send-keys", "-t", pane, "Enter")
		})
	}
}
