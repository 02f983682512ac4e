package library

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Headings of actions in the help.
const (
	groupOpen = "Library"
	groupMark = "Mark"
	groupView = "View"
	groupMove = "Move"
)

// Actions returns the actions of the focused part.
func (m *Model) Actions() []kit.Action {
	switch {
	case m.query.open:
		return m.queryActions()
	case m.typing:
		return m.filterActions()
	}
	actions := m.actionsOn(m.sheet.On)
	// What ends a range, a filter or a search comes first, then operations on marked files.
	var leads []kit.Lead
	switch {
	case m.manage.Busy() != "":
	case m.filter.Value() != "":
		leads = append(leads, kit.Lead{ID: "library.clear", Label: "clear the filter"})
	case m.marks.ranged:
		leads = append(leads, kit.Lead{ID: "library.range", Label: "mark the range"}, kit.Lead{ID: "library.clear", Label: "drop the range"})
	case len(m.marks.files) == 0 && !m.shown.search.isNone():
		leads = append(leads, kit.Lead{ID: "library.clear", Label: "leave the search"})
	}
	if n := text.Plural(len(m.marks.files), "file"); len(m.marks.files) > 0 {
		if f, ok := m.current(); ok && !f.IsFolder() {
			actions[0].Keys = kit.Bind("open "+n, actions[0].KeyLabel(), actions[0].Keys.Keys()...)
		}
		leads = append(leads, kit.Lead{ID: "library.edit", Label: "edit " + n}, kit.Lead{ID: "library.manage", Label: "manage " + n})
	}
	return kit.Leading(actions, leads...)
}

// Catalog returns the actions of every part.
func (m *Model) Catalog() map[string][]kit.Action {
	return map[string][]kit.Action{"": m.actionsOn(false), "contact sheet": m.actionsOn(true), "filter": m.filterActions(), "query": m.queryActions()}
}

// moves returns the actions that move the cursor in the list or contact sheet.
func (m *Model) moves(sheet bool) []kit.Action {
	if sheet {
		return m.sheet.Actions("library", func() { m.unmatched = 0 })
	}
	return kit.ListActions(m.scroller, nil)
}

// scroller returns the target of list moves.
func (m *Model) scroller() kit.Scroller {
	m.unmatched = 0
	if m.sheet.On {
		return m.sheet
	}
	return &m.list
}

func (m *Model) queryActions() []kit.Action {
	return []kit.Action{
		{ID: "library.query-run", Keys: kit.Bind("search", "", "enter"), Group: groupView, Footer: true, Do: m.runQuery},
		{ID: "library.query-leave", Keys: kit.Bind("close the query", "", "esc"), Group: groupView, Footer: true, Do: m.closeQuery},
		{ID: "library.query-complete", Keys: kit.Bind("complete", "", "tab"), Group: groupView, Footer: true, Disabled: func() string {
			return "nothing to complete here"
		}},
	}
}

func (m *Model) filterActions() []kit.Action {
	return append([]kit.Action{
		{ID: "library.filter-keep", Keys: kit.Bind("keep the filter", "", "enter"), Group: groupView, Footer: true, Do: m.keepFilter},
		{ID: "library.filter-clear", Keys: kit.Bind("clear the filter", "", "esc"), Group: groupView, Footer: true, Do: m.clear},
	}, kit.ListActions(m.scroller, nil)[:2]...) // other keys go to the field
}

