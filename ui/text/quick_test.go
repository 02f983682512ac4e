package text

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// What is counted quickly is counted as the library does it in both ways.
func TestQuickWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{
			"a", "Zz 9", "~", " ", "─", "│", "╭", "╿", "▀", "▟", "█", "■", "…", "‥", "\x1b[m", "\x1b[38;2;1;2;3m", "\x1b[4:3m", "\x1b[2J", "\x1b[38",
			"\x1b", "é", "e\u0301", "\u0301", "日", "👩\u200d🚀", "\ufe0f", "\x7f", "\x80", "\xe2", "\xe2\x94", "\t",
		})).Draw(t, "pieces")
		s := strings.Join(pieces, "")
		n, ok := quickWidth(s)
		if !ok {
			return
		}
		for _, m := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
			if want := m.StringWidth(s); n != want {
				t.Errorf("%q: %d columns, the library counts %d", s, n, want)
			}
		}
	})
	for _, quick := range []string{"", "IMG_1.jpg", "\x1b[1;38;5;109mname\x1b[m", "╭─ ~/a ─╮", "▀▄█", "IMG_0…9.jpg"} {
		if _, ok := quickWidth(quick); !ok {
			t.Errorf("%q is not counted quickly", quick)
		}
	}
}

func BenchmarkWidth(b *testing.B) {
	line := strings.Repeat("\x1b[38;5;109mIMG_0001 holiday.jpg\x1b[m │ ", 8)
	for b.Loop() {
		Width(line)
	}
}
