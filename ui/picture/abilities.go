package picture

import (
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
		"block glyphs", "pixels (kitty graphics)", "pixels (kitty graphics, placed directly)",
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
	// Method and Set are in use, after applying the setting.
	Method Method
	Set    Set
	// Cell is the rounded size of a cell in pixels; zero if unknown.
	Cell image.Point
	// Exact is the exact size of a cell in pixels if fractional.
	Exact Exact
	// PixelMouse reports support for mouse positions in pixels.
	PixelMouse bool
	// Findings explains the results.
	Findings Findings
}

// Findings holds a sentence about each ability.
type Findings struct {
	// State is the progress of the queries.
	State string
	// Terminal and Outer are the names reported by the terminal and by the one around tmux.
	Terminal, Outer string
	// Colors is the number of colors, with the reason.
	Colors string
	// Drawing is the method and Glyphs the glyph set, each with the reason.
	Drawing, Glyphs string
	// Cell, Kitty, Sixel, Mouse and Tmux describe the replies.
	Cell, Kitty, Sixel, Mouse, Tmux string
}

// Finding is one line of [Findings.Lines].
type Finding struct{ Label, Value string }

// Lines returns the findings in reading order, without empty ones.
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

// Options returns the drawing options for this terminal.
func (a Abilities) Options(c Color, light bool) Options {
	o := Options{Color: c, Set: a.Set, Light: light, Method: a.Method, Cell: a.Cell, Exact: a.Exact}
	if a.Cell.X > 0 {
		o.CellAspect = float64(a.Cell.Y) / float64(a.Cell.X)
	}
	return o
}

// CellAt returns the cell at a pixel of the screen, and the pixel within it. The size of a cell
// must be known.
func (a Abilities) CellAt(pixel image.Point) (cell, within image.Point) {
	exact := a.Exact.or(a.Cell)
	cell = image.Pt(int(float64(pixel.X)/exact.X), int(float64(pixel.Y)/exact.Y))
	return cell, pixel.Sub(exact.pixels(cell))
}

// Exact is the size of a cell in pixels in terminals with fractional sizes, such as xterm.js. The
// zero Exact means that the rounded size is exact.
type Exact struct{ X, Y float64 }

// or returns the exact size, or the rounded one if Exact is zero.
func (e Exact) or(rounded image.Point) Exact {
	if e == (Exact{}) {
		return Exact{float64(rounded.X), float64(rounded.Y)}
	}
	return e
}

// pixels returns the size of a number of cells, never reaching into the next cell.
func (e Exact) pixels(cells image.Point) image.Point {
	return image.Pt(int(float64(cells.X)*e.X), int(float64(cells.Y)*e.Y))
}

// Abilities returns the result of the replies so far.
func (d *Detector) Abilities() Abilities {
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
		a.Set, reason = most, "tmux may break glyphs that it does not know"
	}
	f.Glyphs = a.Set.String() + ": " + reason
	f.Cell = "not known yet"
	if d.cell.X > 0 {
		f.Cell = fmt.Sprintf("%d x %d pixels, by %s", d.cell.X, d.cell.Y, d.cellFrom)
	} else if d.over {
		f.Cell = "unknown: the terminal did not reply"
	}
	var kitty Method
	kitty, f.Kitty = d.kittyProtocol()
	f.Sixel = answer(d.sixel, d.over || d.fenced)
	if d.sixel && d.env.tmux && !d.TmuxSixel {
		f.Sixel = "tmux has it, the terminal around tmux does not"
	}
	f.Mouse = answer(d.pixelMouse, d.over || d.fenced)
	a.Method, f.Drawing = d.method(kitty)
	return a
}

func answer(yes, known bool) string {
	switch {
	case yes:
		return "yes"
	case known:
		return "no"
	}
	return "not known yet"
}

// method returns the method and the reason. kitty is the variant of kitty's protocol that works, or
// MethodBlocks.
func (d *Detector) method(kitty Method) (Method, string) {
	wanted, reason := d.wanted(kitty)
	if wanted.Pixels() && d.cell.X == 0 {
		return MethodBlocks, "block glyphs: the size of a cell in pixels is unknown"
	}
	return wanted, reason
}

// wanted returns the method of the setting, or the best one that the terminal supports.
func (d *Detector) wanted(kitty Method) (Method, string) {
	name := d.name
	if d.env.tmux {
		name = d.outer // reported only if tmux passes sequences through
	}
	inlineBy := inlineTerminal(name)
	switch {
	case d.setting == SettingOff:
		return MethodOff, "set to off"
	case d.setting == SettingBlocks:
		return MethodBlocks, "set to blocks"
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

// kittyProtocol returns the variant of kitty's protocol that works, or MethodBlocks. Placeholders
// work if their probe was answered with OK and did not move the cursor; terminals that move it draw
// at once and can place pictures directly. Behind tmux the reply may be lost or belong to another
// client, so the outer terminal must also be known to support them.
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

// state describes the progress of the queries.
func (d *Detector) state() string {
	switch {
	case d.env.silent != "":
		return "not asked: " + d.env.silent
	case d.fenced && d.took > 0:
		return fmt.Sprintf("all answers came within %d ms", d.took.Milliseconds())
	case d.fenced:
		return "all answers came"
	case d.over:
		return fmt.Sprintf("no answer to the last question within %v", d.AnswerTimeout())
	}
	return "waiting for the terminal's answers"
}
