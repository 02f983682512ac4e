package upload

import (
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
)

// sideScroll is how far the side is scrolled, where it does not fit.
type sideScroll struct{ at, most, page int }

// press scrolls, and tells whether it could.
func (s *sideScroll) press(msg tea.KeyPressMsg) bool {
	to := s.at
	switch msg.String() {
	case "down", "j":
		to++
	case "up":
		to--
	case "pgdown", "ctrl+f":
		to += s.page
	case "pgup", "ctrl+b":
		to -= s.page
	case "home", "g":
		to = 0
	case "end", "G":
		to = s.most
	}
	to = max(0, min(to, s.most))
	moved := to != s.at
	s.at = to
	return moved
}

// panel is a part of the side: a title and lines.
type panel struct {
	title string
	lines []string
}

// panels are the three parts of the side for the current source.
func (m *Model) panels(width int, th *theme.Theme) []panel {
	stored := "Stored as"
	if len(m.sources) > 1 {
		stored += ": file " + m.list.Position()
	}
	return []panel{
		{stored, m.storedLines(width, th)},
		{"What this will do", m.outlookLines(width, th)},
		{"Lights", m.lightLines(width, th)},
	}
}

// viewSide draws what will happen: as boxes where all fits, else as one text
// that scrolls.
func (m *Model) viewSide(l layout, th *theme.Theme) string {
	if l.side.Empty() {
		return ""
	}
	m.drawn.areas = append(m.drawn.areas, area{rect: l.side, focus: focus{stop: stopSide}, row: -1})
	size := l.side.Size()
	focused := m.focus.stop == stopSide
	if !l.boxes {
		m.scroll.most = 0
		text, _ := m.flow(m.panels(size.X, th), size, th)
		return text
	}
	inner := kit.BoxInner(size)
	panels := m.panels(inner.X, th)
	need := 0
	for _, p := range panels {
		need += len(p.lines) + 2
	}
	if need <= size.Y {
		m.scroll.most = 0
		var boxes []string
		rest := size.Y - need
		for i, p := range panels {
			h := len(p.lines) + 2
			if i == len(panels)-1 {
				h += rest
			}
			boxes = append(boxes, kit.Box(p.title, strings.Join(p.lines, "\n"), image.Pt(size.X, h), focused, th))
		}
		return kit.JoinV(boxes...)
	}
	m.scroll.most = 0
	if l.side.Min.X == 0 {
		// Low and wide: what would be done beside the rest.
		right := size.X * 2 / 5
		left := size.X - right
		rest := m.panels(kit.BoxInner(image.Pt(right, size.Y)).X, th)
		what := m.panels(kit.BoxInner(image.Pt(left, size.Y)).X, th)[1]
		return kit.JoinH(
			m.flowBox(what.title, []panel{{lines: what.lines}}, image.Pt(left, size.Y), focused, th),
			m.flowBox(rest[0].title, []panel{{lines: rest[0].lines}, rest[2]}, image.Pt(right, size.Y), focused, th),
		)
	}
	return m.flowBox("Before sending", panels, size, focused, th)
}

// flowBox is a box around a flow; it says how much there is below.
func (m *Model) flowBox(title string, panels []panel, size image.Point, focused bool, th *theme.Theme) string {
	inner := kit.BoxInner(size)
	body, below := m.flow(panels, inner, th)
	more := ""
	if below > 0 {
		more = kit.Plural(below, "more line")
	}
	return kit.BoxFooter(title, more, body, size, focused, th)
}

// flow draws panels under each other, exactly filling size, scrolled, and tells
// how many lines are below. A panel without a title is named by the box around
// it.
func (m *Model) flow(panels []panel, size image.Point, th *theme.Theme) (text string, below int) {
	var lines []string
	for _, p := range panels {
		if p.title != "" {
			lines = append(lines, th.Title.Render(p.title))
		}
		lines = append(lines, p.lines...)
	}
	most := max(0, len(lines)-size.Y)
	m.scroll.page = max(1, size.Y-1)
	m.scroll.most = max(m.scroll.most, most)
	at := max(0, min(m.scroll.at, most))
	return kit.Fit(strings.Join(lines[at:], "\n"), size.X, size.Y), most - at
}

