package library

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Headings of actions in the help.
const (
	groupOpen = "Library"
	groupView = "View"
)

func (m *Model) Actions() []kit.Action {
	if m.query.open {
		return m.queryActions()
	}
	actions := m.list.Actions(m.actionsOn(m.sheet.On))
	for i, a := range actions {
		actions[i].Footer = a.Footer || a.ID == "library.mark"
	}
	// What ends a range, a filter or a search comes first, then operations on marked files.
	var leads []kit.Lead
	marked := len(m.list.Marks())
	switch {
	case m.list.Capturing() || m.list.InPane():
		return actions
	case m.manage.Busy() != "":
	case m.list.Ranged():
		leads = append(leads, kit.Lead{ID: "library.mark-range", Label: "mark the range"}, kit.Lead{ID: "library.back", Label: "drop the range"})
	case marked == 0 && m.filtered():
		leads = append(leads, kit.Lead{ID: "library.back", Label: "clear the filter"})
	case marked == 0 && !m.shown.search.isNone():
		leads = append(leads, kit.Lead{ID: "library.back", Label: "leave the search"})
	case marked == 0:
		f, _ := m.current()
		leads = []kit.Lead{{ID: "library.open", Label: text.Either(f.IsFolder(), "open", "details")}, {ID: "library.manage", Label: "manage"}, {ID: "library.find", Label: "find"}}
	}
	if n := m.list.MarkedNote(); marked > 0 {
		if f, ok := m.current(); ok && !f.IsFolder() { // it does the same as editing them
			actions[0].Footer = false
			actions[0].Keys = kit.Bind("details of "+n, actions[0].KeyLabel(), actions[0].Keys.Keys()...)
		}
		leads = append(leads, kit.Lead{ID: "library.edit", Label: "edit tags of " + n}, kit.Lead{ID: "library.manage", Label: "manage " + n})
	}
	return kit.Leading(actions, leads...)
}

func (m *Model) Catalog() map[string][]kit.Action {
	parts := m.list.Catalog(m.actionsOn(false))
	parts["contact sheet"], parts["query"] = m.list.Catalog(m.actionsOn(true))[""], m.queryActions()
	return parts
}

func (m *Model) queryActions() []kit.Action {
	run := text.Either(m.query.open && m.list.Len() == 0, "search", "go to the results")
	run = text.Either(m.query.open && m.query.field.Value() == "", "show all", run)
	return []kit.Action{
		{ID: "library.query-run", Keys: kit.Bind(run, "", "enter"), Group: groupView, Footer: true, Do: m.runQuery},
		{ID: "library.query-leave", Keys: kit.Bind("close", "", "esc"), Group: groupView, Footer: true, Do: m.leaveQuery},
		{ID: "library.query-complete", Keys: kit.Bind("complete", "", "tab"), Group: groupView, Footer: true, Disabled: func() string {
			return "nothing to complete here"
		}},
	}
}

func (m *Model) actionsOn(sheet bool) []kit.Action {
	open := kit.Bind("open", "enter/→", "enter", "l", "right")
	parent := kit.Bind("parent folder", "h/←", "h", "left", "backspace")
	var moves []kit.Action
	if sheet {
		moves = m.sheet.Actions("library")
		// The arrows move among the tiles.
		open, parent = kit.Bind("open", "", "enter"), kit.Bind("parent folder", "", "backspace")
	}
	if m.shown.len() == 0 && m.shown.search.isNone() && m.shown.folder == m.folder() && !m.shown.at.IsZero() {
		moves = append(moves, page.Go(groupOpen, "pick files", page.Picker))
	}
	return slices.Concat([]kit.Action{
		{ID: "library.open", Keys: open, Group: groupOpen, Footer: true, Disabled: m.noRow, Do: m.enter},
		{ID: "library.edit", Keys: kit.Bind("edit tags", "", "e"), Group: groupOpen, Main: len(m.list.Marks()) > 0, Disabled: m.noFile, Do: func() tea.Cmd { return m.inspect(true) }},
		{ID: "library.manage", Keys: kit.Bind("rename, move, copy, versions, delete", "", "m"), Group: groupOpen, Disabled: m.manage.Busy, Menu: m.manageMenu, Do: func() tea.Cmd { return m.Open(m.manageMenu()) }},
		{ID: "library.run-extension", Keys: kit.Bind("run an extension", "", "x"), Group: groupOpen, Footer: true, Disabled: m.noWork, Do: func() tea.Cmd { return m.manage.Extend(m.Chosen()) }},
		{ID: "library.delete", Keys: kit.Bind("delete: press m, then d", "", "d"), Group: groupOpen, Aside: true, Disabled: func() string {
			return "d only removes from lists: to delete here, press m, then d"
		}, Do: func() tea.Cmd { return nil }},
		{ID: "library.undo", Keys: kit.Bind("undo the last change", "", "z"), Group: groupOpen, Disabled: m.manage.Busy, Do: func() tea.Cmd { return m.manage.Replay("", false, session.Fail) }},
		{ID: "library.redo", Keys: kit.Bind("redo the last undone change", "", "Z"), Group: groupOpen, Disabled: m.manage.Busy, Do: func() tea.Cmd { return m.manage.Replay("", true, session.Fail) }},
		{ID: "library.view", Keys: kit.Bind("view full-screen", "", "V"), Group: groupView, Disabled: func() string {
			f, _ := m.current()
			return m.manage.NoView(f)
		}, Do: func() tea.Cmd {
			f, _ := m.current()
			return m.manage.View(m.shown.files, f, func(f api.File) tea.Cmd { m.list.Go(keyOf(f)); return nil })
		}},
		{ID: "library.find", Keys: kit.Bind("find in the library", "", "f"), Group: groupView, Footer: true, Do: func() tea.Cmd {
			m.rememberRow()
			m.query.before = m.shown
			return m.editQuery(m.shown.search.text + text.If(!m.shown.search.isNone(), " "))
		}},
		{ID: "library.grid", Keys: kit.Bind(text.Either(sheet, "list", "contact sheet"), "", "t"), Group: groupView, Footer: true, Do: m.sheet.Toggle},
		{ID: "library.download", Keys: kit.Bind("download to this computer", "", "D"), Group: groupOpen, Disabled: m.noWork, Do: m.askDownload},
		{ID: "library.transfer", Keys: kit.Bind("send to another account", "", "s"), Group: groupOpen, Disabled: func() string { return cmp.Or(m.manage.Busy(), m.noRow()) }, Do: m.askTransfer},
		{ID: "library.copy", Keys: kit.Bind("copy menu", "", "y"), Group: groupOpen, Disabled: m.noFile, Do: func() tea.Cmd {
			var copies page.Copies
			edit.Copies(&copies, m.Chosen(), m.o.Session)
			return m.Open(copies.Menu(edit.FilesLabel(m.Chosen())))
		}},
		{ID: "library.parent", Keys: parent, Group: groupOpen, Disabled: func() string { return text.If(m.folder() == "/", "this is the root folder") }, Do: m.parent},
		{ID: "library.browse", Keys: kit.Bind("open in the browser", "", "o"), Group: groupOpen, Disabled: func() string {
			f, _ := m.current()
			return text.If(f.URL == "", "the file under the cursor has no URL")
		}, Do: m.browse},
		{ID: "library.sort", Keys: kit.Bind("sort", "", ","), Group: groupView, Do: m.sortMenu},
		{ID: "library.facts", Keys: kit.Bind("show or hide the preview", "", "p"), Group: groupView, Do: func() tea.Cmd { m.list.NoPane = !m.list.NoPane; return nil }},
		{ID: "library.refresh", Keys: kit.Bind("refresh", "", "r"), Group: groupView, Do: m.reload},
	}, moves)
}

