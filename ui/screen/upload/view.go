package upload

import (
	"cmp"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
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
	for to == edit.OnFiles && len(m.Items) < 2 || to == edit.OnSide && (!m.Side || m.sentence() != "") && stacked(m.size) {
		to = (to + edit.Part(by) + 3) % 3
	}
	if m.focus(to); to == edit.OnForm {
		m.Form.End(by < 0)
	}
}

func (m *Model) Capturing() bool { return !m.sending && m.Editor.Capturing() }

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
	if image.Pt(msg.X, msg.Y).In(m.Layout(m.size).Side) {
		m.On = edit.OnSide
	}
	return m.Click(msg)
}

func (m *Model) View(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	if len(m.Items) == 0 {
		words := "Nothing to send here. Go to Pick (key 1), choose files with space, then press u."
		words = kit.Paragraph(words, min(size.X, 56), th.Muted)
		return kit.OverlayCenter(text.Fit("", size.X, size.Y), words)
	}
	room := m.Layout(size).Side.Size()
	side := m.side.View("Before sending", m.sideLines(kit.PaneWidth(room), th), room, m.On == edit.OnSide, th)
	body := m.Editor.View(size, m.title(), side, th)
	return text.Fit(body, size.X, size.Y)
}

func (m *Model) title() string {
	targets := m.Targets()
	if len(targets) == 1 {
		return "Upload " + targets[0].Source.Name()
	}
	if len(targets) < len(m.Items) {
		return "Options of " + text.Count(len(targets)) + " of " + text.Plural(len(m.Items), "file")
	}
	return strings.TrimSuffix("Upload "+text.Plural(len(targets), "file")+", "+size(targets), ", ")
}

// Status returns what sending does, or what stands in its way.
func (m *Model) Status(room image.Point, th *theme.Theme) []string {
	if len(m.Items) == 0 {
		return nil
	}
	sign, words := theme.SignNone, ""
	switch t := m.sum(); {
	case m.sending:
		sign, words = theme.SignBusy, "Queuing "+text.Plural(len(m.Items), "file")+"…"
	case stacked(room):
		words = text.If(!m.Side, cmp.Or(m.sentence(), "Checking for files of the same name…")) // or the side says it
	case len(t.stopped) > 0:
		sign, words = theme.SignBad, "Not ready: "+t.checks[0].text
	case t.losses > 0:
		sign, words = theme.SignWarn, "Sending can take something from a file that is there: see What will happen"
	}
	if words == "" {
		return nil
	}
	lead := text.If(sign != theme.SignNone, th.Sign(sign)+" ")
	return []string{" " + lead + th.SignStyle(sign).Render(text.Truncate(text.Safe(words), room.X-1-text.Width(lead)))}
}

// sideLines returns the lines of the side: one if nothing is wrong.
func (m *Model) sideLines(width int, th *theme.Theme) []string {
	targets := m.Targets()
	if len(targets) == 0 || width < 1 {
		return nil
	}
	s := targets[0]
	if now, ok := m.Current(); ok && slices.Contains(targets, now) {
		s = now
	}
	facts, all := kit.NewFacts(width, th), m.sum().checks
	if words := m.sentence(); words != "" {
		facts.Say(th.Text, words)
		return facts.Lines()
	}
	var wrong []string // fields that say it
	checks := func(stop bool) {
		for _, c := range slices.DeleteFunc(slices.Clone(all), func(c check) bool { return c.stop != stop }) {
			sign, row := text.Either(c.stop, theme.SignBad, theme.SignWarn), m.Form.Row(c.field)
			if stop && row != nil && !row.More { // the form says what is wrong, and what helps
				wrong = append(wrong, row.Label)
				continue
			}
			facts.Say(th.SignStyle(sign), th.Glyph(sign)+" "+c.text)
			facts.Say(th.Muted, c.help)
			facts.Gap()
		}
	}
	checks(true)
	if n := len(m.sum().stopped); n > 0 {
		checks(false)
		facts.Say(th.Bad, th.Glyph(theme.SignBad)+" Not ready"+text.If(len(wrong) > 0, ": correct "+strings.Join(wrong, " and ")+text.If(n > 1, " of "+text.Count(n)+" files"))+".")
		return facts.Lines()
	}
	m.sayPrediction(facts, s) // losses first
	checks(false)
	isNew := func(s *source) bool { return m.decision(s).out.Result == rule.NewFile }
	words := "Will be stored as " + s.folder() + s.storedName() + text.If(isNew(s) && !m.decision(s).out.Suffix, ", a new file") +
		text.If(len(targets) > 1, " (1 of "+text.Count(len(targets))+")") + "."
	count := func(is func(*source) bool) int {
		return len(targets) - len(slices.DeleteFunc(slices.Clone(targets), is))
	}
	if n := count(isNew); n > 0 && n < len(targets) {
		words = text.Count(n) + " of " + text.Plural(len(targets), "file") + " will be new ones."
		if known := count(m.known); known < len(targets) && m.unfound == nil {
			words = "Checked " + text.Count(known) + " of " + text.Plural(len(targets), "file") + "…"
		}
	}
	if s.Source.URL == "" || !api.IsPrivateHost(s.Source.URL) { // else the warning says that it cannot be fetched
		facts.Say(th.Text, words)
	}
	if s.Source.Path != "" && !s.known.inspected {
		facts.Say(th.Muted, "Reading the file…")
	}
	if m.unfound != nil {
		facts.Say(th.Muted, "Could not check what is there: "+text.Stop(m.unfound.Error()))
	}
	return facts.Lines()
}

