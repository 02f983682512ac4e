package picker

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// step moves the cursor of the list by rows.
func (m *Model) step(by int) {
	m.moved = true
	m.list.SetCursor(m.list.Cursor() + by)
}

// turn goes to the next row or the one before, from the end to the beginning.
func (m *Model) turn(by int) {
	if n := len(m.shown.rows); n > 0 {
		m.moved = true
		m.list.SetCursor((m.list.Cursor() + by + n) % n)
	}
}

// enter opens a folder. On a file it opens the form; where nothing is picked
// yet, that file is picked first.
func (m *Model) enter() tea.Cmd {
	e, ok := m.current()
	if !ok {
		return nil
	}
	switch e.kind {
	case kindFolder:
		return m.open(m.path(e), "")
	case kindLink:
		delete(m.asked, e.name) // perhaps it answers by now
		return page.Send(problem(noAnswer(m.path(e))))
	}
	return m.form(len(m.tray.items) == 0)
}

// parent goes to the folder above; the cursor lands on the one that was left.
func (m *Model) parent() tea.Cmd {
	return m.open(filepath.Dir(m.shown.folder), filepath.Base(m.shown.folder))
}

func (m *Model) goHome() tea.Cmd {
	home, err := m.home()
	if err != nil {
		return page.Send(problem(err))
	}
	return m.open(home, "")
}

// goSamples opens the folder of sample pictures, which is written before.
func (m *Model) goSamples() tea.Cmd {
	m.readGen++
	d, gen, samples := m.disk, m.readGen, m.options.Samples
	return func() tea.Msg {
		folder, err := samples()
		if err != nil {
			return problem(err)
		}
		return openFolder(d, gen, folder, "")
	}
}

func (m *Model) toggleHidden() tea.Cmd {
	m.hidden = !m.hidden
	return m.arrange(false)
}

// toggleRange begins a range at the cursor, or picks the one that was begun.
func (m *Model) toggleRange() tea.Cmd {
	if m.ranged {
		return m.pickRange()
	}
	if e, ok := m.current(); ok {
		m.ranged, m.anchor = true, e.name
	}
	return nil
}

// back takes one step back: from the tray to the list, then filter, range and
// picked are cleared, one at a time.
func (m *Model) back() tea.Cmd {
	switch {
	case m.focus == onTray:
		m.focus = onList
	case m.filter.Value() != "":
		return m.clearFilter()
	case m.ranged:
		m.ranged = false
	case m.sheet.on:
		return m.toggleSheet()
	case len(m.tray.items) > 0:
		return m.clearTray()
	}
	return nil
}

// clearTray lets go of all that was picked.
func (m *Model) clearTray() tea.Cmd {
	n := len(m.tray.items)
	m.drop(func(item) bool { return true }, true)
	return toast(page.Info, "The tray was emptied of "+text.Plural(n, "file")+". z brings them back.")
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
	if i, ok := m.trayItem(); ok {
		m.drop(func(o item) bool { return keyOf(o.source) == keyOf(i.source) }, true)
	}
	return nil
}

// showItem goes to the folder that holds the item under the cursor.
func (m *Model) showItem() tea.Cmd {
	i, ok := m.trayItem()
	if !ok {
		return nil
	}
	m.focus = onList
	return m.open(filepath.Dir(i.source.Path), filepath.Base(i.source.Path))
}

func (m *Model) startFilter() tea.Cmd {
	m.focus = onFilter
	m.filter.Focus()
	return nil
}

func (m *Model) keepFilter() tea.Cmd {
	m.filter.Blur()
	m.focus = onList
	return nil
}

func (m *Model) clearFilter() tea.Cmd {
	m.filter.SetValue("")
	if m.focus == onFilter {
		m.keepFilter()
	}
	return m.arrange(true)
}

// startAddress asks for a URL.
func (m *Model) startAddress() tea.Cmd {
	p := kit.NewPrompt("Add a URL", "The service fetches it itself.", "", "https://example.com/photo.jpg")
	p.Do = func(address string) tea.Cmd { return m.take([]api.Source{{URL: strings.TrimSpace(address)}}) }
	p.Verb = "add"
	p.Check = func(address string) string {
		if api.CheckSourceURL(strings.TrimSpace(address)) != nil {
			return "Not a complete http or https address yet."
		}
		return ""
	}
	m.Overlays().Open(p)
	return nil
}

// paste takes what was pasted or dropped into the tray.
func (m *Model) paste(msg tea.PasteMsg) tea.Cmd {
	sources := ParsePaste(msg.Content, m.shown.folder)
	if len(sources) == 0 {
		return toast(page.Info, "There is no path and no address in what was pasted.")
	}
	return m.add(sources)
}
