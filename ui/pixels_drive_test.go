//go:build unix

package ui_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mediadesk/config"
	"mediadesk/ui/uitest"
)

// TestDragByPixelReports drags a region in the built program, on a terminal that reports the mouse
// in pixels. A drag within one cell counts, a drag back restores the region, and afterwards the
// mouse is reported in cells again.
func TestDragByPixelReports(t *testing.T) {
	binary := uitest.Build(t)
	d := newWorkplace(t)
	s := startService(t, binary, t.TempDir())
	where := s.account()
	env := d.keyed()
	send := exec.Command(binary, append([]string{"upload", d.pictures + "/mug.jpg", "--region", "200,150,400,600"}, where...)...)
	send.Env = env
	if out, err := send.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The tip would take the place of the picture.
	c, err := config.Load(config.FindPaths(func(name string) string { return map[string]string{"MEDIADESK_HOME": d.home}[name] }))
	if err != nil {
		t.Fatal(err)
	}
	for _, screen := range []string{"picker", "library", "details"} {
		if c, err = c.AddTip(screen); err != nil {
			t.Fatal(err)
		}
	}
	term := uitest.StartBinary(t, binary, where, env, 120, 36)
	term.WaitFor("1 Pick")
	term.Press("4")
	term.WaitFor("mug_")
	term.WaitFor("enter → open")
	term.Press("enter")
	term.WaitFor("c edit region")
	term.WaitFor("┌─") // the region's border on the picture
	if strings.Contains(term.Raw(), "\x1b[?1016h") {
		t.Error("the program requested pixels before the terminal offered them")
	}
	const w, h = 10, 20
	term.Type(fmt.Sprintf("\x1b[6;%d;%dt\x1b[?1016;2$y", h, w)) // its answers: the size of a cell, and the mode
	term.WaitRaw(func(raw string) bool { return strings.Contains(raw, "\x1b[?1016h") })

	if strings.Contains(term.Screen(), "Tip:") {
		t.Fatal("a tip is shown again")
	}
	// The middle of the region's box is inside the region.
	x, y, ok := term.Find("┌─")
	if !ok {
		t.Fatalf("no region on the screen:\n%s", term.Screen())
	}
	px, py := (x+3)*w+1, (y+2)*h+3
	mouse := func(button, dx, dy int, end string) {
		term.Type(fmt.Sprintf("\x1b[<%d;%d;%d%s", button, px+dx+1, py+dy+1, end))
	}
	numbers := regexp.MustCompile(`(\d+),(\d+),400,600`)
	at := func(screen string) (x, y int) {
		got := numbers.FindStringSubmatch(screen)
		if got == nil {
			return -1, -1
		}
		x, _ = strconv.Atoi(got[1])
		y, _ = strconv.Atoi(got[2])
		return x, y
	}
	moved := func(ok func(x, y int) bool) (x, y int) {
		term.WaitUntil(func(screen string) bool {
			x, y = at(screen)
			return x >= 0 && ok(x, y)
		})
		return x, y
	}
	mouse(0, 0, 0, "M")
	// The first change adds a line to the screen, so that the picture may move under the pointer: the
	// drag goes on from there.
	mouse(32, 2, 0, "M")
	first, _ := moved(func(x, _ int) bool { return x > 200 })
	mouse(32, 3, 0, "M")
	mouse(32, 5, 0, "M") // within the cell
	near, _ := moved(func(x, _ int) bool { return x > first+2 })
	mouse(32, 9, 0, "M") // still within the cell
	far, _ := moved(func(x, _ int) bool { return x > near })
	if by := far - near; by < 4 || by > 12 {
		t.Errorf("4 pixels moved the region by %d", by)
	}
	mouse(32, 9, 9, "M")
	moved(func(_, y int) bool { return y > 150 })
	mouse(32, 5, 0, "M")
	moved(func(x, y int) bool { return x == near && y == 150 })
	mouse(0, 0, 0, "m")

	// Other screens get the mouse in cells again.
	term.WaitFor("e edit tags")
	term.Press("esc")
	term.WaitFor("k Keep editing") // in the line of hints: the dialog takes keys now
	term.Press("l")
	term.WaitFor("enter → open")
	term.WaitRaw(func(raw string) bool { return strings.Contains(raw, "\x1b[?1016l\x1b[?1006h") })
	x, y, _ = term.Find("2 Uploads")
	term.Click(x, y)
	term.WaitGone("enter → open")
}
