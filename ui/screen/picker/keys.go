package picker

import (
	"path/filepath"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Groups of acts in the help.
const (
	groupPick = "Pick"
	groupSend = "Send"
	groupMove = "Move"
	groupLook = "Look"
)

// act is something that can be done with keys: what it is, why not now, and
// the doing.
type act struct {
	binding key.Binding
	group   string
	hint    bool
	why     func(*Model) string // nil: always possible
	do      func(*Model) tea.Cmd
}

// keymap has the acts of each part that can have the focus.
type keymap struct{ list, tray, filter, address, menu, path, places []act }

func newKeymap() keymap {
	return keymap{
		list: append(listActs(), shared()...),
		tray: append(trayActs(), shared()...),
		filter: []act{
			{binding: kit.Bind("keep the filter", "", "enter"), group: groupLook, hint: true, do: (*Model).keepFilter},
			{binding: kit.Bind("clear the filter", "", "esc"), group: groupLook, hint: true, do: (*Model).clearFilter},
			movement("up", "↑", "up"), movement("down", "↓", "down"),
		},
		address: []act{
			{binding: kit.Bind("add the URL", "", "enter"), group: groupPick, hint: true, do: (*Model).addAddress},
			{binding: kit.Bind("close", "", "esc"), group: groupPick, hint: true, do: (*Model).closePart},
		},
		menu: menuActs(),
		path: []act{
			{binding: kit.Bind("go there", "", "enter"), group: groupMove, hint: true, do: (*Model).goTyped},
			{binding: kit.Bind("complete", "", "tab"), group: groupMove, hint: true, do: (*Model).takeCompletion},
			{binding: kit.Bind("close", "", "esc"), group: groupMove, hint: true, do: (*Model).closePart},
			{binding: kit.Bind("next completion", "↓", "down"), group: groupMove, do: func(m *Model) tea.Cmd { return m.moveCompletion(1) }},
			{binding: kit.Bind("completion before", "↑", "up"), group: groupMove, do: func(m *Model) tea.Cmd { return m.moveCompletion(-1) }},
		},
		places: []act{
			{binding: kit.Bind("go there", "", "enter", "l", "right"), group: groupMove, hint: true, do: (*Model).goPlace},
			{binding: kit.Bind("remove the bookmark", "", "d"), group: groupMove, hint: true, why: noBookmarks, do: (*Model).dropPlace},
			{binding: kit.Bind("close", "", "esc", "b"), group: groupMove, hint: true, do: (*Model).closePart},
			{binding: kit.Bind("down", "↓ j", "down", "j"), group: groupMove, do: func(m *Model) tea.Cmd { m.placeList.Update(kit.KeyMsg("down")); return nil }},
			{binding: kit.Bind("up", "↑ k", "up", "k"), group: groupMove, do: func(m *Model) tea.Cmd { m.placeList.Update(kit.KeyMsg("up")); return nil }},
		},
	}
}

// movement is an act that moves the cursor by the keys of kit.List.
func movement(words, shown string, keys ...string) act {
	press := kit.KeyMsg(keys[0])
	return act{
		binding: kit.Bind(words, shown, keys...), group: groupMove,
		do: func(m *Model) tea.Cmd { m.moveBy(press); return nil },
	}
}

func movements() []act {
	return []act{
		movement("up", "↑ k", "up", "k"),
		movement("down", "↓ j", "down", "j"),
		movement("top", "g home", "g", "home"),
		movement("bottom", "G end", "G", "end"),
		movement("page up", "pgup", "pgup", "ctrl+b"),
		movement("page down", "pgdn", "pgdown", "ctrl+f"),
		movement("half a page up", "", "ctrl+u"),
		movement("half a page down", "", "ctrl+d"),
	}
}

func listActs() []act {
	return append([]act{
		{binding: kit.Bind("pick", "space", "space"), group: groupPick, hint: true, why: noEntry, do: (*Model).toggle},
		{binding: kit.Bind("open", "enter →", "enter", "l", "right"), group: groupMove, hint: true, why: noEntry, do: (*Model).enter},
		{binding: kit.Bind("filter", "", "/"), group: groupLook, hint: true, why: noFolder, do: (*Model).startFilter},
		{binding: kit.Bind("parent folder", "h ←", "h", "left", "backspace"), group: groupMove, hint: true, why: noParent, do: (*Model).parent},
		{binding: kit.Bind("begin or pick a range", "", "v"), group: groupPick, why: noEntry, do: (*Model).toggleRange},
		{binding: kit.Bind("pick all shown", "", "ctrl+a"), group: groupPick, why: noFiles, do: (*Model).pickAll},
		{binding: kit.Bind("invert the picked", "", "*"), group: groupPick, why: noFiles, do: (*Model).invert},
		{binding: kit.Bind("clear filter, range, picked", "", "esc"), group: groupPick, why: nothingToClear, do: (*Model).back},
		{binding: kit.Bind("next found", "", "n"), group: groupLook, why: noPattern, do: func(m *Model) tea.Cmd { m.turn(1); return nil }},
		{binding: kit.Bind("previous found", "", "N"), group: groupLook, why: noPattern, do: func(m *Model) tea.Cmd { m.turn(-1); return nil }},
		{binding: kit.Bind("sort", "", ","), group: groupLook, do: (*Model).openMenu},
		{binding: kit.Bind("hidden files", "", "."), group: groupLook, do: (*Model).toggleHidden},
		{binding: kit.Bind("read the folder again", "", "r"), group: groupLook, why: noFolder, do: (*Model).reload},
		{binding: kit.Bind("go to a typed path", "", "c"), group: groupMove, do: (*Model).startJump},
		{binding: kit.Bind("bookmarks and recent folders", "", "b"), group: groupMove, do: (*Model).startPlaces},
		{binding: kit.Bind("bookmark this folder, or no more", "", "B"), group: groupMove, why: noBookmarks, do: (*Model).toggleMark},
		{binding: kit.Bind("contact sheet on or off", "", "t"), group: groupLook, why: noFolder, do: (*Model).toggleSheet},
		{binding: kit.Bind("home folder", "", "~"), group: groupMove, do: (*Model).goHome},
		{binding: kit.Bind("sample pictures", "", "S"), group: groupMove, why: noSamples, do: (*Model).goSamples},
	}, movements()...)
}

func trayActs() []act {
	return append([]act{
		{binding: kit.Bind("remove from the tray", "", "d"), group: groupPick, hint: true, why: emptyTray, do: (*Model).removeItem},
		{binding: kit.Bind("clear the tray", "", "D"), group: groupPick, why: emptyTray, do: (*Model).clearTray},
		{binding: kit.Bind("show in its folder", "enter →", "enter", "l", "right"), group: groupMove, hint: true, why: noItemFile, do: (*Model).showItem},
		{binding: kit.Bind("back to the files", "", "esc"), group: groupMove, do: (*Model).back},
	}, movements()...)
}

// shared are the acts of both the list and the tray.
func shared() []act {
	return []act{
		{binding: kit.Bind("upload form", "", "u"), group: groupSend, hint: true, why: nothingToSend, do: func(m *Model) tea.Cmd { return m.form(false) }},
		{binding: kit.Bind("add a URL", "", "a"), group: groupPick, hint: true, do: (*Model).startAddress},
		{binding: kit.Bind("files or tray", "tab", "tab", "shift+tab"), group: groupMove, hint: true, why: emptyTray, do: (*Model).nextPart},
		{binding: kit.Bind("preview on or off", "", "p"), group: groupLook, do: func(m *Model) tea.Cmd { m.preview.on = !m.preview.on; return nil }},
		{binding: kit.Bind("copy the path", "", "y"), group: groupLook, why: nothingToCopy, do: (*Model).copyPath},
		{binding: kit.Bind("bring back what was removed", "", "z"), group: groupPick, why: nothingRemoved, do: (*Model).restore},
	}
}

// where is the part that has the focus: the list or the tray, also while a
// field or the menu is open over it.
func (m *Model) where() focus {
	if m.focus >= onFilter {
		return m.behind
	}
	return m.focus
}

// acts are those of the part with the focus.
func (m *Model) acts() []act {
	switch m.focus {
	case onTray:
		return m.keys.tray
	case onFilter:
		return m.keys.filter
	case onAddress:
		return m.keys.address
	case onMenu:
		return m.keys.menu
	case onPath:
		return m.keys.path
	case onPlaces:
		return m.keys.places
	}
	return m.keys.list
}

// Acts are what can be done now. With something in the tray the form comes
// first.
func (m *Model) Acts() []kit.Act {
	all := m.acts()
	out := make([]kit.Act, 0, len(all))
	for _, a := range all {
		shown := kit.Act{Binding: a.binding, Group: a.group, Hint: a.hint}
		if a.why != nil {
			shown.Why = a.why(m)
		}
		if a.group == groupSend && len(m.tray.items) > 0 {
			shown.Called = a.binding.Help().Desc
			shown.Binding = kit.Bind("upload "+text.Plural(len(m.tray.items), "file"), "", a.binding.Keys()...)
			out = append([]kit.Act{shown}, out...)
			continue
		}
		out = append(out, shown)
	}
	return out
}

// press does the act of a key; where that cannot be done now it says why. What
// is no act is text for the field that is open.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	if m.focus == onList && m.sheet.on && m.moveTile(msg.String()) {
		return nil
	}
	for _, a := range m.acts() {
		if !key.Matches(msg, a.binding) {
			continue
		}
		if a.why != nil {
			if why := a.why(m); why != "" {
				return toast(page.Info, text.Sentence(why))
			}
		}
		return a.do(m)
	}
	switch m.focus {
	case onFilter:
		before := m.filter.Value()
		if m.filter.Update(msg) && m.filter.Value() != before {
			return m.arrange(true)
		}
	case onAddress:
		m.address.Update(msg)
	case onPath:
		if m.jump.field.Update(msg) {
			return m.complete()
		}
	}
	return nil
}

