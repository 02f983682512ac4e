// Package theme holds all colors and styles.
package theme

import (
	"image/color"
	"slices"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Theme is the set of styles by role. Make it with [New] or [Make]; the zero value draws
// plain text. A theme is immutable: when the terminal reports its background, the root
// makes a new one.
type Theme struct {
	// Dark means that the colors are for a dark background.
	Dark bool
	// Color is false if surfaces use only bold, faint and reverse.
	Color bool
	// Pictures enables colors in pictures. A terminal of 16 colors has it although Color is
	// false, because shades alone show half as much.
	Pictures bool
	// Ground and Plain are the background and the text color to set on the terminal; nil
	// keeps its own.
	Ground, Plain color.Color

	// Text on the screen's own background.
	Text, Strong, Muted, Accent, Title lipgloss.Style
	// Results, always with a word next to them.
	Good, Warn, Bad, Info lipgloss.Style
	// Selected is the row under the cursor if the list has the focus, otherwise
	// SelectedDim. Marked is a row marked for an action.
	Selected, SelectedDim, Marked lipgloss.Style
	// Match marks the letters that match a filter.
	Match lipgloss.Style
	// Key is a key's name in hints and help, Hint the text after it, and Off a disabled
	// action.
	Key, Hint, Off lipgloss.Style

	// Border and BorderFocus color the lines of a box; BoxTitle and BoxTitleFocus its
	// title.
	Border, BorderFocus, BoxTitle, BoxTitleFocus lipgloss.Style
	// Tab and TabActive are the names of the screens in the top line.
	Tab, TabActive lipgloss.Style
	// Local and Hosted mark the kind of profile in use.
	Local, Hosted lipgloss.Style

	// Chip is a tag, ChipFocus the one that has the focus.
	Chip, ChipFocus lipgloss.Style
	// Field draws a text field, Placeholder its placeholder, Cursor the cell of the cursor, and Label
	// the label.
	Field, Placeholder, Cursor, Label lipgloss.Style
	// Button and ButtonFocus are the choices of a dialog.
	Button, ButtonFocus lipgloss.Style
	// Bar and BarEmpty are the two parts of a progress bar; BarStalled replaces Bar when
	// nothing moves.
	Bar, BarEmpty, BarStalled lipgloss.Style

	// Dialog colors the border of a dialog, DialogTitle its title.
	Dialog, DialogTitle lipgloss.Style

	// Shape and ShapeFocus are the border characters of a box.
	Shape, ShapeFocus lipgloss.Border

	readable bool // states are readable on Selected
}

// New returns the built-in theme for a dark or a light background. Without color it uses
// only bold, faint and reverse, and signs in ASCII. No style underlines, because Lip
// Gloss then styles every character separately, which splits combining marks and emoji.
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
	t.readable = p.Ground == "" // in high contrast, the cursor has a strong color
	t.SelectedDim = on(p.RaisedText, p.Raised)
	t.Marked = fg(p.Marked).Bold(true)
	t.Match = fg(p.Marked).Bold(true)
	t.Key, t.Hint, t.Off = fg(p.Accent).Bold(true), fg(p.Muted), fg(p.Muted)

	t.Border, t.BorderFocus = fg(p.Line), fg(p.Accent)
	t.BoxTitle, t.BoxTitleFocus = fg(p.Muted).Bold(true), fg(p.Accent).Bold(true)
	t.Tab, t.TabActive = fg(p.Muted), on(p.SelectedText, p.Selected).Bold(true)
	t.Local, t.Hosted = fg(p.Good), fg(p.Marked).Bold(true)

	t.Chip, t.ChipFocus = on(p.RaisedText, p.Raised), on(p.StrongText, p.Strong).Bold(true)
	t.Field = on(p.RaisedText, p.Sunk)
	t.Placeholder = fg(p.Muted).Italic(true)
	t.Cursor = lipgloss.NewStyle().Reverse(true)
	t.Label = fg(p.Muted)
	t.Button, t.ButtonFocus = on(p.RaisedText, p.Raised), on(p.StrongText, p.Strong).Bold(true)
	t.Bar, t.BarEmpty, t.BarStalled = fg(p.Accent), fg(p.Line), fg(p.Warn)

	t.Dialog, t.DialogTitle = fg(p.Accent), fg(p.Accent).Bold(true)
	t.Shape, t.ShapeFocus = rule(lipgloss.RoundedBorder()), lipgloss.RoundedBorder()
}

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
	t.Field, t.Cursor, t.Label = none, reverse, faint
	t.Placeholder = faint
	t.Button, t.ButtonFocus = none, reverse
	t.Bar, t.BarEmpty, t.BarStalled = bold, faint, none
	t.Dialog, t.DialogTitle = none, bold
	t.Shape, t.ShapeFocus = rule(lipgloss.NormalBorder()), lipgloss.ThickBorder()
}

