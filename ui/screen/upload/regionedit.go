package upload

import (
	"fmt"
	"image"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// regionEditor moves the region on the picture of the current source.
type regionEditor struct {
	before []values // of the targets, for leaving without a change
	of     []*source
	grip   picture.Grip
	ratio  picture.Ratio

	area  image.Rectangle // cells of the screen that the picture covers
	drag  bool
	from  image.Point // pixel at which dragging began
	rect  image.Rectangle
	fresh bool
}

// keys of the region editor.
var (
	keyDraw        = kit.Bind("draw it on the picture", "", "enter")
	keyRegionMove  = kit.Bind("move by a pixel", "arrows", "left", "right", "up", "down", "h", "l", "k", "j")
	keyRegionLeap  = kit.Bind("move by ten", "shift+arrows", "shift+left", "shift+right", "shift+up", "shift+down", "H", "L", "K", "J")
	keyRegionNext  = kit.Bind("next corner or edge", "", "tab")
	keyRegionPrev  = kit.Bind("previous corner or edge", "", "shift+tab")
	keyRegionMid   = kit.Bind("centre, or begin one", "", "c")
	keyRegionRatio = kit.Bind("lock or free the ratio", "", "a")
	keyRegionNone  = kit.Bind("no region", "", "x")
	keyRegionDone  = kit.Bind("done", "", "enter", "ctrl+s")
	keyRegionBack  = kit.Bind("leave it as it was", "", "esc")
)

// whyNotDraw says why the region cannot be drawn on the picture; empty: it can.
func (m *Model) whyNotDraw() string {
	s := m.current()
	if s == nil {
		return "The form is empty: pick files first."
	}
	yes, sure := s.known.isPicture()
	switch {
	case s.src.Path == "":
		return "The picture is not on this computer: type the numbers."
	case !sure && s.known.err == nil:
		return "The file is being looked at."
	case !yes:
		return "It is no picture that can be shown here: type the numbers."
	case s.known.facts.Stored == (image.Point{}):
		return "The size of the picture is not known: type the numbers."
	}
	return ""
}

// drawRegion opens the region editor.
func (m *Model) drawRegion() tea.Cmd {
	if why := m.whyNotDraw(); why != "" {
		return page.Send(page.Toast{Level: page.Info, Text: why})
	}
	e := &regionEditor{of: m.targets()}
	for _, s := range e.of {
		e.before = append(e.before, s.values)
	}
	m.cover(e)
	return nil
}

func (e *regionEditor) typing() bool { return false }

// plane is how the stored picture is turned, and its size as it is shown.
func (e *regionEditor) plane(m *Model) (o media.Orientation, stored, shown image.Point) {
	facts := &m.current().known.facts
	return facts.Orientation, facts.Stored, facts.Orientation.Upright(facts.Stored)
}

// rectOf is the region of the targets as a rectangle of the picture as shown;
// empty where there is none.
func (e *regionEditor) rectOf(m *Model) image.Rectangle {
	o, stored, shown := e.plane(m)
	r, err := api.ParseRegion(regionText(e.of[0].values[fieldRegion]).Or(""))
	if err != nil {
		return image.Rectangle{}
	}
	return media.ToDisplay(o, stored, r.Rectangle()).Intersect(image.Rectangle{Max: shown})
}

// set writes a rectangle of the picture as shown into the targets.
func (e *regionEditor) set(m *Model, rect image.Rectangle) {
	text := ""
	if !rect.Empty() {
		o, stored, _ := e.plane(m)
		text = api.RegionOf(media.ToStored(o, stored, rect)).String()
	}
	for _, s := range e.of {
		m.set(s, fieldRegion, text)
	}
	m.load()
}

// steps are the keys that move, with their directions.
var steps = map[string]image.Point{
	"left": {X: -1}, "h": {X: -1}, "right": {X: 1}, "l": {X: 1}, "up": {Y: -1}, "k": {Y: -1}, "down": {Y: 1}, "j": {Y: 1},
}

// leap is how many pixels shift moves by.
const leap = 10

func (e *regionEditor) update(m *Model, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return e.press(m, msg)
	case tea.MouseClickMsg:
		if pixel, ok := e.pixel(m, msg.X, msg.Y); ok && msg.Button == tea.MouseLeft {
			e.drag, e.from, e.rect = true, pixel, e.rectOf(m)
			e.fresh = !pixel.In(e.rect)
		}
	case tea.MouseMotionMsg:
		e.follow(m, msg)
	case tea.MouseReleaseMsg:
		e.drag = false
	}
	return nil
}

func (e *regionEditor) press(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	rect := e.rectOf(m)
	_, _, shown := e.plane(m)
	switch {
	case key.Matches(msg, keyRegionBack):
		for n, s := range e.of {
			m.set(s, fieldRegion, e.before[n][fieldRegion])
		}
		m.over = nil
		m.load()
	case key.Matches(msg, keyRegionDone):
		m.over = nil
	case key.Matches(msg, keyRegionNext):
		e.grip = e.grip.Next(1)
	case key.Matches(msg, keyRegionPrev):
		e.grip = e.grip.Next(-1)
	case key.Matches(msg, keyRegionMid):
		e.set(m, picture.Centred(rect, shown))
	case key.Matches(msg, keyRegionNone):
		e.grip, e.ratio = 0, picture.Ratio{}
		e.set(m, image.Rectangle{})
	case key.Matches(msg, keyRegionRatio):
		switch {
		case e.ratio.Locked():
			e.ratio = picture.Ratio{}
		default:
			e.ratio = picture.Ratio{W: rect.Dx(), H: rect.Dy()}
		}
	case key.Matches(msg, keyRegionMove, keyRegionLeap):
		if rect.Empty() {
			return page.Send(page.Toast{Level: page.Info, Text: "There is no region yet. c begins one in the middle."})
		}
		name := strings.TrimPrefix(strings.ToLower(msg.String()), "shift+")
		d := steps[name]
		if key.Matches(msg, keyRegionLeap) {
			d = d.Mul(leap)
		}
		e.set(m, e.grip.Moved(rect, d, shown, e.ratio))
	}
	return nil
}

