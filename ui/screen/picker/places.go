package picker

import (
	"errors"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Folders are folders that persist between runs.
type Folders interface {
	// Bookmarks returns the bookmarked folders.
	Bookmarks() ([]string, error)
	SetBookmarks([]string) error
	// Earlier returns the folders of earlier runs, newest first.
	Earlier() ([]string, error)
	// Samples writes sample pictures and returns the path of the one to begin with.
	Samples() (string, error)
}

// placesMsg carries bookmarks and recent folders.
type placesMsg struct {
	marked  []string
	earlier []string
	err     error
}

// recentKept is the number of recent folders.
const recentKept = 15

// startPlaces offers bookmarks and recent folders.
func (m *Model) startPlaces() tea.Cmd {
	m.places = m.newPlaces()
	m.Open(m.places)
	folders := m.options.Folders
	if folders == nil {
		return nil
	}
	return func() tea.Msg {
		marked, err := folders.Bookmarks()
		earlier, also := folders.Earlier()
		return placesMsg{marked, earlier, errors.Join(err, also)}
	}
}

// bookmark labels a bookmark in the menu.
const bookmark = "bookmark"

// newPlaces returns the menu of bookmarks and recent folders.
func (m *Model) newPlaces() *kit.Menu {
	menu := kit.NewMenu("Places")
	menu.Beside = []kit.Action{
		{ID: "picker.place-remove", Keys: kit.Bind("remove the bookmark", "", "d"), Group: groupMove, Footer: true, Disabled: func() string {
			return text.If(menu.Row().Label != bookmark, "only bookmarks can be removed")
		}, Do: func() tea.Cmd { return m.removeMark(menu.Row().Note) }},
	}
	m.fillPlaces(menu)
	return menu
}

// fillPlaces sets the rows: bookmarks, recently shown folders, and folders of sent files.
func (m *Model) fillPlaces(menu *kit.Menu) {
	var rows []kit.MenuRow
	add := func(folders []string, reason string) {
		for _, f := range folders {
			if f != "" && !slices.ContainsFunc(rows, func(known kit.MenuRow) bool { return known.Note == f }) {
				rows = append(rows, kit.MenuRow{Label: reason, Note: f, Do: func() tea.Cmd { return m.open(f, "") }})
			}
		}
	}
	add(m.marked, bookmark)
	add(Recent(m.recent, m.earlier), "recent")
	add(m.sentFolders, "sent from")
	if menu.Words = ""; len(rows) == 0 {
		menu.Words = "None yet. B bookmarks the folder shown."
	}
	menu.SetRows(rows...)
	menu.Resize(m.size)
}

func (m *Model) gotPlaces(msg placesMsg) tea.Cmd {
	m.marked, m.earlier = msg.marked, msg.earlier
	if m.places != nil {
		m.fillPlaces(m.places)
	}
	if msg.err != nil {
		return page.Send(problem(msg.err))
	}
	return nil
}

// Shown returns the folders shown in this run, newest first.
func (m *Model) Shown() []string { return slices.Clone(m.recent) }

// Recent merges the folders of this run and of earlier ones, newest first, without duplicates and limited to recentKept.
func Recent(run, earlier []string) []string {
	out := slices.Clone(run)
	for _, f := range earlier {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out[:min(len(out), recentKept)]
}

// without returns the folders except one.
func without(folders []string, gone string) []string {
	return slices.DeleteFunc(slices.Clone(folders), func(f string) bool { return f == gone })
}

// removeMark removes a bookmark.
func (m *Model) removeMark(folder string) tea.Cmd {
	folders, earlier, marked := m.options.Folders, m.earlier, without(m.marked, folder)
	return func() tea.Msg {
		if err := folders.SetBookmarks(marked); err != nil {
			return problem(err)
		}
		return placesMsg{marked: marked, earlier: earlier}
	}
}

// toggleMark adds or removes a bookmark for the current folder.
func (m *Model) toggleMark() tea.Cmd {
	folders, folder := m.options.Folders, m.shown.folder
	return func() tea.Msg {
		marked, err := folders.Bookmarks()
		if err != nil {
			return problem(err)
		}
		now, words := without(marked, folder), "is no longer a bookmark."
		if len(now) == len(marked) {
			now, words = append(now, folder), "is a bookmark now. Press b to list them."
		}
		if err := folders.SetBookmarks(now); err != nil {
			return problem(err)
		}
		return page.Toast{Level: page.Good, Text: filepath.Base(folder) + " " + words}
	}
}
