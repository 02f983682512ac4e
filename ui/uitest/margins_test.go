package uitest

import "testing"

// TestMarginsOfTheSizeBefore: a program that does not know a smaller size yet scrolls within the earlier
// margins.
func TestMarginsOfTheSizeBefore(t *testing.T) {
	line := newPipes()
	defer line.Close()
	term := newTerm(t, line, 20, 10)
	term.draw([]byte("first\r\nsecond"))
	term.em.Resize(20, 5)
	term.draw([]byte("\x1b[1;10r\x1b[1S\x1b[2L\x1b[3M"))
	if got := term.Screen(); len(got) > 5*21 {
		t.Errorf("screen:\n%s", got)
	}
}

// TestRawIsWhole: a test may read the output between two bytes of a character.
func TestRawIsWhole(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "a", "a─": "a─", "a\xe2\x94": "a", "a\xe2": "a", "\xf0\x9f\x91": "", "a\xff": "a\xff", "─\x94": "─\x94", "\x94\x94\x94\x94": "\x94\x94\x94\x94",
	} {
		if got := wholeRunes(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
