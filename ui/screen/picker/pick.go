package picker

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// add picks sources whose paths may be relative.
func (m *Model) add(sources []api.Source) tea.Cmd {
	sources = slices.Clone(sources)
	for i, s := range sources {
		if path, err := filepath.Abs(s.Path); s.Path != "" && err == nil {
			sources[i].Path = path
		}
	}
	return m.pick(sources)
}

// pick adds sources to the tray and checks their files. It removes those that cannot be sent and
// says why.
func (m *Model) pick(sources []api.Source) tea.Cmd {
	var fresh []api.Source
	var refused []error
	for _, s := range sources {
		if err := rule.CheckSourceURL(s.URL); s.URL != "" && err != nil {
			refused = append(refused, err)
			continue
		}
		if i := (item{source: s, checked: s.URL != ""}); m.tray.add(i) && !i.checked {
			fresh = append(fresh, s)
		}
	}
	m.trayChanged()
	if len(fresh) == 0 {
		return refusals(refused, len(sources))
	}
	alone := len(sources) == 1
	return tea.Batch(func() tea.Msg {
		folder := "" // the only source is this folder: open it
		if info, err := statWithin(fresh[0].Path, statTimeout); alone && err == nil && info.IsDir() {
			folder = fresh[0].Path
		}
		items := make([]item, len(fresh))
		for n, s := range fresh {
			items[n] = item{source: s, checked: true}
			items[n].identity, items[n].problem = identify(s.Path)
		}
		return page.Then(func() tea.Cmd { return m.checked(items, folder) })
	}, refusals(refused, len(sources)))
}

// checked stores the results, removes files that cannot be sent, and opens the folder if there is
// one.
func (m *Model) checked(items []item, folder string) tea.Cmd {
	var refused []error
	var bad []api.Source
	for _, i := range items {
		if i.problem != nil {
			bad, refused = append(bad, i.source), append(refused, i.problem)
			continue
		}
		m.tray.set(i)
	}
	m.tray.remove(among(bad...))
	m.trayChanged()
	if folder != "" {
		return m.open(folder, "")
	}
	return refusals(refused, len(items))
}

// refusals explains why some sources were refused; nil if none were.
func refusals(refused []error, total int) tea.Cmd {
	switch len(refused) {
	case 0:
		return nil
	case 1:
		return page.Send(problem(refused[0]))
	}
	const most = 20
	return page.Send(page.Toast{
		Level:  page.Warn,
		Text:   fmt.Sprintf("%s of %s cannot be picked. The first: %s", text.Count(len(refused)), text.Count(total), text.Sentence(refused[0].Error())),
		Detail: errors.Join(refused[:min(len(refused), most)]...).Error(),
	})
}

// toggle picks or removes the entry under the cursor and moves on. In a range, it toggles the
// range.
func (m *Model) toggle() tea.Cmd {
	if m.list.Ranged() {
		return m.pickRange()
	}
	e, ok := m.current()
	if !ok {
		return nil
	}
	if m.shown.pattern != m.list.Filter() { // the rows are not those of the filter yet
		return page.Tell(page.Info, "Nothing was picked: the filter is still running.")
	}
	source := m.source(e)
	switch {
	case m.tray.has(source):
		m.drop(among(source))
		m.step()
		return nil
	case e.kind == kindFolder:
		m.step()
		return m.pickFolders([]string{source.Path})
	case m.infos[e.name].problem != nil:
		// If picking probably fails, the cursor stays and the row is checked again.
		delete(m.folder, e.name)
	default:
		m.step()
	}
	return m.pick([]api.Source{source})
}

func (m *Model) step() {
	m.list.GoTo(m.list.Cursor() + 1)
	m.list.Hold()
}

func (m *Model) pickRange() tea.Cmd {
	r := m.entries(m.list.EndRange())
	if len(r.fresh)+len(r.rest) == 0 {
		return m.remove(r)
	}
	return m.pickEntries(r)
}

type entries struct {
	files, fresh []api.Source // all files, and those that are not in the tray
	picked, rest []string     // folders with all files in the tray, and the others
}

