package picture

import (
	"fmt"
	"image"
)

// Method is a way to bring pictures to the screen.
type Method int

// The methods; the zero value works on every terminal.
const (
	// MethodBlocks draws with glyphs.
	MethodBlocks Method = iota
	// MethodKitty has the terminal draw real pictures, by the graphics protocol
	// of kitty with Unicode placeholders.
	MethodKitty
	// MethodDirect has a terminal place pictures over its text, by the graphics
	// protocol of kitty without placeholders.
	MethodDirect
	// MethodInline paints pictures by the protocol of iTerm2.
	MethodInline
	// MethodSixel paints pictures by the protocol of DEC's terminals.
	MethodSixel
	// MethodOff draws none.
	MethodOff
)

// String is the method in words.
func (m Method) String() string {
	return [...]string{
		"block glyphs", "pixels (kitty graphics)", "pixels (kitty graphics, placed directly)",
		"pixels (iTerm2 inline images)", "pixels (sixel)", "no pictures",
	}[m]
}

// Pixels reports whether the terminal shows pixels.
func (m Method) Pixels() bool { return m > MethodBlocks && m < MethodOff }

// Setting is how the person wants pictures to be drawn: one of the values below.
// An unknown one counts as SettingAuto.
type Setting string

// The settings.
const (
	SettingAuto   Setting = "auto"
	SettingKitty  Setting = "kitty"
	SettingITerm  Setting = "iterm"
	SettingSixel  Setting = "sixel"
	SettingBlocks Setting = "blocks"
	SettingOff    Setting = "off"
)

// Abilities are what is known of the terminal as far as pictures go. The zero
// value is a terminal of which nothing is known, which draws with blocks.
type Abilities struct {
	// Method and Set are how pictures are drawn, after the setting had its say.
	Method Method
	Set    Set
	// Cell is the size of a cell in pixels, rounded; zero while unknown.
	Cell image.Point
	// Exact is the size of a cell in pixels where that is no whole number.
	Exact Exact
	// PixelMouse reports that the mouse can be followed by the pixel.
	PixelMouse bool
	// Findings say what was found and why, for a person to read.
	Findings Findings
}

// Findings are sentences about each ability.
type Findings struct {
	// State is how far the asking has come.
	State string
	// Terminal is the name the terminal gave itself; Outer the one around tmux.
	Terminal, Outer string
	// Colors is how many there are, with the reason.
	Colors string
	// Drawing is the method with its reason; Glyphs the set with its reason.
	Drawing, Glyphs string
	// Cell, Kitty, Sixel, Mouse and Tmux say what was answered.
	Cell, Kitty, Sixel, Mouse, Tmux string
}

// Finding is one line of [Findings.Lines].
type Finding struct{ Label, Value string }

