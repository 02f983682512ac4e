package picker

import (
	"context"
	"path"
	"path/filepath"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// content lists what can be picked in a folder at any depth.
type content struct {
	items  []item
	bad    []error // why other files cannot be picked
	hidden int
}

// contentOf returns what can be picked in a folder.
func contentOf(d *disk, folder string) (content, error) {
	tree, err := session.WalkFolder(context.Background(), folder, "", session.Filter{})
	c := content{bad: tree.Bad, hidden: tree.Hidden}
	for _, s := range tree.Sources {
		s.Label = ""
		identity, err := d.identify(s.Path)
		if err != nil {
			c.bad = append(c.bad, err)
			continue
		}
		c.items = append(c.items, item{source: s, identity: identity, checked: true})
	}
	return c, err
}

// picked is a folder whose files are picked.
type picked struct {
	folder string
	content
	err error
}

// pickFolders picks the files in folders at any depth. If all are already picked, it removes them.
func (m *Model) pickFolders(folders []string) tea.Cmd {
	if len(folders) == 0 {
		return nil
	}
	d := m.disk
	return func() tea.Msg {
		list := make([]picked, len(folders))
		for i, folder := range folders {
			list[i].folder = folder
			list[i].content, list[i].err = contentOf(d, folder)
		}
		return page.Then(func() tea.Cmd { return m.pickedFolders(list) })
	}
}

// pickedFolders adds the files of folders to the tray. They keep their folder and subfolders below the form's folder.
func (m *Model) pickedFolders(list []picked) tea.Cmd {
	var all []item
	var bad []error
	var folders []string
	fresh, hidden, had := 0, 0, 0
	for _, p := range list {
		if p.err != nil {
			bad = append(bad, p.err)
			continue
		}
		folders = append(folders, p.folder)
		m.totals[p.folder] = len(p.items)
		all, bad = append(all, p.items...), append(bad, p.bad...)
		hidden, had = hidden+p.hidden, had+m.tray.under[p.folder]
		news := 0
		for _, i := range p.items {
			if !m.tray.has(i.source) {
				news++
			}
		}
		if fresh += news; news == 0 {
			continue
		}
		sub := m.tray.pickedWhole(p.folder)
		for _, i := range p.items {
			i.source.Sub = path.Join(sub, i.source.Sub)
			if !m.tray.add(i) {
				m.tray.set(i)
			}
		}
	}
	m.trayChanged()
	name, below := text.Plural(len(list), "folder"), " and their subfolders"
	if len(list) == 1 {
		name, below = text.Safe(filepath.Base(list[0].folder)), " and its subfolders"
	}
	words := "Picked " + text.Plural(fresh, "file") + " in " + name + below
	switch {
	case fresh == 0 && had > 0:
		for _, folder := range folders {
			m.tray.forget(folder)
		}
		n := m.drop(inside(folders))
		return page.Tell(page.Info, "Removed "+text.Plural(n, "file")+" in "+name+" from the tray. Press z to undo.")
	case fresh == 0 && len(bad) > 0:
		return refusals(bad, len(all)+len(bad))
	case fresh == 0:
		words = "No file in " + name + " can be picked"
	}
	if hidden > 0 {
		words += "; skipped " + text.Count(hidden) + " hidden"
	}
	return tea.Batch(page.Tell(page.Info, words+"."), refusals(bad, len(all)+len(bad)))
}

// inside reports whether an item is in one of the folders at any depth.
func inside(folders []string) func(item) bool {
	in := map[string]bool{}
	for _, folder := range folders {
		in[folder] = true
	}
	return func(i item) bool {
		for dir := filepath.Dir(i.source.Path); !i.isURL(); dir = filepath.Dir(dir) {
			if in[dir] || dir == filepath.Dir(dir) {
				return in[dir]
			}
		}
		return false
	}
}

// wantTotal counts the files of the next visible folder with picked files.
func (m *Model) wantTotal() tea.Cmd {
	if m.totaling || len(m.tray.items) == 0 {
		return nil
	}
	from, to := m.seenRows()
	for i := from; i < to; i++ {
		e, _ := m.entryAt(i)
		folder := m.path(e)
		if e.kind != kindFolder || m.tray.under[folder] == 0 || m.totaled[folder] {
			continue
		}
		m.totaling, m.totaled[folder] = true, true
		d := m.disk
		return func() tea.Msg {
			c, err := contentOf(d, folder)
			return page.Do(func() {
				m.totaling = false
				if err == nil {
					m.totals[folder] = len(c.items)
				}
			})
		}
	}
	return nil
}

// share describes how many files of a folder are picked, such as "3/10", with a sign; "" if none are.
func (m *Model) share(folder string) (sign theme.Sign, words string) {
	n := m.tray.under[folder]
	if n == 0 {
		return theme.SignNone, ""
	}
	sign, words = theme.SignPartly, strconv.Itoa(n)
	if total, known := m.totals[folder]; known {
		words += "/" + strconv.Itoa(max(n, total))
		if n >= total {
			sign = theme.SignMarked
		}
	}
	return sign, words
}
