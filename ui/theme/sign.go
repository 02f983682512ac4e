package theme

import "charm.land/lipgloss/v2"

// Sign is a one-cell mark. A sign never stands alone: a word beside it says
// the same, for those who see no difference between the marks.
type Sign int

// The signs. SignNone is one blank cell.
const (
	SignNone     Sign = iota
	SignGood          // done: stored, success
	SignBad           // refused, failed
	SignWait          // waiting, pending
	SignBusy          // under way
	SignWarn          // worth a look before going on
	SignInfo          // worth knowing
	SignUnknown       // nobody can tell
	SignPaused        // held by the person
	SignMarked        // picked for an act
	SignPartly        // some of what is in it
	SignCursor        // the row under the cursor
	SignFolder        // a folder
	SignChanged       // differs from what is saved
	SignUnfolded      // the head of a group whose rows are shown
	SignFolded        // the head of a group whose rows are not
	signCount
)

// Every glyph is narrow in every terminal, also in those set up for East Asian
// text, which rules out most arrows, bullets and blocks. The half circle is wide in some
// of those; no narrow glyph says "some of it" as well.
var glyphs = [signCount]struct{ fancy, ascii string }{
	SignNone:     {" ", " "},
	SignGood:     {"✓", "+"},
	SignBad:      {"✗", "x"},
	SignWait:     {"⋯", "."},
	SignBusy:     {"»", ">"},
	SignWarn:     {"!", "!"},
	SignInfo:     {"i", "i"},
	SignUnknown:  {"?", "?"},
	SignPaused:   {"=", "="},
	SignMarked:   {"✓", "*"},
	SignPartly:   {"◐", "o"},
	SignCursor:   {"›", ">"},
	SignFolder:   {"/", "/"},
	SignChanged:  {"~", "~"},
	SignUnfolded: {"▾", "v"},
	SignFolded:   {"▸", ">"},
}

// Glyph is the sign without a style, always one cell wide. A sign out of
// range is a blank cell.
func (t *Theme) Glyph(s Sign) string {
	if s < 0 || s >= signCount {
		s = SignNone
	}
	if t.Color {
		return glyphs[s].fancy
	}
	return glyphs[s].ascii
}

// Sign is the sign in the style of what it says, always one cell wide.
func (t *Theme) Sign(s Sign) string {
	return t.SignStyle(s).Render(t.Glyph(s))
}

// SignStyle is the style a sign and the word beside it are drawn in.
func (t *Theme) SignStyle(s Sign) lipgloss.Style {
	switch s {
	case SignGood:
		return t.Good
	case SignBad:
		return t.Bad
	case SignWarn, SignUnknown, SignChanged:
		return t.Warn
	case SignInfo, SignBusy, SignCursor, SignFolder:
		return t.Accent
	case SignMarked:
		return t.Marked
	case SignWait, SignPaused:
		return t.Muted
	default:
		return t.Text
	}
}

// BarGlyphs are the cells of a progress bar: done and to do.
func (t *Theme) BarGlyphs() (done, rest string) {
	if t.Color {
		return "━", "─"
	}
	return "=", "-"
}
