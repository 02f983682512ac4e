package uitest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// HostileText is text that affects a terminal, or hides content, if it is written unescaped.
type HostileText struct {
	Class string
	Text  string // begins and ends with a unique number
}

var hostile = []struct{ class, text string }{
	{"line feed", "\n"},
	{"carriage return", "\r"},
	{"tab", "\t"},
	{"backspaces", "\b\b\b\b"},
	{"bell", "\a"},
	{"NUL", "\x00"},
	{"DEL", "\x7f"},
	{"escape alone", "\x1b"},
	{"color", "\x1b[31;5m"},
	{"color of 24 bits", "\x1b[38;2;1;2;3m"},
	{"cursor up", "\x1b[9A"},
	{"home and erase", "\x1b[H\x1b[2J"},
	{"erase what was", "\x1b[3J"},
	{"scroll region", "\x1b[5;9r"},
	{"the other screen", "\x1b[?1049l"},
	{"mouse", "\x1b[?1003h"},
	{"where is the cursor", "\x1b[6n"},
	{"what terminal is this", "\x1b[>c"},
	{"title", "\x1b]0;owned\a"},
	{"title, ended by ST", "\x1b]2;owned\x1b\\"},
	{"link", "\x1b]8;;x:y\a"},
	{"clipboard", "\x1b]52;c;b3duZWQ=\a"},
	{"palette", "\x1b]4;1;#ff0000\a"},
	{"a sequence without an end", "\x1b]0;no end"},
	{"device control string", "\x1bPq#0~\x1b\\"},
	{"kitty graphics", "\x1b_Gi=31,a=d;\x1b\\"},
	{"privacy message", "\x1b^x\x1b\\"},
	{"reset", "\x1bc"},
	{"other letters", "\x0e\x1b(0"},
	{"C1 control sequence", "\u009b31m"},
	{"C1 title", "\u009d0;owned\u009c"},
	{"C1 as a byte", "\x9b31m"},
	{"bytes that are no text", "\xff\xfe"},
	{"half a character", "\xe2\x82"},
	{"a character written too long", "\xc0\xae"},
	{"right to left override", "\u202egpj\u202c"},
	{"isolates", "\u2067x\u2069"},
	{"marks of direction", "\u200e\u200f\u061c"},
	{"nothing wide", "\u200b\u200d\u2060\ufeff\u2028"},
	{"tag characters", "\U000e0041\U000e007f"},
	{"a tower of marks", strings.Repeat("\u0336", 40)},
}

// Hostile returns text of each kind, 41 in all, between distinct numbers for finding it.
func Hostile() []HostileText {
	list := make([]HostileText, len(hostile))
	for i, h := range hostile {
		list[i] = HostileText{h.class, fmt.Sprintf("h%02d%sz%02d", i+1, h.text, i+1)}
	}
	return list
}

// maxTower is the maximum number of combining marks on a letter.
const maxTower = 4

// Forbidden returns the parts of terminal output that must never be written: unescaped hostile
// text, and characters that no part of the program writes. It ignores the program's own escape
// sequences.
func Forbidden(written string) []string {
	var found []string
	for _, h := range Hostile() {
		if h.Text == strings.ToValidUTF8(h.Text, "") && strings.Contains(written, h.Text) {
			found = append(found, h.Class)
		}
	}
	marks := 0
	for i := 0; i < len(written); {
		r, n := utf8.DecodeRuneInString(written[i:])
		if marks++; r < 0x300 || r >= 0x370 {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && n == 1:
			found = append(found, fmt.Sprintf("byte %#x at %d", written[i], i))
		case r == 0, r == 0x0e, r == 0x7f, r >= 0x80 && r < 0xa0, r >= 0x202a && r <= 0x202e,
			r >= 0x2066 && r <= 0x2069,
			r == 0x200b, r == 0x200e, r == 0x200f, r == 0x061c, r == 0x2028, r == 0x2060, r == 0xfeff,
			r >= 0xe0000 && r <= 0xe007f:
			found = append(found, fmt.Sprintf("%U at %d", r, i))
		case marks > maxTower:
			found = append(found, fmt.Sprintf("%d marks on a letter at %d", marks, i))
		}
		i += n
	}
	return found
}
