package theme

import "charm.land/lipgloss/v2"

// Sign is a one-cell mark. A word next to it always says the same, for users who cannot
// tell the marks apart.
type Sign int

// The signs. SignNone is one blank cell.
const (
	SignNone     Sign = iota
	SignGood          // done: stored, success
	SignBad           // refused, failed
	SignWait          // waiting, pending
	SignBusy          // in progress
	SignWarn          // needs attention before going on
	SignInfo          // worth knowing
	SignUnknown       // cannot be known
	SignMarked        // marked for an action
	SignPartly        // some of its content is marked
	SignCursor        // the row under the cursor
	SignChanged       // unsaved changes
	SignUnfolded      // the head of an unfolded group
	SignFolded        // the head of a folded group
	SignMore          // more lines follow, or precede
	signCount
)

// Every glyph but the half circle is narrow in every terminal, including those set up for
// East Asian text, which rules out most arrows, bullets and blocks. No half circle is.
var glyphs = [signCount]struct{ fancy, ascii string }{
	SignNone:     {" ", " "},
	SignGood:     {"✓", "+"},
	SignBad:      {"✗", "x"},
	SignWait:     {"⋯", "."},
	SignBusy:     {"»", ">"},
	SignWarn:     {"!", "!"},
	SignInfo:     {"i", "i"},
	SignUnknown:  {"?", "?"},
	SignMarked:   {"✓", "*"},
	SignPartly:   {"◐", "o"},
	SignCursor:   {"›", ">"},
	SignChanged:  {"~", "~"},
	SignUnfolded: {"▾", "v"},
	SignFolded:   {"▸", ">"},
	SignMore:     {"⋮", ":"},
}

// Glyph returns the sign without a style, always one cell wide. An invalid sign is a
// blank.
func (t *Theme) Glyph(s Sign) string {
	if s < 0 || s >= signCount {
		s = SignNone
	}
	if t.Color {
		return glyphs[s].fancy
	}
	return glyphs[s].ascii
}

// Sign returns the sign in its style, always one cell wide.
func (t *Theme) Sign(s Sign) string { return t.SignStyle(s).Render(t.Glyph(s)) }

// SignStyle returns the style of a sign and the word next to it.
func (t *Theme) SignStyle(s Sign) lipgloss.Style {
	switch s {
	case SignGood:
		return t.Good
	case SignBad:
		return t.Bad
	case SignWarn, SignUnknown, SignChanged:
		return t.Warn
	case SignInfo, SignBusy, SignCursor:
		return t.Accent
	case SignMarked:
		return t.Marked
	case SignWait:
		return t.Muted
	default:
		return t.Text
	}
}

// BarGlyphs returns the cells of a progress bar.
func (t *Theme) BarGlyphs() (done, rest rune) {
	if t.Color {
		return '━', '─'
	}
	return '=', '-'
}
