package edit

import (
	"context"
	"image"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// ViewerOptions configures a [Viewer].
type ViewerOptions struct {
	// Context ends the loading of pictures.
	Context context.Context
	// Draw configures drawing; Images shows real pictures if the terminal can, nil for glyphs.
	Draw   picture.Options
	Images *picture.ImageStore
	// Len is the number of pictures, At the first one to show.
	Len, At int
	// Subject returns picture i.
	Subject func(i int) Subject
	// Moved is called when picture i is shown; may be nil.
	Moved func(i int) tea.Cmd
	// Note describes the shown picture, such as "picked"; may be nil.
	Note func() string
	// Actions returns additional actions; may be nil.
	Actions func() []kit.Action
	// Before returns the Path of what is shown left of a divider, to compare picture i with, or nil; may
	// be nil.
	Before func(i int) func(context.Context) (string, error)
	// Halves names what is left and right of the divider; nil means before and after.
	Halves func(i int) (left, right string)
	// Now is the clock of double clicks.
	Now func() time.Time
}

// Viewer shows pictures full-screen, one at a time, with zoom. Create it with [NewViewer].
type Viewer struct {
	kit.Popup
	o    ViewerOptions
	room image.Point

	load    page.Questions
	cancel  context.CancelFunc
	loading bool
	decoded *picture.Picture // the previous picture while loading
	err     error

	before     *picture.Picture // nil if there is nothing to compare with
	beforeView picture.CropView
	share      float64 // of the columns, left of the divider
	dragged    bool    // the divider

	view   picture.CropView
	zoom   int         // index in zooms
	center image.Point // of the visible part, in pixels of the picture
	clicks *kit.Clicks
}

var (
	_ kit.Overlay = (*Viewer)(nil)
	_ kit.Updater = (*Viewer)(nil)
)

// viewerSide is the longest side of decoded pictures. A room higher than gapsFrom has blank lines around the caption.
const viewerSide, gapsFrom = 4096, 24

var zooms = []int{100, 150, 200, 300, 400, 600, 800, 1200, 1600}

// NewViewer returns a viewer. Read loads its first picture.
func NewViewer(o ViewerOptions) *Viewer {
	return &Viewer{o: o, cancel: func() {}, clicks: kit.NewClicks(o.Now), share: 0.5}
}

// Read loads the picture to show.
func (v *Viewer) Read() tea.Cmd {
	v.cancel()
	ctx, cancel := context.WithTimeout(v.o.Context, timeout)
	v.cancel, v.loading = cancel, true
	s, other := v.o.Subject(v.o.At), Subject{}
	if v.compares() {
		other.Path = v.o.Before(v.o.At)
	}
	return v.load.Ask(func() tea.Msg {
		defer cancel()
		p, err := s.decode(ctx, viewerSide)
		var before *picture.Picture
		if err == nil && other.Path != nil {
			before, err = other.decode(ctx, viewerSide)
		}
		return page.Do(func() {
			v.decoded, v.before, v.err, v.loading = p, before, err, false
			v.fit()
		})
	})
}

// Update handles messages of the screen below.
func (v *Viewer) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case picture.Abilities:
		v.o.Draw = msg.Options(v.o.Draw.Color, v.o.Draw.Light)
	case page.Acted, page.Resized:
	default:
		return nil
	}
	return tea.Batch(v.view.Follow(v.o.Images, v.o.Draw), v.beforeView.Follow(v.o.Images, v.o.Draw))
}

func (v *Viewer) compares() bool { return v.o.Before != nil && v.o.Before(v.o.At) != nil }

func (v *Viewer) Resize(room image.Point) { v.room = room }

// Close stops loading and deletes the picture from the terminal.
func (v *Viewer) Close() tea.Cmd {
	v.cancel()
	v.load.Drop()
	return tea.Batch(v.Popup.Close(), v.view.Delete(), v.beforeView.Delete())
}

func (v *Viewer) move(by int) tea.Cmd {
	v.o.At += by
	var cmd tea.Cmd
	if v.o.Moved != nil {
		cmd = v.o.Moved(v.o.At)
	}
	return tea.Batch(cmd, v.Read())
}

func (v *Viewer) fit() {
	v.zoom = 0
	if v.decoded != nil {
		v.center = v.decoded.Size().Div(2)
	}
}

func (v *Viewer) enlarge(by int) {
	v.zoom = max(0, min(v.zoom+by, len(zooms)-1))
	v.pan(image.Point{})
}

