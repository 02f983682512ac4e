package text_test

import (
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/text"
)

func TestSafe(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a photo (final).jpg", "a photo (final).jpg"},
		{"empty", "", ""},
		{"scripts", "день 1 — naïve 写真 한국.png", "день 1 — naïve 写真 한국.png"},
		{"emoji", "party 🎉.gif", "party 🎉.gif"},
		{"newline and tab", "a\nb\tc\r", `a\x0ab\x09c\x0d`},
		{"colour", "\x1b[31mred", `\x1b[31mred`},
		{"link", "\x1b]8;;http://x\x07y", `\x1b]8;;http://x\x07y`},
		{"DEL and NUL", "a\x7fb\x00", `a\x7fb\x00`},
		{"C1 as a character", "a\u009b31m", `a\x9b31m`},
		{"bytes that are no text", "a\xff\xfeb", `a\xff\xfeb`},
		{"half a character", "a\xe2\x82", `a\xe2\x82`},
		{"the replacement character itself", "a\ufffdb", "a\ufffdb"},
		{"right to left override", "gpj\u202egnp", `gpj\u{202e}gnp`},
		{"isolates", "\u2066a\u2069", `\u{2066}a\u{2069}`},
		{"marks of direction", "a\u200eb\u200fc\u061cd", `a\u{200e}b\u{200f}c\u{061c}d`},
		{"zero width", "a\u200bb\u200cc\u2060d\ufeffe", `a\u{200b}b\u{200c}c\u{2060}d\u{feff}e`},
		{"soft hyphen", "a\u00adb", `a\u{00ad}b`},
		{"line separators", "a\u2028b\u2029c", `a\u{2028}b\u{2029}c`},
		{"tags", "a\U000e0041", `a\u{e0041}`},
		{"variation selectors", "❤\ufe0f", `❤\u{fe0f}`},
		{"joined emoji", "👩\u200d🚀", `👩\u{200d}🚀`},
		{"fillers", "a\u3164b\u115fc\uffa0", `a\u{3164}b\u{115f}c\u{ffa0}`},
		{"private use", "a\ue000", `a\u{e000}`},
		{"not a character", "a\uffff", `a\u{ffff}`},
		{"a mark on its base", "cafe\u0301", "cafe\u0301"},
		{"four marks", "a\u0301\u0302\u0303\u0304", "a\u0301\u0302\u0303\u0304"},
		{"a fifth mark", "a\u0301\u0302\u0303\u0304\u0305b", `a` + "\u0301\u0302\u0303\u0304" + `\u{0305}b`},
		{"a mark at the beginning", "\u0301a", `\u{0301}a`},
		{"a mark on what was written out", "\x1b\u0301", `\x1b\u{0301}`},
		{"no-break space", "a\u00a0b", "a\u00a0b"},
	} {
		mediatest.Equal(t, text.Safe(c.in), c.want, "%s: %q became", c.name, c.in)
	}
}

func TestSafeCapsEveryStackOfMarks(t *testing.T) {
	got := text.Safe("z" + strings.Repeat("\u0336", 500))
	mediatest.Equal(t, strings.Count(got, "\u0336"), 4, "marks on one letter")
}