// Surface reports whether a style has this background, nil included.
func (t *Theme) Surface(ground color.Color) bool {
	rgba := color.RGBAModel.Convert
	return ground == nil || slices.ContainsFunc([]lipgloss.Style{t.Selected, t.Chip, t.ChipFocus},
		func(s lipgloss.Style) bool { return rgba(s.GetBackground()) == rgba(ground) })
}

// OnCursor returns a style for text in the row under the cursor: only marks and states keep their
// color, if it is readable there.
func (t *Theme) OnCursor(s lipgloss.Style) lipgloss.Style {
	for _, of := range []lipgloss.Style{t.Good, t.Warn, t.Bad, t.Marked} {
		if t.readable && s.GetForeground() == of.GetForeground() {
			return s
		}
	}
	return lipgloss.NewStyle()
}

// rule keeps a thin line beside the title: only the part with the focus and dialogs have a whole
// frame.
func rule(b lipgloss.Border) lipgloss.Border {
	thin := lipgloss.HiddenBorder()
	thin.Top = b.Top
	return thin
}

// The names of the themes. Auto is Dark or Light, depending on the terminal's
// background.
const (
	Auto         = "auto"
	Dark         = "dark"
	Light        = "light"
	HighContrast = "high-contrast"
	NoColor      = "no-color"
)

// Options describe the theme to make.
type Options struct {
	// Name is a theme; any other name means Auto.
	Name string
	// Ground is the terminal's own background. Nil means unknown and counts as dark.
	Ground color.Color
	// Depth is the number of colors of the terminal; Unknown means all.
	Depth colorprofile.Profile
}

// Make returns a theme. A terminal of 16 colors gets the theme without color, with its
// own colors for text and signs: ours would be converted to blue on blue.
func Make(o Options) *Theme {
	dark, p := o.palette()
	switch {
	case o.Name == NoColor, o.Depth != colorprofile.Unknown && o.Depth < colorprofile.ANSI:
		return New(dark, false)
	case o.Depth == colorprofile.ANSI:
		t := New(isDark(o.Ground), false)
		t.tint()
		t.Pictures = true
		return t
	}
	t := &Theme{Dark: dark, Color: true, Pictures: true}
	t.paint(p)
	t.readable = t.readable && o.Depth != colorprofile.ANSI256
	if o.Ground == nil {
		return t // such a terminal could not set it either
	}
	if p.Ground == "" && dark != isDark(o.Ground) {
		// The theme is for the other kind of background.
		p.Ground, p.Text = lightGround, lightPalette.RaisedText
		if dark {
			p.Ground, p.Text = darkGround, darkPalette.RaisedText
		}
	}
	if p.Ground != "" {
		t.Ground = lipgloss.Color(p.Ground)
	}
	if p.Text != "" {
		t.Plain = lipgloss.Color(p.Text)
	}
	return t
}

func (o Options) palette() (dark bool, p Palette) {
	dark = o.Name == Dark || o.Name != Light && isDark(o.Ground)
	switch {
	case dark && o.Name == HighContrast:
		return dark, darkContrast
	case dark:
		return dark, darkPalette
	case o.Name == HighContrast:
		return dark, lightContrast
	}
	return dark, lightPalette
}

// isDark reports whether a background is dark; nil counts as dark.
func isDark(ground color.Color) bool {
	if ground == nil {
		return true
	}
	r, g, b, _ := ground.RGBA()
	return 299*r+587*g+114*b < 500*0xffff
}

