package picker

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Action groups in the help.
const (
	groupPick = "Pick"
	groupSend = "Send"
	groupMove = "Navigation"
	groupView = "View"
)

// Actions returns the actions of the focused part. What ends a filter or a range comes first, then
// the form if the tray has items.
func (m *Model) Actions() []kit.Action {
	var actions []kit.Action
	switch {
	case m.list.Capturing():
		return m.list.Actions(nil)
	case m.focus == onTray:
		actions = m.trayActions()
	case m.sheet.On:
		actions = m.gridActions()
	default:
		actions = m.listActions()
	}
	var leads []kit.Lead
	switch {
	case m.focus == onTray:
	case m.list.InPane():
		return actions
	case m.list.Ranged():
		leads = append(leads, kit.Lead{ID: "picker.range", Label: "pick the range"}, kit.Lead{ID: "picker.back", Label: "drop the range"})
	case m.list.Filter() != "":
		leads = append(leads, kit.Lead{ID: "picker.back", Label: "clear the filter"})
	}
	if len(m.tray.items) > 0 {
		leads = append(leads, kit.Lead{ID: "picker.upload", Label: m.uploadLabel()})
	}
	return kit.Leading(actions, leads...)
}

func (m *Model) Catalog() map[string][]kit.Action {
	return map[string][]kit.Action{
		"": m.listActions(), "tray": m.trayActions(), "contact sheet": m.gridActions(), "filter": m.list.Catalog(nil)["filter"],
		"picture": m.newViewer(nil, 0).Actions(),
	}
}

func (m *Model) listActions() []kit.Action {
	topmost := func() string {
		at := m.shown.folder
		return text.If(at == "" || filepath.Dir(at) == at, "this is the topmost folder")
	}
	pick := "pick"
	if e, ok := m.current(); ok {
		sign, _ := m.share(m.path(e))
		pick = text.Either(m.picked(e) || sign == theme.SignMarked, "unpick", pick)
	}
	return m.list.Actions(slices.Concat([]kit.Action{
		{ID: "picker.pick", Keys: kit.Bind(pick, "space", "space"), Group: groupPick, Footer: true, Disabled: m.noEntry, Do: m.toggle},
		{ID: "picker.open", Keys: kit.Bind(m.openLabel(), "enter/→", "enter", "l", "right"), Group: groupMove, Footer: true, Disabled: m.noEntry, Do: m.enter},
		{ID: "picker.parent", Keys: kit.Bind("parent folder", "h/←", "h", "left", "backspace"), Group: groupMove, Footer: true, Disabled: topmost, Do: m.parent},
		{ID: "picker.range", Keys: kit.Bind("begin or pick a range", "", "v"), Group: groupPick, Disabled: m.noEntry, Do: func() tea.Cmd {
			if m.list.Ranged() {
				return m.pickRange()
			}
			m.list.BeginRange()
			return nil
		}},
		{ID: "picker.pick-all", Keys: kit.Bind("pick all shown", "", "ctrl+a"), Group: groupPick, Disabled: m.noEntry, Do: func() tea.Cmd { m.list.EndRange(); return m.pickEntries(m.entries(m.shown.rows)) }},
		{ID: "picker.invert", Keys: kit.Bind("invert selection", "", "*"), Group: groupPick, Disabled: m.noEntry, Do: m.invert},
		{ID: "picker.sort", Keys: kit.Bind("sort", "", ","), Group: groupView, Do: m.openMenu},
		{ID: "picker.hidden", Keys: kit.Bind("hidden files", "", "."), Group: groupView, Do: func() tea.Cmd { m.hidden = !m.hidden; return m.arrange(false) }},
		{ID: "picker.refresh", Keys: kit.Bind("refresh the folder", "", "r"), Group: groupView, Disabled: m.noFolder, Do: m.reload},
		{ID: "picker.go-to-path", Keys: kit.Bind("go to a typed path", "", "c"), Group: groupMove, Do: m.startJump},
		{ID: "picker.grid", Keys: kit.Bind(text.Either(m.sheet.On, "list", "contact sheet"), "", "t"), Group: groupView, Disabled: m.noFolder, Do: m.sheet.Toggle},
	}, m.sharedActions()))
}

func (m *Model) openLabel() string {
	e, ok := m.current()
	switch {
	case !ok || e.kind == kindFolder || e.kind == kindLink:
		return "open"
	case m.viewable(e):
		return "view"
	}
	return "upload form"
}

func (m *Model) trayActions() []kit.Action {
	if m.trayList.Capturing() {
		return m.trayList.Actions(nil)
	}
	back := kit.Action{ID: "picker.back-to-files", Group: groupMove, Do: m.nextPart}
	back.Keys = kit.Bind("back to the files", "", "esc")
	return append(m.trayList.Actions(append([]kit.Action{
		{ID: "picker.remove", Keys: kit.Bind("remove", "", "d"), Group: groupPick, Footer: true, Disabled: m.noItem, Do: func() tea.Cmd { m.drop(among(sourcesOf(m.trayRows())...)); return nil }},
		{ID: "picker.show-in-folder", Keys: kit.Bind(text.Either(m.pickedFolder().Head(), "fold or unfold", "show in its folder"), "enter/→", "enter", "l", "right"), Group: groupMove, Footer: true, Disabled: m.noItemFile, Do: m.showItem},
	}, m.sharedActions()...)), back)
}

