package extensions

import (
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// enter folds a group, or shows the raw posts of a run.
func (m *Model) enter() tea.Cmd {
	if m.list.Fold() {
		return nil
	}
	if row, ok := m.list.Row(); ok {
		if w := (rows{m}).webhook(row); w != nil {
			return m.Open(kit.NewReader(w.title(), w.raw()))
		}
	}
	run, _ := m.current()
	w, ctx, wanted := m.o.Watch, m.o.Context, *run
	return func() tea.Msg {
		events, err := w.History(ctx, wanted.ID)
		if err != nil {
			return page.Problem(err)
		}
		return page.Then(func() tea.Cmd { return m.openPosts(&wanted, events) })
	}
}

// record returns the record of a run's file as last seen, or made from the run.
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

// inspect opens the details of the file.
func (m *Model) inspect() tea.Cmd {
	run, _ := m.current()
	record := m.record(run)
	return func() tea.Msg { return page.Inspect{Files: []api.File{record()}} }
}

func (m *Model) nextStatus() tea.Cmd {
	m.runs.status = (m.runs.status + 1) % statusCount
	m.list.Arrange()
	return nil
}

// widen shows runs of every status.
func (m *Model) widen(try bool) bool {
	narrow := m.runs.status != every
	if narrow && !try {
		m.runs.status = every
		m.list.Arrange()
	}
	return narrow
}

// copyable has the copyable values of a run.
type copyable struct{ copies page.Copies }

// findCopies finds copyable values; the file's URL is in its record.
func (m *Model) findCopies() tea.Cmd {
	run, _ := m.current()
	record, events := m.record(run), m.history.events
	if m.history.id != run.ID {
		events = nil
	}
	known := *run
	return func() tea.Msg {
		file := record()
		var copies page.Copies
		copies.Add("u", "URL", file.URL)
		copies.Add("i", "file id", known.FileID)
		copies.Add("p", "path", known.FilePath)
		copies.Add("x", "extension", known.Extension)
		copies.Add("e", "error", known.Error)
		copies.Add("h", "webhook posts", posts(events))
		return copyable{copies}
	}
}

// posts returns the raw webhook posts, one after the other.
func posts(events []api.RunEvent) string {
	var out []string
	for _, e := range events {
		if e.From == api.FromWebhook && len(e.Raw) > 0 {
			out = append(out, string(e.Raw))
		}
	}
	return strings.Join(out, "\n")
}

// openMenu offers copyable values, unless the user has moved on.
func (m *Model) openMenu(found copyable) {
	if m.Capturing() {
		return
	}
	m.Overlays().Open(found.copies.Menu())
}
