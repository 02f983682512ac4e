package upload

import (
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// measured is a theme for measuring. Sizes are the same in every theme.
var measured = theme.New(true, false)

// part is a part of the screen.
type part int

const (
	onList part = iota
	onForm
	onSide // the prediction
)

// focus moves the focus to a part.
func (m *Model) focus(to part) {
	m.form.Blur()
	if m.part = to; to == onForm {
		m.form.Begin()
	}
	m.side.Reset()
}

// leaveForm moves the focus to the next or previous part.
func (m *Model) leaveForm(by int) {
	to := (m.part + part(by) + 3) % 3
	if to == onList && len(m.sources) < 2 {
		to = (to + part(by) + 3) % 3
	}
	if m.focus(to); to == onForm {
		m.form.End(by < 0)
	}
}

// Capturing reports whether a text field has the keyboard.
func (m *Model) Capturing() bool {
	if m.sending || len(m.sources) == 0 {
		return false
	}
	return m.part == onList && m.list.Capturing() || m.part == onForm && m.form.Editing()
}

// Type passes a key or a paste to the focused text field and applies the result to the sources.
func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) {
	switch {
	case !m.Capturing():
		return nil, false
	case m.part == onList:
		return m.list.Type(msg)
	}
	return nil, m.form.Type(msg)
}

// click moves the focus to the clicked part.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if m.sending || len(m.sources) == 0 {
		return nil
	}
	at, double, l := image.Pt(msg.X, msg.Y), m.clicks.Double(msg), m.layout(m.size)
	switch {
	case at.In(l.list):
		m.focus(onList)
		rows, _ := m.listRect(l)
		if m.list.Click(kit.Moved(msg, rows.Min).(tea.MouseClickMsg)) {
			return m.editAlone()
		}
	case at.In(l.side):
		top := m.side // the clicked line stays under the pointer
		m.focus(onSide)
		m.side = top
		if n := m.checkAt(at.Y); n >= 0 && double {
			m.atCheck = n
			m.goToCheck(m.sum().checks[n])
		}
	case at.In(l.form):
		if m.part != onForm {
			m.focus(onForm)
		}
		return m.form.Click(at.Y-inner(l.form).Min.Y, double)
	}
	return nil
}

// wheel scrolls what is under the pointer.
func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	switch at, l := image.Pt(msg.X, msg.Y), m.layout(m.size); {
	case at.In(l.list):
		rows, _ := m.listRect(l)
		m.list.Wheel(kit.Moved(msg, rows.Min).(tea.MouseWheelMsg))
	case at.In(l.side):
		m.side.Wheel(msg)
	case at.In(l.form):
		m.form.Wheel(msg)
	}
	return nil
}

// layout divides the screen into panes. A pane with an empty rectangle is hidden.
type layout struct {
	list, form, side, status image.Rectangle
}

// leastStacked is the least height, in rows, for stacked panes.
const leastStacked = 18

// layout arranges the panes: side by side, stacked, or only the focused one.
func (m *Model) layout(size image.Point) layout {
	var l layout
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
		all := image.Rect(0, 0, size.X, h)
		*[]*image.Rectangle{&l.list, &l.form, &l.side}[m.part] = all
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
	words := "Nothing to send here. Go to " + page.Picker.Title + " (key " + page.Picker.Key + "), choose files with space, then press u."
	if n := len(m.skipped); n > 0 {
		words = "Nothing to send here: " + text.Plural(n, "file") + " skipped, because already stored. Press ctrl+v to bring them back."
	}
	return kit.OverlayCenter(text.Fit("", size.X, size.Y), kit.Paragraph(words, min(size.X, 56), th.Muted))
}

// viewList draws the sources with their marks.
func (m *Model) viewList(l layout, th *theme.Theme) string {
	if l.list.Empty() {
		return ""
	}
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
	focused := m.part == onList
	rows, foot := m.listRect(l)
	body := m.list.View(rows.Size(), th)
	for i, line := range foot {
		foot[i] = th.Warn.Render(line)
	}
	body = kit.JoinV(append([]string{body}, foot...)...)
	return edit.Panel(title, m.list.Position(), body, l.list.Size(), focused, th)
}

// inner returns the rectangle inside a panel.
func inner(r image.Rectangle) image.Rectangle {
	return image.Rectangle{Max: kit.BoxInner(r.Size())}.Add(r.Min.Add(kit.BoxOrigin(r.Size())))
}

// listRect returns the rectangle of the list's rows and the lines below them.
func (m *Model) listRect(l layout) (rows image.Rectangle, foot []string) {
	rows = inner(l.list)
	foot = m.listFoot(m.sum(), rows.Size())
	rows.Max.Y -= len(foot)
	return rows, foot
}

// viewForm draws the fields.
func (m *Model) viewForm(l layout, th *theme.Theme) string {
	if l.form.Empty() {
		return ""
	}
	targets := m.targets()
	title := text.Plural(len(targets), "file") + " → " + m.target(targets)
	if len(targets) == 1 {
		title = text.ShortName(targets[0].entry.Source.Name(), max(1, l.form.Dx()-6))
	}
	return edit.Panel(title, "", m.form.View(inner(l.form).Size(), m.part == onForm, th), l.form.Size(), m.part == onForm, th)
}

// listRow draws a source with its mark, state and name.
func (m *Model) listRow(s *source, mark theme.Sign, width int, selected bool, th *theme.Theme) string {
	t, state, word := m.sum(), theme.SignNone, ""
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
		if m.part == onList {
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
	lines := text.Wrap("Differs in "+strings.Join(words, ", "), size.X)
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
	case len(t.stopped) > 0:
		sign, words = theme.SignBad, "Not ready: "+t.checks[0].text
	case t.destroy > 0:
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
