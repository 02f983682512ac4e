package picture

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/media"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// Detector queries the terminal for its abilities, which $TERM does not describe. Write
// Query to the terminal, pass all messages to Update, and call TimedOut after AnswerTimeout. It
// is not safe for concurrent use.
type Detector struct {
	// Colors describes the number of colors, for the report.
	Colors string
	// TmuxSixel reports sixel support of the terminal around tmux, since tmux answers for itself.
	TmuxSixel bool
	// Setting is the user's choice, which may change.
	Setting config.Pictures

	tmux   bool
	silent string // why the terminal is not queried; empty if it is

	name, outer string
	cell        image.Point
	cellFrom    string
	cellRank    int
	window      image.Point // of the terminal, in pixels
	cells       image.Point // of the terminal, in cells
	kittyReply  string      // to the probe for placeholders
	kittyDirect bool        // kitty's protocol was confirmed
	cursor      image.Point
	cursorKnown bool
	sixel       bool
	fenced      bool // the last query was answered
	over        bool // the wait is over
}

// WindowPixels is the size of the terminal according to the operating system.
type WindowPixels struct{ Cells, Pixels image.Point }

// NewDetector returns a detector for the terminal that getenv describes.
func NewDetector(s config.Pictures, getenv func(string) string) *Detector {
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	d, term := &Detector{Setting: s, tmux: getenv("TMUX") != ""}, getenv("TERM")
	switch {
	case term == "dumb" || term == "linux":
		d.silent = "terminals of type " + term + " do not understand queries"
	case getenv("TERM_PROGRAM") == "Apple_Terminal":
		d.silent = "Apple's Terminal prints the queries"
	case !d.tmux && (getenv("STY") != "" || strings.HasPrefix(term, "screen")):
		d.silent = "GNU screen does not pass queries on"
	}
	return d
}

// probeID is the id of the one-pixel picture in the probe.
const probeID = 250 << 24

// queryID is the id of the basic query for kitty's protocol, which stores no picture. Terminals
// without placeholders answer only this one.
const queryID = 31

// probeAt is the cursor position during the probe, counted from 0.
var probeAt = image.Pt(4, 2)