func (m *Model) actionsOn(sheet bool) []kit.Action {
	open := kit.Bind("open", "enter →", "enter", "l", "right")
	parent := kit.Bind("parent folder", "h ←", "h", "left", "backspace")
	if sheet {
		// The arrows move among the tiles.
		open, parent = kit.Bind("open", "", "enter"), kit.Bind("parent folder", "", "backspace")
	}
	return slices.Concat([]kit.Action{
		{ID: "library.open", Keys: open, Group: groupOpen, Footer: true, Disabled: m.noRow, Do: m.enter},
		{ID: "library.edit", Keys: kit.Bind("edit details", "", "e"), Group: groupOpen, Footer: true, Disabled: m.noFile, Do: m.inspect},
		{ID: "library.mark", Keys: kit.Bind("mark", "", "space"), Group: groupMark, Footer: true, Disabled: m.noRow, Do: m.toggle},
		{ID: "library.manage", Keys: kit.Bind("rename, move, copy, tags, versions, delete", "", "m"), Group: groupOpen, Disabled: m.manage.Busy, Do: m.manageMenu},
		{ID: "library.run-extension", Keys: kit.Bind("run an extension", "", "x"), Group: groupOpen, Disabled: m.noWork, Do: func() tea.Cmd { return m.manage.Extend(m.chosen()) }},
		{ID: "library.delete", Keys: kit.Bind("delete: press m, then d", "", "d"), Group: groupOpen, Disabled: func() string {
			return "d never deletes from the library; m deletes (press m, then d)"
		}, Do: m.manageMenu},
		{ID: "library.undo", Keys: kit.Bind("undo the last change", "", "z"), Group: groupOpen, Disabled: m.manage.Busy, Do: m.undo},
		{ID: "library.redo", Keys: kit.Bind("redo the last undone change", "", "Z"), Group: groupOpen, Disabled: m.manage.Busy, Do: m.redo},
		{ID: "library.filter", Keys: kit.Bind("filter", "", "/"), Group: groupView, Footer: true, Do: m.startFilter},
		{ID: "library.find", Keys: kit.Bind("find in the library", "", "f"), Group: groupView, Footer: true, Do: m.startQuery},
		{ID: "library.grid", Keys: kit.Bind("contact sheet or list", "", "t"), Group: groupView, Do: m.sheet.Toggle},
		{ID: "library.download", Keys: kit.Bind("download to this computer", "", "D"), Group: groupOpen, Disabled: m.noWork, Do: m.askDownload},
		{ID: "library.transfer", Keys: kit.Bind("send to another profile", "", "s"), Group: groupOpen, Disabled: m.noTransfer, Do: m.askTransfer},
		{ID: "library.send-again", Keys: kit.Bind("upload again with the same options", "", "u"), Group: groupOpen, Disabled: m.noFile, Do: m.sendAgain},
		{ID: "library.copy", Keys: kit.Bind("copy menu", "", "y"), Group: groupOpen, Footer: true, Disabled: m.noFile, Do: m.copyMenu},
		{ID: "library.parent", Keys: parent, Group: groupMove, Disabled: m.noParent, Do: m.parent},
		{ID: "library.browse", Keys: kit.Bind("open in the browser", "", "o"), Group: groupOpen, Disabled: m.noAddress, Do: m.browse},
		{ID: "library.range", Keys: kit.Bind("start or mark a range", "", "v"), Group: groupMark, Disabled: m.noRow, Do: m.toggleRange},
		{ID: "library.mark-all", Keys: kit.Bind("mark all shown", "", "ctrl+a"), Group: groupMark, Disabled: m.noRow, Do: m.markAll},
		{ID: "library.invert-marks", Keys: kit.Bind("invert the marks", "", "*"), Group: groupMark, Disabled: m.noRow, Do: m.invert},
		{ID: "library.clear", Keys: kit.Bind("clear filter, range, search, marks", "", "esc"), Group: groupMark, Disabled: m.nothingToClear, Do: m.clear},
		{ID: "library.sort", Keys: kit.Bind("sort", "", ","), Group: groupView, Do: m.sortMenu},
		{ID: "library.facts", Keys: kit.Bind("show or hide the preview", "", "p"), Group: groupView, Do: func() tea.Cmd { m.facts = !m.facts; return nil }},
		{ID: "library.view", Keys: kit.Bind("show the picture full-screen", "", "V"), Group: groupView, Disabled: m.noPicture, Do: m.startViewer},
		{ID: "library.refresh", Keys: kit.Bind("refresh", "", "r"), Group: groupView, Do: m.reload},
		{ID: "library.next-match", Keys: kit.Bind("next match", "", "n"), Group: groupView, Disabled: m.noFilter, Do: func() tea.Cmd { return m.turn(1) }},
		{ID: "library.previous-match", Keys: kit.Bind("previous match", "", "N"), Group: groupView, Disabled: m.noFilter, Do: func() tea.Cmd { return m.turn(-1) }},
	}, m.moves(sheet))
}

