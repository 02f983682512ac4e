package picture

import (
	"cmp"
	"fmt"
	"image"
)

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

// Setting is the user's choice of a method. Unknown values mean SettingAuto.
type Setting string

// Settings.
const (
	SettingAuto   Setting = "auto"
	SettingKitty  Setting = "kitty"
	SettingITerm  Setting = "iterm"
	SettingSixel  Setting = "sixel"
	SettingBlocks Setting = "blocks"
	SettingOff    Setting = "off"
)

// Abilities describes what the terminal can draw. The zero value is an unknown terminal, drawn with
// blocks.
type Abilities struct {
	// Method is in use, after applying the setting.
	Method Method
	// Cell is the size of a cell in pixels; zero if unknown.
	Cell image.Point
	// Findings explains the results.
	Findings Findings
}

// Findings holds a sentence about each ability.
type Findings struct {
	// Drawing is the method, Colors the number of colors, each with the reason.
	Drawing, Colors string
	// Terminal has the names reported by the terminal and by the one around tmux.
	Terminal string
	// Cell says how large a cell is and how that is known.
	Cell string
}

// Fact is one line of [Findings.Lines].
type Fact struct{ Label, Value string }

// Lines returns the findings in reading order.
func (f Findings) Lines() []Fact {
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
	f := &a.Findings
	f.Colors = d.Colors
	f.Terminal = cmp.Or(d.name, "unknown")
	if d.env.tmux {
		f.Terminal += " in " + cmp.Or(d.outer, "a terminal that does not answer through tmux: its option allow-passthrough is needed")
	}
	f.Cell = "not known"
	if d.cell.X > 0 {
		f.Cell = fmt.Sprintf("%d x %d pixels, by %s", d.cell.X, d.cell.Y, d.cellFrom)
	}
	if a.Method, f.Drawing = d.method(d.kittyProtocol()); a.Method.Pixels() && a.Cell.X == 0 {
		a.Method, f.Drawing = MethodBlocks, "block glyphs: the size of a cell in pixels is unknown"
	}
	return a
}

var methods = map[Setting]Method{
	SettingOff: MethodOff, SettingBlocks: MethodBlocks, SettingKitty: MethodKitty,
	SettingITerm: MethodInline, SettingSixel: MethodSixel,
}

// method returns the method of the setting, or the best one that the terminal supports, and the
// reason. kitty is the variant of kitty's protocol that works, or MethodBlocks.
func (d *Detector) method(kitty Method) (Method, string) {
	if m, set := methods[d.setting]; set {
		if m == MethodKitty && kitty == MethodDirect {
			m = kitty
		}
		return m, m.String() + ", by the setting"
	}
	switch {
	case d.env.silent != "":
		return MethodBlocks, "block glyphs: " + d.env.silent
	case kitty == MethodKitty:
		return MethodKitty, "pixels: the terminal shows pictures in the cells of text (kitty graphics)"
	case !d.env.tmux && inlineTerminal(d.name): // tmux does not know these pictures
		return MethodInline, "pixels: " + d.name + " is known to show inline images of iTerm2"
	case kitty == MethodDirect:
		return kitty, "pixels: the terminal places pictures over text (kitty graphics)"
	case d.sixel && (!d.env.tmux || d.TmuxSixel):
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
	left := d.cursorKnown && d.cursor == probeAt
	switch {
	case d.kittyReply == "OK" && (d.env.tmux && placeholderTerminal(d.outer) || !d.env.tmux && left):
		return MethodKitty
	case d.kittyDirect && (d.kittyReply != "" || d.over || d.fenced):
		return MethodDirect
	}
	return MethodBlocks
}