// Query returns the text to write to the terminal, or "" if it must not be queried. It restores the
// cursor.
func (d *Detector) Query() string {
	if d.silent != "" {
		return ""
	}
	const name = "\x1b[>q"
	q := name + "\x1b[16t\x1b[14t"
	send := fmt.Sprintf("\x1b_Ga=T,U=1,i=%d,c=2,r=1,s=1,v=1,f=32;AAAAAA==\x1b\\", probeID)
	forget := fmt.Sprintf("\x1b_Ga=d,d=I,i=%d,q=2\x1b\\", probeID)
	query := fmt.Sprintf("\x1b_Gi=%d,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\", queryID)
	if d.tmux {
		query = "" // tmux supports no direct placement
		// tmux answers for itself; wrapped queries reach the outer terminal.
		q += ansi.TmuxPassthrough(name)
		send, forget = ansi.TmuxPassthrough(send), ansi.TmuxPassthrough(forget)
	}
	return q + "\x1b7\x1b[3;5H" + send + "\x1b[6n" + forget + "\x1b8" + query + "\x1b[c"
}

// AnswerTimeout is how long to wait for replies, which may come from far away. Late ones still count.
const AnswerTimeout = 2 * time.Second

// TimedOut ends the wait.
func (d *Detector) TimedOut() { d.over = true }

// Sources of the cell size, from least to most reliable.
const (
	cellByWindow = iota + 1
	cellByReport
	cellByKernel
)

// Update handles a message of Bubble Tea or ultraviolet, which need not be a reply.
func (d *Detector) Update(msg any) {
	switch msg := msg.(type) {
	case tea.TerminalVersionMsg:
		d.named(msg.Name)
	case uv.TerminalVersionEvent:
		d.named(msg.Name)
	case uv.CellSizeEvent:
		d.setCell(image.Pt(msg.Width, msg.Height), cellByReport, "the terminal's report")
	case uv.PixelSizeEvent:
		d.window = image.Pt(msg.Width, msg.Height)
		d.divide(d.window, d.cells, cellByWindow, "the size of the window")
	case tea.WindowSizeMsg:
		d.resized(image.Pt(msg.Width, msg.Height))
	case WindowPixels:
		d.divide(msg.Pixels, msg.Cells, cellByKernel, "the operating system")
	case uv.KittyGraphicsEvent:
		if msg.Options.ID == queryID {
			d.kittyDirect = string(msg.Payload) == "OK"
		} else if uint32(msg.Options.ID) == probeID {
			d.kittyReply = cmp.Or(media.Clean(string(msg.Payload)), "an empty answer")
		}
	case tea.CursorPositionMsg:
		d.cursorAt(msg.X, msg.Y)
	case uv.CursorPositionEvent:
		d.cursorAt(msg.X, msg.Y)
	case uv.PrimaryDeviceAttributesEvent:
		d.sixel = d.sixel || slices.Contains(msg, 4)
		d.fenced = true // the reply to the last query: missing replies will not come
	}
}

func (d *Detector) named(name string) {
	name = media.Clean(name)
	if !d.tmux || d.name == "" && strings.HasPrefix(name, "tmux") {
		d.name = name
		return
	}
	d.outer = name
}

func (d *Detector) setCell(size image.Point, rank int, from string) {
	sensible := size.X >= 2 && size.Y >= 4 && size.X <= 256 && size.Y <= 256 // else it is in other units
	if rank < d.cellRank || !sensible {
		return
	}
	d.cell, d.cellRank, d.cellFrom = size, rank, from
}

func (d *Detector) divide(window, cells image.Point, rank int, from string) {
	if cells.X > 0 && cells.Y > 0 {
		d.setCell(image.Pt(window.X/cells.X, window.Y/cells.Y), rank, from)
	}
}

// resized handles a new terminal size. The old size of the window in pixels no longer counts.
func (d *Detector) resized(cells image.Point) {
	if cells != d.cells && d.cells != (image.Point{}) {
		d.window = image.Point{}
	}
	d.cells = cells
	d.divide(d.window, cells, cellByWindow, "the size of the window")
}

func (d *Detector) cursorAt(x, y int) {
	if d.cursorKnown || d.fenced {
		return
	}
	d.cursor, d.cursorKnown = image.Pt(x, y), true
}

// begins reports whether a name in XTVERSION format, such as kitty(0.41.1), begins with one of the
// words.
func begins(name string, words ...string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(name, w) })
}

// Method is a way of drawing pictures.
type Method int

// Methods. The zero value works on every terminal.
const (
	// MethodBlocks draws with block glyphs.
	MethodBlocks Method = iota
	// MethodKitty uses kitty's graphics protocol with Unicode placeholders.
	MethodKitty
	// MethodDirect uses kitty's graphics protocol without placeholders, placing pictures over text.
	MethodDirect
	// MethodInline uses the protocol of iTerm2.
	MethodInline
	// MethodSixel uses sixel graphics.
	MethodSixel
	// MethodOff draws no pictures.
	MethodOff
)

// String describes the method.
func (m Method) String() string {
	return [...]string{
		"block glyphs", "pixels (kitty graphics)", "pixels (kitty graphics, placed over text)",
		"pixels (iTerm2 inline images)", "pixels (sixel)", "no pictures",
	}[m]
}

// Pixels reports whether the terminal shows pixels.
func (m Method) Pixels() bool { return m > MethodBlocks && m < MethodOff }

// Abilities describes what the terminal can draw. The zero value is an unknown terminal, drawn with
// blocks.
type Abilities struct {
	// Method is in use, after applying the setting.
	Method Method
	// Cell is the size of a cell in pixels; zero if unknown.
	Cell image.Point
	// Report explains the results.
	Report Report
}

// Report holds a sentence about each ability.
type Report struct {
	// Drawing is the method, Colors the number of colors, each with the reason.
	Drawing, Colors string
	// Terminal has the names reported by the terminal and by the one around tmux.
	Terminal string
	// Cell says how large a cell is and how that is known.
	Cell string
}