func (m *Model) startFilter() tea.Cmd {
	m.typing = true
	m.filter.Focus()
	return nil
}

func (m *Model) keepFilter() tea.Cmd {
	m.stopTyping()
	return nil
}

func (m *Model) stopTyping() {
	m.typing = false
	m.filter.Blur()
}

// refilter filters the rows and keeps the cursor on its file.
func (m *Model) refilter() {
	f, ok := m.current()
	m.unmatched = 0
	m.arrange()
	m.list.SetCursor(0)
	if ok {
		m.returnTo(keyOf(f))
	}
}

func (m *Model) clearFilter() {
	m.stopTyping()
	if m.filter.Value() != "" {
		m.filter.SetValue("")
		m.refilter()
	}
}

// clear ends one thing: running work, filter, range, search, marks.
func (m *Model) clear() tea.Cmd {
	switch {
	case m.manage.Busy() != "":
		m.manage.Stop()
	case m.typing || m.filter.Value() != "":
		m.clearFilter()
	case m.marks.ranged:
		m.marks.ranged = false
	case len(m.marks.files) == 0 && !m.shown.search.isNone():
		return m.leaveSearch()
	default:
		m.marks.files = nil
	}
	return nil
}

// turn moves to the next or previous match, cyclically.
func (m *Model) turn(by int) tea.Cmd {
	n := len(m.rows)
	m.list.SetCursor((m.list.Cursor() + by + n) % n)
	return nil
}

func (m *Model) browse() tea.Cmd {
	f, _ := m.current()
	address, err := edit.Address(f, m.o.Session)
	if err != nil {
		return page.Send(page.Problem(err))
	}
	return page.Send(page.Open{Address: address})
}

// sortRows are the rows of the sort menu.
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
		rows = append(rows, kit.MenuRow{Key: r.key, Label: r.label, Current: i < last && r.order.by == m.order.by, Do: func() tea.Cmd {
			if i == last {
				m.order.reverse = !m.order.reverse
			} else {
				m.order = r.order
			}
			// The cursor goes to the top.
			delete(m.cursors, m.shown.key())
			return m.read(listing{folder: m.shown.folder, order: m.order, search: m.shown.search}, pageSize, false)
		}})
	}
	return m.Open(kit.NewMenu("Sort files by", rows...))
}

// copyMenu offers the copyable values of the chosen files.
func (m *Model) copyMenu() tea.Cmd {
	var copies page.Copies
	edit.Copies(&copies, m.chosen(), m.o.Session)
	return m.Open(copies.Menu())
}

// Disabled reasons, empty if enabled.

func (m *Model) noRow() string {
	switch {
	case len(m.rows) > 0:
		return ""
	case m.busy:
		return "the list is still loading"
	}
	return "the list is empty"
}

func (m *Model) noFile() string {
	if len(m.chosen()) > 0 {
		return ""
	}
	if reason := m.noRow(); reason != "" {
		return reason
	}
	return "no file is marked, and the cursor is on a folder"
}

func (m *Model) noAddress() string {
	if f, ok := m.current(); !ok || f.URL == "" {
		return "the file under the cursor has no URL"
	}
	return ""
}

func (m *Model) noParent() string {
	return text.If(m.folder() == "/", "this is the root folder")
}

func (m *Model) noFilter() string {
	if m.filter.Value() == "" {
		return "nothing is filtered: / begins a filter"
	}
	return text.If(len(m.rows) == 0, "the filter has no matches")
}

func (m *Model) nothingToClear() string {
	return text.If(m.filter.Value() == "" && !m.marks.ranged && len(m.marks.files) == 0 && m.manage.Busy() == "" && m.shown.search.isNone(), "no filter, search, range or mark")
}
