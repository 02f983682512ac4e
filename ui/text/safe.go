package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks may stand on one base: enough for every
// living script, too few to paint over the lines above.
const maxMarks = 4

// Safe makes text from outside (file names, tags, answers of a service) fit to
// be drawn in one line. What would move the cursor, change colors, turn the
// direction of writing or be invisible is written out instead: control
// characters (C0, C1, DEL, also newline and tab) and bytes that are not UTF-8 as
// \xNN; direction marks, zero-width, tag, format and private characters as
// \u{NNNN}; combining marks without a base, or beyond the fourth on a base, as
// \u{NNNN} too. Joined emoji come apart at their joiner, because terminals do not
// agree on their width. Two names that differ in such characters differ on the
// screen. Safe text stays as it is when made safe again.
func Safe(s string) string {
	if plainASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	marks := -1 // marks on the current base; -1 where there is no base
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
			marks = -1
		case r < 0x20 || (r >= 0x7f && r < 0xa0):
			fmt.Fprintf(&b, `\x%02x`, r)
			marks = -1
		case hidden(r):
			fmt.Fprintf(&b, `\u{%04x}`, r)
			marks = -1
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks < 0 || marks >= maxMarks {
				fmt.Fprintf(&b, `\u{%04x}`, r)
				marks = -1
				break
			}
			marks++
			b.WriteRune(r)
		default:
			marks = 0
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// plainASCII spares the common case the walk through the runes.
func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// hidden tells the characters that are not seen, or not seen alike everywhere.
func hidden(r rune) bool {
	switch {
	case r == 0x034f, // grapheme joiner
		r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, // fillers
		r == 0x17b4, r == 0x17b5, // inherent vowels
		r >= 0x180b && r <= 0x180f,   // Mongolian selectors
		r >= 0xfe00 && r <= 0xfe0f,   // variation selectors
		r >= 0xe0000 && r <= 0xe0fff: // tags, more selectors
		return true
	}
	// Everything that is no letter, mark, number, punctuation, symbol or space:
	// formats (direction marks, zero-width, soft hyphen), line and paragraph
	// separators, private and unassigned characters.
	return !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r)
}
