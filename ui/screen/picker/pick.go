package picker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// absoluteMsg brings sources whose paths no longer depend on the working
// directory.
type absoluteMsg struct{ sources []api.Source }

// checkedMsg brings a look at sources that are in the tray.
type checkedMsg struct {
	items  []item
	folder string // the source was a single folder: it is opened, not picked
}

// composeMsg brings a look at the sources that the form was asked for.
type composeMsg struct {
	items   []item
	changed []string // names of those that are not what was picked
	pick    bool     // what can be sent goes into the tray
}

// absolute makes the paths of sources absolute.
func absolute(sources []api.Source) tea.Cmd {
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
		return absoluteMsg{out}
	}
}

// add takes sources from elsewhere.
func (m *Model) add(sources []api.Source) tea.Cmd {
	for _, s := range sources {
		if s.Path != "" && !filepath.IsAbs(s.Path) {
			return absolute(sources)
		}
	}
	return m.take(sources)
}

// take puts sources into the tray at once and has their files looked at; what
// cannot be sent leaves the tray again, with the reason.
func (m *Model) take(sources []api.Source) tea.Cmd {
	var fresh []api.Source
	var refused []error
	for _, s := range sources {
		i := item{source: s}
		if i.isURL() {
			if err := api.CheckSourceURL(s.URL); err != nil {
				refused = append(refused, err)
				continue
			}
			i.checked = true
		}
		if m.tray.add(i) && !i.isURL() {
			fresh = append(fresh, s)
		}
	}
	m.trayList.SetLen(len(m.tray.items))
	var look tea.Cmd
	if len(fresh) > 0 {
		alone := len(sources) == 1
		d := m.disk
		look = func() tea.Msg { return check(d, fresh, alone) }
	}
	return tea.Batch(look, refusals(refused, len(sources)))
}

// check looks at the files of sources.
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

// checked writes down what the files are, and lets go of what cannot be sent.
func (m *Model) checked(msg checkedMsg) tea.Cmd {
	var refused []error
	bad := map[string]bool{}
	for _, i := range msg.items {
		if i.problem != nil {
			bad[keyOf(i.source)] = true
			refused = append(refused, i.problem)
			continue
		}
		m.tray.set(i)
	}
	if len(bad) > 0 {
		m.tray.remove(func(i item) bool { return bad[keyOf(i.source)] })
		m.trayList.SetLen(len(m.tray.items))
		m.leaveEmptyTray()
	}
	if msg.folder != "" {
		return m.open(msg.folder, "")
	}
	return refusals(refused, len(msg.items))
}

// listed is how many reasons a toast holds for reading.
const listed = 20

// refusals says why some of total sources were not taken; nil if all were.
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

// toggle picks the entry under the cursor, or lets go of it, and moves on. In
// a range it does so with all of the range.
func (m *Model) toggle() tea.Cmd {
	if m.ranged {
		return m.pickRange()
	}
	e, ok := m.current()
	if !ok {
		return nil
	}
	source := api.Source{Path: m.path(e)}
	if m.tray.has(source) {
		m.drop(func(i item) bool { return keyOf(i.source) == keyOf(source) }, false)
		m.step(1)
		return nil
	}
	switch {
	case e.kind == kindFolder:
		return m.toggleFolder(source.Path)
	case m.infos[e.name].problem != nil:
		// The cursor stays where picking most likely fails, and the row is
		// looked at again: perhaps it can be used by now.
		delete(m.asked, e.name)
	default:
		m.step(1)
	}
	return m.take([]api.Source{source})
}

// pickRange picks all files from the anchor to the cursor; where all of them
// are picked already it lets go of them.
func (m *Model) pickRange() tea.Cmd {
	from, to := m.rangeRows()
	m.ranged = false
	files, fresh := m.files(from, to)
	if len(fresh) == 0 {
		gone := map[string]bool{}
		for _, s := range files {
			gone[keyOf(s)] = true
		}
		m.drop(func(i item) bool { return gone[keyOf(i.source)] }, false)
		return nil
	}
	return m.take(fresh)
}

// rangeRows are the rows of the range, from and to included.
func (m *Model) rangeRows() (from, to int) {
	a, b := m.rowOf(m.anchor), m.list.Cursor()
	if a < 0 {
		a = b
	}
	return min(a, b), max(a, b)
}

// files are the sources of the rows from … to that are no folders, and those
// of them that are not in the tray.
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
	return m.take(fresh)
}

// invert lets go of the shown files that are picked and picks the others.
func (m *Model) invert() tea.Cmd {
	all, fresh := m.files(0, len(m.shown.rows)-1)
	here := map[string]bool{}
	for _, s := range all {
		here[keyOf(s)] = true
	}
	m.drop(func(i item) bool { return here[keyOf(i.source)] }, false)
	return m.take(fresh)
}

// drop takes items out of the tray. Those that can be brought back are kept.
func (m *Model) drop(gone func(item) bool, keep bool) {
	out := m.tray.remove(gone)
	if keep && len(out) > 0 {
		m.removed = out
	}
	m.trayList.SetLen(len(m.tray.items))
	m.leaveEmptyTray()
}

func (m *Model) leaveEmptyTray() {
	if len(m.tray.items) > 0 {
		return
	}
	if m.focus == onTray {
		m.focus = onList
	}
}

// restore brings back what was removed last.
func (m *Model) restore() tea.Cmd {
	sources := make([]api.Source, len(m.removed))
	for i, it := range m.removed {
		sources[i] = it.source
	}
	m.removed = nil
	return m.take(sources)
}

// sent lets go of the sources that are in the queue now.
func (m *Model) sent(jobs []api.Job) {
	gone := map[string]bool{}
	for _, j := range jobs {
		gone[keyOf(j.Upload.Source)] = true
	}
	m.drop(func(i item) bool { return gone[keyOf(i.source)] }, false)
	m.removed = nil
}

// form asks for the form of what is in the tray, or of the file under the
// cursor where the tray is empty. The files are looked at once more: one that
// changed since it was picked is said so before anything is sent. pick puts the
// file under the cursor into the tray too.
func (m *Model) form(pick bool) tea.Cmd {
	d, items := m.disk, append([]item(nil), m.tray.items...)
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

// compose opens the form. What cannot be sent stays in the tray, marked.
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
	m.trayList.SetLen(len(m.tray.items))
	cmds := []tea.Cmd{refusals(refused, len(msg.items))}
	if n := len(msg.changed); n > 0 {
		words := fmt.Sprintf("%q changed since it was picked. What it is now would be sent.", msg.changed[0])
		if n > 1 {
			words = fmt.Sprintf("%s changed since they were picked. What they are now would be sent.", text.Plural(n, "file"))
		}
		cmds = append(cmds, page.Send(page.Toast{Level: page.Warn, Text: words, Detail: strings.Join(msg.changed, "\n")}))
	}
	if len(sources) > 0 {
		cmds = append(cmds, page.Send(page.Compose{Sources: sources}))
	}
	return tea.Batch(cmds...)
}

// errNoHome says that the environment names no home folder.
var errNoHome = errors.New("no home folder is known: the environment variable HOME is not set")

func homeFolder() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errNoHome
	}
	return home, nil
}
