//go:build unix

package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mediadesk/ui/uitest"
)

// counter counts the keys that are pressed on a terminal. It does not count the letters of names
// such as tags and folders, because they are the same in every version.
type counter struct {
	*uitest.Term
	keys int
}

func (c *counter) Press(keys ...string) {
	c.keys += len(keys)
	c.Term.Press(keys...)
}

// TestKeysCounted does five tasks with real keys. It compares their number with the shortest way in
// version 0.1, which was counted by hand with these keys:
//
//	tag 40 files and send    ctrl+a u tab NAME ctrl+s s
//	extra tag on 3 of them   4 space space space e b a NAME enter ctrl+s s
//	region on a stored file  4 enter c enter c ctrl+s s
//	move 12 files            4 and 12 times space, e, then for each file m m NAME enter, and n between them
//	retry 3 failed uploads   2 r j r j r (R knew the uploads of its own run only)
func TestKeysCounted(t *testing.T) {
	d := newWorkplace(t)
	picture, err := os.ReadFile(filepath.Join(d.pictures, "mug.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	holiday := t.TempDir()
	for i := range 40 {
		if err := os.WriteFile(filepath.Join(holiday, fmt.Sprintf("p%02d.jpg", i)), fmt.Append(picture, i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start := func() *uitest.Term {
		term := d.start(120, 36, "--profile", "local", holiday)
		term.WaitFor("p00.jpg")
		term.WaitFor("Tray: nothing picked yet")
		term.WaitFor("127.0.0.1:") // the library is open
		return term
	}
	leave := func(term *uitest.Term) {
		t.Helper()
		term.Press("q")
		term.Wait()
		if code := term.ExitCode(); code != 0 {
			t.Fatalf("got exit code %d, want 0:\n%s", code, term.Screen())
		}
	}
	library := func(c *counter) {
		c.Press("4")
		c.WaitFor("State")
		c.WaitFor("p00_")
	}
	back := func(c *counter) { // to the tab on which every task begins
		c.Term.Press("1")
		c.WaitFor("Tray: nothing picked yet")
	}
	// sendThree sends files that the service refuses.
	conf := filepath.Join(d.home, "config.toml")
	sendThree := func(c *counter) {
		leave(c.Term)
		if err := os.WriteFile(conf, []byte("[local]\nfault = [\"refuse=400\"]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c.Term = start()
		c.Term.Press("space", "space", "space", "u")
		c.WaitFor("3 of 3 are already stored")
		c.Term.Press("ctrl+s")
		c.WaitFor("s Send 3 files to / anyway")
		c.Term.Press("s")
		c.WaitFor("0 of 3 stored · 3 refused")
		c.Term.Press("1")
		c.WaitFor("Tray: nothing picked yet")
		leave(c.Term)
		if err := os.Remove(conf); err != nil {
			t.Fatal(err)
		}
		c.Term = start()
	}
	c := &counter{Term: start()}
	for _, task := range []struct {
		name        string
		before, now int
		prepare, do func(c *counter)
	}{
		{"tag 40 files and send", 5, 4, nil, func(c *counter) {
			c.Press("ctrl+a")
			c.WaitFor("Tray: 40 files")
			c.Press("u")
			c.WaitFor("Ready: ctrl+s to send 40 files")
			c.Type("sea")
			c.WaitFor("3/500")
			c.Press("ctrl+s")
			c.WaitFor("s Send 40 files to /")
			c.Press("ctrl+s")
			c.WaitFor("40 of 40 stored")
		}},
		{"extra tag on 3 of them", 10, 7, nil, func(c *counter) {
			library(c)
			c.Press("space", "space", "space")
			c.WaitFor("3 marked")
			c.Press("m")
			c.WaitFor("Manage 3 files")
			c.Press("t")
			c.WaitFor("Add tags to 3 files")
			c.Type("boat")
			c.Press("enter")
			c.WaitFor("Added tags to 3 files")
			c.Term.Press("esc") // no marks for the next task
		}},
		{"region on a stored file", 7, 6, nil, func(c *counter) {
			library(c)
			c.Press("enter")
			c.WaitFor("No region")
			c.Press("s")
			c.WaitFor("suggestion 1 of")
			c.Press("enter")
			c.WaitFor("ctrl+s save")
			c.Press("ctrl+s")
			c.WaitFor("s Save")
			c.Press("ctrl+s")
			c.WaitFor("Saved p0")
			c.Term.Press("esc")
			c.WaitFor("back to the record")
			c.Term.Press("esc", "esc")
			c.WaitFor("State")
		}},
		{"move 12 files to a new folder", 61, 16, nil, func(c *counter) {
			library(c)
			c.Term.Press("home")
			for range 12 {
				c.Press("space")
			}
			c.WaitFor("12 marked")
			c.Press("m")
			c.WaitFor("Manage 12 files")
			c.Press("m")
			c.WaitFor("Missing folders are created")
			c.Type("best")
			c.Press("enter")
			c.WaitFor("Moved 12 files to /best/")
		}},
		{"retry 3 uploads that failed, after a restart", 6, 2, sendThree, func(c *counter) {
			c.Press("2")
			c.WaitFor("0 of 3 stored · 3 refused")
			c.Press("R")
			c.WaitFor("3 of 3 stored")
		}},
	} {
		if task.prepare != nil {
			task.prepare(c)
		}
		c.keys = 0
		task.do(c)
		t.Logf("%s: %d keys, %d in version 0.1", task.name, c.keys, task.before)
		if c.keys != task.now || c.keys >= task.before {
			t.Errorf("%s takes %d keys, want %d (%d in version 0.1)", task.name, c.keys, task.now, task.before)
		}
		back(c)
	}
	leave(c.Term)
}
