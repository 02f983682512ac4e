package theme

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
	// Raised surfaces: fields and chips; the row under the cursor, with the placeholder
	// of an empty field; the focused button.
	Raised, RaisedText, Selected, SelectedText, SelectedMuted, Strong, StrongText string
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
	Raised: "#303236", RaisedText: "#dfe4ec",
	Selected: "#264d73", SelectedText: "#ffffff", SelectedMuted: "#c3ccd9",
	Strong: "#82b4f5", StrongText: "#10192a",
}

var lightPalette = Palette{
	Muted: "#5b6472", Accent: "#1b5cb8", Good: "#1c6e37", Warn: "#805300", Bad: "#b02a21", Marked: "#7a2fa8",
	Line:   "#949cab",
	Raised: "#eceff4", RaisedText: "#1d232e",
	Selected: "#cfe0fa", SelectedText: "#0d2247", SelectedMuted: "#4a5568",
	Strong: "#1b5cb8", StrongText: "#ffffff",
}

// The high contrast palettes have at least 7 to 1, also for lines and surfaces. They set
// background and text, because contrast with an unknown background cannot be guaranteed.
var darkContrast = Palette{
	Ground: "#000000", Text: "#ffffff",
	Muted: "#d0d0d0", Accent: "#87d7ff", Good: "#87ff87", Warn: "#ffd75f", Bad: "#ffafaf", Marked: "#ffafff",
	Line:   "#d0d0d0",
	Raised: "#262626", RaisedText: "#ffffff",
	Selected: "#ffff00", SelectedText: "#000000", SelectedMuted: "#303030",
	Strong: "#ffffff", StrongText: "#000000",
}

var lightContrast = Palette{
	Ground: "#ffffff", Text: "#000000",
	Muted: "#3a3a3a", Accent: "#00005f", Good: "#004400", Warn: "#5f2400", Bad: "#a80000", Marked: "#5f005f",
	Line:   "#3a3a3a",
	Raised: "#eeeeee", RaisedText: "#000000",
	Selected: "#00005f", SelectedText: "#ffffff", SelectedMuted: "#d0d0d0",
	Strong: "#000000", StrongText: "#ffffff",
}

// ansiDark and ansiLight are for terminals of 16 colors, which the user chose. They use
// only colors that are readable on such a background in common palettes, and only for
// text and signs. Raised and selected parts are bold and reversed.
var (
	ansiDark  = Palette{Accent: "6", Good: "2", Warn: "3", Bad: "1", Marked: "5"}
	ansiLight = Palette{Accent: "4", Bad: "1", Marked: "5"}
)
