package extensions

import (
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// enter goes into the history of the run.
func (m *Model) enter() tea.Cmd {
	m.open, m.focus = true, onPane
	m.pane.Reset()
	return nil
}

// record is the record of a run's file as last seen, or what the run tells of
// it.
func (m *Model) record(run *api.Run) func() api.File {
	s, ctx, id, place := m.o.Session, m.o.Context, run.FileID, run.FilePath
	return func() api.File {
		seen, ok, err := s.LastSeen(ctx, id)
		if err != nil || !ok {
			_, name := path.Split(place)
			return api.File{FileID: id, FilePath: place, Name: name}
		}
		return seen.File
	}
}

// inspect asks for the details of the file.
func (m *Model) inspect() tea.Cmd {
	run, _ := m.current()
	record := m.record(run)
	return func() tea.Msg { return page.Inspect{Files: []api.File{record()}} }
}

func (m *Model) nextStatus() tea.Cmd {
	m.runs.status = (m.runs.status + 1) % statusCount
	m.arrange()
	return nil
}

func (m *Model) startFilter() tea.Cmd {
	m.focus = onFilter
	m.filter.Focus()
	return nil
}

func (m *Model) keepFilter() tea.Cmd {
	m.focus = onList
	m.filter.Blur()
	return nil
}

func (m *Model) clearFilter() tea.Cmd {
	m.filter.SetValue("")
	m.arrange()
	return m.keepFilter()
}

// turn goes to the next row that was found, round and round.
func (m *Model) turn(by int) tea.Cmd {
	n := m.list.Len()
	for range n {
		m.list.SetCursor((m.list.Cursor() + by + n) % n)
		if _, ok := m.current(); ok {
			break
		}
	}
	return nil
}

func (m *Model) nextPart() tea.Cmd {
	if m.focus == onPane {
		m.focus = onList
		return nil
	}
	m.open, m.focus = true, onPane
	return nil
}

// back is one step back: out of the history, of the filter, of the status.
func (m *Model) back() tea.Cmd {
	switch {
	case m.focus == onPane || m.open:
		m.focus, m.open = onList, false
	case m.filter.Value() != "":
		return m.clearFilter()
	default:
		m.runs.status = every
		m.arrange()
	}
	return nil
}

// copied is one thing that can be copied.
type copied struct{ key, what, text string }

// copyable tells what can be copied of a run.
type copyable struct{ rows []copied }

// findCopies looks up what can be copied: the address of the file is in its
// record.
func (m *Model) findCopies() tea.Cmd {
	run, _ := m.current()
	record, events := m.record(run), m.history.events
	if m.history.id != run.ID {
		events = nil
	}
	known := *run
	return func() tea.Msg {
		file := record()
		var rows []copied
		add := func(key, what, text string) {
			if text != "" {
				rows = append(rows, copied{key, what, text})
			}
		}
		add("u", "URL", file.URL)
		add("i", "file id", known.FileID)
		add("p", "path", known.FilePath)
		add("x", "extension", known.Extension)
		add("e", "error", known.Error)
		add("h", "webhook posts", posts(events))
		return copyable{rows}
	}
}

// posts are the raw webhook posts, one after the other.
func posts(events []api.RunEvent) string {
	var out []string
	for _, e := range events {
		if e.From == api.FromWebhook && len(e.Raw) > 0 {
			out = append(out, string(e.Raw))
		}
	}
	return strings.Join(out, "\n")
}

// openMenu offers what can be copied, unless the user went on meanwhile.
func (m *Model) openMenu(found copyable) {
	if m.focus == onFilter {
		return
	}
	rows := make([]kit.MenuRow, len(found.rows))
	for i, c := range found.rows {
		rows[i] = kit.MenuRow{Key: c.key, Label: c.what, Note: strings.ReplaceAll(c.text, "\n", " "), Do: func() tea.Cmd {
			return page.Send(page.Copy{What: c.what, Text: c.text})
		}}
	}
	m.Overlays().Open(kit.NewMenu("Copy", rows...))
}
