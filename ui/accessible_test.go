package ui_test

import (
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
)

// TestAccessibleJob does the main job with prompts on a terminal: line by line, with the cursor
// after each question, and without boxes, Braille or cursor movement.
func TestAccessibleJob(t *testing.T) {
	t.Parallel()
	d := newWorkplace(t)
	term := d.start(110, 50, "--accessible", d.pictures+"/harbour.jpg")
	asked := map[string]int{}
	answer := func(question, text string) {
		t.Helper()
		term.WaitRaw(func(raw string) bool {
			// An earlier question may have the same text: wait for a new one.
			return strings.Count(raw, question) > asked[question] && strings.HasSuffix(raw, question+" ")
		})
		lines := strings.Split(strings.TrimRight(term.Screen(), "\n "), "\n")
		last := lines[len(lines)-1]
		if x, y, seen := term.Cursor(); !seen || y != len(lines)-1 || x != len([]rune(last))+1 ||
			!strings.HasSuffix(last, question) {
			t.Errorf("the cursor is at %d,%d (visible: %t), want it after %q", x, y, seen, question)
		}
		asked[question] = strings.Count(term.Raw(), question)
		term.Type(text + "\n")
	}
	const number = "Type a number and press enter:"
	answer(number, "1") // try it here

	// The file of the command line comes first.
	answer("Tags, separated by commas; empty for none:", "sea, boat")
	answer("empty for the default:", "/summer/")
	answer("Description; empty for none:", "the harbour")
	answer("or aws-auto-tagging; empty for none:", "google-auto-tagging")
	answer("in pixels; empty for none:", "100,150,400,300")
	answer("empty for the name of the source:", "first.jpg")
	answer("Type yes or no:", "no")  // private
	answer("Type yes or no:", "yes") // send
	term.WaitFor("stored as /summer/first_")

	// Watch: the command waits for the extensions and prints their results.
	term.WaitFor("google-auto-tagging of /summer/first_")
	term.WaitFor("What do you want to do?")

	// Details: tags, then the region.
	answer(number, "4")
	answer(number, "1")
	answer("Tags to add, separated by commas; empty for none:", "wind")
	answer("Tags to remove, separated by commas; empty for none:", "")
	answer("empty to keep it:", "10,20,300,200")
	answer("Type yes or no:", "yes")
	term.WaitFor("sea, boat, wind")
	term.WaitFor("10,20,300,200")
	answer(number, "0")
	term.Wait()
	mediatest.Equal(t, term.ExitCode(), 0, "exit code")
	if raw := term.Raw(); strings.ContainsRune(raw, 0x1b) {
		i := strings.IndexRune(raw, 0x1b)
		t.Errorf("the output has escape sequences: %q", raw[max(0, i-80):min(len(raw), i+40)])
	}
	if i := strings.IndexFunc(term.Raw(),
		func(r rune) bool { return r >= 0x2500 && r < 0x2600 || r >= 0x2800 && r < 0x2900 }); i >= 0 {
		t.Errorf("the output has boxes, blocks or Braille: %q", term.Raw()[i:min(len(term.Raw()), i+20)])
	}
}
