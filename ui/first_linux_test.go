package ui_test

import (
	"errors"
	"fmt"
	"image"
	"io/fs"
	"os"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

// TestFirstStart tries each choice of the first start. Before the choice no file is written and no
// socket is open. Afterwards the picker shows one line of advice.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	key := "MEDIADESK_PRIVATE_KEY=private_first_start"
	for name, c := range map[string]struct {
		env  []string
		take func(*uitest.Term)
		in   string // shown on the screen then
		line string // the message then
	}{
		"here": {nil, func(term *uitest.Term) { term.Press("t") }, "local", "Tip Press v to pick"},
		"environment": {[]string{key}, func(term *uitest.Term) {
			term.Press("e")
			term.WaitFor("Account id")
			term.Press("enter")
			term.Type("my_id")
			term.Press("ctrl+s")
		}, "key: environment", "The key could not be tried"},
		"another server": {nil, func(term *uitest.Term) {
			term.Press("c")
			term.WaitFor("Connect an account · step 1")
			term.Press("right", "down")
			term.Type("http://127.0.0.1:1")
			term.Press("ctrl+s")
			term.WaitFor("Use it for this run only") // no keyring in this environment
			term.Press("o")
			term.WaitFor("Private key")
			term.Type("private_first_start")
			term.Press("enter")
		}, "key: typed for this run", "The key could not be tried"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorkplace(t)
			term := d.startWith(c.env, 120, 36, d.pictures)
			term.WaitFor("Try it here")
			if entries, err := os.ReadDir(d.home); err != nil || len(entries) > 0 {
				t.Errorf("written before a choice: %v, %v", entries, err)
			}
			if n, err := sockets(term.Pid()); errors.Is(err, fs.ErrPermission) {
				t.Log("only root can see the sockets of a process that protects its memory")
			} else if err != nil || n > 0 {
				t.Errorf("%d sockets are open before a choice, %v", n, err)
			}
			c.take(term)
			term.WaitFor(c.line)
			term.WaitFor(c.in)
			term.Press("esc") // it gives its line back
			term.WaitFor("Nothing picked yet")
			if strings.Contains(term.Raw(), "private_first_start") {
				t.Error("the key was drawn")
			}
			term.WaitGone("Tip ")
			term.Press("q")
			term.Wait()
		})
	}
}

// sockets counts the sockets of a process.
func sockets(pid int) (int, error) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	files, err := os.ReadDir(dir + "fd")
	if err != nil {
		return 0, err
	}
	n := 0
	for _, f := range files {
		// A socket that was closed meanwhile does not count.
		if to, _ := os.Readlink(dir + "fd/" + f.Name()); strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n, nil
}

// TestTenKeysFromTheStart: from the first start in a folder without pictures, ten keys upload a
// picture with a tag, remove its background, and show the result.
func TestTenKeysFromTheStart(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	for _, size := range []image.Point{{120, 36}, {80, 24}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) { tenKeysFromTheStart(t, size) })
	}
}

func tenKeysFromTheStart(t *testing.T, size image.Point) {
	d := newWorkplace(t)
	term := d.start(size.X, size.Y)
	term.WaitFor("Try it here")
	keys := 0
	for _, step := range []struct{ key, then string }{
		{"enter", "harbour.jpg"},
		{"space", "To upload: 1"},
		{"u", "Will be stored as"},
		{"s", "A comma or enter ends a tag"},
		{"ctrl+l", "remove background"},
		{"r", "Extensions    remove background"},
		{"ctrl+s", "Press 3 to see"},
		{"3", "1 done"},
	} {
		term.Press(step.key)
		keys++
		term.WaitFor(step.then)
	}
	const mug = "▋" // a part of the sample
	term.WaitFor(mug)
	term.Press("3") // already in front: nothing happens and no message comes
	term.Press("enter")
	term.WaitFor("move the divider")
	term.Press("esc")
	term.WaitFor(mug)
	if strings.Contains(term.Raw(), "in front") {
		t.Error("pressing the key of the current screen shows a message")
	}
	if keys > 10 {
		t.Errorf("got %d keys, want at most 10", keys)
	}
	term.Press("q")
	term.Wait()
}