// storedLines show the name and folder as the service will write them.
func (m *Model) storedLines(width int, th *theme.Theme) []string {
	s := m.current()
	folder, _ := api.CleanFolder(s.values[fieldFolder])
	naming := s.values.naming()
	letters := storedLetters(s.values[fieldName], naming)
	lines := flowRuns(append([]span{{folder, th.Muted}}, letterRuns(letters, th)...), width)
	if words := changedWords(letters); words != "" {
		lines = append(lines, wrapStyled(th.Glyph(theme.SignWarn)+" "+words, width, th.Warn)...)
	}
	switch naming {
	case api.NameHere:
		lines = append(lines, wrapStyled("The dots are a suffix made here when it is sent.", width, th.Muted)...)
	case api.NameService:
		lines = append(lines, wrapStyled("The dots are a suffix that the service makes.", width, th.Muted)...)
	case api.NameExact:
	}
	if n := m.sum().collides[s]; n > 0 {
		lines = append(lines, wrapStyled(th.Glyph(theme.SignBad)+" Collides: "+kit.Plural(n, "other file")+" would be stored here too.", width, th.Bad)...)
	}
	return lines
}

// letterRuns styles the letters of a stored name by what became of them.
func letterRuns(letters []letter, th *theme.Theme) []span {
	styles := map[letterKind]lipgloss.Style{
		letterSame: th.Strong, letterChanged: th.Warn.Underline(true).Bold(true), letterSuffix: th.Muted,
	}
	var runs []span
	for i := 0; i < len(letters); {
		kind := letters[i].kind
		var b strings.Builder
		for ; i < len(letters) && letters[i].kind == kind; i++ {
			b.WriteRune(letters[i].r)
		}
		runs = append(runs, span{b.String(), styles[kind]})
	}
	return runs
}

// span is text in one style.
type span struct {
	text  string
	style lipgloss.Style
}

// flowRuns breaks runs into lines of at most width columns, anywhere: a path
// has no blanks to break at.
func flowRuns(runs []span, width int) []string {
	if width < 1 {
		return nil
	}
	var lines []string
	line, used := "", 0
	for _, r := range runs {
		rest := kit.Safe(r.text)
		for rest != "" {
			part, w := "", 0
			for rest != "" {
				g, gw := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
				if g == "" || used+w+gw > width && used+w > 0 {
					break
				}
				part, w, rest = part+g, w+gw, rest[len(g):]
			}
			line += r.style.Render(part)
			used += w
			if rest != "" {
				lines, line, used = append(lines, line), "", 0
			}
		}
	}
	return append(lines, line)
}

// outlookLines say what sending will do.
func (m *Model) outlookLines(width int, th *theme.Theme) []string {
	s := m.current()
	p := m.predict(s)
	first := p.keep()
	var lines []string
	if m.sum().stopped[s] {
		lines = wrapStyled(th.Glyph(theme.SignBad)+" Nothing, as it is: see what Lights says.", width, th.Bad)
	}
	for _, l := range p.lines {
		style, sign := th.Text, theme.SignNone
		if l.loss {
			style, sign = th.Bad, theme.SignWarn
		}
		text := l.text
		if l.keep != noKeep && l.keep == first {
			key := "k"
			if !m.lettersFree() {
				key = "ctrl+g"
			}
			text += " Press " + key + " to keep."
			first = noKeep
		}
		if sign != theme.SignNone {
			text = th.Glyph(sign) + " " + text
		}
		lines = append(lines, wrapStyled(text, width, style)...)
	}
	if words := m.placeWords(s); words != "" {
		lines = append(lines, wrapStyled(words, width, th.Muted)...)
	}
	if others := m.losses(); len(m.sources) > 1 && others > 0 {
		lines = append(lines, wrapStyled(kit.Plural(others, "file")+" of "+kit.Count(len(m.sources))+" can take something from what is there.", width, th.Warn)...)
	}
	return lines
}

// lightLines are the lights: what stops and what warns of all sources, then
// what is fine with the current one.
func (m *Model) lightLines(width int, th *theme.Theme) []string {
	s := m.current()
	var lines []string
	put := func(l light) {
		sign, word := theme.SignGood, ""
		switch l.level {
		case stop:
			sign, word = theme.SignBad, "Refused: "
		case warn:
			sign, word = theme.SignWarn, "Careful: "
		case fine:
		}
		style := th.SignStyle(sign)
		for i, line := range wrapSafe(word+l.text, width-2) {
			lead := "  "
			if i == 0 {
				lead = th.Sign(sign) + " "
			}
			lines = append(lines, lead+style.Render(line))
		}
		if l.level != fine && l.help != "" {
			for _, line := range wrapStyled(l.help, width-2, th.Muted) {
				lines = append(lines, "  "+line)
			}
		}
	}
	for _, l := range m.sum().lights {
		put(l)
	}
	for _, l := range m.sum().of[s] {
		if l.level == fine {
			put(l)
		}
	}
	if s.src.Path != "" && !s.known.looked {
		lines = append(lines, th.Muted.Render(kit.Truncate("Looking at the file…", width)))
	}
	if len(lines) == 0 {
		lines = append(lines, th.Good.Render(kit.Truncate(th.Glyph(theme.SignGood)+" Nothing to warn of.", width)))
	}
	return lines
}
