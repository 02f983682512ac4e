package upload

import (
	"image"
	"strings"

	"charm.land/lipgloss/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// measured is a theme for measuring. Sizes are the same in every theme.
var measured = theme.New(true, false)

// area is a clickable part.
type area struct {
	focus focus
	row   int // row of the list, or -1
}

// areaAt returns the area at a position.
func (m *Model) areaAt(at image.Point) (area, bool) {
	if len(m.sources) == 0 {
		return area{}, false
	}
	l := m.layout(m.size)
	switch {
	case at.In(l.list):
		a := area{focus: focus{stop: stopList}, row: -1}
		if rows, _ := m.listRect(l); at.In(rows) {
			a.row = at.Y - rows.Min.Y
		}
		return a, true
	case at.In(l.side):
		return area{focus: focus{stop: stopSide}, row: -1}, true
	}
	inner := l.formRect()
	if !at.In(inner) {
		return area{}, false
	}
	rows := m.formRows(inner.Size(), measured)
	y := window(rows, inner.Dy()) + at.Y - inner.Min.Y
	if y >= len(rows) {
		return area{}, false
	}
	return area{focus: rows[y].focus, row: -1}, true
}

// layout divides the screen into panes. A pane with an empty rectangle is hidden. Without boxes, panes have no border.
type layout struct {
	list, form, side, status image.Rectangle
	boxes                    bool
}

// leastStacked is the least height, in rows, for stacked panes.
const leastStacked = 18

// layout arranges the panes: side by side, stacked, or only the focused one.
func (m *Model) layout(size image.Point) layout {
	l := layout{boxes: true}
	h := size.Y
	if h > 2 {
		h--
		l.status = image.Rect(0, h, size.X, size.Y)
	}
	several := len(m.sources) > 1
	switch mode := kit.ModeOfWidth(size.X); {
	case mode == kit.Wide && h >= 10:
		x := 0
		if several {
			x = max(22, min(size.X/5, 34))
			l.list = image.Rect(0, 0, x, h)
		}
		side := max(38, min((size.X-x)*2/5, 64))
		l.form = image.Rect(x, 0, size.X-side, h)
		l.side = image.Rect(size.X-side, 0, size.X, h)
	case mode == kit.Stacked && h >= leastStacked:
		side := max(7, min(h*3/8, 12))
		x := 0
		if several {
			x = max(20, size.X/4)
			l.list = image.Rect(0, 0, x, h-side)
		}
		l.form = image.Rect(x, 0, size.X, h-side)
		l.side = image.Rect(0, h-side, size.X, h)
	default:
		l.boxes = false
		all := image.Rect(0, 0, size.X, h)
		switch m.focus.stop {
		case stopList:
			l.list = all
		case stopSide:
			l.side = all
		case stopItem:
			l.form = all
		}
	}
	return l
}

// View draws the form.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	if len(m.sources) == 0 {
		return m.viewEmpty(size, th)
	}
	l := m.layout(size)
	list, form, side := m.viewList(l, th), m.viewForm(l, th), m.viewSide(l, th)
	body := kit.JoinV(kit.JoinH(list, form), side)
	if l.side.Min.X > 0 {
		body = kit.JoinH(list, form, side)
	}
	if !l.status.Empty() {
		body = kit.JoinV(body, m.viewStatus(l.status.Dx(), th))
	}
	return text.Fit(body, size.X, size.Y)
}

// viewEmpty tells what to do in an empty form.
func (m *Model) viewEmpty(size image.Point, th *theme.Theme) string {
	words := "Nothing to send here. Go to Pick (key 1), choose files with space, then press u."
	if n := len(m.skipped); n > 0 {
		words = "Nothing to send here: " + text.Plural(n, "file") + " skipped, because already stored. Press ctrl+v to bring them back."
	}
	lines := wrapStyled(words, min(size.X, 56), th.Muted)
	block := strings.Join(lines, "\n")
	at := kit.Center(size, kit.Size(block))
	out := make([]string, 0, at.Y+len(lines))
	for range at.Y {
		out = append(out, "")
	}
	for _, line := range lines {
		out = append(out, strings.Repeat(" ", at.X)+line)
	}
	return text.Fit(strings.Join(out, "\n"), size.X, size.Y)
}

// viewList draws the sources with their marks.
func (m *Model) viewList(l layout, th *theme.Theme) string {
	if l.list.Empty() {
		return ""
	}
	t := m.sum()
	marked := 0
	for _, s := range m.sources {
		if s.marked {
			marked++
		}
	}
	title := text.Count(marked) + " of " + text.Count(len(m.sources)) + " marked"
	if text.Width(title) > l.list.Dx()-6 { // the border takes six columns
		title = strings.Replace(title, " of ", "/", 1)
	}
	focused := m.focus.stop == stopList
	rows, foot := m.listRect(l)
	body := m.list.View(rows.Size(), th, func(i int, mark theme.Sign, width int, selected bool) string {
		return m.listRow(m.sources[i], t, mark, width, selected, focused, th)
	})
	for i, line := range foot {
		foot[i] = th.Warn.Render(line)
	}
	body = kit.JoinV(append([]string{body}, foot...)...)
	if l.boxes {
		return kit.BoxFooter(title, m.list.Position(), body, l.list.Size(), focused, th)
	}
	if l.list.Dy() > 1 {
		body = kit.JoinV(th.Title.Render(text.PadRight(title, rows.Dx())), body)
	}
	return text.Fit(body, l.list.Dx(), l.list.Dy())
}

