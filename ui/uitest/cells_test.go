package uitest

import (
	"testing"

	"github.com/charmbracelet/colorprofile"
)

func TestCells(t *testing.T) {
	drawing := "a\x1b[1;38;2;255;0;0mbc\x1b[m写\x1b[7m \x1b[m\nplain"
	want := "abc写\n\t.1 a2 .2 b1\nplain\n\na = #ff0000 bold\nb = reverse\n"
	if got := Cells(drawing, 8, 3, colorprofile.TrueColor); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = "abc写\n\t.1 a2 .2 b1\nplain\n\na = bold\nb = reverse\n"
	if got := Cells(drawing, 8, 3, colorprofile.ASCII); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