func (m *Model) entries(rows []int32) (r entries) {
	for _, row := range rows {
		e := m.shown.entries[row]
		s := m.source(e)
		switch n := m.tray.under[s.Path]; {
		case e.kind != kindFolder:
			r.files = append(r.files, s)
			if !m.tray.has(s) {
				r.fresh = append(r.fresh, s)
			}
		case n > 0 && n >= m.totals[s.Path]:
			r.picked = append(r.picked, s.Path)
		default:
			r.rest = append(r.rest, s.Path)
		}
	}
	return r
}

func (m *Model) pickEntries(r entries) tea.Cmd {
	return tea.Batch(m.pick(r.fresh), m.pickFolders(r.rest))
}

func (m *Model) remove(r entries) tea.Cmd {
	for _, folder := range r.picked {
		m.tray.forget(folder)
	}
	file, below := among(r.files...), inside(r.picked)
	m.drop(func(i item) bool { return file(i) || below(i) })
	return nil
}

func (m *Model) invert() tea.Cmd {
	r := m.entries(m.shown.rows)
	m.remove(r)
	return m.pickEntries(r)
}

// drop removes items from the tray and returns their number. z restores them.
func (m *Model) drop(gone func(item) bool) int {
	out := m.tray.remove(gone)
	if len(out) > 0 {
		m.removed = append(m.removed, out)
	}
	m.trayChanged()
	return len(out)
}

// manyPicked is the number of items up to which the tray shows their names, not only their folders.
const manyPicked = 8

// trayChanged updates the tray's counts and its list, which shows what was picked last. An empty tray
// loses the focus.
func (m *Model) trayChanged() {
	m.tray.count()
	m.trayList.Arrange()
	switch n := len(m.tray.items); {
	case n == 0 && m.focus == onTray:
		m.focus = onList
	case n > 0 && m.focus == onList:
		m.trayList.Go(keyOf(m.tray.items[n-1].source))
	}
}

// restore restores the last removed items that are not picked again.
func (m *Model) restore() tea.Cmd {
	var sources []api.Source
	for len(m.removed) > 0 && len(sources) == 0 {
		last := len(m.removed) - 1
		for _, i := range m.removed[last] {
			if !m.tray.has(i.source) {
				sources = append(sources, i.source)
			}
		}
		m.removed = m.removed[:last]
	}
	if len(sources) == 0 {
		return page.Tell(page.Info, "All that was removed is in the tray again.")
	}
	return m.pick(sources)
}

func (m *Model) sent(jobs []job.Job) {
	m.tray.remove(among(rule.Mapped(jobs, func(j job.Job) api.Source { return j.Upload.Source })...))
	m.removed = nil
	if len(m.tray.items) == 0 {
		clear(m.tray.subs)
	}
	m.trayChanged()
}

// form checks the files again and opens the upload form for the tray, or for the file under the
// cursor if the tray is empty. If pick is true, it also picks that file. Files that cannot be sent
// stay in the tray, marked.
func (m *Model) form(pick bool) tea.Cmd {
	items := slices.Clone(m.tray.items)
	if len(items) == 0 {
		e, ok := m.current()
		if !ok {
			return nil
		}
		items = []item{{source: m.source(e)}}
	}
	return func() tea.Msg {
		for n, i := range items {
			if !i.isURL() {
				items[n].identity, items[n].problem = identify(i.source.Path)
				items[n].checked = true
			}
		}
		return page.Then(func() tea.Cmd {
			var sources []api.Source
			var refused []error
			for _, i := range items {
				m.tray.set(i)
				if i.problem != nil {
					refused = append(refused, i.problem)
					continue
				}
				if pick {
					m.tray.add(i)
				}
				sources = append(sources, i.source)
			}
			m.trayChanged()
			if len(sources) == 0 {
				return refusals(refused, len(items))
			}
			return tea.Batch(refusals(refused, len(items)), page.Send(page.Compose{Sources: sources, Unpicked: len(m.tray.items) == 0}))
		})
	}
}

type content struct {
	folder string
	items  []item
	bad    []error // why other files, or all, cannot be picked
	hidden int
}