// follow moves the rectangle with the mouse, or draws another beside it.
func (e *regionEditor) follow(m *Model, msg tea.MouseMotionMsg) {
	to, ok := e.pixel(m, msg.X, msg.Y)
	if !e.drag || !ok || to == e.from {
		return
	}
	_, _, shown := e.plane(m)
	if e.fresh {
		e.grip, e.ratio = 0, picture.Ratio{}
		e.set(m, image.Rectangle{Min: e.from, Max: to}.Canon().Intersect(image.Rectangle{Max: shown}))
		return
	}
	e.set(m, e.grip.Moved(e.rect, to.Sub(e.from), shown, e.ratio))
}

// pixel is the pixel of the picture as shown under a cell; false where none is
// drawn. Cells beside the picture count as its border.
func (e *regionEditor) pixel(m *Model, x, y int) (image.Point, bool) {
	if e.area.Empty() {
		return image.Point{}, false
	}
	_, _, shown := e.plane(m)
	along := func(cell, cells, side int) int {
		return max(0, min((2*cell+1)*side/(2*cells), side))
	}
	return image.Pt(along(x-e.area.Min.X, e.area.Dx(), shown.X), along(y-e.area.Min.Y, e.area.Dy(), shown.Y)), true
}

func (e *regionEditor) acts(m *Model) []kit.Act {
	const group = "Region"
	none := ""
	if e.rectOf(m).Empty() {
		none = "There is no region yet: c begins one."
	}
	return []kit.Act{
		{Binding: keyRegionMove, Hint: true, Group: group, Why: none},
		{Binding: keyRegionMid, Hint: true, Group: group},
		{Binding: keyRegionNext, Hint: true, Group: group, Why: none},
		{Binding: keyRegionDone, Hint: true, Group: group},
		{Binding: keyRegionLeap, Group: group, Why: none},
		{Binding: keyRegionPrev, Group: group, Why: none},
		{Binding: keyRegionRatio, Group: group, Why: none},
		{Binding: keyRegionNone, Group: group, Why: none},
		{Binding: keyRegionBack, Group: group},
	}
}

// view draws the picture with the region, its numbers, and beside it the region
// alone where there is room.
func (e *regionEditor) view(m *Model, size image.Point, th *theme.Theme) string {
	inner, origin := kit.BoxInner(size), kit.BoxOrigin(size)
	words := e.words(m)
	lines := wrapStyled(words, inner.X, th.Text)
	lines = lines[:min(len(lines), max(0, inner.Y-3))]
	room := image.Pt(inner.X, inner.Y-len(lines))
	crop := ""
	rect := e.rectOf(m)
	if p := m.picture.decoded; kit.ModeOfWidth(size.X) == kit.Wide && p != nil && !rect.Empty() {
		width := inner.X / 3
		room.X -= width + 1
		crop = strings.Join(m.picture.crop.Draw(p, rect, max(0, width), max(0, room.Y), m.drawOptions(th)), "\n")
	}
	drawing := m.picture.draw(e.of[0].values[fieldRegion], room, m.opt.Picture, th)
	e.area = m.picture.area.Add(origin)
	if drawing == "" {
		drawing = text.Fit("", max(0, room.X), max(0, room.Y))
	}
	if crop != "" {
		drawing = kit.JoinH(drawing, text.Fit("", 1, room.Y), crop)
	}
	body := kit.JoinV(append([]string{drawing}, lines...)...)
	return kit.BoxFooter("Region of "+text.Safe(m.current().src.Name()), text.Plural(len(e.of), "file"), body, size, true, th)
}

// words say the numbers, what the arrows move, and how the picture is turned.
func (e *regionEditor) words(m *Model) string {
	o, stored, _ := e.plane(m)
	text := e.of[0].values[fieldRegion]
	if text == "" {
		return fmt.Sprintf("No region. c begins one in the middle of %d x %d pixels; the mouse draws one.", stored.X, stored.Y)
	}
	words := fmt.Sprintf("x,y,width,height %s of %d x %d. The arrows move %s.", text, stored.X, stored.Y, e.grip)
	if e.ratio.Locked() {
		words += fmt.Sprintf(" The ratio %d:%d is kept.", e.ratio.W, e.ratio.H)
	}
	if o.Turned() {
		words += fmt.Sprintf(" EXIF orientation %d: shown %s; the numbers count in the picture as stored.", o, o)
	}
	return words
}

// drawOptions are how pictures are drawn in a theme.
func (m *Model) drawOptions(th *theme.Theme) picture.Options {
	o := m.opt.Picture
	if !th.Pictures {
		o.Color = picture.NoColor
	}
	o.Light = !th.Dark
	return o
}
