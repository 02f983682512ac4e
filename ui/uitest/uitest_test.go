package uitest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// asProgram in the environment makes the test binary the program under test.
const asProgram = "UITEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "":
		uitest.VerifyTestMain(m)
	case "silent":
		os.Exit(3)
	default:
		if _, err := tea.NewProgram(&echo{}).Run(); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		fmt.Println("goodbye")
		os.Exit(7)
	}
}

// echo shows the last messages it got, and quits on q.
type echo struct {
	w, h int
	log  []string
	bg   string
}

func (e *echo) Init() tea.Cmd {
	// A tick still asleep at the end is no leak.
	asleep := tea.Tick(time.Hour, func(time.Time) tea.Msg { return nil })
	return tea.Batch(tea.RequestBackgroundColor, asleep)
}

func (e *echo) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		e.w, e.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		e.bg = fmt.Sprintf("dark=%v", msg.IsDark())
	case tea.KeyPressMsg:
		if msg.String() == "q" {
			return e, tea.Quit
		}
		e.note("key " + msg.String())
	case tea.PasteMsg:
		e.note(fmt.Sprintf("paste %q", msg.Content))
	case tea.MouseMsg:
		e.note(fmt.Sprintf("%T %v at %d,%d", msg, msg.Mouse().Button, msg.Mouse().X, msg.Mouse().Y))
	case note:
		e.note(string(msg))
	}
	return e, nil
}

type note string

func (e *echo) note(s string) { e.log = append(e.log, s) }

func (e *echo) View() tea.View {
	lines := append([]string{fmt.Sprintf("size %dx%d %s", e.w, e.h, e.bg)}, e.log...)
	if room := max(1, e.h-1); len(lines) > room {
		lines = append(lines[:1:1], lines[len(lines)-room+1:]...)
	}
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "echo"
	return v
}

func TestModel(t *testing.T) {
	term := uitest.Start(t, &echo{}, 60, 20)
	// The emulator's background is black.
	term.WaitFor("size 60x20 dark=true")
	term.Type("hä\n")
	term.WaitFor("key enter")
	term.Press("esc", "x")
	term.WaitFor("key esc\nkey x")
	term.Paste("two\nlines")
	term.WaitFor(`paste "two`)
	term.Click(5, 2)
	term.WaitFor("MouseClickMsg left at 5,2")
	term.Drag(1, 1, 3, 1)
	term.WaitFor("MouseReleaseMsg left at 3,1")
	if !strings.Contains(term.Screen(), "MouseMotionMsg left at 2,1") {
		t.Errorf("the drag passed no cell:\n%s", term.Screen())
	}
	term.Wheel(4, 4, -1)
	term.WaitFor("MouseWheelMsg wheelup at 4,4")
	term.Send(note("hello"))
	term.WaitFor("hello")
	x, y, ok := term.Find("hello")
	if !ok || x != 0 || y < 1 {
		t.Errorf("found at %d,%d %v", x, y, ok)
	}
	if !term.AltScreen() || term.Title() != "echo" {
		t.Errorf("alternate screen %v, title %q", term.AltScreen(), term.Title())
	}
	term.Resize(50, 8)
	term.WaitFor("size 50x8")
	if n := strings.Count(term.Screen(), "\n") + 1; n != 8 {
		t.Errorf("%d lines on a screen of 8", n)
	}
	term.Press("q")
	last, ok := term.Wait().(*echo)
	if !ok || last.w != 50 || term.Err() != nil {
		t.Errorf("last model %v, error %v", last, term.Err())
	}
	if term.AltScreen() {
		t.Error("the alternate screen was not left")
	}
}

func TestKeysArriveUnderTheirNames(t *testing.T) {
	names := []string{
		"up", "down", "left", "right", "home", "end", "pgup", "pgdown", "enter", "tab", "shift+tab", "esc", "space",
		"backspace", "delete", "a", "G", "?", "/", "é", "ctrl+a", "ctrl+s", "ctrl+k", "ctrl+z", "alt+b", "alt+backspace",
		"ctrl+left", "ctrl+right", "shift+up", "f1", "f5", "f12", "ctrl+enter", "shift+enter", "ctrl+\\", "[", "]", "*", ",",
	}
	term := uitest.Start(t, &echo{}, 40, 60)
	for _, name := range names {
		term.Press(name)
		term.WaitUntil(func(screen string) bool { return strings.HasSuffix(strings.TrimRight(screen, "\n"), "\nkey "+name) })
	}
}

func TestQuitAndCleanup(t *testing.T) {
	term := uitest.Start(t, &echo{}, 20, 5)
	term.Quit()
	if term.Err() != nil {
		t.Errorf("quitting ended with %v", term.Err())
	}
	// Another is left running: the end of the test stops it.
	uitest.Start(t, &echo{}, 20, 5).WaitFor("size 20x5")
}

func TestBinary(t *testing.T) {
	term := uitest.StartBinary(t, os.Args[0], nil, []string{asProgram + "=1"}, 50, 12)
	term.WaitFor("size 50x12 dark=true")
	term.Press("down")
	term.WaitFor("key down")
	// The kernel tells the program of its new size.
	term.Resize(44, 10)
	term.WaitFor("size 44x10")
	term.Press("q")
	term.Wait()
	if code := term.ExitCode(); code != 7 {
		t.Errorf("exit code %d, want 7 (%v)", code, term.Err())
	}
	if screen := term.Screen(); !strings.Contains(screen, "goodbye") || term.AltScreen() {
		t.Errorf("after the end:\n%s", screen)
	}
}

func TestBinaryEnds(t *testing.T) {
	t.Run("by a signal", func(t *testing.T) {
		term := uitest.StartBinary(t, os.Args[0], nil, []string{asProgram + "=1"}, 50, 12)
		term.WaitFor("size 50x12")
		if term.Pid() == 0 {
			t.Error("no process")
		}
		term.Quit()
		if term.AltScreen() {
			t.Error("the alternate screen was not left")
		}
	})
	t.Run("without a word", func(t *testing.T) {
		term := uitest.StartBinary(t, os.Args[0], nil, []string{asProgram + "=silent"}, 50, 12)
		term.Wait()
		if code := term.ExitCode(); code != 3 {
			t.Errorf("exit code %d, want 3", code)
		}
	})
	t.Run("killed with the test", func(t *testing.T) {
		uitest.StartBinary(t, os.Args[0], nil, []string{asProgram + "=1"}, 50, 12).WaitFor("size")
	})
}

func TestSweep(t *testing.T) {
	fits := func(w, h int, th *theme.Theme) string {
		return strings.TrimSuffix(strings.Repeat(th.Accent.Render(strings.Repeat("x", w))+"\n", h), "\n")
	}
	uitest.Sweep(t, fits)

	for name, view := range map[string]func(w, h int, th *theme.Theme) string{
		"too wide": func(w, h int, th *theme.Theme) string { return strings.Repeat("x", w+1) },
		"too high": func(w, h int, th *theme.Theme) string { return strings.Repeat("\n", h) },
		"panic":    func(w, h int, th *theme.Theme) string { panic("no") },
		"control":  func(w, h int, th *theme.Theme) string { return "\t" },
	} {
		seen := &recorder{TB: t}
		uitest.Sweep(seen, view)
		if want := len(uitest.Sizes) * len(uitest.Themes()); seen.errors != want {
			t.Errorf("%s: %d failures, want %d", name, seen.errors, want)
		}
	}
}

// recorder counts failures instead of failing.
type recorder struct {
	testing.TB
	errors int
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.errors++ }