func contentOf(folder string) content {
	tree, err := session.WalkFolder(context.Background(), folder, "", session.Filter{})
	c := content{folder: folder, bad: tree.Bad, hidden: tree.Hidden}
	if err != nil {
		c.bad = append(c.bad, err)
	}
	inOrder(tree.Sources, func(s api.Source) string { return s.Path })
	for _, s := range tree.Sources {
		s.Label = ""
		if identity, err := identify(s.Path); err == nil {
			c.items = append(c.items, item{source: s, identity: identity, checked: true})
		} else {
			c.bad = append(c.bad, err)
		}
	}
	return c
}

// inOrder sorts files as the list does, those of each folder together.
func inOrder[T any](files []T, path func(T) string) {
	keys := make(map[string]string, len(files))
	for _, f := range files {
		folder, name := filepath.Split(path(f))
		keys[path(f)] = text.SortKey(folder) + "\x00" + text.SortKey(name)
	}
	slices.SortStableFunc(files, func(a, b T) int { return strings.Compare(keys[path(a)], keys[path(b)]) })
}

// pickFolders picks the files in folders at any depth. If all are already picked, it removes them.
func (m *Model) pickFolders(folders []string) tea.Cmd {
	if len(folders) == 0 {
		return nil
	}
	return func() tea.Msg {
		list := rule.Mapped(folders, contentOf)
		return page.Then(func() tea.Cmd { return m.pickedFolders(list) })
	}
}

// pickedFolders adds the files of folders to the tray. They keep their folder and subfolders below
// the form's folder.
func (m *Model) pickedFolders(list []content) tea.Cmd {
	var bad []error
	var folders []string
	all, fresh, hidden, had := 0, 0, 0, 0
	for _, c := range list {
		folders, bad = append(folders, c.folder), append(bad, c.bad...)
		m.totals[c.folder] = len(c.items)
		all, hidden, had = all+len(c.items), hidden+c.hidden, had+m.tray.under[c.folder]
		known := func(i item) bool { return m.tray.has(i.source) }
		added := len(slices.DeleteFunc(slices.Clone(c.items), known))
		if fresh += added; added == 0 {
			continue
		}
		m.tray.forget(c.folder)
		sub := path.Join(m.tray.subs[filepath.Dir(c.folder)], rule.SubFolder(filepath.Base(c.folder)))
		for _, i := range c.items {
			i.source.Sub = path.Join(sub, i.source.Sub)
			if !m.tray.add(i) {
				m.tray.set(i)
			}
		}
		m.tray.subs[c.folder] = sub
	}
	m.trayChanged()
	name := text.Plural(len(list), "folder")
	if len(list) == 1 {
		name = text.Safe(filepath.Base(list[0].folder))
	}
	words := "Picked " + text.Plural(fresh, "file") + " in " + name
	switch {
	case fresh == 0 && had > 0:
		for _, folder := range folders {
			m.tray.forget(folder)
		}
		n := m.drop(inside(folders))
		return page.Tell(page.Info, "Unpicked "+text.Plural(n, "file")+" in "+name+". Press z to undo.")
	case fresh == 0 && len(bad) > 0:
		return refusals(bad, all+len(bad))
	case fresh == 0:
		words = "No file in " + name + " can be picked"
	}
	if hidden > 0 {
		words += "; skipped " + text.Count(hidden) + " hidden"
	}
	return tea.Batch(page.Tell(page.Info, words+"."), refusals(bad, all+len(bad)))
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
	from, to := m.shownRows()
	for i := from; i < to; i++ {
		e, _ := m.entryAt(i)
		folder := m.path(e)
		if e.kind != kindFolder || m.tray.under[folder] == 0 || m.totaled[folder] {
			continue
		}
		m.totaling, m.totaled[folder] = true, true
		return func() tea.Msg {
			c := contentOf(folder)
			return page.Do(func() { m.totaling, m.totals[folder] = false, len(c.items) })
		}
	}
	return nil
}

// share describes how many files of a folder are picked, such as "3/10", with a sign; "" if none
// are.
func (m *Model) share(folder string) (sign theme.Sign, words string) {
	n := m.tray.under[folder]
	if n == 0 {
		return theme.SignNone, ""
	}
	sign, words = theme.SignPartly, strconv.Itoa(n)
	if total, known := m.totals[folder]; known {
		words += " of " + strconv.Itoa(max(n, total))
		if n >= total {
			sign = theme.SignMarked
		}
	}
	return sign, words
}
