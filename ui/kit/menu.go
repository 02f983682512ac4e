package kit

import (
	"cmp"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// MenuRow is one line of a menu.
type MenuRow struct {
	// Group is a heading before the rows of a group, in a column of its own.
	Group string
	// Key chooses the row at once: a single letter, or empty.
	Key string
	// Label names the row or its action.
	Label string
	// Note follows the label, muted, such as the value that is copied. It is made safe.
	Note string
	// Current marks the current setting with a word.
	Current bool
	// Disabled says why the row cannot be chosen now, or is empty.
	Disabled string
	// Do runs when the row is chosen; it may be nil.
	Do func() tea.Cmd

	found string // what the filter of the help finds besides
}

// Menu is a short list over the screen. The user takes one row by its letter, or moves
// the cursor and presses enter. An open menu takes all keys.
type Menu struct {
	Popup
	// Words is the text above the rows, or empty.
	Words string
	// Beside are additional actions, or nil.
	Beside []Action

	title string
	rows  []MenuRow
	list  List[int]
	marks []bool                   // of the rows of a mark menu, otherwise nil
	verb  string                   // names the action of a mark menu
	many  func(rows []int) tea.Cmd // runs it; nil in a menu that takes one row
	help  bool                     // letters search
	size  image.Point
}

var _ Overlay = (*Menu)(nil)

// NewMenu opens a menu with the cursor on the current row, otherwise on the first.
func NewMenu(title string, rows ...MenuRow) *Menu {
	m := &Menu{title: title}
	m.list = List[int]{
		ID: "menu", Bare: true, Placeholder: "filter", NotFound: "the filter finds nothing",
		Rows: func() []Group[int] {
			numbers := make([]int, len(m.rows))
			for i := range numbers {
				numbers[i] = i
			}
			return []Group[int]{{Rows: numbers}}
		},
		Key: func(row int) any { return row }, Draw: m.drawRow,
		Match: func(row int, words []string) bool {
			r := m.rows[row]
			return text.HasAll(words, r.Group, r.Key, r.Label, r.found)
		},
	}
	m.SetRows(rows...)
	m.list.GoTo(max(0, slices.IndexFunc(rows, func(r MenuRow) bool { return r.Current })))
	return m
}

// NewHelp opens a searchable menu of actions, by group: both the help and the command palette. It
// leaves out actions without keys.
func NewHelp(title string, actions []Action) *Menu {
	var rows []MenuRow
	order := map[string]int{} // of groups
	for _, a := range actions {
		if len(a.Keys.Keys()) == 0 {
			continue
		}
		if _, seen := order[a.Group]; !seen {
			order[a.Group] = len(order)
		}
		rows = append(rows, MenuRow{
			Group: a.Group, Key: a.KeyLabel(), Label: a.Label(), Disabled: a.Reason(), Do: a.Do,
			found: a.ID + " " + strings.Join(a.Keys.Keys(), " "),
		})
	}
	slices.SortStableFunc(rows, func(a, b MenuRow) int { return order[a.Group] - order[b.Group] })
	m := NewMenu(title, rows...)
	m.help, m.list.filter.Placeholder = true, "type to search"
	m.list.Empty = func() string { return "No matching action. esc clears the search." }
	m.list.StartFilter()
	return m
}

// NewMarkMenu opens a menu that takes several rows at once with enter: the marked rows,
// or the one under the cursor if none is marked. verb names the action, and do runs it
// with the row numbers.
func NewMarkMenu(title, verb string, rows []MenuRow, do func(rows []int) tea.Cmd) *Menu {
	m := NewMenu(title, rows...)
	m.verb, m.many, m.marks = verb, do, make([]bool, len(rows))
	m.list.Marking, m.list.Mark = true, func(row int) *bool { return &m.marks[row] }
	return m
}

// SetRows replaces the rows. The cursor keeps its number.
func (m *Menu) SetRows(rows ...MenuRow) {
	m.rows = rows
	m.list.Arrange()
}

// Row returns the row under the cursor, or the zero value in an empty menu.
func (m *Menu) Row() MenuRow {
	row, ok := m.list.Row()
	if !ok {
		return MenuRow{}
	}
	return m.rows[row]
}

// Capturing reports whether the filter takes the keys.
func (m *Menu) Capturing() bool { return m.list.Capturing() }

// Type edits the filter. The keys that open the help close it while the search is empty.
func (m *Menu) Type(msg tea.Msg) (tea.Cmd, bool) {
	if press, ok := msg.(tea.KeyPressMsg); ok && m.help {
		switch name := press.String(); {
		case (name == "?" || name == ":") && m.list.Filter() == "":
			return m.Close(), true
		case name == "ctrl+k", name == "home", name == "end":
			return nil, false
		}
	}
	return m.list.Type(msg)
}

// Actions returns the actions of the rows and of the list.
func (m *Menu) Actions() []Action {
	if m.help {
		step := func(words, key string, by int) Action {
			return Action{Keys: Bind(words, "", key), Do: func() tea.Cmd { m.list.Move(by); return nil }}
		}
		return append([]Action{
			{Keys: Bind("run", "", "enter"), Footer: true, Do: func() tea.Cmd { return m.choose(m.Row()) }},
			{Keys: Bind("close", "", "esc"), Footer: true, Do: func() tea.Cmd {
				m.closed = m.list.Filter() == ""
				m.list.SetFilter("")
				return nil
			}},
			{Keys: Bind("close", "", "f1", "ctrl+k"), Do: m.Close},
			step("up", "ctrl+p", -1),
			step("down", "ctrl+n", 1),
		}, m.list.moves()...)
	}
	if m.many != nil {
		actions := m.list.Actions(nil)
		if m.Capturing() {
			return actions
		}
		take := Action{ID: "menu.take-marked", Keys: Bind(m.verb, "", "enter"), Footer: true, Group: m.title, Do: m.chooseMarked}
		return Shadow(append(append([]Action{take}, actions...), m.closing("esc", "q")))
	}
	var actions []Action
	for _, r := range m.rows {
		if r.Key != "" {
			actions = append(actions, Action{Keys: Bind(r.Label, "", r.Key), Group: m.title, Do: func() tea.Cmd { return m.choose(r) }})
		}
	}
	choose := func() tea.Cmd { return m.choose(m.Row()) }
	take := Action{ID: "menu.take", Keys: Bind("choose", "", "enter", "space", "right"), Footer: len(m.rows) > 0, Group: m.title, Do: choose}
	return slices.Concat(actions, []Action{take}, m.Beside, []Action{m.closing("esc", "q", "left")}, m.list.moves())
}

func (m *Menu) closing(keys ...string) Action {
	return Action{ID: "menu.close", Keys: Bind("close", "", keys...), Footer: true, Group: m.title, Do: m.Close}
}

// choose runs a row. A disabled one says why instead.
func (m *Menu) choose(r MenuRow) tea.Cmd {
	if r.Disabled != "" || m.help && r.Do == nil {
		return nil
	}
	m.Close()
	if r.Do == nil {
		return nil
	}
	return r.Do()
}

func (m *Menu) chooseMarked() tea.Cmd {
	m.Close()
	var chosen []int
	for row, on := range m.marks {
		if on {
			chosen = append(chosen, row)
		}
	}
	if row, ok := m.list.Row(); ok && len(chosen) == 0 {
		chosen = []int{row}
	}
	return m.many(chosen)
}

// Mouse chooses or marks the clicked row; a click outside closes the menu.
func (m *Menu) Mouse(msg tea.MouseMsg) tea.Cmd {
	click, ok := msg.(tea.MouseClickMsg)
	if !ok {
		if wheel, ok := msg.(tea.MouseWheelMsg); ok {
			m.list.Wheel(Moved(wheel, m.corner()).(tea.MouseWheelMsg))
		}
		return nil
	}
	if !image.Pt(click.X, click.Y).In(image.Rectangle{Max: m.size}) {
		return m.Close()
	}
	if !m.list.Hit(image.Pt(click.X, click.Y).Sub(m.corner())) || click.Button != tea.MouseLeft {
		return nil
	}
	row, _ := m.list.Row()
	if m.many == nil {
		return m.choose(m.rows[row])
	}
	m.marks[row] = !m.marks[row]
	return nil
}

// corner returns the upper left corner of the rows inside the box.
func (m *Menu) corner() image.Point {
	return BoxOrigin(m.size).Add(image.Pt(0, len(m.intro(BoxInner(m.size).X, &theme.Theme{}))))
}

// Resize fits the menu into room.
func (m *Menu) Resize(room image.Point) {
	m.size = m.sizeIn(room)
	inner := BoxInner(m.size)
	m.list.Resize(image.Pt(inner.X, inner.Y-len(m.intro(inner.X, &theme.Theme{}))))
	m.list.Changed()
}

// intro returns the lines above the rows.
func (m *Menu) intro(width int, th *theme.Theme) []string {
	f := NewFacts(width-2, th)
	f.Say(th.Muted, m.Words)
	lines := f.Lines()
	for i, line := range lines {
		lines[i] = " " + line
	}
	return lines
}

// widths returns the widths of the widest group, key and label.
func (m *Menu) widths() (group, keys, label int) {
	keys = 2
	for _, r := range m.rows {
		group, label = max(group, min(14, text.Width(text.Safe(r.Group)))), max(label, text.Width(r.label()))
		keys = max(keys, text.Width(r.Key))
	}
	return group, keys, label
}

// widestMenu is the maximum width of a menu, and leastNote the minimum width for a readable note.
const (
	widestMenu = 76
	leastNote  = 10
)

func (m *Menu) sizeIn(room image.Point) image.Point {
	width := max(text.Width(text.Safe(m.title)), text.Width(m.Words)) + 6
	group, keys, labels := m.widths()
	for _, r := range m.rows {
		line := 5 + group + keys + labels
		if r.Note != "" {
			line += 2 + text.Width(text.Safe(r.Note))
		}
		width = max(width, line)
	}
	if m.help {
		width = widestMenu
	}
	width = min(room.X, width, widestMenu)
	height := m.fullHeight(width - 2)
	if m.help {
		height = max(height, 8)
	}
	return image.Pt(width, min(room.Y, height))
}

// fullHeight returns the height of the box if nothing is cut off.
func (m *Menu) fullHeight(inner int) int {
	height := len(m.rows) + 2 + len(m.intro(inner, &theme.Theme{}))
	if m.many != nil || m.help {
		height++ // the filter
	}
	return height
}

// View draws the menu as a box no larger than room.
func (m *Menu) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	size := m.sizeIn(room)
	inner, words := BoxInner(size), m.intro(BoxInner(size).X, th)
	reason := m.reasonBelow(inner, th)
	left := inner.Y - len(words) - len(reason)
	rows := m.list.View(image.Pt(inner.X, left), th)
	body := append(words[:max(0, min(len(words), inner.Y))], strings.TrimRight(rows, "\n"))
	footer := ""
	if size.Y < m.fullHeight(inner.X) {
		footer = m.list.Position()
	}
	return popupBox(m.title, footer, strings.Join(append(body, reason...), "\n"), size, th)
}

