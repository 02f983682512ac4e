package upload

import (
	"fmt"
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// sideLines returns the lines of the side, and for each the index of the check that it shows, or -1.
func (m *Model) sideLines(l layout, th *theme.Theme) (lines []string, checks []int) {
	if l.side.Empty() || len(m.sources) == 0 {
		return nil, nil
	}
	s, width := m.current(), kit.PaneWidth(l.side.Size())
	facts := kit.NewFacts(width, th)
	name := ""
	if len(m.sources) > 1 {
		name = ": " + text.ShortName(s.entry.Source.Name(), max(8, width-20))
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
		sign := map[level]theme.Sign{stop: theme.SignBad, warn: theme.SignWarn}[c.level]
		facts.Say(th.SignStyle(sign), th.Glyph(sign)+" "+c.text)
		facts.Say(th.Muted, c.help)
		for range len(facts.Lines()) - len(checks) {
			checks = append(checks, n)
		}
	}
	switch {
	case s.entry.Source.Path != "" && !s.known.looked:
		facts.Say(th.Muted, "Looking at the file…")
	case len(m.sum().checks) == 0:
		facts.Say(th.Good, th.Glyph(theme.SignGood)+" Nothing to warn of.")
	}
	for what, err := range map[string]error{"What is stored already could not be looked up: ": m.unfound, "The library could not be searched for stored files: ": m.unlisted} {
		if err != nil {
			facts.Say(th.Muted, what+text.Stop(err.Error()))
		}
	}
	return facts.Lines(), checks
}

// sayPrediction tells what sending will do: to this file, and how many others lose something.
func (m *Model) sayPrediction(facts *kit.Facts, s *source) {
	th, t, p := facts.Theme(), m.sum(), m.verdict(s).out
	if t.stopped[s] {
		facts.Say(th.Bad, th.Glyph(theme.SignBad)+" Cannot be sent yet; see Checks.")
	}
	first := p.Keep()
	for _, l := range p.Lines() {
		words := l.Text
		if l.Keep != noField && l.Keep == first {
			words += " Press " + m.keepKey() + " to keep."
			first = noField
		}
		if l.Loss {
			facts.Say(th.Bad, th.Glyph(theme.SignWarn)+" "+words)
		} else {
			facts.Say(th.Text, words)
		}
	}
	facts.Say(th.Muted, m.statusOf(s))
	if len(m.sources) > 1 && t.destroy > 0 {
		words := fmt.Sprintf("%d of %s can take something from a file that is there.", t.destroy, text.Plural(len(m.sources), "file"))
		if t.keep != noField && p.Keep() == noField {
			words += " Press " + m.keepKey() + " to keep."
		}
		facts.Say(th.Warn, words)
	}
}

// keepKey returns the key that prevents losses in the current focus.
func (m *Model) keepKey() string {
	// k is text in a text field and moves the cursor in the list.
	if !m.Capturing() && m.part != onList {
		return "k"
	}
	return "ctrl+g"
}

// leastThumb is the least height, in rows, for pictures on the side.
const leastThumb = 6

// divideSide returns the size of the side's lines, and that of the pictures below them; zero if they do not fit.
func (m *Model) divideSide(l layout, lines int) (side, thumbs image.Point) {
	side = l.side.Size()
	if rest := side.Y - lines - 2; m.o.Loader != nil && l.side.Min.X > 0 && rest >= leastThumb {
		return image.Pt(side.X, lines+2), kit.BoxInner(image.Pt(side.X, rest))
	}
	return side, image.Point{}
}

// layoutSide tells the side how many lines it has, and loads the pictures below them.
func (m *Model) layoutSide(l layout) tea.Cmd {
	lines, _ := m.sideLines(l, measured)
	size, thumbs := m.divideSide(l, len(lines))
	m.side.SetSize(len(lines), size)
	if m.theme == nil || m.away || thumbs.X < 1 || thumbs.Y < 1 {
		return m.thumbs.Delete()
	}
	m.thumbs.Arrange(thumbs, m.region.Options(m.theme))
	return m.thumbs.Want()
}

// tile is the picture of a target, from the page that shows the current one.
func (m *Model) tile(i int) edit.Tile {
	targets := m.targets()
	at, page := 0, max(1, m.thumbs.Grid().Page())
	for n, s := range targets {
		if s == m.subject() {
			at = n / page * page
		}
	}
	s := targets[(at+i)%len(targets)]
	t := edit.Tile{Name: s.entry.Source.Name(), Words: "no picture"}
	if yes, _ := s.known.isPicture(); yes && s.entry.Source.Path != "" {
		id := s.known.identity
		t.Picture = edit.Thumb{Key: fmt.Sprint(s.entry.Source.Path, id.Size, id.Modified), Path: pathOf(s.entry.Source.Path)}
	}
	return t
}

// checkAt returns the index of the check at line y of the screen, or -1.
func (m *Model) checkAt(y int) int {
	l := m.layout(m.size)
	_, checks := m.sideLines(l, measured)
	if at := m.side.At(y - l.side.Min.Y); at >= 0 && at < len(checks) {
		return checks[at]
	}
	return -1
}

// viewSide draws the prediction, and the pictures below it if they fit.
func (m *Model) viewSide(l layout, th *theme.Theme) string {
	if l.side.Empty() {
		return ""
	}
	lines, _ := m.sideLines(l, th)
	size, thumbs := m.divideSide(l, len(lines))
	side := m.side
	side.SetSize(len(lines), size)
	from, to := side.Visible()
	body := make([]string, 0, to-from)
	for _, line := range lines[from:to] {
		body = append(body, text.Blanks((kit.BoxInner(size).X-kit.PaneWidth(size))/2)+line)
	}
	out := edit.Panel("Before sending", "", strings.Join(body, "\n"), size, m.part == onSide, th)
	if thumbs.Y > 0 {
		out = kit.JoinV(out, edit.Panel("", "", m.thumbs.View(thumbs, th), l.side.Size().Sub(image.Pt(0, size.Y)), false, th))
	}
	return out
}
