package picker

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// recentKept is the number of recent folders.
const recentKept = 15

// startPlaces offers bookmarks and recent folders.
func (m *Model) startPlaces() tea.Cmd {
	m.places = m.newPlaces()
	m.Open(m.places)
	paths := m.options.Paths
	return func() tea.Msg {
		c, err := config.Load(paths)
		return page.Then(func() tea.Cmd {
			if err != nil {
				return page.Send(problem(err))
			}
			m.earlier = c.Folders
			m.setMarks(c.BookmarkFolders())
			return nil
		})
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
		}, Do: func() tea.Cmd { return m.toggleMark(menu.Row().Note) }},
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

// setMarks shows the bookmarks in the menu.
func (m *Model) setMarks(marked []string) {
	if m.marked = marked; m.places != nil {
		m.fillPlaces(m.places)
	}
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

// toggleMark adds or removes a bookmark.
func (m *Model) toggleMark(folder string) tea.Cmd {
	paths := m.options.Paths
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err != nil {
			return problem(err)
		}
		marked, words := c.BookmarkFolders(), "is a bookmark now. Press b to list them."
		if i := slices.Index(marked, folder); i >= 0 {
			marked, words = slices.Delete(marked, i, i+1), "is no longer a bookmark."
		} else {
			marked = append(marked, folder)
		}
		want := c.Choices
		want.Bookmarks = nil
		for _, f := range marked {
			want.Bookmarks = append(want.Bookmarks, filepath.ToSlash(m.short(f)))
		}
		if _, err = c.Set(want); err != nil {
			return problem(err)
		}
		return page.Then(func() tea.Cmd {
			m.setMarks(marked)
			return page.Tell(page.Good, filepath.Base(folder)+" "+words)
		})
	}
}

// startJump asks for a path and starts with the current folder.
func (m *Model) startJump() tea.Cmd {
	folder := m.shown.folder
	if folder != "" && !strings.HasSuffix(folder, string(filepath.Separator)) {
		folder += string(filepath.Separator)
	}
	var asked page.Questions
	var begun string   // what the names complete
	var names []string // folders end in a slash
	var failure error
	p := kit.NewPrompt("Go to", "", folder, "/a/folder or ~/a/folder")
	p.Verb = "go there"
	p.Typed = func(typed string) tea.Cmd {
		d, path := m.disk, m.typedPath(typed)
		return asked.Ask(func() tea.Msg {
			found, err := d.namesIn(filepath.Split(path))
			return page.Do(func() {
				begun, names, failure = typed, found, err
				p.Refresh()
			})
		})
	}
	p.Complete = func(typed string) (list []string) {
		if typed != begun {
			return nil
		}
		_, begin := filepath.Split(m.typedPath(typed))
		for _, name := range names {
			list = append(list, typed[:max(0, len(typed)-len(begin))]+name)
		}
		return list
	}
	p.Note = func(typed string) string {
		switch {
		case typed != begun:
			return ""
		case failure != nil:
			return "No such folder yet."
		}
		return text.If(len(names) == 0, "No name here begins like that.")
	}
	p.Do = func(typed string) tea.Cmd { return m.open(filepath.Clean(m.typedPath(typed)), "") }
	m.Open(p)
	return p.Typed(folder)
}

// typedPath returns the absolute path of a typed one. ~ is the home folder, and a relative path starts at the current
// folder. // or /~/ in the middle starts over, as in editors.
func (m *Model) typedPath(text string) string {
	if i := strings.LastIndex(text, "/~/"); i >= 0 {
		text = text[i+1:]
	}
	if i := strings.LastIndex(text, "//"); i >= 0 {
		text = text[i+1:]
	}
	if text == "~" || strings.HasPrefix(text, "~"+string(filepath.Separator)) {
		if home, err := m.home(); err == nil {
			text = home + text[1:]
		}
	}
	if !filepath.IsAbs(text) {
		return m.shown.folder + string(filepath.Separator) + text
	}
	return text
}

// namesIn returns the names in a folder that start with begin, ignoring case, folders first. It includes hidden names only if
// begin is not empty.
func (d *disk) namesIn(folder, begin string) (names []string, err error) {
	found, err := readNames(folder)
	low := strings.ToLower(begin)
	for _, f := range found {
		name := f.Name()
		if !strings.HasPrefix(strings.ToLower(name), low) || name[0] == '.' && begin == "" {
			continue
		}
		if info, err := d.stat(filepath.Join(folder, name), d.timeout); f.IsDir() || err == nil && info.IsDir() {
			name += string(filepath.Separator)
		}
		names = append(names, name)
	}
	rank := func(name string) int { return strings.Count(name, string(filepath.Separator)) }
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(text.SortKey(a), text.SortKey(b)))
	})
	return names, err
}
