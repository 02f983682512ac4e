package picker

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// enter opens a folder or shows a picture in full screen. For other files, it opens the form; if
// nothing is picked, it picks the file first.
func (m *Model) enter() tea.Cmd {
	e, ok := m.current()
	if !ok {
		return nil
	}
	switch e.kind {
	case kindFolder:
		return m.open(m.path(e), "")
	case kindLink:
		delete(m.folder, e.name) // try again
		return page.Send(problem(noAnswer(m.path(e))))
	}
	if m.viewable(e) {
		return m.startViewer()
	}
	return m.form(len(m.tray.items) == 0)
}

func (m *Model) parent() tea.Cmd {
	return m.open(filepath.Dir(m.shown.folder), filepath.Base(m.shown.folder))
}

// widen leaves the contact sheet or clears the tray, see [kit.List].
func (m *Model) widen(try bool) bool {
	narrow := m.sheet.On || len(m.tray.items) > 0
	switch {
	case try:
	case m.sheet.On:
		m.next = m.sheet.Toggle()
	case narrow:
		m.next = m.clearTray()
	}
	return narrow
}

func (m *Model) clearTray() tea.Cmd {
	n := m.drop(func(item) bool { return true })
	m.tray = tray{}
	return page.Tell(page.Info, "Removed "+text.Plural(n, "file")+" from the tray. Press z to bring them back.")
}

func (m *Model) nextPart() tea.Cmd {
	if m.focus == onTray {
		m.focus = onList
	} else {
		m.focus = onTray
	}
	return nil
}

func (m *Model) removeItem() tea.Cmd {
	var sources []api.Source
	for _, i := range m.trayRows() {
		sources = append(sources, i.source)
	}
	m.drop(among(sources...))
	return nil
}

func (m *Model) showItem() tea.Cmd {
	if m.trayList.Fold() {
		return nil
	}
	m.focus = onList
	path := m.trayRows()[0].source.Path
	return m.open(filepath.Dir(path), filepath.Base(path))
}

func (m *Model) startAddress() tea.Cmd {
	p := kit.NewPrompt("Add a URL", "The service downloads it.", "", "https://example.com/photo.jpg")
	p.Do = func(address string) tea.Cmd { return m.pick([]api.Source{{URL: strings.TrimSpace(address)}}) }
	p.Verb = "add"
	p.Check = func(address string) string {
		return text.If(rule.CheckSourceURL(strings.TrimSpace(address)) != nil, "Enter a complete http or https URL.")
	}
	m.Overlays().Open(p)
	return nil
}

func (m *Model) paste(msg tea.PasteMsg) tea.Cmd {
	sources := ParsePaste(msg.Content, m.shown.folder)
	if len(sources) == 0 {
		return page.Tell(page.Info, "The pasted text has no path and no URL.")
	}
	return m.add(sources)
}

// sortMenu has the rows of the sort menu. The last one reverses the order.
var sortMenu = []kit.MenuRow{
	byName: {Key: "n", Label: "name"},
	bySize: {Key: "s", Label: "size"},
	byTime: {Key: "t", Label: "time"},
	byKind: {Key: "k", Label: "kind"},
	4:      {Key: "r", Label: "reverse the order"},
}

func (m *Model) openMenu() tea.Cmd {
	rows, last := slices.Clone(sortMenu), len(sortMenu)-1
	for i := range rows {
		next := order{by: by(i)}
		rows[i].Current = i < last && m.order.by == next.by || i == last && m.order.reverse
		if i == last {
			next = order{m.order.by, !m.order.reverse}
		}
		rows[i].Do = func() tea.Cmd {
			m.order = next
			return m.arrange(false)
		}
	}
	return m.Open(kit.NewMenu("Sort", rows...))
}

// Commands returns the command that uploads the tray or the file under the cursor.
func (m *Model) Commands() [][]string {
	args := []string{"upload"}
	for _, i := range m.tray.items {
		args = append(args, session.SourceArg(i.source))
	}
	if e, ok := m.current(); ok && len(args) == 1 {
		args = append(args, m.path(e))
	}
	return [][]string{args}
}

func (m *Model) pickClipboard() tea.Cmd {
	m.pasting = true
	read := m.options.Clipboard
	return func() tea.Msg {
		source, err := read(context.Background())
		return page.Then(func() tea.Cmd {
			m.pasting = false
			if err != nil {
				return page.Send(problem(err))
			}
			return tea.Batch(m.pick([]api.Source{source}), page.Tell(page.Info, "The picture on the clipboard is in the tray as "+text.Safe(source.Name())+"."))
		})
	}
}
