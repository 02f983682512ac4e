package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is the maximum number of combining marks on one base: enough for every living
// script, too few to paint over the lines above.
const maxMarks = 4

// Safe escapes text from outside (file names, tags, answers of a service) so that it can
// be drawn in one line. Control characters (C0, C1, DEL, newline, tab) and invalid UTF-8
// become \xNN. Direction marks, zero-width, tag, format and private characters become
// \u{NNNN}, as do combining marks without a base or beyond the fourth on a base. Joined
// emoji are split at their joiner, because terminals disagree on their width. Names
// that differ in such characters also differ on the screen. Safe is idempotent.
func Safe(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f }) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	marks := -1 // marks on the current base; -1 without a base
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

// hidden reports whether r is invisible, or drawn differently between terminals.
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
	// This excludes everything but letters, marks, numbers, punctuation, symbols and
	// spaces: formats (direction marks, zero-width, soft hyphen), line and paragraph
	// separators, private and unassigned characters.
	return !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r)
}
