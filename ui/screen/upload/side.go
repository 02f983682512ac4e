package upload

import (
	"image"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// sideScroller scrolls the side, where it does not fit.
type sideScroller struct{ m *Model }

// Move scrolls by that many lines.
func (s sideScroller) Move(by int) {
	most := s.most()
	// After a change of the size it may stand beyond the end.
	s.m.scroll = max(0, min(min(s.m.scroll, most)+by, most))
}

// Page is how many lines are seen.
func (s sideScroller) Page() int {
	rows := 0
	for _, f := range s.m.sideFlows(s.m.layout(s.m.size), measured) {
		rows = f.size.Y
	}
	return rows
}

// Len is the number of lines.
func (s sideScroller) Len() int { return s.most() + s.Page() }

// most is how far it can be scrolled.
func (s sideScroller) most() int {
	most := 0
	for _, f := range s.m.sideFlows(s.m.layout(s.m.size), measured) {
		most = max(most, len(f.lines)-f.size.Y)
	}
	return most
}

// panel is a part of the side: a title and lines.
type panel struct {
	title string
	lines []string
	at    int // the line that has the cursor; -1: none
}

// panels are the three parts of the side for the current source.
func (m *Model) panels(width int, th *theme.Theme) []panel {
	stored, what, all := "Stored as", "What this will do", "Checks"
	if len(m.sources) > 1 {
		name := ": " + text.TruncateMiddle(text.Safe(m.current().entry.Source.Name()), max(8, width-20))
		stored, what, all = stored+name, what+name, all+" of all "+text.Plural(len(m.sources), "file")
	}
	checks, at := m.checkLines(width, th)
	return []panel{
		{stored, m.storedLines(width, th), -1},
		{what, m.outlookLines(width, th), -1},
		{all, checks, at},
	}
}

// flow is panels under each other that scroll, where not all of them fit.
type flow struct {
	title  string
	lines  []string
	size   image.Point
	cursor int // the line that has the cursor; -1: none
}

// flowOf puts panels under each other. A panel without a title is named by the
// box around it.
func flowOf(title string, panels []panel, size image.Point, th *theme.Theme) flow {
	f := flow{title: title, size: size, cursor: -1}
	for _, p := range panels {
		if p.title != "" {
			f.lines = append(f.lines, th.Title.Render(p.title))
		}
		if p.at >= 0 {
			f.cursor = len(f.lines) + p.at
		}
		f.lines = append(f.lines, p.lines...)
	}
	return f
}

// sideFlows are the flows of the side, beside each other; none where all of it
// fits in boxes.
func (m *Model) sideFlows(l layout, th *theme.Theme) []flow {
	if l.side.Empty() || len(m.sources) == 0 {
		return nil
	}
	size := l.side.Size()
	if !l.boxes {
		return []flow{flowOf("", m.panels(size.X, th), size, th)}
	}
	panels := m.panels(kit.BoxInner(size).X, th)
	switch {
	case boxRows(panels) <= size.Y:
		return nil
	case l.side.Min.X == 0:
		// Low and wide: what would be done beside the rest.
		right := kit.BoxInner(image.Pt(size.X*2/5, size.Y))
		left := kit.BoxInner(image.Pt(size.X-size.X*2/5, size.Y))
		rest, what := m.panels(right.X, th), m.panels(left.X, th)[1]
		return []flow{
			flowOf(what.title, []panel{{lines: what.lines, at: -1}}, left, th),
			flowOf(rest[0].title, []panel{{lines: rest[0].lines, at: -1}, rest[2]}, right, th),
		}
	}
	return []flow{flowOf("Before sending", panels, kit.BoxInner(size), th)}
}

// boxRows is how many rows panels take in boxes of their own.
func boxRows(panels []panel) int {
	rows := 0
	for _, p := range panels {
		rows += len(p.lines) + 2
	}
	return rows
}

// viewSide draws what will happen: as boxes where all fits, else as one text
// that scrolls.
func (m *Model) viewSide(l layout, th *theme.Theme) string {
	if l.side.Empty() {
		return ""
	}
	size, focused := l.side.Size(), m.focus.stop == stopSide
	var boxes []string
	for _, f := range m.sideFlows(l, th) {
		most := max(0, len(f.lines)-f.size.Y)
		at := max(0, min(m.scroll, most))
		body := text.Fit(strings.Join(f.lines[at:], "\n"), f.size.X, f.size.Y)
		if !l.boxes {
			return body
		}
		more := ""
		if most > at {
			more = text.Plural(most-at, "more line")
		}
		width := size.X
		if l.side.Min.X == 0 {
			width = size.X * 2 / 5
			if len(boxes) == 0 {
				width = size.X - width
			}
		}
		boxes = append(boxes, kit.BoxFooter(f.title, more, body, image.Pt(width, size.Y), focused, th))
	}
	if len(boxes) > 0 {
		return kit.JoinH(boxes...)
	}
	panels := m.panels(kit.BoxInner(size).X, th)
	rest := size.Y - boxRows(panels)
	room := m.thumbRoom(l, panels)
	if room.Y > 0 {
		rest = 0
	}
	for i, p := range panels {
		h := len(p.lines) + 2
		if i == len(panels)-1 {
			h += rest
		}
		boxes = append(boxes, kit.Box(p.title, strings.Join(p.lines, "\n"), image.Pt(size.X, h), focused, th))
	}
	if room.Y > 0 {
		boxes = append(boxes, m.viewThumbs(image.Pt(size.X, size.Y-boxRows(panels)), room, th))
	}
	return kit.JoinV(boxes...)
}

// storedLines show the name and folder as the service will write them.
func (m *Model) storedLines(width int, th *theme.Theme) []string {
	s := m.current()
	folder, naming := s.folder(), s.naming()
	letters := storedLetters(s.entry.FileName, naming)
	stored := drawLetters(letters, func(l letter) rune { return l.r }, map[letterKind]lipgloss.Style{
		letterSame: th.Strong, letterChanged: th.Warn.Underline(true).Bold(true), letterSuffix: th.Muted,
	})
	lines := labelled("Source", drawSource(s, th), width, th)
	lines = append(lines, labelled("Stored", th.Muted.Render(text.Safe(folder))+stored, width, th)...)
	if words := describeFolded(s.entry.Folder.Or("")); words != "" {
		lines = append(lines, wrapStyled(words, width, th.Muted)...)
	}
	if words := describeChanged(letters); words != "" {
		lines = append(lines, wrapStyled(th.Glyph(theme.SignWarn)+" "+words, width, th.Warn)...)
	}
	switch naming {
	case api.NameHere:
		lines = append(lines, wrapStyled("The dots stand for a suffix that mediadesk adds when it sends the file.", width, th.Muted)...)
	case api.NameService:
		lines = append(lines, wrapStyled("The dots stand for a suffix that the service adds.", width, th.Muted)...)
	case api.NameExact:
	}
	if m.sum().stored[s] {
		lines = append(lines, wrapStyled(th.Glyph(theme.SignWarn)+" "+s.describeStored()+".", width, th.Warn)...)
	}
	if n := m.sum().collides[s]; n > 0 {
		lines = append(lines, wrapStyled(th.Glyph(theme.SignBad)+" Collides: "+text.Plural(n, "other file")+" would be stored here too.", width, th.Bad)...)
	}
	return lines
}

// labelled is styled text behind a label, broken anywhere: a path has no blanks to break
// at. Further lines stand under the first.
func labelled(label, words string, width int, th *theme.Theme) []string {
	head, rest := th.Label.Render(label)+" ", text.Blanks(text.Width(label)+1)
	if width < 3*len(rest) {
		head, rest = "", ""
	}
	var b strings.Builder
	w := lipgloss.NewWrapWriter(&b)
	_, _ = io.WriteString(w, text.Method().Hardwrap(words, max(1, width-len(rest)), true)) // a builder takes all
	_ = w.Close()
	lines := strings.Split(b.String(), "\n")
	for n, line := range lines {
		lines[n] = head + line
		head = rest
	}
	return lines
}

// drawSource is the name that the source has. Where that is what is sent, the
// characters that will be written otherwise are marked in it.
func drawSource(s *source, th *theme.Theme) string {
	name := s.entry.Source.Name()
	if name != s.entry.FileName {
		return th.Muted.Render(text.Safe(name))
	}
	return drawLetters(storedLetters(name, api.NameExact), func(l letter) rune { return l.from }, map[letterKind]lipgloss.Style{
		letterSame: th.Muted, letterChanged: th.Warn.Underline(true),
	})
}

// drawLetters draws the letters of a name in the styles of what became of them.
func drawLetters(letters []letter, shown func(letter) rune, styles map[letterKind]lipgloss.Style) string {
	out := ""
	for i := 0; i < len(letters); {
		kind, part := letters[i].kind, ""
		for ; i < len(letters) && letters[i].kind == kind; i++ {
			part += string(shown(letters[i]))
		}
		out += styles[kind].Render(text.Safe(part))
	}
	return out
}

// outlookLines say what sending will do.
func (m *Model) outlookLines(width int, th *theme.Theme) []string {
	s := m.current()
	p := m.predict(s).told()
	first := p.keep()
	var lines []string
	if m.sum().stopped[s] {
		lines = wrapStyled(th.Glyph(theme.SignBad)+" Cannot be sent yet; see Checks.", width, th.Bad)
	}
	for _, l := range p.lines {
		style, sign := th.Text, theme.SignNone
		if l.loss {
			style, sign = th.Bad, theme.SignWarn
		}
		text := l.text
		if l.keep != noField && l.keep == first {
			text += " Press " + m.keepKey() + " to keep."
			first = noField
		}
		if sign != theme.SignNone {
			text = th.Glyph(sign) + " " + text
		}
		lines = append(lines, wrapStyled(text, width, style)...)
	}
	if words := m.statusOf(s); words != "" {
		lines = append(lines, wrapStyled(words, width, th.Muted)...)
	}
	return append(lines, m.rollupLines(width, th)...)
}

// rollupLines say what sending all files does, with the key that keeps what
// other files than the current one lose.
func (m *Model) rollupLines(width int, th *theme.Theme) []string {
	t := m.sum()
	if len(m.sources) < 2 {
		return nil
	}
	style, s := th.Text, "All "+text.Plural(len(m.sources), "file")+": "+t.all.describe()
	if t.all.destroy > 0 {
		style = th.Warn
		if f := t.all.keepable(); f != noField && m.predict(m.current()).keep() == noField {
			s += " Press " + m.keepKey() + " to keep (" + m.item(f).words + " off)."
		}
	}
	return wrapStyled(s, width, style)
}

// keepKey is the key that keeps, where the focus is.
func (m *Model) keepKey() string {
	// Not where it is text, and not in the list, where it moves.
	if !m.Capturing() && m.focus.stop != stopList {
		return "k"
	}
	return "ctrl+g"
}

// checkLines are the checks: what stops and what warns of all sources, then
// what is fine with the current one. Each names the field it comes from. The
// one under the cursor is that whose field enter goes to; at is its first line,
// -1 where none has the cursor.
func (m *Model) checkLines(width int, th *theme.Theme) (lines []string, at int) {
	s := m.current()
	at = -1
	checks := m.listed()
	for n, l := range checks {
		sign, word := theme.SignGood, ""
		switch l.level {
		case stop:
			sign, word = theme.SignBad, "Refused: "
		case warn:
			sign, word = theme.SignWarn, "Careful: "
		case fine:
		}
		style, mark := th.SignStyle(sign), th.Sign(sign)
		if m.focus.stop == stopSide && n == m.atCheck%len(checks) {
			at = len(lines)
			mark = th.Sign(theme.SignCursor)
			style = style.Bold(true)
		}
		text := word + l.text
		if l.level != fine && !l.counted {
			text += " (" + m.item(l.field).words + ")"
		}
		for i, line := range wrapSafe(text, width-2) {
			lead := "  "
			if i == 0 {
				lead = mark + " "
			}
			lines = append(lines, lead+style.Render(line))
		}
		if l.level != fine && l.help != "" {
			for _, line := range wrapStyled(l.help, width-2, th.Muted) {
				lines = append(lines, "  "+line)
			}
		}
	}
	if s.entry.Source.Path != "" && !s.known.looked {
		lines = append(lines, th.Muted.Render(text.Truncate("Looking at the file…", width)))
	}
	if m.unfound != nil {
		lines = append(lines, wrapStyled("What is stored already could not be looked up: "+text.Stop(m.unfound.Error()), width, th.Muted)...)
	}
	if m.unlisted != nil {
		lines = append(lines, wrapStyled("The library could not be searched for stored files: "+text.Stop(m.unlisted.Error()), width, th.Muted)...)
	}
	if len(lines) == 0 {
		lines = append(lines, th.Good.Render(text.Truncate(th.Glyph(theme.SignGood)+" Nothing to warn of.", width)))
	}
	return lines, at
}