// sentence says all that happens if the targets become new files and nothing else happens; empty if
// there is more to say, or that is not known.
func (m *Model) sentence() string {
	targets := m.Targets()
	if len(targets) == 0 || len(m.sum().checks) > 0 ||
		slices.ContainsFunc(targets, func(s *source) bool { return !m.plain(s) }) {
		return ""
	}
	first := targets[0].folder() + targets[0].storedName()
	if len(targets) == 1 {
		return "Will be stored as " + first + ", a new file."
	}
	return "Will be stored as " + text.Plural(len(targets), "new file") + ", such as " + first + "."
}

// stacked reports whether there is room for more than one part.
func stacked(size image.Point) bool {
	return kit.ModeOfWidth(size.X) >= kit.Stacked && size.Y >= edit.LeastStacked
}

// known reports whether a source was inspected, and its place was checked as far as the service allows.
func (m *Model) known(s *source) bool {
	known := s.known.inspected || s.Source.URL != ""
	return known && (s.Naming != job.NameExact || s.known.of == rule.PathOf(&s.Upload))
}

// plain reports whether it is known that a source becomes a new file and nothing else happens.
func (m *Model) plain(s *source) bool {
	at, out := s.known.place, m.decision(s).out
	sure := s.Naming != job.NameExact || at.Known && at.At.IsZero()
	return m.known(s) && sure && m.unfound == nil && out.Result == rule.NewFile && len(out.Lines()) == 1
}

// inForm returns a line with the label of its field in place of its name in requests.
func inForm(l rule.Line) string {
	if f := entry.FieldByName(l.Keep); f != nil {
		return strings.Replace(l.Text, f.Name, f.Label, 1)
	}
	return l.Text
}

// sayPrediction tells what sending will do to this file and to the one at its place.
func (m *Model) sayPrediction(facts *kit.Facts, s *source) {
	th, p := facts.Theme(), m.decision(s).out
	lines := p.Lines()
	if p.Result == rule.NewFile && !p.Suffix { // that is said already
		lines = lines[1:]
	}
	if m.taken(s) || s.asks() && s.known.of != rule.PathOf(&s.Upload) { // the answer decides, if there is a file
		lines = nil
	}
	if lost := m.sum().lost; lost != "" {
		lines = append(lines, rule.Line{Text: lost, Loss: rule.AspectTags})
	}
	for _, l := range lines {
		words := inForm(l)
		if l.Loss != "" {
			facts.Say(th.Bad, th.Glyph(theme.SignWarn)+" "+words)
		} else {
			facts.Say(th.Text, words)
		}
	}
	if words := keeps(m.keepable(m.Targets())); words != "" {
		facts.Say(th.Text, "ctrl+g keeps "+words+".")
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