// Reasons for which an act cannot be done now; empty where it can.

func noFolder(m *Model) string {
	if m.shown.folder == "" || m.problem != nil {
		return "no folder is shown"
	}
	return ""
}

func noEntry(m *Model) string {
	if len(m.shown.rows) == 0 {
		return "no file is shown"
	}
	return ""
}

func noFiles(m *Model) string {
	// Folders come first, so the last row knows, except among the found.
	for i := len(m.shown.rows) - 1; i >= 0; i-- {
		if e, _ := m.entryAt(i); e.kind != kindFolder {
			return ""
		}
	}
	return "no file is shown"
}

func noPattern(m *Model) string {
	if m.shown.pattern == "" || len(m.shown.rows) == 0 {
		return "no filter has found anything"
	}
	return ""
}

func noParent(m *Model) string {
	if m.shown.folder == "" || filepath.Dir(m.shown.folder) == m.shown.folder {
		return "this is the topmost folder"
	}
	return ""
}

func nothingToClear(m *Model) string {
	if m.filter.Value() == "" && !m.ranged && !m.sheet.on && len(m.tray.items) == 0 {
		return "nothing is filtered or picked"
	}
	return ""
}

func nothingToSend(m *Model) string {
	if len(m.tray.items) > 0 {
		return ""
	}
	e, ok := m.current()
	if m.focus == onTray || !ok {
		return "nothing is picked"
	}
	if e.kind == kindFolder {
		return "nothing is picked, and the cursor is on a folder"
	}
	return ""
}