// reasonBelow says below the rows, in at most two lines, why the row under the cursor is
// disabled, if the row has no room for that.
func (m *Menu) reasonBelow(inner image.Point, th *theme.Theme) []string {
	row, _ := m.list.Row()
	if reason := m.Row().Disabled; reason != "" && inner.Y > 4 {
		if _, _, _, note, whole := m.parts(row, inner.X); note == "" || !whole {
			lines := text.Wrap(text.Sentence(text.Safe(reason)), inner.X-2)
			return strings.Split(th.Warn.Render("  "+strings.Join(lines[:min(len(lines), 2)], "\n  ")), "\n")
		}
	}
	return nil
}

// parts returns the texts of a row, and whether its note is whole.
func (m *Menu) parts(row, width int) (group, key, label, note string, whole bool) {
	r := m.rows[row]
	groups, keys, labels := m.widths()
	if groups > 0 && width >= 40 {
		if row == 0 || m.rows[row-1].Group != r.Group || m.list.Filter() != "" {
			group = text.Safe(r.Group)
		}
		group = " " + text.PadRight(group, groups)
	}
	key = " " + text.PadRight(text.Safe(r.Key), keys) + " "
	if m.help {
		keys = min(keys, max(4, width/3))
		key, labels = " "+text.PadLeft(text.Safe(r.Key), keys)+"  ", text.Width(r.label())
	}
	labels = min(labels, max(1, width-text.Width(group+key)-1))
	label, note = text.PadRight(text.TruncateMiddle(r.label(), labels), labels), text.Safe(cmp.Or(r.Disabled, r.Note))
	room := width - text.Width(group+key+label) - 3
	if whole = text.Width(note) <= room; room < leastNote || note == "" {
		return group, key, label, "", whole
	}
	return group, key, label, "  " + text.TruncateMiddle(note, room), whole
}

func (m *Menu) drawRow(row int, mark theme.Sign, width int, selected bool, th *theme.Theme) string {
	group, key, label, note, _ := m.parts(row, width)
	name, words, muted := th.Key, th.Text, th.Muted
	if m.rows[row].Disabled != "" {
		name, words, muted = th.Off, th.Off, th.Off
	}
	if m.many != nil {
		key, name = " "+th.Glyph(mark)+"  ", th.SignStyle(mark)
	}
	if selected {
		return th.Selected.Render(text.PadRight(group+key+label+note, width))
	}
	return th.Strong.Render(group) + name.Render(key) + words.Render(label) + muted.Render(note)
}

// label returns the label, made safe, with the word for the current row.
func (r MenuRow) label() string { return text.Safe(r.Label) + text.If(r.Current, " (now)") }
