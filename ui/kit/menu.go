package kit

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// MenuRow is one line of a menu.
type MenuRow struct {
	// Key chooses the row at once. It is a single letter, or empty.
	Key string
	// Label names the row or its action.
	Label string
	// Note follows the label, muted, such as the value that is copied. It is made safe.
	Note string
	// Current marks the current setting with a word.
	Current bool
	// Do runs when the row is chosen; it may be nil.
	Do func() tea.Cmd
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
	size  image.Point
}

var _ Overlay = (*Menu)(nil)

// NewMenu opens a menu with the cursor on the current row, otherwise on the first.
func NewMenu(title string, rows ...MenuRow) *Menu {
	m := &Menu{title: title}
	m.list = List[int]{
		ID: "menu", Bare: true, Placeholder: "filter", NotFound: "the filter finds nothing",
		Rows: func() []Group[int] { return numbered(len(m.rows)) }, Key: func(row int) any { return row }, Draw: m.drawRow,
		Match: func(row int, words []string) bool { return text.HasAll(words, m.rows[row].Label) },
	}
	m.SetRows(rows...)
	m.list.GoTo(max(0, slices.IndexFunc(rows, func(r MenuRow) bool { return r.Current })))
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

// Capturing reports whether the filter of a mark menu takes the keys.
func (m *Menu) Capturing() bool { return m.list.Capturing() }

// Type edits the filter of a mark menu.
func (m *Menu) Type(msg tea.Msg) (tea.Cmd, bool) { return m.list.Type(msg) }

// Actions returns the actions of the rows and of the list.
func (m *Menu) Actions() []Action {
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

func (m *Menu) choose(r MenuRow) tea.Cmd {
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
	if m.many == nil {
		return m.choose(m.Row())
	}
	row, _ := m.list.Row()
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

// labelWidth returns the width of the widest label.
func (m *Menu) labelWidth() int {
	width := 0
	for _, r := range m.rows {
		width = max(width, text.Width(r.label()))
	}
	return width
}

// widestMenu is the maximum width of a menu.
const widestMenu = 72

func (m *Menu) sizeIn(room image.Point) image.Point {
	width, labels := max(text.Width(text.Safe(m.title)), text.Width(m.Words))+6, m.labelWidth()
	for _, r := range m.rows {
		line := 4 + labels
		if r.Note != "" {
			line += 2 + text.Width(text.Safe(r.Note))
		}
		width = max(width, line+3)
	}
	width = min(room.X, width, widestMenu)
	return image.Pt(width, min(room.Y, m.fullHeight(width-2)))
}

// fullHeight returns the height of the box if nothing is cut off.
func (m *Menu) fullHeight(inner int) int {
	height := len(m.rows) + 2 + len(m.intro(inner, &theme.Theme{}))
	if m.many != nil {
		height++ // the filter
	}
	return height
}

// leastNote is the minimum width for a readable note.
const leastNote = 10

// View draws the menu as a box no larger than room.
func (m *Menu) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	size := m.sizeIn(room)
	inner, words := BoxInner(size), m.intro(BoxInner(size).X, th)
	rows := m.list.View(image.Pt(inner.X, inner.Y-len(words)), th)
	body := append(words[:max(0, min(len(words), inner.Y))], strings.TrimRight(rows, "\n"))
	footer := ""
	if size.Y < m.fullHeight(inner.X) {
		footer = m.list.Position()
	}
	return popupBox(m.title, footer, strings.Join(body, "\n"), size, th)
}

func (m *Menu) drawRow(row int, mark theme.Sign, width int, selected bool, th *theme.Theme) string {
	r := m.rows[row]
	key, sign := r.Key, th.Key.Render(text.PadRight(r.Key, 2))
	if m.many != nil {
		key, sign = th.Glyph(mark), th.Sign(mark)+" "
	}
	labels := min(m.labelWidth(), max(1, width-5))
	label := text.PadRight(text.TruncateMiddle(r.label(), labels), labels)
	note, room := "", width-5-labels-1
	if r.Note != "" && room >= leastNote {
		note = "  " + text.TruncateMiddle(text.Safe(r.Note), room)
	}
	if selected {
		return th.Selected.Render(text.PadRight(" "+text.PadRight(key, 2)+" "+label+note, width))
	}
	return " " + sign + " " + th.Text.Render(label) + th.Muted.Render(note)
}

// label returns the label, made safe, with the word for the current row.
func (r MenuRow) label() string {
	if r.Current {
		return text.Safe(r.Label) + " (now)"
	}
	return text.Safe(r.Label)
}
