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
	// MethodOff draws none.
	MethodOff
)

// String is the method in words.
func (m Method) String() string {
	return [...]string{"block glyphs", "real pictures (kitty graphics)", "no pictures"}[m]
}

// Setting is how the person wants pictures to be drawn: one of the values below.
// An unknown one counts as SettingAuto.
type Setting string

// The settings. With SettingSixel pictures are drawn with blocks: a popup over a
// sixel leaves a hole until the picture is sent again.
const (
	SettingAuto   Setting = "auto"
	SettingKitty  Setting = "kitty"
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
	// Cell is the size of a cell in pixels; zero while unknown.
	Cell image.Point
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
	return Options{Color: c, Set: a.Set, CellAspect: a.CellAspect(), Light: light, Method: a.Method, Cell: a.Cell}
}

// decide draws the conclusions from what was answered.
func (d *Detector) decide() Abilities {
	a := Abilities{PixelMouse: d.pixelMouse, Cell: d.cell}
	f := &a.Findings
	f.State = d.state()
	f.Terminal = d.name
	known := d.name
	if d.env.tmux {
		f.Outer, known = d.outer, d.outer
		f.Tmux = "inside tmux: real pictures need its option allow-passthrough"
		if f.Outer == "" && d.over {
			f.Outer = "did not answer through tmux"
		}
	}
	var why string
	a.Set, why = setOf(known)
	if most := setThrough(d.name); d.env.tmux && a.Set > most {
		a.Set, why = most, "tmux may not know the others and tear what it does not know"
	}
	f.Glyphs = a.Set.String() + ": " + why
	f.Cell = "not known yet"
	if d.cell.X > 0 {
		f.Cell = fmt.Sprintf("%d x %d pixels, by %s", d.cell.X, d.cell.Y, d.cellFrom)
	} else if d.over {
		f.Cell = "unknown: the terminal does not say"
	}
	works, kitty := d.kittyWorks()
	f.Kitty = kitty
	f.Sixel = answer(d.sixel, d.over || d.fenced, "the terminal can, not used: a popup over a sixel leaves a hole")
	f.Mouse = answer(d.pixelMouse, d.over || d.fenced, "yes")
	a.Method, f.Drawing = d.method(works)
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

// method is how pictures are drawn, with the reason.
func (d *Detector) method(works bool) (Method, string) {
	switch d.setting {
	case SettingOff:
		return MethodOff, "nothing: the setting says off"
	case SettingBlocks:
		return MethodBlocks, "block glyphs: the setting says so"
	case SettingSixel:
		return MethodBlocks, "block glyphs: sixel is not used, a popup over it leaves a hole"
	case SettingKitty:
		if d.cell.X > 0 {
			return MethodKitty, "real pictures: the setting says so, whatever the terminal answered"
		}
		return MethodBlocks, "block glyphs: the setting says kitty, but the size of a cell is not known"
	}
	switch {
	case d.env.silent != "":
		return MethodBlocks, "block glyphs: " + d.env.silent
	case works && d.cell.X > 0:
		return MethodKitty, "real pictures: the terminal shows them in the cells of text"
	case works:
		return MethodBlocks, "block glyphs: the size of a cell in pixels is not known"
	case d.over || d.fenced:
		return MethodBlocks, "block glyphs: the terminal cannot show real pictures in the cells of text"
	}
	return MethodBlocks, "block glyphs, until the terminal has answered"
}

// kittyWorks tells whether placeholders work: the probe of that very kind was
// answered with OK, and did not move the cursor as terminals do that draw the
// picture at once. Behind tmux the answer may be lost or be that of another
// client, so the terminal around it must also be one that is known to.
func (d *Detector) kittyWorks() (bool, string) {
	switch {
	case d.kittyReply == "" && !d.over && !d.fenced:
		return false, "not known yet"
	case d.kittyReply == "":
		return false, "no: the probe was not answered"
	case d.kittyReply != "OK":
		return false, "no: the probe was refused (" + d.kittyReply + ")"
	case !d.env.tmux && !d.cursorKnown:
		return false, "no: the terminal does not say where the cursor is"
	case !d.env.tmux && d.cursor != probeAt:
		return false, "no: the terminal says OK but draws at once instead of in the cells of text"
	case d.env.tmux && !placeholderTerminal(d.outer):
		return false, "no: the terminal around tmux is not known to show them"
	}
	return true, "yes: the probe was answered with OK and left the cursor alone"
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