func (m *Model) sharedActions() []kit.Action {
	copied := m.shown.folder
	if e, ok := m.current(); ok {
		copied = m.path(e)
	}
	if rows := m.trayRows(); m.focus == onTray && len(rows) > 0 {
		copied = cmp.Or(rows[0].source.URL, rows[0].source.Path)
	}
	return []kit.Action{
		{ID: "picker.upload", Keys: kit.Bind(m.uploadLabel(), "", "u"), Group: groupSend, Footer: true, Main: len(m.tray.items) > 0, Disabled: m.nothingToSend, Do: func() tea.Cmd { return m.form(false) }},
		{ID: "picker.add-url", Keys: kit.Bind("add a URL", "", "a"), Group: groupPick, Footer: true, Do: m.startAddress},
		{ID: "picker.clipboard", Keys: kit.Bind("add the picture on the clipboard", "", "P"), Group: groupPick, Disabled: func() string {
			none := text.If(m.options.Clipboard == nil, "the clipboard cannot be read here")
			return cmp.Or(none, text.If(m.pasting, "the clipboard is being read"))
		}, Do: m.pickClipboard},
		{ID: "picker.next-part", Keys: kit.Bind(text.Either(m.focus == onTray, "to the files", "to the tray"), "tab", "tab", "shift+tab"), Group: groupMove, Footer: true, Disabled: m.emptyTray, Do: m.nextPart},
		{ID: "picker.preview", Keys: kit.Bind("preview on or off", "", "p"), Group: groupView, Do: func() tea.Cmd { m.list.NoPane = !m.list.NoPane; return nil }},
		{ID: "picker.copy-path", Keys: kit.Bind("copy the path", "", "y"), Group: groupView, Disabled: func() string { return text.If(copied == "", "no file is shown") }, Do: func() tea.Cmd {
			return page.Send(page.Copy{What: text.Either(strings.Contains(copied, "://"), "URL", "path"), Text: copied})
		}},
		{ID: "picker.clear-tray", Keys: kit.Bind("unpick all", "", "D"), Group: groupPick, Disabled: m.emptyTray, Do: func() tea.Cmd {
			n := m.drop(func(item) bool { return true })
			clear(m.tray.subs)
			return page.Tell(page.Info, "Unpicked "+text.Plural(n, "file")+". Press z to undo.")
		}},
		{ID: "picker.undo", Keys: kit.Bind("undo removal", "", "z"), Group: groupPick, Disabled: func() string { return text.If(len(m.removed) == 0, "nothing was removed") }, Do: m.restore},
	}
}

func (m *Model) uploadLabel() string {
	files, urls := counts(m.tray.items)
	words := text.If(files > 0, text.Plural(files, "file")) + text.If(files > 0 && urls > 0, ", ") + text.If(urls > 0, text.Plural(urls, "URL"))
	return "upload " + cmp.Or(words, "form")
}

func (m *Model) gridActions() []kit.Action {
	return kit.Shadow(append(m.sheet.Actions("list"), m.listActions()...))
}

func (m *Model) Capturing() bool {
	return m.list.Capturing() || m.focus == onTray && m.trayList.Capturing()
}

// Type edits the filter. Without a filter, pasted paths go into the tray.
func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) {
	if m.focus == onTray && m.trayList.Capturing() {
		return m.trayList.Type(msg)
	}
	if paste, ok := msg.(tea.PasteMsg); ok && !m.list.Capturing() {
		return m.paste(paste), true
	}
	return m.list.Type(msg)
}

// These functions return why an action is disabled, or "".

func (m *Model) noFolder() string {
	return text.If(m.shown.folder == "" || m.problem != nil, "no folder is shown")
}

func (m *Model) noEntry() string { return text.If(len(m.shown.rows) == 0, "no file is shown") }

func (m *Model) nothingToSend() string {
	if len(m.tray.items) > 0 {
		return ""
	}
	e, ok := m.current()
	if m.focus == onTray || !ok {
		return "nothing is picked"
	}
	return text.If(e.kind == kindFolder, "nothing is picked, and the cursor is on a folder")
}

func (m *Model) emptyTray() string { return text.If(len(m.tray.items) == 0, "nothing is picked") }

func (m *Model) noItem() string {
	return cmp.Or(m.emptyTray(), text.If(len(m.trayRows()) == 0, "the filter finds nothing"))
}

func (m *Model) noItemFile() string {
	if reason := m.noItem(); reason != "" {
		return reason
	}
	return text.If(m.trayRows()[0].isURL(), "a URL is in no folder")
}

// trayRows returns the item under the tray's cursor, or all items of the folder.
func (m *Model) trayRows() []item {
	e, ok := m.trayList.Current()
	return text.Either(ok && !e.Head(), []item{e.Row}, e.Rows)
}