// tint applies the terminal's own colors to the text and signs of a theme without color.
func (t *Theme) tint() {
	p := ansiDark
	if !t.Dark {
		p = ansiLight
	}
	for c, styles := range map[string][]*lipgloss.Style{
		p.Accent: {&t.Accent, &t.Title, &t.Info, &t.Key, &t.BorderFocus},
		p.Good:   {&t.Good, &t.Local},
		p.Warn:   {&t.Warn, &t.BarStalled},
		p.Bad:    {&t.Bad},
		p.Marked: {&t.Marked, &t.Match, &t.Hosted},
	} {
		for _, s := range styles {
			if c != "" {
				*s = s.Foreground(lipgloss.Color(c))
			}
		}
	}
}

// Palette holds the colors of the roles: "#rrggbb", or "0" to "255" for one of the
// terminal's own. For Ground and Text, "" means the terminal's own.
type Palette struct {
	// Ground and Text are the background and the plain text. If set, the terminal's own
	// are changed to them.
	Ground, Text string
	// Text on the background.
	Muted, Accent, Good, Warn, Bad, Marked string
	// Line draws borders: visible, but less prominent than text.
	Line string
	// Surfaces: chips and buttons; fields; the row under the cursor; the focused button.
	Raised, RaisedText, Sunk, Selected, SelectedText, Strong, StrongText string
}

// The assumed background of a terminal that uses its own.
const (
	darkGround  = "#1b1d23"
	lightGround = "#ffffff"
)

// Every text color of these two has a contrast of at least 4.5 to 1 with its background
// (the tests check it), so that muted text stays readable.
var darkPalette = Palette{
	Muted: "#9ea3ad", Accent: "#82b4f5", Good: "#8fcf9d", Warn: "#e6c07a", Bad: "#f5918a", Marked: "#d5a8f0",
	Line:   "#62666e",
	Raised: "#303236", Sunk: "#202b3d", RaisedText: "#dfe4ec",
	Selected: "#1c3d74", SelectedText: "#ffffff",
	Strong: "#82b4f5", StrongText: "#10192a",
}

var lightPalette = Palette{
	Muted: "#5b6472", Accent: "#1b5cb8", Good: "#1c6e37", Warn: "#805300", Bad: "#b02a21", Marked: "#7a2fa8",
	Line:   "#949cab",
	Raised: "#eceff4", Sunk: "#e9f1fd", RaisedText: "#1d232e",
	Selected: "#cfe0fa", SelectedText: "#0d2247",
	Strong: "#1b5cb8", StrongText: "#ffffff",
}

// The high contrast palettes have at least 7 to 1, also for lines and surfaces. They set
// background and text, because contrast with an unknown background cannot be guaranteed.
var darkContrast = Palette{
	Ground: "#000000", Text: "#ffffff",
	Muted: "#d0d0d0", Accent: "#87d7ff", Good: "#87ff87", Warn: "#ffd75f", Bad: "#ffafaf", Marked: "#ffafff",
	Line:   "#d0d0d0",
	Raised: "#262626", Sunk: "#1c1c1c", RaisedText: "#ffffff",
	Selected: "#ffff00", SelectedText: "#000000",
	Strong: "#ffffff", StrongText: "#000000",
}

var lightContrast = Palette{
	Ground: "#ffffff", Text: "#000000",
	Muted: "#3a3a3a", Accent: "#00005f", Good: "#004400", Warn: "#5f2400", Bad: "#a80000", Marked: "#5f005f",
	Line:   "#3a3a3a",
	Raised: "#eeeeee", Sunk: "#f4f4f4", RaisedText: "#000000",
	Selected: "#00005f", SelectedText: "#ffffff",
	Strong: "#000000", StrongText: "#ffffff",
}

// ansiDark and ansiLight are for terminals of 16 colors, which the user chose. They use
// only colors that are readable on such a background in common palettes, and only for
// text and signs. Raised and selected parts are bold and reversed.
var (
	ansiDark  = Palette{Accent: "6", Good: "2", Warn: "3", Bad: "1", Marked: "5"}
	ansiLight = Palette{Accent: "4", Bad: "1", Marked: "5"}
)
