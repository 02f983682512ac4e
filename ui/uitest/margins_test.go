package uitest

import "testing"

// A program that has not heard of a smaller size yet scrolls within margins of
// the one before.
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
