package upload

import (
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// measured is a theme for measuring. Sizes are the same in every theme.
var measured = theme.New(true, false)

func (m *Model) focus(to edit.Part) {
	m.Focus(to)
	m.side.Reset()
}

// leaveForm moves the focus to the next or previous part.
func (m *Model) leaveForm(by int) {
	to := (m.On + edit.Part(by) + 3) % 3
	if to == edit.OnFiles && len(m.Items) < 2 {
		to = (to + edit.Part(by) + 3) % 3
	}
	if m.focus(to); to == edit.OnForm {
		m.Form.End(by < 0)
	}
}

// Capturing reports whether a text field has the keyboard.
func (m *Model) Capturing() bool { return !m.sending && m.Editor.Capturing() }

// Type passes a key or a paste to the focused text field.
func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) {
	if m.sending {
		return nil, false
	}
	return m.Editor.Type(msg)
}

func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if m.sending || len(m.Items) == 0 {
		return nil
	}
	l := m.layout(m.size)
	double, cmd := m.Click(msg, l.list, l.form)
	if image.Pt(msg.X, msg.Y).In(l.side) {
		top := m.side // the clicked line stays under the pointer
		m.focus(edit.OnSide)
		m.side = top
		_, checks := m.sideLines(l, measured)
		if at := m.side.At(msg.Y - l.side.Min.Y); double && at >= 0 && at < len(checks) && checks[at] >= 0 {
			m.atCheck = checks[at]
			m.goToCheck(m.sum().checks[m.atCheck])
		}
	}
	return cmd
}

type layout struct {
	list, form, side, status image.Rectangle
}

const leastStacked = 18

func (m *Model) layout(size image.Point) layout {
	var l layout
	h := size.Y
	if _, words := m.status(); h > 2 && words != "" {
		h--
		l.status = image.Rect(0, h, size.X, size.Y)
	}
	x := 0
	switch mode := kit.ModeOfWidth(size.X); {
	case mode == kit.Wide && h >= 10:
		if len(m.Items) > 1 {
			x = max(22, min(size.X/5, 34))
		}
		side := max(38, min((size.X-x)*2/5, 64))
		l.list, l.form, l.side = image.Rect(0, 0, x, h), image.Rect(x, 0, size.X-side, h),
			image.Rect(size.X-side, 0, size.X, h)
	case mode == kit.Stacked && h >= leastStacked:
		side := max(7, min(h*3/8, 12))
		if len(m.Items) > 1 {
			x = max(20, size.X/4)
		}
		l.list, l.form, l.side = image.Rect(0, 0, x, h-side), image.Rect(x, 0, size.X, h-side),
			image.Rect(0, h-side, size.X, h)
	default:
		*[]*image.Rectangle{&l.list, &l.form, &l.side}[m.On] = image.Rect(0, 0, size.X, h)
	}
	return l
}

// View draws the form.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	if len(m.Items) == 0 {
		words := "Nothing to send here. Go to Pick (key 1), choose files with space, then press u."
		return kit.OverlayCenter(text.Fit("", size.X, size.Y), kit.Paragraph(words, min(size.X, 56), th.Muted))
	}
	l := m.layout(size)
	list, form, side := m.ViewFiles(l.list, th), m.viewForm(l, th), m.viewSide(l, th)
	body := kit.JoinV(kit.JoinH(list, form), side)
	if l.side.Min.X > 0 {
		body = kit.JoinH(list, form, side)
	}
	if sign, words := m.status(); !l.status.Empty() {
		body = kit.JoinV(body, " "+th.Sign(sign)+" "+th.SignStyle(sign).Render(text.PadRight(text.Safe(words), size.X-3)))
	}
	return text.Fit(body, size.X, size.Y)
}

func (m *Model) title() string {
	targets := m.Targets()
	if len(targets) == 1 {
		return targets[0].Source.Name()
	}
	return m.sumUp(targets)
}

// status returns the last line: what stands in the way of sending, or nothing.
func (m *Model) status() (theme.Sign, string) {
	if len(m.Items) == 0 {
		return theme.SignNone, ""
	}
	t := m.sum()
	switch {
	case m.sending:
		return theme.SignBusy, "Queuing " + text.Plural(len(m.Items), "file") + "…"
	case len(t.stopped) > 0:
		return theme.SignBad, "Not ready: " + t.checks[0].text
	case t.losses > 0:
		return theme.SignWarn, "Sending can take something from a file that is there: see What will happen"
	case len(t.stored) > 0:
		return theme.SignWarn, m.describeStored(t) + ": sending asks"
	}
	return theme.SignNone, ""
}