// pan moves the visible part by quarters of its size.
func (v *Viewer) pan(by image.Point) {
	if v.decoded == nil {
		return
	}
	part := v.part(v.pictureRoom(v.room)).Size()
	half, size := part.Div(2), v.decoded.Size()
	v.center.X = max(half.X, min(v.center.X+by.X*max(1, part.X/4), size.X-half.X))
	v.center.Y = max(half.Y, min(v.center.Y+by.Y*max(1, part.Y/4), size.Y-half.Y))
}

// whole returns the size of the full picture in cells before it is enlarged: at most three pixels of the
// terminal for one of its own, because more is only a blur.
func (v *Viewer) whole(cells image.Point) image.Point {
	size := v.decoded.Size()
	if cell, most := v.o.Draw.Cell, size.Mul(3); cell.X > 0 && cell.Y > 0 {
		cells.X = min(cells.X, (most.X+cell.X-1)/cell.X)
		cells.Y = min(cells.Y, (most.Y+cell.Y-1)/cell.Y)
	}
	return picture.Fit(size, cells.X, cells.Y, v.o.Draw.CellAspect).Size()
}

func (v *Viewer) part(cells image.Point) image.Rectangle {
	size, whole := v.decoded.Size(), v.whole(cells)
	if v.zoom == 0 || whole == (image.Point{}) {
		return image.Rectangle{Max: size}
	}
	side := func(pixels, cells, fitted int) int {
		return max(1, min(pixels, pixels*cells*zooms[0]/fitted/zooms[v.zoom]))
	}
	part := image.Pt(side(size.X, cells.X, whole.X), side(size.Y, cells.Y, whole.Y))
	from := v.center.Sub(part.Div(2))
	from.X, from.Y = max(0, min(from.X, size.X-part.X)), max(0, min(from.Y, size.Y-part.Y))
	return image.Rectangle{Min: from, Max: from.Add(part)}
}

// Actions go through the pictures and enlarge them.
func (v *Viewer) Actions() []kit.Action {
	var more []kit.Action
	if v.o.Actions != nil {
		more = v.o.Actions()
	}
	action := func(id, words string, footer bool, disabled func() string, do func() tea.Cmd,
		keys ...string,
	) kit.Action {
		return kit.Action{
			ID: "viewer." + id, Keys: kit.Bind(words, "", keys...), Group: "Picture", Footer: footer, Disabled: disabled, Do: do,
		}
	}
	none := func() string { return text.If(v.decoded == nil, "no picture is shown") }
	all := func() string { return text.If(v.zoom == 0, "the full picture is shown") }
	enlarge := func(by int) func() tea.Cmd { return func() tea.Cmd { v.enlarge(by); return nil } }
	pan := func(x, y int) func() tea.Cmd { return func() tea.Cmd { v.pan(image.Pt(x, y)); return nil } }
	var screens []kit.Action
	for i, id := range page.Tabs {
		screens = append(screens, action(id.Name, "close and go to "+id.Title, false, nil, func() tea.Cmd {
			return tea.Batch(v.Close(), page.Send(page.Show{ID: id}))
		}, id.Key))
		screens[i].Aside = true
	}
	slide := func(by int) func() tea.Cmd {
		return func() tea.Cmd { v.slide(v.divider() + by); return nil }
	}
	left, right := []string{"left", "h"}, []string{"right", "l"}
	last := func() string { return text.If(v.o.At+1 >= v.o.Len, "this is the last picture") }
	first := func() string { return text.If(v.o.At == 0, "this is the first picture") }
	versions := v.o.Halves != nil // from new to old
	turn := []kit.Action{
		action("next", text.Either(versions, "earlier version", "next picture"), v.o.Len > 1, last, func() tea.Cmd { return v.move(1) }, "n"),
		action("previous", text.Either(versions, "later version", "previous picture"), false, first, func() tea.Cmd { return v.move(-1) }, "N"),
	}
	// What is whole has nothing to its left and right but the other pictures.
	side := func(id, words, whole string, end func() string, by int, keys []string) kit.Action {
		if v.zoom == 0 {
			a := action(id, whole, false, end, func() tea.Cmd { return v.move(by) }, keys...)
			a.Aside = true // n says it
			return a
		}
		return action(id, words, false, nil, pan(by, 0), keys...)
	}
	if v.compares() {
		left, right = []string{"h"}, []string{"l"}
		dividers := []kit.Action{
			{ID: "viewer.divider-left", Keys: kit.Bind("move the divider", "← →", "left"), Group: "Picture", Footer: v.share > 0 && v.share < 1, Disabled: none, Do: slide(-1)},
			action("divider-right", "divider right", false, none, slide(1), "right"),
			action("divider-far-left", "divider far left", false, none, slide(-10), "shift+left", "H", "pgup", "ctrl+b"),
			action("divider-far-right", "divider far right", false, none, slide(10), "shift+right", "L", "pgdown", "ctrl+f"),
			action("flip", "one or both", true, none, v.flip, "space"),
		}
		for i := 1; i < 4; i++ { // the first one says it
			dividers[i].Aside = true
		}
		turn = append(dividers[1:], turn...)
		if versions { // what is done with them comes first
			turn, more = append(more, turn...), nil
		}
		turn = append(dividers[:1:1], turn...)
	}
	up, down := action("up", "move up", false, all, pan(0, -1), "up", "k"), action("down", "move down", false, all, pan(0, 1), "down", "j")
	toLeft, toRight := side("left", "move left", "previous picture", first, -1, left), side("right", "move right", "next picture", last, 1, right)
	if v.zoom > 0 && !v.compares() { // one says all
		up.Keys, up.Footer = kit.Bind("move", "↑↓←→", "up", "k"), true
		down.Aside, toLeft.Aside, toRight.Aside = true, true, true
	}
	return slices.Concat(turn, more, []kit.Action{
		action("zoom-in", "zoom in", true, none, enlarge(1), "+", "="),
		action("zoom-out", "zoom out", v.zoom > 0, all, enlarge(-1), "-"),
		action("fit", "show the full picture", false, all, func() tea.Cmd { v.fit(); return nil }, "0"),
		toLeft, toRight, up, down,
		action("close", "close", true, nil, v.Close, "esc", "q", "enter", "backspace"), // the last hint: the way out
	}, screens)
}

