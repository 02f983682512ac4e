// Package theme holds every color and style.
package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// Theme is the set of styles by role. Make it with [New]; its zero value draws
// everything plain. Screens hold a pointer and never change it: when the
// terminal says what its background is, the root makes a new one.
type Theme struct {
	// Dark tells that the colors are made for a dark background.
	Dark bool
	// Color is false where surfaces are told by bold, faint and reverse only.
	Color bool
	// Pictures tells whether pictures have colors: on a terminal of 16 they have
	// though Color is false, since shades alone show half as much.
	Pictures bool
	// Ground and Plain are the background and the plain text that the terminal
	// is to have; nil: its own.
	Ground, Plain color.Color

	// Words on the screen's own background.
	Text, Strong, Muted, Accent, Title lipgloss.Style
	// What happened, always with a word beside it.
	Good, Warn, Bad, Info lipgloss.Style
	// Selected is the row under the cursor where the list has the focus,
	// SelectedDim where it has not. Marked is a row picked for an act.
	Selected, SelectedDim, Marked lipgloss.Style
	// Match marks the letters that a filter found.
	Match lipgloss.Style
	// Key is a key's name in hints and help, Hint the words after it, and Off
	// an act that cannot be done now.
	Key, Hint, Off lipgloss.Style

	// Border and BorderFocus color the lines of a box; BoxTitle and
	// BoxTitleFocus its title.
	Border, BorderFocus, BoxTitle, BoxTitleFocus lipgloss.Style
	// Tab and TabActive are the names of the screens in the top line.
	Tab, TabActive lipgloss.Style
	// Local and Hosted tell which kind of profile is in use.
	Local, Hosted lipgloss.Style

	// Chip is one tag, ChipFocus the one the keys act upon.
	Chip, ChipFocus lipgloss.Style
	// Field and FieldFocus draw a text field, Placeholder and PlaceholderFocus
	// the example in an empty one; Cursor the cell that is written next; Label
	// the word before it.
	Field, FieldFocus, Placeholder, PlaceholderFocus, Cursor, Label lipgloss.Style
	// FieldFill fills the cells of a field behind its text: where there is no
	// color they show how far the field goes.
	FieldFill string
	// Button and ButtonFocus are the choices of a dialog.
	Button, ButtonFocus lipgloss.Style
	// Bar and BarEmpty are the two parts of a progress bar, BarStalled the
	// first part when nothing moves.
	Bar, BarEmpty, BarStalled lipgloss.Style
	// Added and Removed are the two sides of a difference.
	Added, Removed lipgloss.Style

	// Dialog colors the border of a dialog, DialogTitle its title.
	Dialog, DialogTitle lipgloss.Style

	// Shape and ShapeFocus are the lines a box is drawn with.
	Shape, ShapeFocus lipgloss.Border
}

// New makes the built-in theme for a dark or a light background. Without color it uses
// only bold, faint and reverse, and signs in ASCII. No style underlines: Lip
// Gloss then styles every character by itself, which takes letters from their
// marks and emoji from their colors.
func New(dark, color bool) *Theme {
	t := &Theme{Dark: dark, Color: color, Pictures: color}
	switch {
	case !color:
		t.plain()
	case dark:
		t.paint(darkPalette)
	default:
		t.paint(lightPalette)
	}
	return t
}

// paint gives every role its color.
func (t *Theme) paint(p Palette) {
	fg := func(c string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(c)) }
	on := func(c, ground string) lipgloss.Style { return fg(c).Background(lipgloss.Color(ground)) }

	t.Text = lipgloss.NewStyle()
	t.Strong = lipgloss.NewStyle().Bold(true)
	t.Muted = fg(p.Muted)
	t.Accent = fg(p.Accent)
	t.Title = fg(p.Accent).Bold(true)
	t.Good, t.Warn, t.Bad, t.Info = fg(p.Good), fg(p.Warn), fg(p.Bad), fg(p.Accent)
	t.Selected = on(p.SelectedText, p.Selected).Bold(true)
	t.SelectedDim = on(p.RaisedText, p.Raised)
	t.Marked = fg(p.Marked).Bold(true)
	t.Match = fg(p.Marked).Bold(true)
	t.Key, t.Hint, t.Off = fg(p.Accent).Bold(true), fg(p.Muted), fg(p.Muted)

	t.Border, t.BorderFocus = fg(p.Line), fg(p.Accent)
	t.BoxTitle, t.BoxTitleFocus = fg(p.Muted).Bold(true), fg(p.Accent).Bold(true)
	t.Tab, t.TabActive = fg(p.Muted), on(p.SelectedText, p.Selected).Bold(true)
	t.Local, t.Hosted = fg(p.Good), fg(p.Marked).Bold(true)

	t.Chip, t.ChipFocus = on(p.RaisedText, p.Raised), on(p.StrongText, p.Strong).Bold(true)
	t.Field, t.FieldFocus = on(p.RaisedText, p.Raised), on(p.SelectedText, p.Selected)
	t.Placeholder, t.PlaceholderFocus = fg(p.Muted), fg(p.SelectedMuted)
	t.Cursor = lipgloss.NewStyle().Reverse(true)
	t.FieldFill = " "
	t.Label = fg(p.Muted)
	t.Button, t.ButtonFocus = on(p.RaisedText, p.Raised), on(p.StrongText, p.Strong).Bold(true)
	t.Bar, t.BarEmpty, t.BarStalled = fg(p.Accent), fg(p.Line), fg(p.Warn)
	t.Added, t.Removed = fg(p.Good), fg(p.Bad)

	t.Dialog, t.DialogTitle = fg(p.Accent), fg(p.Accent).Bold(true)
	t.Shape, t.ShapeFocus = lipgloss.RoundedBorder(), lipgloss.RoundedBorder()
}

// plain keeps every difference that color makes visible by other means.
func (t *Theme) plain() {
	none := lipgloss.NewStyle()
	bold, faint := none.Bold(true), none.Faint(true)
	reverse := none.Reverse(true)

	t.Text, t.Strong, t.Muted, t.Accent, t.Title = none, bold, faint, bold, bold
	t.Good, t.Warn, t.Bad, t.Info = none, bold, bold, none
	t.Selected, t.SelectedDim, t.Marked = reverse, bold, bold
	t.Match = bold
	t.Key, t.Hint, t.Off = bold, none, faint
	t.Border, t.BorderFocus, t.BoxTitle, t.BoxTitleFocus = faint, none, none, bold
	t.Tab, t.TabActive, t.Local, t.Hosted = none, reverse, none, bold
	t.Chip, t.ChipFocus = none, reverse
	t.Field, t.FieldFocus, t.Cursor, t.Label = none, bold, reverse, none
	t.Placeholder, t.PlaceholderFocus = faint, faint
	t.FieldFill = "_"
	t.Button, t.ButtonFocus = none, reverse
	t.Bar, t.BarEmpty, t.BarStalled = bold, faint, none
	t.Added, t.Removed = bold, none
	t.Dialog, t.DialogTitle = none, bold
	t.Shape, t.ShapeFocus = lipgloss.NormalBorder(), lipgloss.ThickBorder()
}
