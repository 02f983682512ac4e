package kit

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

func TestFacts(t *testing.T) {
	th := theme.New(true, false)
	f := NewFacts(40, th)
	f.Gap()
	f.Say(th.Text, "")
	f.Say(th.Bad, "two\r\nlines \x1b[31m")
	f.Gap()
	f.Gap()
	f.Fact("Nothing", "")
	f.Fact("From", "/a/name that is so long that it needs another line.jpg")
	got := ansi.Strip(strings.Join(f.Lines(), "\n"))
	want := `two
lines \x1b[31m

From        /a/name that is so long that
            it needs another line.jpg`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	narrow := NewFacts(20, th)
	narrow.Fact("From", "/a/b.jpg")
	if got := ansi.Strip(strings.Join(narrow.Lines(), "\n")); got != "From\n/a/b.jpg" {
		t.Errorf("narrow: %q", got)
	}
	for width := range 30 {
		f := NewFacts(width, th)
		f.Say(th.Text, "日本語 の テキスト and a word")
		f.Fact("Label", "日本語")
		for _, line := range f.Lines() {
			if text.Width(line) > width {
				t.Errorf("%d columns: %q", width, line)
			}
		}
	}
}