func (v *Viewer) divider() int { return int(v.share*float64(v.area().Dx()) + 0.5) }

func (v *Viewer) slide(column int) {
	if width := v.area().Dx(); width > 0 {
		v.share = float64(max(0, min(column, width))) / float64(width)
	}
}

func (v *Viewer) flip() tea.Cmd {
	v.share = text.Either(v.share == 1, 0.5, text.Either(v.share > 0, 0.0, 1)) // after, before, both
	return nil
}

// area returns the cells of the drawn part, in the middle of the room.
func (v *Viewer) area() image.Rectangle {
	cells := v.pictureRoom(v.room)
	if v.decoded == nil || cells.X < 1 || cells.Y < 1 {
		return image.Rectangle{}
	}
	most := v.whole(cells).Mul(zooms[v.zoom]).Div(zooms[0])
	most.X, most.Y = min(most.X, cells.X), min(most.Y, cells.Y)
	at := picture.Fit(v.part(cells).Size(), most.X, most.Y, v.o.Draw.CellAspect)
	return at.Add(cells.Sub(most).Div(2))
}

// Mouse zooms with the wheel and drags the divider; a double click closes.
func (v *Viewer) Mouse(msg tea.MouseMsg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok && v.clicks.Double(click) {
		return v.Close()
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		v.enlarge(map[tea.MouseButton]int{tea.MouseWheelUp: 1, tea.MouseWheelDown: -1}[msg.Button])
		return nil
	case tea.MouseClickMsg:
		v.dragged = v.before != nil
	case tea.MouseReleaseMsg:
		v.dragged = false
	}
	if v.dragged {
		v.slide(msg.Mouse().X - v.area().Min.X)
	}
	return nil
}

// pictureRoom returns the size without the caption.
func (v *Viewer) pictureRoom(room image.Point) image.Point {
	// The height of the whole room decides about the gaps, as in View.
	gaps, labels := text.Either(room.Y > gapsFrom, 2, 0), text.Either(v.compares(), 2, 0)
	return image.Pt(room.X, room.Y-1-gaps-labels)
}

// halves are the labels under the parts left and right of the divider.
func (v *Viewer) halves(th *theme.Theme) string {
	label := func(words string, width int) string {
		return kit.OverlayCenter(text.Blanks(width), th.Strong.Render(text.If(width >= len(words), words)))
	}
	left, right := "Before", "After"
	if v.o.Halves != nil {
		left, right = v.o.Halves(v.o.At)
	}
	return label(left, v.divider()) + label(right, v.area().Dx()-v.divider())
}

