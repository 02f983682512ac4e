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
	// Key takes the row at once: a single letter; empty for none.
	Key string
	// Label says what the row is or does.
	Label string
	// Note stands behind the label, muted, such as the value that is copied;
	// text from outside is made safe. Empty for none.
	Note string
	// Current marks the row that holds now, with a word for it.
	Current bool
	// Do follows when the row is taken; nil: nothing does.
	Do func() tea.Cmd
}

// Menu is a short list over the screen of which one row is taken: by its
// letter, or by enter under the cursor. Every key is the menu's own while it is
// open.
type Menu struct {
	Popup
	title string
	rows  []MenuRow
	list  List
	size  image.Point
}

var _ Overlay = (*Menu)(nil)

// NewMenu opens a menu with the cursor on the first row that holds now, else on
// the first.
func NewMenu(title string, rows ...MenuRow) *Menu {
	m := &Menu{title: title, rows: rows}
	m.list.SetLen(len(rows))
	m.list.SetCursor(slices.IndexFunc(rows, func(r MenuRow) bool { return r.Current }))
	return m
}

// Actions are those of the rows and of the list.
func (m *Menu) Actions() []Action {
	actions := []Action{
		{ID: "menu.take", Keys: Bind("choose", "", "enter", "space", "right"), Footer: true, Group: m.title, Do: func() tea.Cmd { return m.choose(m.list.Cursor()) }},
		{ID: "menu.close", Keys: Bind("close", "", "esc", "q", "left"), Footer: true, Group: m.title, Do: m.Close},
	}
	for i, r := range m.rows {
		if r.Key != "" {
			actions = append(actions, Action{Keys: Bind(r.Label, "", r.Key), Group: m.title, Do: func() tea.Cmd { return m.choose(i) }})
		}
	}
	slices.SortStableFunc(actions, func(a, b Action) int { return cmp.Compare(len(a.Keys.Keys()), len(b.Keys.Keys())) })
	return append(actions, ListActions(func() Scroller { return &m.list }, nil)...)
}

func (m *Menu) choose(row int) tea.Cmd {
	m.Close()
	if row >= len(m.rows) || m.rows[row].Do == nil {
		return nil
	}
	return m.rows[row].Do()
}

// Mouse takes the row that is clicked; a click beside the menu closes it.
func (m *Menu) Mouse(msg tea.MouseMsg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok && !image.Pt(click.X, click.Y).In(image.Rectangle{Max: m.size}) {
		return m.Close()
	}
	if click, ok := msg.(tea.MouseClickMsg); ok && click.Button == tea.MouseLeft && m.list.Click(click.Y-BoxOrigin(m.size).Y) {
		return m.choose(m.list.Cursor())
	}
	m.list.Wheel(msg)
	return nil
}

// Resize fits the menu into room.
func (m *Menu) Resize(room image.Point) {
	m.size = m.sizeIn(room)
	m.list.SetHeight(BoxInner(m.size).Y)
}

// labelWidth is the width of the widest label.
func (m *Menu) labelWidth() int {
	width := 0
	for _, r := range m.rows {
		width = max(width, text.Width(r.label()))
	}
	return width
}

func (m *Menu) sizeIn(room image.Point) image.Point {
	width, labels := text.Width(m.title)+6, m.labelWidth()
	for _, r := range m.rows {
		line := 4 + labels
		if r.Note != "" {
			line += 2 + text.Width(text.Safe(r.Note))
		}
		width = max(width, line+3)
	}
	return image.Pt(min(room.X, width, 72), min(room.Y, len(m.rows)+2))
}

// leastNote is the least width at which a note says something.
const leastNote = 10

// View draws the menu as a box no larger than room.
func (m *Menu) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	size, labels := m.sizeIn(room), m.labelWidth()
	body := m.list.View(BoxInner(size), func(i, width int, selected bool) string {
		r := m.rows[i]
		key := text.PadRight(r.Key, 2)
		label := text.PadRight(r.label(), labels)
		note, room := "", width-5-labels-1
		if r.Note != "" && room >= leastNote {
			note = "  " + text.TruncateMiddle(text.Safe(r.Note), room)
		}
		if selected {
			return th.Selected.Render(text.PadRight(" "+key+" "+label+note, width))
		}
		return " " + th.Key.Render(key) + " " + th.Text.Render(label) + th.Muted.Render(note)
	})
	return popupBox(m.title, "", strings.TrimRight(body, "\n"), size, th)
}

// label is the row's label made safe, with the word for the row that holds now.
func (r MenuRow) label() string {
	if r.Current {
		return text.Safe(r.Label) + " (now)"
	}
	return text.Safe(r.Label)
}
