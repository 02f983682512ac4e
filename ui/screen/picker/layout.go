package picker

import (
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
)

// layout divides the screen. A part with an empty rectangle is hidden.
type layout struct {
	size    image.Point
	list    image.Rectangle
	preview image.Rectangle
	tray    image.Rectangle
	summary image.Rectangle // the tray's line if it has no box
	beside  bool            // facts are beside the picture instead of below
	facts   int             // lines of facts below the picture
}

// Sizes of the parts.
const (
	factLines     = 8  // lines below the picture of a file
	folderLines   = 2  // lines below the pictures of a folder
	factColumns   = 34 // columns beside the picture
	leastPicture  = 3  // least height of a useful picture
	stackedLeast  = 18 // least height for a preview in stacked panes
	trayLeast     = 12 // least height for a tray box
	previewShares = 5
)

// layout returns the current layout.
func (m *Model) layout() layout { return m.layoutIn(m.size) }

func (m *Model) layoutIn(size image.Point) layout {
	lines := m.trayList.Len()
	if lines > 0 && m.trayList.Filtering() {
		lines++
	}
	l := share(size, m.preview.on, m.focus == onTray, lines)
	if l.facts = factLines; m.preview.subject.folder {
		l.facts = folderLines
	}
	return l
}

func share(size image.Point, preview, trayFocused bool, items int) layout {
	l := layout{size: size}
	if size.X < 1 || size.Y < 1 {
		return l
	}
	body := image.Rectangle{Max: size}
	mode := kit.ModeOfWidth(size.X)
	if mode == kit.Narrow || mode == kit.Tiny || size.Y < trayLeast {
		return l.narrow(body, preview, trayFocused)
	}
	most := max(1, size.Y/5)
	if trayFocused {
		most = max(1, size.Y/3)
	}
	body, l.tray = cutBottom(body, max(1, min(items, most))+2)
	switch {
	case !preview:
	case mode == kit.Wide:
		// The names get the larger part.
		l.preview = body
		l.preview.Min.X = min(size.X, max(56, size.X*11/20))
		body.Max.X = l.preview.Min.X
	case size.Y >= stackedLeast:
		l.beside = true
		body, l.preview = cutBottom(body, max(leastPicture+2, size.Y*2/previewShares))
	}
	l.list = body
	return l
}

// narrow arranges one column: the list or the tray, and the tray's line.
func (l layout) narrow(body image.Rectangle, preview, trayFocused bool) layout {
	if l.size.Y >= 4 {
		body, l.summary = cutBottom(body, 1)
	}
	if preview && l.size.Y >= stackedLeast {
		l.beside = l.size.X >= kit.StackedWidth
		body, l.preview = cutBottom(body, l.size.Y*2/previewShares)
	}
	if trayFocused {
		l.tray = body
	} else {
		l.list = body
	}
	return l
}

// inner returns the inside of a part's box.
func inner(r image.Rectangle) image.Rectangle {
	if r.Empty() {
		return image.Rectangle{}
	}
	from := r.Min.Add(kit.BoxOrigin(r.Size()))
	return image.Rectangle{Min: from, Max: from.Add(kit.BoxInner(r.Size()))}
}

// picture returns the picture's rectangle; empty if it does not fit.
func (l layout) picture() image.Rectangle {
	in := inner(l.preview)
	if l.beside {
		in.Max.X -= min(factColumns, in.Dx()/2) + 1
	} else {
		in.Max.Y -= min(l.facts, in.Dy()-leastPicture) + 1
	}
	if in.Dy() < 1 || in.Dx() < 1 {
		return image.Rectangle{}
	}
	return in
}

// factsArea returns the rectangle of the facts.
func (l layout) factsArea() image.Rectangle {
	in, pic := inner(l.preview), l.picture()
	switch {
	case pic.Empty():
		return in
	case l.beside:
		in.Min.X = pic.Max.X + 1
	default:
		in.Min.Y = pic.Max.Y + 1
	}
	return in
}

func cutBottom(r image.Rectangle, lines int) (rest, bottom image.Rectangle) {
	lines = max(0, min(lines, r.Dy()))
	rest, bottom = r, r
	rest.Max.Y -= lines
	bottom.Min.Y = rest.Max.Y
	return rest, bottom
}

// clicked moves the focus and the cursor to the click. A double click opens the entry.
func (m *Model) clicked(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	double := m.clicks.Double(msg)
	at, l := image.Pt(msg.X, msg.Y), m.layout()
	switch {
	case m.list.Capturing():
		return nil
	case at.In(l.tray) && len(m.tray.items) > 0, at.In(l.summary) && len(m.tray.items) > 0:
		m.focus = onTray
		if m.trayList.Click(kit.Moved(msg, inner(l.tray).Min).(tea.MouseClickMsg)) && m.noItemFile() == "" {
			return m.showItem()
		}
	case at.In(l.preview):
		if double && m.focus == onList {
			return m.enter()
		}
	case at.In(l.list):
		m.focus = onList
		if m.list.Hit(at.Sub(inner(l.list).Min)) && double {
			return m.enter()
		}
	}
	return nil
}

// wheel scrolls the part under the pointer.
func (m *Model) wheel(msg tea.MouseWheelMsg) {
	at, l := image.Pt(msg.X, msg.Y), m.layout()
	switch {
	case m.list.Capturing():
	case at.In(l.tray):
		m.trayList.Wheel(kit.Moved(msg, inner(l.tray).Min).(tea.MouseWheelMsg))
	case at.In(l.list):
		m.list.Wheel(kit.Moved(msg, inner(l.list).Min).(tea.MouseWheelMsg))
		m.list.Hold()
	}
}