// sideLines returns the lines of the side, and for each the index of the check that it shows, or -1.
func (m *Model) sideLines(l layout, th *theme.Theme) (lines []string, checks []int) {
	if l.side.Empty() || len(m.Items) == 0 {
		return nil, nil
	}
	s, _ := m.Current()
	width, name := kit.PaneWidth(l.side.Size()), ""
	facts := kit.NewFacts(width, th)
	if len(m.Items) > 1 {
		name = ": " + text.ShortName(s.Source.Name(), max(8, width-20))
	}
	facts.Draw(th.Title.Render("Stored as" + name))
	facts.Draw(strings.Split(text.Method().Hardwrap(text.Safe(s.folder()+s.storedName()), max(1, width), true), "\n")...)
	facts.Draw("", th.Title.Render("What will happen"+name))
	m.sayPrediction(facts, s)
	facts.Draw("", th.Title.Render("Checks"))
	for range facts.Lines() {
		checks = append(checks, -1)
	}
	for n, c := range m.sum().checks {
		sign := theme.SignWarn
		if c.stop {
			sign = theme.SignBad
		}
		facts.Say(th.SignStyle(sign), th.Glyph(sign)+" "+c.text)
		facts.Say(th.Muted, c.help)
		for range len(facts.Lines()) - len(checks) {
			checks = append(checks, n)
		}
	}
	switch {
	case s.Source.Path != "" && !s.known.looked:
		facts.Say(th.Muted, "Reading the file…")
	case len(m.sum().checks) == 0:
		facts.Say(th.Good, th.Glyph(theme.SignGood)+" No problems found.")
	}
	if m.unfound != nil {
		facts.Say(th.Muted, "Could not check which files are stored: "+text.Stop(m.unfound.Error()))
	}
	return facts.Lines(), checks
}

// sayPrediction tells what sending will do to this file and to the one at its place.
func (m *Model) sayPrediction(facts *kit.Facts, s *source) {
	th, p := facts.Theme(), m.decision(s).out
	if m.sum().stopped[s] {
		facts.Say(th.Bad, th.Glyph(theme.SignBad)+" Cannot be sent yet; see Checks.")
	}
	if m.taken(s) {
		facts.Say(th.Warn, th.Glyph(theme.SignWarn)+" A file of this name is there. Sending asks: new version, suffix or skip.")
	}
	keep := p.Keep()
	for _, l := range p.Lines() {
		words := l.Text
		if l.Keep != "" && l.Keep == keep {
			words, keep = words+" Press ctrl+g to keep.", ""
		}
		if l.Loss {
			facts.Say(th.Bad, th.Glyph(theme.SignWarn)+" "+words)
		} else {
			facts.Say(th.Text, words)
		}
	}
	switch at := s.known.place; {
	case s.Naming != job.NameExact:
	case s.known.of != rule.PathOf(&s.Upload):
		facts.Say(th.Muted, "Checking whether a file is there…")
	case !at.Known:
		facts.Say(th.Muted, "It is not known whether a file is there.")
	case !at.At.IsZero():
		facts.Say(th.Muted, "As it was "+text.Age(at.At, m.o.Now())+": the service does not list its files.")
	}
}

const leastThumb = 6

// divideForm returns the rectangle of the form's rows, and that of the pictures below them; empty
// if they do not fit.
func (m *Model) divideForm(l layout) (form, thumbs image.Rectangle) {
	form = l.form
	y := form.Min.Y + m.Form.Height(kit.BoxInner(form.Size()).X) + 2
	if m.o.Loader == nil || form.Max.Y-y < leastThumb {
		return form, image.Rectangle{}
	}
	thumbs = image.Rect(form.Min.X+1, y, form.Max.X-1, form.Max.Y)
	form.Max.Y = y
	return form, thumbs
}

func (m *Model) settle(l layout) tea.Cmd {
	lines, _ := m.sideLines(l, measured)
	m.side.SetSize(len(lines), l.side.Size())
	form, thumbs := m.divideForm(l)
	if m.away {
		thumbs = image.Rectangle{}
	}
	return m.Settle(l.list, form, thumbs, image.Rectangle{})
}

func (m *Model) viewForm(l layout, th *theme.Theme) string {
	form, thumbs := m.divideForm(l)
	out := m.ViewForm(m.title(), form, th)
	if !thumbs.Empty() {
		out = kit.JoinV(out, kit.JoinH(text.Fit("", 1, thumbs.Dy()), m.Sheet.View(thumbs.Size(), th)))
	}
	return out
}

func (m *Model) viewSide(l layout, th *theme.Theme) string {
	if l.side.Empty() {
		return ""
	}
	lines, _ := m.sideLines(l, th)
	size := l.side.Size()
	side := m.side
	side.SetSize(len(lines), size)
	from, to := side.Visible()
	body := make([]string, 0, to-from)
	for _, line := range lines[from:to] {
		body = append(body, text.Blanks((kit.BoxInner(size).X-kit.PaneWidth(size))/2)+line)
	}
	return edit.Panel("Before sending", "", strings.Join(body, "\n"), size, m.On == edit.OnSide, th)
}
