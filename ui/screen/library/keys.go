package library

import (
	"image"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
)

// Groups of acts in the help.
const (
	groupOpen = "Library"
	groupMark = "Mark"
	groupLook = "Look"
	groupMove = "Move"
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

var listActs = append([]act{
	{binding: kit.Bind("open", "enter →", "enter", "l", "right"), group: groupOpen, hint: true, why: noRow, do: (*Model).enter},
	{binding: kit.Bind("edit details", "", "e"), group: groupOpen, hint: true, why: noFile, do: (*Model).inspect},
	{binding: kit.Bind("mark", "", "space"), group: groupMark, hint: true, why: noRow, do: (*Model).toggle},
	{binding: kit.Bind("filter", "", "/"), group: groupLook, hint: true, do: (*Model).startFilter},
	{binding: kit.Bind("find in the library", "", "f"), group: groupLook, hint: true, do: (*Model).searchMenu},
	{binding: kit.Bind("contact sheet or list", "", "t"), group: groupLook, do: (*Model).toggleSheet},
	{binding: kit.Bind("fetch to a folder of this computer", "", "D"), group: groupOpen, why: noDownload, do: (*Model).askDownload},
	{binding: kit.Bind("send again with the same options", "", "s"), group: groupOpen, why: noFile, do: (*Model).sendAgain},
	{binding: kit.Bind("copy menu", "", "y"), group: groupOpen, hint: true, why: noFile, do: (*Model).copyMenu},
	{binding: kit.Bind("parent folder", "h ←", "h", "left", "backspace"), group: groupMove, why: noParent, do: (*Model).parent},
	{binding: kit.Bind("open in the browser", "", "o"), group: groupOpen, why: noAddress, do: (*Model).browse},
	{binding: kit.Bind("begin or mark a range", "", "v"), group: groupMark, why: noRow, do: (*Model).toggleRange},
	{binding: kit.Bind("mark all shown", "", "ctrl+a"), group: groupMark, why: noRow, do: (*Model).markAll},
	{binding: kit.Bind("invert the marks", "", "*"), group: groupMark, why: noRow, do: (*Model).invert},
	{binding: kit.Bind("clear filter, range, marks", "", "esc"), group: groupMark, why: nothingToClear, do: (*Model).clear},
	{binding: kit.Bind("sort", "", ","), group: groupLook, do: (*Model).sortMenu},
	{binding: kit.Bind("facts on or off", "", "p"), group: groupLook, do: func(m *Model) tea.Cmd { m.facts = !m.facts; return nil }},
	{binding: kit.Bind("read again", "", "r"), group: groupLook, do: (*Model).reload},
	{binding: kit.Bind("next found", "", "n"), group: groupLook, why: noFilter, do: func(m *Model) tea.Cmd { return m.turn(1) }},
	{binding: kit.Bind("previous found", "", "N"), group: groupLook, why: noFilter, do: func(m *Model) tea.Cmd { return m.turn(-1) }},
}, movements()...)

// sheetActs are those of the contact sheet: the arrows move among the tiles.
var sheetActs = append(slices.DeleteFunc(slices.Clone(listActs), func(a act) bool {
	return a.group == groupMove || slices.Contains(a.binding.Keys(), "enter")
}),
	act{binding: kit.Bind("open", "", "enter"), group: groupOpen, hint: true, why: noRow, do: (*Model).enter},
	act{binding: kit.Bind("parent folder", "", "backspace"), group: groupMove, why: noParent, do: (*Model).parent},
	act{binding: kit.Bind("left", "← h", "left", "h"), group: groupMove, do: func(m *Model) tea.Cmd { return m.step(-1, 0) }},
	act{binding: kit.Bind("right", "→ l", "right", "l"), group: groupMove, do: func(m *Model) tea.Cmd { return m.step(1, 0) }},
	act{binding: kit.Bind("up", "↑ k", "up", "k"), group: groupMove, do: func(m *Model) tea.Cmd { return m.step(0, -1) }},
	act{binding: kit.Bind("down", "↓ j", "down", "j"), group: groupMove, do: func(m *Model) tea.Cmd { return m.step(0, 1) }},
	act{binding: kit.Bind("page up", "pgup", "pgup", "ctrl+b", "ctrl+u"), group: groupMove, do: func(m *Model) tea.Cmd { return m.step(0, -picture.GridOf(m.sheet.room).Rows) }},
	act{binding: kit.Bind("page down", "pgdn", "pgdown", "ctrl+f", "ctrl+d"), group: groupMove, do: func(m *Model) tea.Cmd { return m.step(0, picture.GridOf(m.sheet.room).Rows) }},
	act{binding: kit.Bind("top", "g home", "g", "home"), group: groupMove, do: func(m *Model) tea.Cmd { m.list.SetCursor(0); return nil }},
	act{binding: kit.Bind("bottom", "G end", "G", "end"), group: groupMove, do: func(m *Model) tea.Cmd { m.unmatched = 0; m.list.SetCursor(len(m.rows) - 1); return nil }},
)

var filterActs = []act{
	{binding: kit.Bind("keep the filter", "", "enter"), group: groupLook, hint: true, do: func(m *Model) tea.Cmd { m.stopTyping(); return nil }},
	{binding: kit.Bind("clear the filter", "", "esc"), group: groupLook, hint: true, do: (*Model).clear},
	movement("up", "↑", "up"), movement("down", "↓", "down"),
}

// movement is an act that moves the cursor by the keys of kit.List.
func movement(words, shown string, keys ...string) act {
	press := kit.KeyMsg(keys[0])
	return act{
		binding: kit.Bind(words, shown, keys...), group: groupMove,
		do: func(m *Model) tea.Cmd { m.unmatched = 0; m.list.Update(press); return nil },
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

// acts are those of the part that has the keys.
func (m *Model) acts() []act {
	if m.typing {
		return filterActs
	}
	if m.sheet.on {
		return sheetActs
	}
	return listActs
}

// Acts are what can be done now.
func (m *Model) Acts() []kit.Act {
	switch {
	case m.prompt != nil:
		return m.prompt.Acts()
	case m.menu != nil:
		return m.menu.Acts()
	}
	all := m.acts()
	out := make([]kit.Act, 0, len(all))
	for _, a := range all {
		shown := kit.Act{Binding: a.binding, Group: a.group, Hint: a.hint}
		if a.why != nil {
			shown.Why = a.why(m)
		}
		// With files marked, what is done to them comes first.
		if n := len(m.marks.files); n > 0 && key.Matches(kit.KeyMsg("e"), a.binding) {
			shown.Called = a.binding.Help().Desc
			shown.Binding = kit.Bind("edit "+text.Plural(n, "file"), "", a.binding.Keys()...)
			out = append([]kit.Act{shown}, out...)
			continue
		}
		out = append(out, shown)
	}
	return out
}

// press does the act of a key; where that cannot be done now it says why. What
// is no act is text for the filter while that is open.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.prompt != nil:
		return m.pressPrompt(msg)
	case m.menu != nil:
		return m.pressMenu(msg)
	}
	for _, a := range m.acts() {
		if !key.Matches(msg, a.binding) {
			continue
		}
		if a.why != nil {
			switch why := a.why(m); {
			case why != "" && msg.String() == "esc":
				return nil // there is nothing to step back from
			case why != "":
				return toast(page.Info, text.Sentence(why))
			}
		}
		return a.do(m)
	}
	return m.edit(msg)
}

func (m *Model) pressMenu(msg tea.KeyPressMsg) tea.Cmd {
	row := m.menu.Update(msg)
	if row == kit.MenuOpen {
		return nil
	}
	closed := m.closed
	m.menu, m.closed = nil, nil
	if row < 0 {
		if closed != nil {
			closed()
		}
		return nil
	}
	return m.take(row)
}

// edit gives a message to the filter.
func (m *Model) edit(msg tea.Msg) tea.Cmd {
	if !m.typing {
		return nil
	}
	before := m.filter.Value()
	if m.filter.Update(msg) && m.filter.Value() != before {
		m.refilter()
	}
	return nil
}

func (m *Model) startFilter() tea.Cmd {
	m.typing = true
	m.filter.Focus()
	return nil
}

func (m *Model) stopTyping() {
	m.typing = false
	m.filter.Blur()
}

// refilter makes the rows anew; the cursor stays on its file.
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

// clear takes one thing back: the filter, the range, the marks.
func (m *Model) clear() tea.Cmd {
	switch {
	case m.fetching != nil:
		m.fetching.cancel()
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

// turn moves among the found, round the ends.
func (m *Model) turn(by int) tea.Cmd {
	n := len(m.rows)
	m.list.SetCursor((m.list.Cursor() + by + n) % n)
	return nil
}

// clicked moves the cursor; a double click opens.
func (m *Model) clicked(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft || m.menu != nil || m.prompt != nil {
		return nil
	}
	double := m.clicks.Double(msg)
	if m.sheet.on && len(m.rows) > 0 {
		i, ok := m.tileAt(image.Pt(msg.X-m.tilesAt, msg.Y-m.listAt))
		if !ok {
			return nil
		}
		m.list.SetCursor(i)
		if double {
			return m.enter()
		}
		return nil
	}
	if !m.list.Click(msg.Y - m.listAt) {
		return nil
	}
	m.stopTyping()
	if double {
		return m.enter()
	}
	return nil
}

func (m *Model) wheel(msg tea.MouseWheelMsg) {
	if m.menu != nil {
		m.menu.Update(msg)
		return
	}
	m.unmatched = 0
	if m.sheet.on {
		by := 1
		if msg.Button == tea.MouseWheelUp {
			by = -1
		}
		m.step(0, by)
		return
	}
	m.list.Update(msg)
}

func (m *Model) browse() tea.Cmd {
	f, _ := m.current()
	address, err := m.addressOf(f)
	if err != nil {
		return page.Send(page.Problem(err))
	}
	return page.Send(page.Open{Address: address})
}

// sortRows are the lines of the sort menu; the last turns the order round.
var sortRows = []struct {
	key, words string
	order      order
}{
	{"n", "name", order{by: byName}},
	{"c", "first sent, newest first", order{by: byCreated, reverse: true}},
	{"u", "last changed, newest first", order{by: byUpdated, reverse: true}},
	{"s", "size, largest first", order{by: bySize, reverse: true}},
	{"r", "the other way round", order{}},
}

func (m *Model) sortMenu() tea.Cmd {
	rows := make([]kit.MenuRow, 0, len(sortRows))
	last := len(sortRows) - 1
	for i, r := range sortRows {
		on := i < last && r.order.by == m.order.by
		rows = append(rows, kit.MenuRow{Key: r.key, Words: r.words, On: on})
	}
	m.menu = kit.NewMenu("Sort files by", rows...)
	m.take = func(row int) tea.Cmd {
		if row == last {
			m.order.reverse = !m.order.reverse
		} else {
			m.order = sortRows[row].order
		}
		// The cursor goes to the top: what was there is what one sorts for.
		delete(m.places, m.shown.folder)
		return m.read(listing{folder: m.shown.folder, order: m.order, search: m.shown.search}, pageSize, false)
	}
	return nil
}

// copyMenu offers what can be copied of the chosen files.
func (m *Model) copyMenu() tea.Cmd {
	files := m.chosen()
	var rows []kit.MenuRow
	var texts []string
	for _, c := range []struct {
		key, words string
		of         func(api.File) string
	}{
		{"u", "URL", func(f api.File) string { return f.URL }},
		{"i", "id", func(f api.File) string { return f.FileID }},
		{"p", "path", func(f api.File) string { return f.FilePath }},
		{"m", "Markdown", markdown},
		{"s", "signed address, which holds for a day", m.signed},
	} {
		var lines []string
		for _, f := range files {
			if text := c.of(f); text != "" {
				lines = append(lines, text)
			}
		}
		if len(lines) == 0 {
			continue
		}
		note := lines[0]
		if len(lines) > 1 {
			note = text.Plural(len(lines), "line")
		}
		rows = append(rows, kit.MenuRow{Key: c.key, Words: c.words, Note: note})
		texts = append(texts, strings.Join(lines, "\n"))
	}
	title := "Copy"
	if len(files) > 1 {
		title += " of " + text.Plural(len(files), "file")
	}
	m.menu = kit.NewMenu(title, rows...)
	m.take = func(row int) tea.Cmd { return page.Send(page.Copy{What: rows[row].Words, Text: texts[row]}) }
	return nil
}

// signed is a signed address of a private file; empty where it needs none.
func (m *Model) signed(f api.File) string {
	address, err := m.addressOf(f)
	if err != nil || address == f.URL {
		return ""
	}
	return address
}

// markdown is a link to the file, shown where it is an image.
func markdown(f api.File) string {
	if f.URL == "" {
		return ""
	}
	name := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "\n", " ").Replace(f.Name)
	link := "[" + name + "](<" + strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A").Replace(f.URL) + ">)"
	if f.IsImage() {
		return "!" + link
	}
	return link
}

// Reasons for which an act cannot be done now; empty where it can.

func noRow(m *Model) string {
	if len(m.rows) == 0 {
		return "nothing is shown"
	}
	return ""
}

func noFile(m *Model) string {
	if len(m.chosen()) > 0 {
		return ""
	}
	if len(m.rows) == 0 {
		return "no file is shown"
	}
	return "no file is marked, and the cursor is on a folder"
}

func noAddress(m *Model) string {
	if f, ok := m.current(); !ok || f.URL == "" {
		return "what is under the cursor has no address"
	}
	return ""
}

func noParent(m *Model) string {
	if m.folder() == "/" {
		return "this is the topmost folder"
	}
	return ""
}

func noFilter(m *Model) string {
	if m.filter.Value() == "" || len(m.rows) == 0 {
		return "no filter has found anything"
	}
	return ""
}

func nothingToClear(m *Model) string {
	if m.filter.Value() == "" && !m.marks.ranged && len(m.marks.files) == 0 && m.fetching == nil && m.shown.search.isNone() {
		return "nothing is filtered or marked"
	}
	return ""
}
