package library

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// marks holds the chosen files across folders, in order of marking.
type marks struct {
	files  []api.File
	ranged bool // a range was started
	anchor string
}

func (s *marks) index(id string) int {
	return slices.IndexFunc(s.files, func(f api.File) bool { return f.FileID == id })
}

func (s *marks) has(f api.File) bool { return !f.IsFolder() && s.index(f.FileID) >= 0 }

// set marks or unmarks a file. Folders cannot be marked.
func (s *marks) set(f api.File, on bool) {
	i := s.index(f.FileID)
	switch {
	case f.IsFolder() || f.FileID == "" || on == (i >= 0):
	case on:
		s.files = append(s.files, f)
	default:
		s.files = slices.Delete(s.files, i, i+1)
	}
}

// learn updates the record of a marked file.
func (s *marks) learn(f api.File) {
	if i := s.index(f.FileID); i >= 0 {
		s.files[i] = f
	}
}

// refresh updates marked files from a listing and drops those deleted from its folder.
func (s *marks) refresh(l *listing) {
	if len(s.files) == 0 {
		return
	}
	now := make(map[string]api.File, len(l.files))
	for _, f := range l.files {
		now[f.FileID] = f
	}
	s.files = slices.DeleteFunc(s.files, func(f api.File) bool {
		_, there := now[f.FileID]
		above, _ := parentOf(f.FilePath)
		return !there && l.done && !l.seen && l.first == 0 && l.only == nil && l.search.isNone() && above == l.folder
	})
	for i, f := range s.files {
		if newer, ok := now[f.FileID]; ok {
			s.files[i] = newer
		}
	}
}

// toggle marks the file under the cursor and moves on.
func (m *Model) toggle() tea.Cmd {
	f, _ := m.current()
	if f.IsFolder() {
		m.list.SetCursor(m.list.Cursor() + 1)
		return page.Tell(page.Info, "Folders cannot be marked. Press enter to open one.")
	}
	m.marks.set(f, !m.marks.has(f))
	m.list.SetCursor(m.list.Cursor() + 1)
	return nil
}

// toggleRange starts a range, or marks the files from its start to the cursor.
func (m *Model) toggleRange() tea.Cmd {
	f, _ := m.current()
	if !m.marks.ranged {
		m.marks.ranged, m.marks.anchor = true, keyOf(f)
		return nil
	}
	m.marks.ranged = false
	from, to, ok := m.span()
	if !ok {
		return page.Tell(page.Info, "The start of the range is no longer in the list.")
	}
	for _, f := range m.rows[from : to+1] {
		m.marks.set(f, true)
	}
	return nil
}

// span returns the first and last row of the range.
func (m *Model) span() (from, to int, ok bool) {
	i := slices.IndexFunc(m.rows, func(f api.File) bool { return keyOf(f) == m.marks.anchor })
	if i < 0 {
		return 0, 0, false
	}
	c := m.list.Cursor()
	return min(i, c), max(i, c), true
}

// markAll marks all shown files.
func (m *Model) markAll() tea.Cmd {
	for _, f := range m.rows {
		m.marks.set(f, true)
	}
	if !m.shown.done {
		return page.Tell(page.Info, "Marked "+text.Plural(len(m.marks.files), "file")+" read so far; the folder has more.")
	}
	return nil
}

func (m *Model) invert() tea.Cmd {
	for _, f := range m.rows {
		m.marks.set(f, !m.marks.has(f))
	}
	return nil
}

// chosen returns the marked files, or the current one.
func (m *Model) chosen() []api.File {
	if len(m.marks.files) > 0 {
		return slices.Clone(m.marks.files)
	}
	if f, ok := m.current(); ok && !f.IsFolder() {
		return []api.File{f}
	}
	return nil
}

// inspect opens the details of the chosen files.
func (m *Model) inspect() tea.Cmd {
	return page.Send(page.Inspect{Files: m.chosen()})
}
