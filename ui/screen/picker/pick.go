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

// checkedMsg carries the checked sources of the tray.
type checkedMsg struct {
	items  []item
	folder string // the only source is this folder: open it
}

// composeMsg carries the checked sources for the form.
type composeMsg struct {
	items   []item
	changed []string // files that changed after picking
	pick    bool     // add valid files to the tray
}

// absolute picks sources with absolute paths.
func (m *Model) absolute(sources []api.Source) tea.Cmd {
	return func() tea.Msg {
		out := make([]api.Source, len(sources))
		for i, s := range sources {
			if s.Path != "" {
				if path, err := filepath.Abs(s.Path); err == nil {
					s.Path = path
				}
			}
			out[i] = s
		}
		return page.Then(func() tea.Cmd { return m.pick(out) })
	}
}

// add picks sources whose paths may be relative.
func (m *Model) add(sources []api.Source) tea.Cmd {
	for _, s := range sources {
		if s.Path != "" && !filepath.IsAbs(s.Path) {
			return m.absolute(sources)
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
	return tea.Batch(func() tea.Msg { return check(d, fresh, alone) }, refusals(refused, len(sources)))
}

// check checks the files of sources.
func check(d *disk, sources []api.Source, alone bool) tea.Msg {
	var msg checkedMsg
	if alone {
		if info, err := d.stat(sources[0].Path, d.longPatience); err == nil && info.IsDir() {
			msg.folder = sources[0].Path
		}
	}
	for _, s := range sources {
		i := item{source: s, checked: true}
		i.identity, i.problem = d.identify(s.Path)
		msg.items = append(msg.items, i)
	}
	return msg
}

// checked stores the results and removes files that cannot be sent.
func (m *Model) checked(msg checkedMsg) tea.Cmd {
	var refused []error
	var bad []api.Source
	for _, i := range msg.items {
		if i.problem != nil {
			bad, refused = append(bad, i.source), append(refused, i.problem)
			continue
		}
		m.tray.set(i)
	}
	m.tray.remove(among(bad...))
	m.trayChanged()
	if msg.folder != "" {
		return m.open(msg.folder, "")
	}
	return refusals(refused, len(msg.items))
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
	var detail strings.Builder
	for n, err := range refused {
		if n == listed {
			fmt.Fprintf(&detail, "… and %s more", text.Count(len(refused)-listed))
			break
		}
		detail.WriteString(err.Error() + "\n")
	}
	return page.Send(page.Toast{
		Level:  page.Warn,
		Text:   fmt.Sprintf("%s of %s cannot be picked. The first: %s", text.Count(len(refused)), text.Count(total), text.Sentence(refused[0].Error())),
		Detail: strings.TrimSpace(detail.String()),
	})
}

// toggle picks or removes the entry under the cursor and moves on. In a range, it toggles the range.
func (m *Model) toggle() tea.Cmd {
	if m.ranged {
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
		m.step(1)
		return nil
	case e.kind == kindFolder:
		return m.toggleFolder(source.Path)
	case m.infos[e.name].problem != nil:
		// If picking probably fails, the cursor stays and the row is checked again.
		delete(m.asked, e.name)
	default:
		m.step(1)
	}
	return m.pick([]api.Source{source})
}

// pickRange picks the files in the range. If all are already picked, it removes them.
func (m *Model) pickRange() tea.Cmd {
	from, to := m.rangeRows()
	m.ranged = false
	files, fresh := m.files(from, to)
	if len(files) == 0 {
		return toast(page.Info, "The range has only folders. Press space on a folder to pick its files.")
	}
	if len(fresh) == 0 {
		m.drop(among(files...))
		return nil
	}
	return m.pick(fresh)
}

// rangeRows returns the first and last row of the range.
func (m *Model) rangeRows() (from, to int) {
	a, b := m.rowOf(m.anchor), m.list.Cursor()
	if a < 0 {
		a = b
	}
	return min(a, b), max(a, b)
}

// files returns the files in the rows from through to, and those of them that are not in the tray.
func (m *Model) files(from, to int) (all, fresh []api.Source) {
	for i := from; i <= to; i++ {
		e, ok := m.entryAt(i)
		if !ok || e.kind == kindFolder {
			continue
		}
		s := api.Source{Path: m.path(e)}
		all = append(all, s)
		if !m.tray.has(s) {
			fresh = append(fresh, s)
		}
	}
	return all, fresh
}

func (m *Model) pickAll() tea.Cmd {
	_, fresh := m.files(0, len(m.shown.rows)-1)
	return m.pick(fresh)
}

// invert removes the shown picked files and picks the others.
func (m *Model) invert() tea.Cmd {
	all, fresh := m.files(0, len(m.shown.rows)-1)
	m.drop(among(all...))
	return m.pick(fresh)
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
	m.trayList.SetLen(len(m.tray.items))
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
		return toast(page.Info, "All that was removed is in the tray again.")
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
		msg := composeMsg{pick: pick}
		for _, i := range items {
			if i.isURL() {
				msg.items = append(msg.items, i)
				continue
			}
			now, err := d.identify(i.source.Path)
			if i.checked && err == nil && !now.Same(i.identity) {
				msg.changed = append(msg.changed, i.source.Name())
			}
			i.identity, i.problem, i.checked = now, err, true
			msg.items = append(msg.items, i)
		}
		return msg
	}
}

// compose opens the form. Files that cannot be sent stay in the tray, marked.
func (m *Model) compose(msg composeMsg) tea.Cmd {
	var sources []api.Source
	var refused []error
	for _, i := range msg.items {
		m.tray.set(i)
		if i.problem != nil {
			refused = append(refused, i.problem)
			continue
		}
		if msg.pick {
			m.tray.add(i)
		}
		sources = append(sources, i.source)
	}
	m.trayChanged()
	cmds := []tea.Cmd{refusals(refused, len(msg.items))}
	if n := len(msg.changed); n > 0 {
		words := fmt.Sprintf("%q changed since you picked it. The new content will be sent.", msg.changed[0])
		if n > 1 {
			words = fmt.Sprintf("%s changed since you picked them. The new contents will be sent.", text.Plural(n, "file"))
		}
		cmds = append(cmds, page.Send(page.Toast{Level: page.Warn, Text: words, Detail: strings.Join(msg.changed, "\n")}))
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