// View draws the picture in the given size.
func (v *Viewer) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	name, facts, below := v.caption()
	line := func(words string) string {
		return kit.OverlayCenter(text.Blanks(room.X), text.Truncate(words, room.X))
	}
	caption := line(th.Strong.Render(name) + th.Muted.Render(facts))
	caption += text.If(below != "", "\n"+line(th.Text.Render(below)))
	cells := v.pictureRoom(room)
	if cells.Y < 1 {
		return caption
	}
	var body string
	switch {
	case v.err != nil:
		words := text.Wrap(text.Safe(page.Explain(v.err)), min(room.X, 60))
		body = kit.OverlayCenter(text.Fit("", cells.X, cells.Y), strings.Join(words, "\n"))
	case v.decoded != nil:
		at := v.area()
		lines := v.view.Draw(v.decoded, v.part(cells), at.Dx(), at.Dy(), v.o.Draw)
		if v.before != nil {
			lines = append(v.compared(slices.Clone(lines), cells, th), v.halves(th))
			at.Min.Y++
		}
		cells.Y = room.Y - 1 - text.Either(room.Y > gapsFrom, 1, 0)
		body = kit.OverlayAt(text.Fit("", cells.X, cells.Y), strings.Join(lines, "\n"), at.Min.X, at.Min.Y)
		if v.before == nil && at.Max.Y+2 < cells.Y {
			return kit.OverlayAt(text.Fit(body, room.X, room.Y), caption, 0, at.Max.Y+1)
		}
	}
	return text.Fit(kit.JoinV(text.Fit(body, cells.X, cells.Y), caption), room.X, room.Y)
}

// compared replaces the part of the lines left of the divider by the same part of the picture
// before.
func (v *Viewer) compared(lines []string, cells image.Point, th *theme.Theme) []string {
	part, size, before := v.part(cells), v.decoded.Size(), v.before.Size()
	scale := func(p image.Point) image.Point { return image.Pt(p.X*before.X/size.X, p.Y*before.Y/size.Y) }
	area, cut := v.area().Size(), v.divider()
	mark := text.If(cut > 0 && cut < area.X, th.Accent.Render("│")) // none beside one of them alone
	left := v.beforeView.Draw(v.before, image.Rectangle{Min: scale(part.Min), Max: scale(part.Max)},
		area.X, area.Y, v.o.Draw)
	for y := range min(len(left), len(lines)) {
		lines[y] = ansi.Cut(left[y], 0, cut) + mark + ansi.Cut(lines[y], cut+text.Width(mark), area.X)
	}
	return lines
}

// zoomed returns how large the picture is shown, in percent of its pixels. In a terminal that does
// not say how large a cell is, it is relative to the size that fits.
func (v *Viewer) zoomed() string {
	if area := v.area(); v.o.Draw.Cell.X > 0 && !area.Empty() {
		shown := area.Dx() * v.o.Draw.Cell.X * 100 / max(1, v.part(v.pictureRoom(v.room)).Dx())
		return "zoom " + strconv.Itoa(text.Either(shown > 100, (shown+5)/10*10, shown)) + " %"
	}
	return text.If(v.zoom > 0, strconv.FormatFloat(float64(zooms[v.zoom])/100, 'g', -1, 64)+"x")
}

// caption returns the name of the picture and what there is to say of it: the note below it if there is room.
func (v *Viewer) caption() (name, facts, below string) {
	name = text.Safe(v.o.Subject(v.o.At).Name)
	words := []string{text.If(v.o.Len > 1 && v.o.Halves == nil, text.Count(v.o.At+1)+" of "+text.Count(v.o.Len)), ""}
	if v.o.Note != nil && (v.o.Halves == nil || v.share > 0) { // else what it describes is not shown
		note := text.Either(v.room.Y > gapsFrom, &below, &words[1])
		*note = text.Safe(v.o.Note())
	}
	if v.loading {
		name = "Loading " + name + "…"
	} else if v.decoded != nil {
		words = append(words, FactsLine(v.decoded.Size(), "", 0, v.zoomed())...)
	}
	for i, word := range words {
		if word != "" && (i < 2 || text.Width(name+facts+" · "+word) < max(v.area().Dx(), v.room.X/2)) { // the size only if it fits
			facts += " · " + word
		}
	}
	return name, facts, below
}

// Terminal is what the terminal can draw, as far as it has reported. The zero value knows nothing.
type Terminal struct {
	color picture.Color
	light bool
	plain bool // pictures have no color
	can   picture.Abilities
}

// Learn reads a report, and returns whether msg is one.
func (t *Terminal) Learn(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case page.Themed:
		t.plain, t.light = !msg.Theme.Pictures, !msg.Theme.Dark
	case tea.ColorProfileMsg:
		t.color = picture.ColorOf(msg.Profile)
	case picture.Abilities:
		t.can = msg
	default:
		return false
	}
	return true
}

// Options returns how to draw pictures.
func (t *Terminal) Options() picture.Options {
	o := t.can.Options(t.color, t.light)
	if t.plain {
		o.Color = picture.NoColor
	}
	return o
}
