package ui

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

type rects struct{ top, screen, status, hints image.Rectangle }

// statusHeight is the least height for a separate status line. Below it, a message replaces the
// hints. airyHeight is the least one for a blank line below the tabs.
const statusHeight, airyHeight = 20, 30

// rects divides the terminal into the top line, the screen, the status line and the hints, these two
// within a margin of a cell. The hints have no rows if a message replaces them.
func (m *Model) rects() rects {
	w, h := m.size.X, m.size.Y
	top, low := text.Either(h < airyHeight, min(1, h), 2), max(h-1, 0)
	r := rects{top: image.Rect(0, 0, w, top), hints: image.Rect(1, low, max(1, w-1), h)}
	if h >= statusHeight {
		low--
		r.status = image.Rect(1, low, max(1, w-1), low+1)
	} else if _, shown := m.messages.Shown(); shown {
		r.status, r.hints = r.hints, image.Rectangle{}
	}
	r.screen = image.Rect(0, top, w, max(top, low)) // its status can have the status line, too
	return r
}

func (m *Model) View() tea.View {
	v := tea.NewView(m.draw())
	front := m.host.Overlays.Front
	if s := m.host.InFront(); front == "" && s != nil {
		front = s.Overlays().Front
	}
	m.loader.Store.Shade(v.Content, front, !m.theme.Dark)
	v.AltScreen = true
	v.ReportFocus = true
	v.MouseMode = tea.MouseModeCellMotion
	v.BackgroundColor, v.ForegroundColor = m.theme.Ground, m.theme.Plain
	v.WindowTitle = m.title()
	return v
}

func (m *Model) draw() string {
	if m.size.X < 1 || m.size.Y < 1 {
		return ""
	}
	if kit.ModeOf(m.size) == kit.Tiny {
		return kit.TooSmall(m.size, m.theme)
	}
	r, body := m.rects(), m.theme.Muted.Render(m.opening)
	if m.opening == "" && m.host.InFront() != nil {
		body = m.host.View(m.theme)
	}
	top := m.topLine(r.top.Dx())
	if m.host.Covered() {
		top = kit.Dim(top, m.theme)
	}
	// Overlays leave the first and the last lines visible.
	body = m.host.Overlays.View(text.Fit(body, m.host.Room().X, m.host.Room().Y), m.theme)
	actions := m.host.Actions()
	if _, shown := m.messages.Shown(); shown {
		key := "" // none where the key is text
		if i := slices.IndexFunc(actions, func(a kit.Action) bool { return a.ID == "program.last-message" }); i >= 0 && !m.host.Capturing() {
			key = actions[i].KeyLabel()
		}
		line := " " + m.messages.Line(r.status.Dx(), key, m.theme)
		body = text.Fit(body, r.screen.Dx(), r.screen.Dy()) + "\n" + line
	}
	lines := []string{kit.JoinV(text.Fit(top, r.top.Dx(), r.top.Dy()), body)}
	if !r.hints.Empty() {
		lines = append(lines, " "+kit.Hints(actions, r.hints.Dx(), m.theme))
	}
	return text.Fit(strings.Join(lines, "\n"), m.size.X, m.size.Y)
}

func (m *Model) topLine(width int) string {
	if m.session == nil {
		return text.Blanks(width) // the first screen says what it is
	}
	left := m.tabLine(width)
	room := max(0, width-text.Width(left)-1)
	right := text.Truncate(m.describeProfile(room), room)
	gap := max(0, width-text.Width(left)-text.Width(right))
	return text.Fit(left+strings.Repeat(" ", gap)+right, width, 1)
}

type tab struct {
	page.ID
	name   string // with blanks around it
	badges []kit.Cell
}

func (t tab) width() int {
	width := text.Width(t.name)
	for _, b := range t.badges {
		width += text.Width(b.Text) + 1
	}
	return width
}

// tabs returns the tabs of the top line. If they do not fit beside the profile, only the front tab
// has a label.
func (m *Model) tabs(width int) (list []tab) {
	for _, id := range page.Tabs {
		t := tab{ID: id, name: " " + id.Key + " " + id.Title + " "}
		if badges := screenOf(id).badges; badges != nil {
			t.badges = slices.DeleteFunc(badges(m), func(b kit.Cell) bool { return b.Text == "" })
		}
		list = append(list, t)
		width -= t.width()
	}
	if width > text.Width(m.describeProfile(0)) {
		return list
	}
	for i, t := range list {
		if t.ID != m.tab() {
			list[i].name = " " + t.Key + " "
		}
	}
	return list
}

func badge(n int, sign string, style lipgloss.Style) (c kit.Cell) {
	if n > 0 {
		c = kit.Cell{Text: sign + text.Count(n), Style: style}
	}
	return c
}

func (m *Model) tabLine(width int) string {
	var b strings.Builder
	for _, t := range m.tabs(width) {
		front := t.ID == m.tab()
		style := text.Either(front, m.theme.TabActive, m.theme.Tab)
		b.WriteString(style.Render(t.name))
		for _, badge := range t.badges {
			if front {
				badge.Style = style
			}
			b.WriteString(badge.Style.Render(badge.Text) + style.Render(" "))
		}
	}
	return b.String()
}

func (m *Model) tabAt(x int) (id page.ID, ok bool) {
	if m.session == nil {
		return id, false
	}
	for _, t := range m.tabs(m.size.X) {
		if x < t.width() {
			return t.ID, true
		}
		x -= t.width()
	}
	return id, false
}

// describeProfile returns the profile in use and, if they fit, its host and the source of its key.
// A remote service stands out from the local library.
func (m *Model) describeProfile(width int) string {
	p := m.session.Profile
	style := text.Either(p.Local, m.theme.Local, m.theme.Hosted)
	words := style.Render(text.Truncate(text.Safe(p.Name), 24)) + " "
	if m.notice != "" {
		room := max(12, min(60, width-text.Width(words)-1))
		words += m.theme.Warn.Render(text.Truncate(text.Safe(m.notice), room)) + " "
	}
	more := []string{p.Host}
	if p.KeySource != "" && !p.Local {
		more = append(more, "key: "+p.KeySource)
	}
	for _, s := range more {
		s = m.theme.Muted.Render(text.Truncate(text.Safe(s), 34)) + " "
		if text.Width(words)+text.Width(s) > width {
			break
		}
		words += s
	}
	return words
}