func emptyTray(m *Model) string {
	if len(m.tray.items) == 0 {
		return "the tray is empty"
	}
	return ""
}

func noItemFile(m *Model) string {
	i, ok := m.trayItem()
	switch {
	case !ok:
		return "the tray is empty"
	case i.isURL():
		return "an address is in no folder"
	}
	return ""
}

func nothingRemoved(m *Model) string {
	if len(m.removed) == 0 {
		return "nothing was removed from the tray"
	}
	return ""
}

func nothingToCopy(m *Model) string {
	if _, text := m.copied(); text == "" {
		return "no file is shown"
	}
	return ""
}

// trayItem is the item under the cursor of the tray.
func (m *Model) trayItem() (item, bool) {
	i := m.trayList.Cursor()
	if i >= len(m.tray.items) {
		return item{}, false
	}
	return m.tray.items[i], true
}

// copied is what the copy act takes, with a word for what it is.
func (m *Model) copied() (what, text string) {
	if m.where() == onTray {
		i, ok := m.trayItem()
		switch {
		case !ok:
			return "", ""
		case i.isURL():
			return "URL", i.source.URL
		}
		return "path", i.source.Path
	}
	if e, ok := m.current(); ok {
		return "path", m.path(e)
	}
	return "path", m.shown.folder
}

func (m *Model) copyPath() tea.Cmd {
	what, text := m.copied()
	return page.Send(page.Copy{What: what, Text: text})
}

func noSamples(m *Model) string {
	if m.options.Samples == nil {
		return "there are none"
	}
	return ""
}

func noBookmarks(m *Model) string {
	if m.options.Bookmarks.Load == nil || m.options.Bookmarks.Save == nil {
		return "there is no place to keep bookmarks"
	}
	return ""
}