// listRect returns the rectangle of the list's rows and the lines below them.
func (m *Model) listRect(l layout) (rows image.Rectangle, foot []string) {
	rows = l.list
	if l.boxes {
		origin := kit.BoxOrigin(rows.Size())
		rows = image.Rectangle{Max: kit.BoxInner(rows.Size())}.Add(rows.Min.Add(origin))
	} else if rows.Dy() > 1 {
		rows.Min.Y++
	}
	foot = m.listFoot(m.sum(), rows.Size())
	rows.Max.Y -= len(foot)
	return rows, foot
}

// layoutList sets the height of the list.
func (m *Model) layoutList() {
	if l := m.layout(m.size); len(m.sources) > 0 && !l.list.Empty() {
		rows, _ := m.listRect(l)
		m.list.SetHeight(rows.Dy())
	}
}

// formRect returns the rectangle of the form's rows.
func (l layout) formRect() image.Rectangle {
	if l.form.Empty() || !l.boxes {
		return l.form
	}
	size := l.form.Size()
	return image.Rectangle{Max: kit.BoxInner(size)}.Add(l.form.Min.Add(kit.BoxOrigin(size)))
}

// listRow draws a source with its mark, state and name.
func (m *Model) listRow(s *source, t *total, mark theme.Sign, width int, selected, focused bool, th *theme.Theme) string {
	state, word := theme.SignNone, ""
	switch {
	case t.stopped[s]:
		state, word = theme.SignBad, "refused"
	case t.collides[s] > 0:
		state, word = theme.SignWarn, "collides"
	case s.failed != nil:
		state, word = theme.SignWarn, "look"
	case len(t.differs[s]) > 0:
		state, word = theme.SignChanged, "differs"
	}
	room := width - 4
	if word != "" && room > text.Width(word)+10 {
		room -= text.Width(word) + 1
	} else {
		word = ""
	}
	name := text.PadRight(text.ShortName(s.entry.Source.Name(), room), room)
	if word != "" {
		word = " " + word
	}
	if selected {
		style := th.SelectedDim
		if focused {
			style = th.Selected
		}
		return style.Render(th.Glyph(mark) + " " + name + word + " " + th.Glyph(state))
	}
	return th.Sign(mark) + " " + th.Text.Render(name) + th.SignStyle(state).Render(word) + " " + th.Sign(state)
}

// listFoot tells how the source under the cursor differs.
func (m *Model) listFoot(t *total, size image.Point) []string {
	words := t.differs[m.current()]
	if len(words) == 0 || size.Y < 4 {
		return nil
	}
	lines := wrapSafe("Differs in "+strings.Join(words, ", "), size.X)
	return lines[:min(len(lines), size.Y/3)]
}

// viewStatus draws the last line: what will be sent, or why not.
func (m *Model) viewStatus(width int, th *theme.Theme) string {
	t := m.sum()
	what := "ctrl+s to " + lowerFirst(m.sendLabel(m.sources))
	if size := m.totalSize(); size != "" {
		what += " (" + size + ")"
	}
	warnings := len(t.checks)
	sign, words := theme.SignGood, "Ready: "+what
	switch {
	case m.sending:
		sign, words = theme.SignBusy, "Queuing "+text.Plural(len(m.sources), "file")+"…"
	case t.first != nil:
		sign, words = theme.SignBad, "Not ready: "+t.checks[0].text
	case m.losses() > 0:
		sign, words = theme.SignWarn, "Ready, but something would be lost: "+what
	case len(t.stored) > 0:
		sign, words = theme.SignWarn, m.describeAlready(t)+": ctrl+v skip, ctrl+s send anyway"
	case warnings > 0:
		sign, words = theme.SignWarn, "Ready, with "+text.Plural(warnings, "warning")+": "+what
	}
	return " " + th.Sign(sign) + " " + th.SignStyle(sign).Render(text.PadRight(text.Safe(words), width-3))
}

// totalSize returns the size of all files, if known.
func (m *Model) totalSize() string {
	var sum int64
	for _, s := range m.sources {
		if !s.known.looked || s.known.err != nil {
			return ""
		}
		sum += s.known.identity.Size
	}
	return text.Bytes(sum)
}

func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// wrapStyled makes text safe, wraps it to width columns and styles each line.
func wrapStyled(text string, width int, style lipgloss.Style) []string {
	lines := wrapSafe(text, width)
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	return lines
}