// Fact is one line of [Report.Lines].
type Fact struct{ Label, Value string }

// Lines returns the report in reading order.
func (f Report) Lines() []Fact {
	return []Fact{
		{"Drawn with", f.Drawing},
		{"Colors", f.Colors},
		{"Terminal", f.Terminal},
		{"Cell", f.Cell},
	}
}

// Options returns the drawing options for this terminal.
func (a Abilities) Options(c Color, light bool) Options {
	o := Options{Color: c, Light: light, Method: a.Method, Cell: a.Cell}
	if a.Cell.X > 0 {
		o.CellAspect = float64(a.Cell.Y) / float64(a.Cell.X)
	}
	return o
}

// Abilities returns the result of the replies so far.
func (d *Detector) Abilities() Abilities {
	a := Abilities{Cell: d.cell}
	f := &a.Report
	f.Colors = d.Colors
	outer := cmp.Or(d.outer, "a terminal that does not answer through tmux: its option allow-passthrough is needed")
	f.Terminal = cmp.Or(d.name, "unknown") + text.If(d.tmux, " in "+outer)
	size := fmt.Sprintf("%d × %d pixels, from %s", d.cell.X, d.cell.Y, d.cellFrom)
	f.Cell = text.Either(d.cell.X > 0, size, "not known")
	if a.Method, f.Drawing = d.method(d.kittyProtocol()); a.Method.Pixels() && a.Cell.X == 0 {
		a.Method, f.Drawing = MethodBlocks, "block glyphs: the size of a cell in pixels is unknown"
	}
	return a
}

var methods = map[config.Pictures]Method{
	config.PicturesOff: MethodOff, config.PicturesBlocks: MethodBlocks, config.PicturesKitty: MethodKitty,
	config.PicturesITerm: MethodInline, config.PicturesSixel: MethodSixel,
}

// method returns the method of the setting, or the best one that the terminal supports, and the
// reason. kitty is the variant of kitty's protocol that works, or MethodBlocks.
func (d *Detector) method(kitty Method) (Method, string) {
	if m, set := methods[d.Setting]; set {
		if m == MethodKitty && kitty == MethodDirect {
			m = kitty
		}
		return m, m.String() + ", by the setting"
	}
	// Inline images of iTerm2 cannot be queried, and tmux does not know them.
	inline := !d.tmux && begins(d.name, "iterm", "wezterm", "mintty", "xterm.js", "xterm-js", "vscode")
	switch {
	case d.silent != "":
		return MethodBlocks, "block glyphs: " + d.silent
	case kitty == MethodKitty:
		return MethodKitty, "pixels in the cells of text (kitty graphics)"
	case inline:
		return MethodInline, "pixels: " + d.name + " is known to show inline images of iTerm2"
	case kitty == MethodDirect:
		return kitty, "pixels: the terminal places pictures over text (kitty graphics)"
	case d.sixel && (!d.tmux || d.TmuxSixel):
		return MethodSixel, "pixels: the terminal says that it has sixel"
	case d.over || d.fenced:
		return MethodBlocks, "block glyphs: the terminal has none of the protocols for pictures"
	}
	return MethodBlocks, "block glyphs, until the terminal has answered"
}

// kittyProtocol returns the variant of kitty's protocol that works, or MethodBlocks. Placeholders
// work if their probe was answered with OK and did not move the cursor; terminals that move it
// draw at once. Behind tmux the reply may be lost or belong to another client, so the outer
// terminal must also be known to support them. Without placeholders, a terminal that answers the
// basic query places pictures over text; in Konsole text does not erase sixel.
func (d *Detector) kittyProtocol() Method {
	works := text.Either(d.tmux, begins(d.outer, "ghostty", "rio", "kitty"), d.cursorKnown && d.cursor == probeAt)
	switch {
	case d.kittyReply == "OK" && works:
		return MethodKitty
	case d.kittyDirect && (d.kittyReply != "" || d.over || d.fenced):
		return MethodDirect
	}
	return MethodBlocks
}
