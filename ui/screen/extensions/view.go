package extensions

import (
	"image"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// layout is where the parts of the screen are. A part with an empty rectangle
// is not drawn.
type layout struct {
	totals, filter, head, list, line, pane image.Rectangle
}

// Sizes of the parts.
const (
	headFrom  = 12 // lines from which the columns have names
	lineFrom  = 6  // lines from which the row under the cursor is told of
	paneLeast = 34 // columns
	paneMost  = 72
)

// layout shares out the screen.
func (m *Model) layout(size image.Point) layout {
	var l layout
	rest := image.Rectangle{Max: image.Pt(max(0, size.X), max(0, size.Y))}
	top := func(lines int) image.Rectangle {
		r := rest
		r.Max.Y = min(rest.Max.Y, rest.Min.Y+lines)
		rest.Min.Y = r.Max.Y
		return r
	}
	l.totals = top(1)
	if m.focus == onFilter || m.filter.Value() != "" {
		l.filter = top(1)
	}
	if len(m.runs.shown) == 0 {
		l.list = rest
		return l
	}
	switch mode := kit.ModeOfWidth(size.X); {
	case mode == kit.Wide:
		l.pane = rest
		l.pane.Min.X = rest.Max.X - min(paneMost, max(paneLeast, size.X*34/100))
		rest.Max.X = l.pane.Min.X - 1
	case m.open && mode == kit.Stacked && rest.Dy() >= headFrom:
		l.pane = rest
		l.pane.Min.Y += rest.Dy() * 2 / 5
		rest.Max.Y = l.pane.Min.Y
	case m.open:
		l.pane = rest
		return l
	case size.Y >= lineFrom:
		l.line = rest
		l.line.Min.Y = rest.Max.Y - 1
		rest.Max.Y = l.line.Min.Y
	}
	if rest.Dy() >= headFrom && rest.Dx() >= kit.StackedWidth {
		l.head = top(1)
	}
	l.list = rest
	return l
}

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	return m.memo.Draw(drawnFor{size, th}, func() string { return m.draw(size, th) })
}

func (m *Model) draw(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	l, now := m.layout(size), m.o.Now()
	part := func(r image.Rectangle, draw func(image.Point) string) string {
		if r.Empty() {
			return ""
		}
		return text.Fit(draw(r.Size()), r.Dx(), r.Dy())
	}
	above := kit.JoinV(
		part(l.totals, func(image.Point) string { return m.drawTotals(th) }),
		part(l.filter, func(s image.Point) string { return m.drawFilter(s.X, th) }),
	)
	body := kit.JoinV(
		part(l.head, func(s image.Point) string { return m.drawHead(s.X, th) }),
		part(l.list, func(s image.Point) string { return m.drawRows(s, now, th) }),
		part(l.line, func(s image.Point) string { return m.drawLine(s.X, now, th) }),
	)
	if !l.pane.Empty() {
		pane := m.drawPane(l.pane.Size(), now, th)
		if l.pane.Min.X > 0 {
			gap := strings.TrimSuffix(strings.Repeat(" \n", l.pane.Dy()), "\n")
			body = kit.JoinH(body, gap, pane)
		} else {
			body = kit.JoinV(body, pane)
		}
	}
	return text.Fit(kit.JoinV(above, body), size.X, size.Y)
}

// drawTotals says how all runs stand, and which of them are shown.
func (m *Model) drawTotals(th *theme.Theme) string {
	r := &m.runs
	strays := ""
	if r.strays > 0 {
		strays = th.Muted.Render(" · ") + th.Warn.Render(text.Plural(r.strays, "unmatched webhook")+" (p)")
	}
	if len(r.lost) > 0 {
		strays = th.Muted.Render(" · ") + th.Warn.Render("posts to "+text.Safe(r.lost[0])+" are lost") + strays
	}
	if len(r.all) == 0 {
		return th.Muted.Render("No runs") + strays
	}
	var parts []string
	for _, c := range []struct {
		n     int
		word  string
		style lipgloss.Style
	}{
		{r.pending, "pending", th.Strong},
		{r.success, "success", th.Good},
		{r.failed, "failed", th.Bad},
	} {
		style := c.style
		if c.n == 0 {
			style = th.Muted
		}
		parts = append(parts, style.Render(text.Count(c.n)+" "+c.word))
	}
	line := strings.Join(parts, th.Muted.Render(" · "))
	if r.status != every {
		line += th.Muted.Render(" · ") + th.Accent.Render("showing "+statusNames[r.status]+" only")
	}
	return line + strays
}

func (m *Model) drawFilter(width int, th *theme.Theme) string {
	found := " " + text.Count(m.runs.found) + " of " + text.Count(len(m.runs.all))
	w := text.Width(found)
	if width < 3*w {
		return m.filter.View(width, th)
	}
	return m.filter.View(width-w, th) + th.Muted.Render(found)
}