func (m *Model) browse() tea.Cmd {
	f, _ := m.current()
	address, err := edit.Address(f, m.o.Session)
	if err != nil {
		return page.Send(page.Problem(err))
	}
	return page.Send(page.Open{Address: address})
}

var sortRows = []struct {
	key, label string
	order      order
}{
	{"n", "name", order{by: byName}},
	{"c", "upload date, newest first", order{by: byCreated, reverse: true}},
	{"u", "change date, newest first", order{by: byUpdated, reverse: true}},
	{"s", "size, largest first", order{by: bySize, reverse: true}},
	{"e", "relevance, best first (of a search for words)", order{by: byRelevance, reverse: true}},
	{"r", "reverse order", order{}},
}

func (m *Model) sortMenu() tea.Cmd {
	rows := make([]kit.MenuRow, 0, len(sortRows))
	last := len(sortRows) - 1
	for i, r := range sortRows {
		rows = append(rows, kit.MenuRow{Key: r.key, Label: r.label, Current: i < last &&
			r.order.by == m.order.by, Do: func() tea.Cmd {
			if i == last {
				m.order.reverse = !m.order.reverse
			} else {
				m.order = r.order
			}
			// The cursor goes to the top.
			delete(m.cursors, m.shown.key())
			l := listing{folder: m.shown.folder, order: m.order, search: m.shown.search}
			return m.read(l, pageSize, false)
		}})
	}
	return m.Open(kit.NewMenu("Sort files by", rows...))
}

// Disabled reasons, empty if enabled.

func (m *Model) noRow() string {
	return text.If(m.list.Len() == 0, text.Either(m.busy, "the list is still loading", "the list is empty"))
}

func (m *Model) noFile() string {
	if len(m.Chosen()) > 0 {
		return ""
	}
	return cmp.Or(m.noRow(), "no file is marked, and the cursor is on a folder")
}

// Chosen returns the marked files, or the current one.
func (m *Model) Chosen() []api.File {
	return slices.DeleteFunc(m.list.Chosen(), func(f api.File) bool { return f.IsFolder() })
}

func (m *Model) inspect(edit bool) tea.Cmd {
	open := page.Inspect{Files: m.Chosen(), Edit: edit}
	if len(m.list.Marks()) == 0 && len(open.Files) == 1 {
		open.Turn = m.turnFrom(open.Files[0])
	}
	return page.Send(open)
}

// turnFrom returns a function that opens the details of the file after or before f, and moves to it. Rows
// can have come since f was opened.
func (m *Model) turnFrom(f api.File) func(by int) tea.Cmd {
	return func(by int) tea.Cmd {
		m.list.Go(keyOf(f))
		i := m.list.Cursor() + by
		e, ok := m.list.At(i)
		if !ok || e.Row.IsFolder() {
			return page.Tell(page.Info, "There is no "+text.Either(by > 0, "file after", "file before")+" this one in the list.")
		}
		m.list.GoTo(i)
		return page.Send(page.Inspect{Files: []api.File{e.Row}, Turn: m.turnFrom(e.Row)})
	}
}