// Lines are the findings in the order they are read; what is empty is left out.
func (f Findings) Lines() []Finding {
	all := []Finding{
		{"Drawn with", f.Drawing},
		{"Glyphs", f.Glyphs},
		{"Colors", f.Colors},
		{"Terminal", f.Terminal},
		{"Around tmux", f.Outer},
		{"Real pictures", f.Kitty},
		{"Sixel", f.Sixel},
		{"Cell", f.Cell},
		{"Mouse by pixel", f.Mouse},
		{"tmux", f.Tmux},
		{"Asked", f.State},
	}
	lines := all[:0]
	for _, l := range all {
		if l.Value != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// CellAspect is the height of a cell divided by its width; zero while unknown.
func (a Abilities) CellAspect() float64 {
	if a.Cell.X <= 0 || a.Cell.Y <= 0 {
		return 0
	}
	return float64(a.Cell.Y) / float64(a.Cell.X)
}

// Options are the options to draw with on this terminal.
func (a Abilities) Options(c Color, light bool) Options {
	return Options{Color: c, Set: a.Set, CellAspect: a.CellAspect(), Light: light, Method: a.Method, Cell: a.Cell, Exact: a.Exact}
}

// CellAt is the cell at a pixel of the screen, and the pixel within it. The size of a
// cell must be known.
func (a Abilities) CellAt(pixel image.Point) (cell, within image.Point) {
	exact := a.Exact.or(a.Cell)
	cell = image.Pt(int(float64(pixel.X)/exact.X), int(float64(pixel.Y)/exact.Y))
	return cell, pixel.Sub(exact.pixels(cell))
}

// Exact is the size of a cell in pixels in terminals that do not round it, such as
// xterm.js. The zero Exact means that the rounded size is right.
type Exact struct{ X, Y float64 }

// or is the exact size, or the rounded one if that is right.
func (e Exact) or(rounded image.Point) Exact {
	if e == (Exact{}) {
		return Exact{float64(rounded.X), float64(rounded.Y)}
	}
	return e
}

// pixels is how large a number of cells is. It never reaches into the next cell.
func (e Exact) pixels(cells image.Point) image.Point {
	return image.Pt(int(float64(cells.X)*e.X), int(float64(cells.Y)*e.Y))
}

// decide draws the conclusions from what was answered.
func (d *Detector) decide() Abilities {
	a := Abilities{PixelMouse: d.pixelMouse, Cell: d.cell, Exact: d.exact}
	f := &a.Findings
	f.State, f.Colors = d.state(), d.Colors
	f.Terminal = d.name
	known := d.name
	if d.env.tmux {
		f.Outer, known = d.outer, d.outer
		f.Tmux = "inside tmux: real pictures need its option allow-passthrough"
		if f.Outer == "" && d.over {
			f.Outer = "did not answer through tmux"
		}
	}
	var reason string
	a.Set, reason = setOf(known)
	if most := setThrough(d.name); d.env.tmux && a.Set > most {
		a.Set, reason = most, "tmux may not know the others and tear what it does not know"
	}
	f.Glyphs = a.Set.String() + ": " + reason
	f.Cell = "not known yet"
	if d.cell.X > 0 {
		f.Cell = fmt.Sprintf("%d x %d pixels, by %s", d.cell.X, d.cell.Y, d.cellFrom)
	} else if d.over {
		f.Cell = "unknown: the terminal does not say"
	}
	var kitty Method
	kitty, f.Kitty = d.kittyProtocol()
	f.Sixel = answer(d.sixel, d.over || d.fenced, "yes")
	if d.sixel && d.env.tmux && !d.TmuxSixel {
		f.Sixel = "tmux has it, the terminal around tmux does not"
	}
	f.Mouse = answer(d.pixelMouse, d.over || d.fenced, "yes")
	a.Method, f.Drawing = d.method(kitty)
	return a
}

func answer(yes, known bool, words string) string {
	switch {
	case yes:
		return words
	case known:
		return "no"
	}
	return "not known yet"
}

// method is how pictures are drawn, with the reason. Kitty is the variant of kitty's
// protocol that works, MethodBlocks for none.
func (d *Detector) method(kitty Method) (Method, string) {
	if d.setting == SettingOff || d.setting == SettingBlocks {
		return map[Setting]Method{SettingOff: MethodOff, SettingBlocks: MethodBlocks}[d.setting], "the setting says " + string(d.setting)
	}
	wanted, reason := d.wanted(kitty)
	if wanted.Pixels() && d.cell.X == 0 {
		return MethodBlocks, "block glyphs: the size of a cell in pixels is not known"
	}
	return wanted, reason
}

// wanted is the best method that the terminal has, or the one that the setting names.
func (d *Detector) wanted(kitty Method) (Method, string) {
	name := d.name
	if d.env.tmux {
		name = d.outer // which it only told if tmux lets sequences through
	}
	inlineBy := inlineTerminal(name)
	switch {
	case d.setting == SettingKitty && kitty == MethodBlocks:
		return MethodKitty, "pixels: the setting says kitty, whatever the terminal answered"
	case d.setting == SettingKitty:
		return kitty, "pixels: the setting says kitty"
	case d.setting == SettingITerm:
		return MethodInline, "pixels: the setting says iterm"
	case d.setting == SettingSixel:
		return MethodSixel, "pixels: the setting says sixel"
	case d.env.silent != "":
		return MethodBlocks, "block glyphs: " + d.env.silent
	case kitty == MethodKitty:
		return kitty, "pixels: the terminal shows pictures in the cells of text (kitty graphics)"
	case kitty == MethodDirect && !inlineBy:
		return kitty, "pixels: the terminal places pictures over text (kitty graphics)"
	case inlineBy:
		return MethodInline, "pixels: " + name + " is known to show inline images of iTerm2"
	case d.sixel && (!d.env.tmux || d.TmuxSixel):
		return MethodSixel, "pixels: the terminal says that it has sixel"
	case d.over || d.fenced:
		return MethodBlocks, "block glyphs: the terminal has none of the protocols for pictures"
	}
	return MethodBlocks, "block glyphs, until the terminal has answered"
}

// kittyProtocol tells which variant of kitty's protocol works, MethodBlocks for
// none. Placeholders work if the probe of that very kind was answered with OK, and
// did not move the cursor as terminals do that draw the picture at once; those can
// place pictures directly. Behind tmux the answer may be lost or be that of another
// client, so the terminal around it must also be one that is known to.
func (d *Detector) kittyProtocol() (Method, string) {
	placeholders := ""
	switch {
	case d.kittyReply == "" && !d.over && !d.fenced:
		return MethodBlocks, "not known yet"
	case d.kittyReply == "":
		placeholders = "the probe was not answered"
	case d.kittyReply != "OK":
		placeholders = "the probe was refused (" + d.kittyReply + ")"
	case d.env.tmux && !placeholderTerminal(d.outer):
		placeholders = "the terminal around tmux is not known to show them"
	case !d.env.tmux && !d.cursorKnown:
		placeholders = "the terminal does not say where the cursor is"
	case !d.env.tmux && d.cursor != probeAt:
		placeholders = "the terminal says OK but draws at once"
	default:
		return MethodKitty, "yes: the probe was answered with OK and left the cursor alone"
	}
	if d.kittyDirect {
		return MethodDirect, "yes, placed over text; not in the cells of text: " + placeholders
	}
	return MethodBlocks, "no: " + placeholders
}

// state says how far the asking has come.
func (d *Detector) state() string {
	switch {
	case d.env.silent != "":
		return "not asked: " + d.env.silent
	case d.fenced && d.took > 0:
		return fmt.Sprintf("all answers came within %d ms", d.took.Milliseconds())
	case d.fenced:
		return "all answers came"
	case d.over:
		return fmt.Sprintf("no answer to the last question within %v", d.Patience())
	}
	return "waiting for the terminal's answers"
}
