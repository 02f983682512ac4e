package picker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
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

// pick adds sources to the tray and checks their files. It removes those that cannot be sent and says why.
func (m *Model) pick(sources []api.Source) tea.Cmd {
	var fresh []api.Source
	var refused []error
	for _, s := range sources {
		if err := api.CheckSourceURL(s.URL); s.URL != "" && err != nil {
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
	d, alone := m.disk, len(sources) == 1
	return tea.Batch(func() tea.Msg {
		folder := "" // the only source is this folder: open it
		if info, err := d.stat(fresh[0].Path, d.patience); alone && err == nil && info.IsDir() {
			folder = fresh[0].Path
		}
		items := make([]item, len(fresh))
		for n, s := range fresh {
			items[n] = item{source: s, checked: true}
			items[n].identity, items[n].problem = d.identify(s.Path)
		}
		return page.Then(func() tea.Cmd { return m.checked(items, folder) })
	}, refusals(refused, len(sources)))
}

// checked stores the results, removes files that cannot be sent, and opens the folder if there is one.
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

// listed is the number of reasons that a toast shows.
const listed = 20

// refusals explains why some sources were refused; nil if none were.
func refusals(refused []error, total int) tea.Cmd {
	if len(refused) == 0 {
		return nil
	}
	if len(refused) == 1 {
		return page.Send(problem(refused[0]))
	}
	var detail []string
	for _, err := range refused[:min(len(refused), listed)] {
		detail = append(detail, err.Error())
	}
	if more := len(refused) - listed; more > 0 {
		detail = append(detail, fmt.Sprintf("… and %s more", text.Count(more)))
	}
	return page.Send(page.Toast{
		Level:  page.Warn,
		Text:   fmt.Sprintf("%s of %s cannot be picked. The first: %s", text.Count(len(refused)), text.Count(total), text.Sentence(refused[0].Error())),
		Detail: strings.Join(detail, "\n"),
	})
}

// toggle picks or removes the entry under the cursor and moves on. In a range, it toggles the range.
func (m *Model) toggle() tea.Cmd {
	if m.list.Ranged() {
		return m.pickRange()
	}
	e, ok := m.current()
	if !ok {
		return nil
	}
	source := api.Source{Path: m.path(e)}
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
		delete(m.asked, e.name)
	default:
		m.step()
	}
	return m.pick([]api.Source{source})
}

// step moves to the next row.
func (m *Model) step() {
	m.list.GoTo(m.list.Cursor() + 1)
	m.list.Hold()
}

// pickRange picks the files and folders in the range. If all are already picked, it removes them.
func (m *Model) pickRange() tea.Cmd {
	r := m.entries(m.list.EndRange())
	if len(r.fresh)+len(r.rest) == 0 {
		return m.remove(r)
	}
	return m.pickEntries(r)
}

// entries are the files and folders in some rows.
type entries struct {
	files, fresh []api.Source // all files, and those that are not in the tray
	picked, rest []string     // folders with all files in the tray, and the others
}

// entries returns what is in rows.
func (m *Model) entries(rows []int32) (r entries) {
	for _, row := range rows {
		e := m.shown.entries[row]
		s := api.Source{Path: m.path(e)}
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

// pickEntries picks what is not picked.
func (m *Model) pickEntries(r entries) tea.Cmd {
	return tea.Batch(m.pick(r.fresh), m.pickFolders(r.rest))
}

// remove removes files and picked folders from the tray.
func (m *Model) remove(r entries) tea.Cmd {
	for _, folder := range r.picked {
		m.tray.forget(folder)
	}
	file, below := among(r.files...), inside(r.picked)
	m.drop(func(i item) bool { return file(i) || below(i) })
	return nil
}

// invert removes what is shown and picked, and picks the rest.
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

// trayChanged updates the tray's list. An empty tray loses the focus.
func (m *Model) trayChanged() {
	m.trayList.Arrange()
	if len(m.tray.items) == 0 && m.focus == onTray {
		m.focus = onList
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

// sent removes queued sources from the tray.
func (m *Model) sent(jobs []api.Job) {
	sources := make([]api.Source, len(jobs))
	for i, j := range jobs {
		sources[i] = j.Upload.Source
	}
	m.tray.remove(among(sources...))
	m.removed = nil
	if len(m.tray.items) == 0 {
		m.tray = tray{}
	}
	m.trayChanged()
}

// form opens the upload form for the tray, or for the file under the cursor if the tray is empty. If pick is true, it also
// picks that file. It checks the files again and warns about those that changed after picking.
func (m *Model) form(pick bool) tea.Cmd {
	d, items := m.disk, slices.Clone(m.tray.items)
	if len(items) == 0 {
		e, ok := m.current()
		if !ok {
			return nil
		}
		items = []item{{source: api.Source{Path: m.path(e)}}}
	}
	return func() tea.Msg {
		var changed []string // after picking
		for n, i := range items {
			if i.isURL() {
				continue
			}
			now, err := d.identify(i.source.Path)
			if i.checked && err == nil && !now.Same(i.identity) {
				changed = append(changed, i.source.Name())
			}
			items[n].identity, items[n].problem, items[n].checked = now, err, true
		}
		return page.Then(func() tea.Cmd { return m.compose(items, changed, pick) })
	}
}

// compose opens the form. Files that cannot be sent stay in the tray, marked. With pick, it adds the others to it.
func (m *Model) compose(items []item, changed []string, pick bool) tea.Cmd {
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
	cmds := []tea.Cmd{refusals(refused, len(items))}
	if n := len(changed); n > 0 {
		words := fmt.Sprintf("%q changed since you picked it. The new content will be sent.", changed[0])
		if n > 1 {
			words = fmt.Sprintf("%s changed since you picked them. The new contents will be sent.", text.Plural(n, "file"))
		}
		cmds = append(cmds, page.Send(page.Toast{Level: page.Warn, Text: words, Detail: strings.Join(changed, "\n")}))
	}
	if len(sources) > 0 {
		cmds = append(cmds, page.Send(page.Compose{Sources: sources}))
	}
	return tea.Batch(cmds...)
}

// errNoHome means that the environment has no home folder.
var errNoHome = errors.New("no home folder: the environment variable HOME is not set")

func homeFolder() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errNoHome
	}
	return home, nil
}
