package details

import (
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/picture"
)

// drawn is where the parts were drawn last, for the mouse: their rectangles
// without borders. A part that is not drawn is empty.
type drawn struct {
	parts   map[area]image.Rectangle
	picture image.Rectangle
}

// drag is a rectangle being moved or drawn with the mouse. It counts from where
// it began, so that rounding to cells never adds up.
type drag struct {
	on    bool
	from  image.Point     // in pixels of the upright picture
	rect  image.Rectangle // as it was
	fresh bool            // a new rectangle is drawn
	cells image.Rectangle // of the screen, where the picture was
}

// WantsPixels tells whether the mouse is wanted by pixels: while a picture is
// shown that a region can be drawn on.
func (m *Model) WantsPixels() bool {
	return m.its() != nil && !m.editing && !m.drawn.picture.Empty() && m.current().canHaveRegion()
}

// click gives the keys to the part under the pointer. On the picture it begins
// to move the rectangle, or to draw another beside it.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft || m.menu != nil || m.reader != nil || m.prompt != nil || m.current() == nil {
		return nil
	}
	at := image.Pt(msg.X, msg.Y)
	if at.In(m.drawn.picture) && noPlane(m) == "" {
		m.focus(onPicture)
		if pixel, ok := m.pixelAt(at); ok {
			rect := m.rect()
			m.drag = drag{on: true, from: pixel, rect: rect, fresh: !pixel.In(rect), cells: m.pictureCells()}
		}
		return nil
	}
	for to, r := range m.drawn.parts {
		if !at.In(r) {
			continue
		}
		if m.area != to {
			m.focus(to)
		}
		switch to {
		case onRecord:
			m.record.Click(at.Y - r.Min.Y)
		case onAI:
			m.ai.Click(at.Y - r.Min.Y)
		case onFiles:
			before := m.files.Cursor()
			if m.files.Click(at.Y-r.Min.Y) && m.files.Cursor() != before {
				return m.turnTo(m.files.Cursor())
			}
		case onTags, onRegion, onPicture:
		}
		return nil
	}
	return nil
}

// dragged follows the pointer.
func (m *Model) dragged(msg tea.MouseMotionMsg) {
	p, ok := m.plane()
	if !m.drag.on || !ok {
		return
	}
	to, ok := m.pixelAt(image.Pt(msg.X, msg.Y))
	if !ok {
		return
	}
	if cells := m.pictureCells(); cells != m.drag.cells {
		// The picture has gone elsewhere under a pointer that stands: go on from there.
		m.drag.cells = cells
		if !m.drag.fresh {
			m.drag.from, m.drag.rect = to, m.rect()
		}
		return
	}
	if to == m.drag.from {
		m.setRect(m.drag.rect) // there and back is nothing
		return
	}
	if m.drag.fresh {
		rect := image.Rectangle{Min: m.drag.from, Max: to}.Canon()
		m.grip, m.ratio = 0, picture.Ratio{}
		m.setRect(rect.Intersect(image.Rectangle{Max: p.upright()}))
		return
	}
	m.setRect(m.grip.Moved(m.drag.rect, to.Sub(m.drag.from), p.upright(), m.ratio))
}

// pictureCells is where on the screen the picture was last drawn.
func (m *Model) pictureCells() image.Rectangle { return m.picture.area.Add(m.drawn.picture.Min) }

// pixelAt is the pixel of the upright picture under a cell of the screen, on its
// border for cells beside it; false where none is drawn.
func (m *Model) pixelAt(at image.Point) (image.Point, bool) {
	p, ok := m.plane()
	cells := m.pictureCells()
	if !ok || m.its() == nil || cells.Empty() {
		return image.Point{}, false
	}
	size, at := p.upright(), at.Sub(cells.Min)
	within, cell := m.pointer.Within, m.pointer.Cell
	if cell.X < 1 || cell.Y < 1 {
		within, cell = image.Point{}, image.Pt(1, 1)
	}
	return image.Pt(
		pixel(at.X*cell.X+within.X, cells.Dx()*cell.X, size.X),
		pixel(at.Y*cell.Y+within.Y, cells.Dy()*cell.Y, size.Y),
	), true
}

// pixel is the middle of one of so many cells, or pixels of the terminal, along a side of so many pixels,
// the ends of the side for what lies beside them.
func pixel(cell, cells, side int) int {
	switch {
	case cell < 0:
		return 0
	case cell >= cells:
		return side
	}
	return (2*cell + 1) * side / (2 * cells)
}

// wheel scrolls what is under the pointer.
func (m *Model) wheel(msg tea.MouseWheelMsg) {
	switch {
	case m.reader != nil:
		m.reader.Update(msg)
		return
	case m.menu != nil:
		m.menu.Update(msg)
		return
	}
	at := image.Pt(msg.X, msg.Y)
	switch {
	case at.In(m.drawn.parts[onRecord]):
		m.record.Update(msg)
	case at.In(m.drawn.parts[onAI]):
		m.ai.Update(msg)
	}
}
