package picker

import (
	"context"
	"path"
	"path/filepath"
	"strconv"
	"strings"

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

// folderPicked carries the content of a folder to pick.
type folderPicked struct {
	folder string
	content
	err error
}

// toggleFolder picks the files in a folder at any depth. If all are already picked, it removes them.
func (m *Model) toggleFolder(folder string) tea.Cmd {
	m.step(1)
	d := m.disk
	return func() tea.Msg {
		c, err := contentOf(d, folder)
		return folderPicked{folder, c, err}
	}
}

// pickedFolder adds the files of a folder to the tray. They keep their folder and subfolders below the form's folder.
func (m *Model) pickedFolder(msg folderPicked) tea.Cmd {
	if msg.err != nil {
		return page.Send(problem(msg.err))
	}
	name := text.Safe(filepath.Base(msg.folder))
	m.totals[msg.folder] = len(msg.items)
	fresh := 0
	for _, i := range msg.items {
		if !m.tray.has(i.source) {
			fresh++
		}
	}
	if fresh == 0 && m.tray.under[msg.folder] > 0 {
		m.tray.forget(msg.folder)
		inside := msg.folder + string(filepath.Separator)
		n := m.drop(func(i item) bool { return strings.HasPrefix(i.source.Path, inside) })
		return toast(page.Info, "Removed "+text.Plural(n, "file")+" in "+name+" from the tray. Press z to undo.")
	}
	if fresh > 0 {
		sub := m.tray.pickedWhole(msg.folder)
		for _, i := range msg.items {
			i.source.Sub = path.Join(sub, i.source.Sub)
			if !m.tray.add(i) {
				m.tray.set(i)
			}
		}
		m.trayChanged()
	}
	words := "Picked " + text.Plural(fresh, "file") + " in " + name + " and its subfolders"
	if fresh == 0 {
		words = name + " has no files that can be picked"
	}
	if msg.hidden > 0 {
		words += "; skipped " + text.Count(msg.hidden) + " hidden"
	}
	return tea.Batch(toast(page.Info, words+"."), refusals(msg.bad, len(msg.items)+len(msg.bad)))
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
