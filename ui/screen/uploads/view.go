package uploads

import (
	"image"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// layout is where the parts of the screen are. A part with an empty rectangle
// is not drawn.
type layout struct {
	totals, notice, filter, head, list, line, pane image.Rectangle
}

// Sizes of the parts.
const (
	barFrom   = 10 // lines from which the totals have a bar
	headFrom  = 12 // lines from which the columns have names
	lineFrom  = 6  // lines from which the row under the cursor is told of
	paneLeast = 34 // columns
	paneMost  = 64
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
	if size.Y >= barFrom && m.rows.barred() {
		l.totals = top(2)
	} else {
		l.totals = top(1)
	}
	if m.noticed() {
		l.notice = top(1)
	}
	if m.focus == onFilter || m.filter.Value() != "" {
		l.filter = top(1)
	}
	if len(m.rows.shown) == 0 {
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

// barred reports whether a bar says anything: while something is to be done, or
// when everything is stored.
func (r *rows) barred() bool {
	t := r.totals
	return t.Waiting+t.Sending > 0 || t.Jobs > 0 && t.Stored == t.Jobs
}

// noticed reports whether there is something to say beside the totals.
func (m *Model) noticed() bool {
	return m.rows.trouble != nil || m.rows.hold.After(m.o.Now())
}

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	return m.memo.Draw(drawnFor{size, th}, func() string { return m.draw(size, th) })
}

func (m *Model) draw(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	l := m.layout(size)
	now := m.o.Now()
	var left []string
	add := func(r image.Rectangle, words string) {
		if !r.Empty() {
			left = append(left, text.Fit(words, r.Dx(), r.Dy()))
		}
	}
	add(l.totals, m.drawTotals(l.totals.Size(), th))
	add(l.notice, m.drawNotice(now, th))
	add(l.filter, m.drawFilter(l.filter.Dx(), th))
	above := kit.JoinV(left...)
	left = nil
	add(l.head, m.drawHead(l.head.Dx(), th))
	if len(m.rows.shown) == 0 {
		add(l.list, m.drawEmpty(l.list.Size(), th))
	} else {
		add(l.list, m.drawRows(l.list.Size(), now, th))
	}
	add(l.line, m.drawLine(l.line.Dx(), now, th))
	body := kit.JoinV(left...)
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

// drawTotals says how all uploads of this run stand, with a bar where there is
// room.
func (m *Model) drawTotals(size image.Point, th *theme.Theme) string {
	t := m.rows.totals
	var parts []string
	add := func(style lipgloss.Style, words string) { parts = append(parts, style.Render(words)) }
	elsewhere := m.rows.elsewhere()
	if t.Jobs == 0 {
		words := "Nothing is under way"
		if elsewhere > 0 {
			words = text.Plural(elsewhere, "upload") + " under way in another mediadesk"
		}
		if n := m.rows.all - m.rows.others; n > 0 {
			words += " · " + text.Plural(n, "earlier upload")
		}
		return th.Muted.Render(text.Truncate(words, size.X))
	}
	whole := t.Stored == t.Jobs
	style := th.Strong
	if whole {
		style = th.Good
	}
	add(style, text.Count(t.Stored)+" of "+text.Count(t.Jobs)+" stored")
	count := func(n int, word string, style lipgloss.Style) {
		if n > 0 {
			add(style, text.Count(n)+" "+word)
		}
	}
	count(t.Refused, "refused", th.Bad)
	count(t.Unsent, "unsent", th.Bad)
	count(t.Unknown, "unknown", th.Warn)
	if rate := text.Rate(t.Rate); rate != "" {
		add(th.Text, rate)
	}
	if t.Left > 0 {
		add(th.Text, "about "+about(t.Left)+" left")
	}
	count(t.Paused, "paused", th.Muted)
	count(t.Cancelled, "cancelled", th.Muted)
	count(elsewhere, "in another mediadesk", th.Muted)
	line := text.Truncate(strings.Join(parts, th.Muted.Render(" · ")), size.X)
	if size.Y < 2 {
		return line
	}
	bar := kit.Progress{Done: t.Sent, Total: t.Total, Finished: whole, Stalled: m.stalled()}
	return line + "\n" + bar.Row(size.X, th)
}

// stalled reports whether everything under way is.
func (m *Model) stalled() bool {
	under := 0
	for i := range m.rows.live {
		r := row{Row: m.rows.live[i]}
		if partOf(r.Job.State) != partSending {
			continue
		}
		if !r.Stalled {
			return false
		}
		under++
	}
	return under > 0
}

func (m *Model) drawNotice(now time.Time, th *theme.Theme) string {
	if err := m.rows.trouble; err != nil {
		return th.Bad.Render(th.Glyph(theme.SignBad) + " The journal cannot be written: " + text.Safe(err.Error()))
	}
	return th.Warn.Render(th.Glyph(theme.SignWarn) + " The service asked for a pause; sending goes on " + in(m.rows.hold, now))
}

func (m *Model) drawFilter(width int, th *theme.Theme) string {
	found := " " + text.Count(len(m.rows.shown)) + " of " + text.Count(m.rows.all)
	w := text.Width(found)
	if width < 3*w {
		return m.filter.View(width, th)
	}
	return m.filter.View(width-w, th) + th.Muted.Render(found)
}

func (m *Model) drawEmpty(size image.Point, th *theme.Theme) string {
	words := "Nothing was sent yet. Press 1 to pick files."
	switch {
	case m.filter.Value() != "" && m.rows.all > 0:
		words = "No upload has this in its name or state. Press esc to clear the filter."
	case !m.rows.read:
		words = "Reading what was sent…"
	}
	lines := text.Wrap(words, size.X)
	for i := range lines {
		lines[i] = th.Muted.Render(lines[i])
	}
	return strings.Repeat("\n", max(0, min(2, size.Y-len(lines)))) + strings.Join(lines, "\n")
}

// columns of a row, for a list of that width.
func columns(width int) kit.Columns {
	cols := kit.Columns{
		{Width: 1},
		{Width: 12},
		{Width: 16, Flex: 3},
		{Width: 8, Spare: 2},
		{Width: 9, Right: true, Spare: 3},
		{Width: 24, Flex: 2, Spare: 1},
	}
	if width < kit.StackedWidth {
		cols[2].Width = 8
	}
	if width >= 92 {
		cols[3].Width = 10
		cols[4].Width = 18
	}
	return cols
}

func (m *Model) drawHead(width int, th *theme.Theme) string {
	cols := columns(width)
	return th.Muted.Render(cols.Row(cols.Widths(width), "", "state", "name", "", "size", "how it goes"))
}

func (m *Model) drawRows(size image.Point, now time.Time, th *theme.Theme) string {
	cols := columns(size.X)
	widths := cols.Widths(size.X)
	return m.list.View(size, func(i, width int, selected bool) string {
		r, _ := m.rows.row(i)
		return m.drawRow(r, cols, widths, selected, now, th)
	})
}

func (m *Model) drawRow(r row, cols kit.Columns, widths []int, selected bool, now time.Time, th *theme.Theme) string {
	mark := sign(r)
	what := text.TruncateMiddle(text.Safe(name(r.Job)), widths[2])
	more := text.Safe(note(r, now))
	size := bytes(r)
	if widths[4] > 0 && text.Width(size) > widths[4] {
		size = text.Bytes(r.Total)
	}
	bar := ""
	if part := partOf(r.Job.State); !r.earlier && (part == partSending || part == partWaiting) || mark == theme.SignGood {
		bar = kit.Progress{Done: r.Sent, Total: r.Total, Finished: mark == theme.SignGood, Stalled: r.Stalled}.Bar(widths[3], th)
	}
	if selected {
		style := th.Selected
		if m.focus == onPane {
			style = th.SelectedDim
		}
		return style.Render(cols.Row(widths, th.Glyph(mark), status(r), what, ansi.Strip(bar), size, more))
	}
	style := th.SignStyle(mark)
	words, rest := th.Text, th.Muted
	if mark == theme.SignNone || r.earlier && !failed(r.Job.State) {
		words, style = th.Muted, th.Muted
	}
	if failed(r.Job.State) {
		rest = style
	}
	return cols.Row(widths, style.Render(th.Glyph(mark)), style.Render(status(r)), words.Render(what), bar, th.Muted.Render(size), rest.Render(more))
}

// drawLine says in one line what the columns of a small screen leave out of the
// row under the cursor.
func (m *Model) drawLine(width int, now time.Time, th *theme.Theme) string {
	r, ok := m.current()
	if !ok {
		return ""
	}
	parts := make([]string, 0, 2)
	if size := bytes(r); size != "" {
		parts = append(parts, size)
	}
	if more := note(r, now); more != "" {
		parts = append(parts, text.Safe(more))
	}
	return th.Muted.Render(text.Truncate(strings.Join(parts, " · "), width))
}

// click moves the cursor to the row; the second one opens it.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	at, l := image.Pt(msg.X, msg.Y), m.layout(m.size)
	switch {
	case at.In(l.filter):
		return m.startFilter()
	case at.In(l.pane):
		m.leaveFilter()
		m.focus = onPane
	case at.In(l.list):
		m.leaveFilter()
		m.focus = onList
		if m.list.Click(at.Y-l.list.Min.Y) && len(m.rows.shown) > 0 {
			m.landed()
			m.moved = true
			if m.clicks.Double(msg) {
				return m.enter()
			}
		}
	}
	return nil
}

func (m *Model) leaveFilter() {
	if m.focus == onFilter {
		m.keepFilter()
	}
}

func (m *Model) wheel(msg tea.MouseWheelMsg) {
	switch at, l := image.Pt(msg.X, msg.Y), m.layout(m.size); {
	case at.In(l.pane):
		m.pane.Wheel(msg)
	case at.In(l.list):
		m.list.Wheel(msg)
		m.landed()
	}
}