// empty says what would appear here, and how.
func (m *Model) empty() string {
	switch {
	case !m.runs.read:
		return "Reading the runs…"
	case len(m.runs.all) == 0:
		return "No extension was asked for yet. Ask for background removal or tagging in the upload form (1, pick a file, u): " +
			"each then has a row here, with how it stands and how that is known."
	case m.filter.Value() != "":
		return "No run has this in its extension, path or status. Press esc to clear the filter."
	}
	if m.runs.status == silent {
		return "Every pending run has had news within the last 5 minutes. Press esc to see all."
	}
	return "No run is " + statusNames[m.runs.status] + ". Press esc to see all."
}

// columns of a row, for a list of that width.
func columns(width int) kit.Columns {
	cols := kit.Columns{
		{Width: 1},
		{Width: 7},
		{Width: 12, Flex: 1, Spare: 1},
		{Width: 14, Flex: 3},
		{Width: 11, Spare: 3},
		{Width: 26, Flex: 3, Spare: 2},
	}
	if width >= 92 {
		cols[2].Width, cols[2].Flex = 20, 0
	}
	return cols
}

func (m *Model) drawHead(width int, th *theme.Theme) string {
	cols := columns(width)
	return th.Muted.Render(cols.Row(cols.Widths(width), "", "status", "extension", "file", "age", "how it is known"))
}

func (m *Model) drawRows(size image.Point, now time.Time, th *theme.Theme) string {
	if len(m.runs.shown) == 0 {
		lines := text.Wrap(m.empty(), min(size.X, 76))
		for i := range lines {
			lines[i] = th.Muted.Render(lines[i])
		}
		return strings.Repeat("\n", max(0, min(2, size.Y-len(lines)))) + strings.Join(lines, "\n")
	}
	cols := columns(size.X)
	widths := cols.Widths(size.X)
	return m.list.View(size, func(i, _ int, selected bool) string {
		if head := m.runs.shown[i].head; head != nil {
			return m.drawHeadOf(head, size.X, th)
		}
		run, _ := m.runs.row(i)
		mark := sign(run.Status)
		status := text.Safe(string(run.Status))
		extension := text.TruncateMiddle(text.Safe(run.Extension), widths[2])
		file := text.TruncateMiddle(text.Safe(place(run)), widths[3])
		news := text.Safe(m.news(run, now))
		if selected {
			style := th.Selected
			if m.focus == onPane {
				style = th.SelectedDim
			}
			return style.Render(cols.Row(widths, th.Glyph(mark), status, extension, file, age(run, now), news))
		}
		style, rest := th.SignStyle(mark), th.Muted
		if run.Status == api.StatusFailed {
			rest = style
		}
		return cols.Row(widths, style.Render(th.Glyph(mark)), style.Render(status), th.Accent.Render(extension),
			th.Text.Render(file), th.Muted.Render(age(run, now)), rest.Render(news))
	})
}

// drawHeadOf is the line above a group.
func (m *Model) drawHeadOf(g *group, width int, th *theme.Theme) string {
	words := " " + g.words()
	name := text.TruncateMiddle(text.Safe(g.name), max(1, width-text.Width(words)-1))
	return th.Title.Render(name) + " " + th.Muted.Render(text.Truncate(words, max(0, width-text.Width(name)-1)))
}

// place is what to call the file of a run.
func place(run *api.Run) string {
	if run.FilePath == "" {
		return run.FileID
	}
	return run.FilePath
}

// drawLine says in one line what the columns of a small screen leave out of the
// row under the cursor.
func (m *Model) drawLine(width int, now time.Time, th *theme.Theme) string {
	run, ok := m.current()
	if !ok {
		return ""
	}
	words := run.Extension + " · " + age(run, now) + " · " + m.news(run, now)
	return th.Muted.Render(text.Truncate(text.Safe(words), width))
}

// click moves the cursor to the row; the second one opens its history.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	at, l := image.Pt(msg.X, msg.Y), m.layout(m.size)
	if m.focus == onFilter && !at.In(l.filter) {
		m.keepFilter()
	}
	switch {
	case at.In(l.filter):
		return m.startFilter()
	case at.In(l.pane):
		m.focus = onPane
	case at.In(l.list):
		m.focus = onList
		from := m.list.Cursor()
		hit := m.list.Click(at.Y - l.list.Min.Y)
		m.settle(from)
		if hit && len(m.runs.shown) > 0 && m.clicks.Double(msg) {
			return m.enter()
		}
	}
	return nil
}

func (m *Model) wheel(msg tea.MouseWheelMsg) {
	switch at, l := image.Pt(msg.X, msg.Y), m.layout(m.size); {
	case at.In(l.pane):
		m.pane.Wheel(msg)
	case at.In(l.list):
		from := m.list.Cursor()
		m.list.Wheel(msg)
		m.settle(from)
	}
}
