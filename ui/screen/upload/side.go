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

// sideScroller scrolls the side.
type sideScroller struct{ m *Model }

// Move scrolls by lines.
func (s sideScroller) Move(by int) {
	most := s.most()
	// A resize can leave it past the end.
	s.m.scroll = max(0, min(min(s.m.scroll, most)+by, most))
}

// Page returns the number of visible lines.
func (s sideScroller) Page() int {
	rows := 0
	for _, f := range s.m.sideFlows(s.m.layout(s.m.size), measured) {
		rows = f.size.Y
	}
	return rows
}

// Len returns the number of lines.
func (s sideScroller) Len() int { return s.most() + s.Page() }

// most returns the greatest scroll offset.
func (s sideScroller) most() int {
	most := 0
	for _, f := range s.m.sideFlows(s.m.layout(s.m.size), measured) {
		most = max(most, len(f.lines)-f.size.Y)
	}
	return most
}

type panel struct {
	title string
	lines []string
	// checks is the index of the check that each line shows, or -1. Lines without an entry show none.
	checks []int
}

// panels returns the side's panels for the current source.
func (m *Model) panels(width int, th *theme.Theme) []panel {
	stored, what, all := "Stored as", "What this will do", "Checks"
	if len(m.sources) > 1 {
		name := ": " + text.TruncateMiddle(text.Safe(m.current().entry.Source.Name()), max(8, width-20))
		stored, what, all = stored+name, what+name, all+" of all "+text.Plural(len(m.sources), "file")
	}
	lines, checks := m.checkLines(width, th)
	return []panel{
		{title: stored, lines: m.storedLines(width, th)},
		{title: what, lines: m.outlookLines(width, th)},
		{all, lines, checks},
	}
}

// flow is a column of panels that scrolls if they do not fit. size is the size of its text.
type flow struct {
	panel
	size image.Point
}

// flowOf returns panels in a column. The box names a panel without a title.
func flowOf(title string, panels []panel, size image.Point, th *theme.Theme) flow {
	f := flow{panel{title: title}, size}
	for _, p := range panels {
		if p.title != "" {
			f.lines = append(f.lines, th.Title.Render(p.title))
		}
		for range len(f.lines) - len(f.checks) {
			f.checks = append(f.checks, -1)
		}
		f.checks = append(f.checks, p.checks...)
		f.lines = append(f.lines, p.lines...)
	}
	return f
}

// checkAt returns the index of the check at a position, or -1.
func (m *Model) checkAt(at image.Point) int {
	l := m.layout(m.size)
	at = at.Sub(l.side.Min)
	flows := m.sideFlows(l, measured)
	var p panel
	line := at.Y
	switch {
	case !l.boxes:
		p = flows[0].panel
		line += m.scrolled(flows[0])
	case len(flows) > 0:
		f := flows[0]
		if len(flows) > 1 && at.X >= l.side.Dx()-rightWidth(l) {
			f = flows[1]
		}
		p = f.panel
		line += m.scrolled(f) - 1
	default:
		panels := m.panels(kit.BoxInner(l.side.Size()).X, measured)
		p = panels[len(panels)-1]
		line -= boxRows(panels[:len(panels)-1]) + 1
	}
	if line < 0 || line >= len(p.checks) {
		return -1
	}
	return p.checks[line]
}

// scrolled returns the number of lines above the visible ones.
func (m *Model) scrolled(f flow) int { return max(0, min(m.scroll, len(f.lines)-f.size.Y)) }

// rightWidth returns the width of the right column of a low side.
func rightWidth(l layout) int { return l.side.Dx() * 2 / 5 }

// sideFlows returns the side's columns, or none if the panels fit in boxes.
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
		// If it is low and wide, the prediction stands beside the rest.
		right := kit.BoxInner(image.Pt(rightWidth(l), size.Y))
		left := kit.BoxInner(image.Pt(size.X-rightWidth(l), size.Y))
		rest, what := m.panels(right.X, th), m.panels(left.X, th)[1]
		return []flow{
			flowOf(what.title, []panel{{lines: what.lines}}, left, th),
			flowOf(rest[0].title, []panel{{lines: rest[0].lines}, rest[2]}, right, th),
		}
	}
	return []flow{flowOf("Before sending", panels, kit.BoxInner(size), th)}
}

// boxRows returns the height of panels in separate boxes.
func boxRows(panels []panel) int {
	rows := 0
	for _, p := range panels {
		rows += len(p.lines) + 2
	}
	return rows
}

// viewSide draws the prediction: in boxes if they fit, otherwise in scrolling columns.
func (m *Model) viewSide(l layout, th *theme.Theme) string {
	if l.side.Empty() {
		return ""
	}
	size, focused := l.side.Size(), m.focus.stop == stopSide
	var boxes []string
	for _, f := range m.sideFlows(l, th) {
		at := m.scrolled(f)
		body := text.Fit(strings.Join(f.lines[at:], "\n"), f.size.X, f.size.Y)
		if !l.boxes {
			return body
		}
		below := len(f.lines) - f.size.Y - at
		more := text.If(below > 0, text.Plural(below, "more line"))
		width := size.X
		if l.side.Min.X == 0 {
			width = rightWidth(l)
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

// storedLines shows the name and folder that the service will store.
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

// labelled returns text beside a label. It wraps anywhere, because a path has no blanks, and aligns the lines.
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

// drawSource draws the source's name. If that name is sent, it marks the characters that the service will replace.
func drawSource(s *source, th *theme.Theme) string {
	name := s.entry.Source.Name()
	if name != s.entry.FileName {
		return th.Muted.Render(text.Safe(name))
	}
	return drawLetters(storedLetters(name, api.NameExact), func(l letter) rune { return l.from }, map[letterKind]lipgloss.Style{
		letterSame: th.Muted, letterChanged: th.Warn.Underline(true),
	})
}

// drawLetters draws letters in the style of their kind.
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

// outlookLines tells what sending will do.
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

// rollupLines tells what sending all files does, with the key that prevents the losses of the other files.
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

// keepKey returns the key that prevents losses in the current focus.
func (m *Model) keepKey() string {
	// k is text in a text field and moves the cursor in the list.
	if !m.Capturing() && m.focus.stop != stopList {
		return "k"
	}
	return "ctrl+g"
}

// checkLines returns the errors and warnings of all sources, then the passed checks of the current one, with their
// fields. of has the index of the check for each of its lines.
func (m *Model) checkLines(width int, th *theme.Theme) (lines []string, of []int) {
	s := m.current()
	for n, l := range m.listed() {
		sign, word := theme.SignGood, ""
		switch l.level {
		case stop:
			sign, word = theme.SignBad, "Refused: "
		case warn:
			sign, word = theme.SignWarn, "Careful: "
		case fine:
		}
		style, mark := th.SignStyle(sign), th.Sign(sign)
		if n == m.cursorCheck() {
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
		for range len(lines) - len(of) {
			of = append(of, n)
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
	return lines, of
}
