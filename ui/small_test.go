package ui_test

import (
	"os/exec"
	"strings"
	"testing"

	"mediadesk/ui/uitest"
)

// TestTheSmallestTerminalPicksAndSends picks and sends by keys on a terminal of 40 columns and 12
// rows, with the real program and its local library.
func TestTheSmallestTerminalPicksAndSends(t *testing.T) {
	d := newWorkplace(t)
	term := d.start(40, 12, "--profile", "local", d.pictures)
	term.WaitFor("space pick")
	term.WaitFor("Tray: nothing picked yet")
	term.Press("/")
	term.Type("harb")
	term.WaitFor("1 of ")
	term.Press("enter", "space")
	term.WaitFor("Tray: 1 file")
	term.Press("u")
	term.WaitFor("ctrl+s send")
	term.WaitFor("harbour.jpg in /")
	term.Press("ctrl+s")
	term.WaitFor("1 of 1 stored")
	for y, line := range strings.Split(term.Screen(), "\n") {
		if len([]rune(line)) > 40 || y > 11 {
			t.Errorf("line %d lies outside 40x12: %q", y, line)
		}
	}
	list := exec.Command(uitest.Build(t), "list", "--profile", "local", "--json")
	list.Env = d.env()
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(out); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"name":"harbour_`) {
		t.Errorf("the library has:\n%s", got)
	}
	term.Press("q")
	term.Wait()
}
