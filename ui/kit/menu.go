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
	// Words say what the row is.
	Words string
	// Note stands behind the words, muted, such as the value that is copied;
	// text from outside is made safe. Empty for none.
	Note string
	// On marks the row that holds now, with a word for it.
	On bool
}

// Menu is a short list over the screen of which one row is taken: by its
// letter, or by enter under the cursor. Every key is the menu's own while it is
// open.
type Menu struct {
	title  string
	rows   []MenuRow
	list   List
	take   func(row int) tea.Cmd
	size   image.Point
	closed bool
}

var _ Overlay = (*Menu)(nil)

// OnTake sets what follows when a row is taken; the menu is closed then.
func (m *Menu) OnTake(take func(row int) tea.Cmd) *Menu {
	m.take = take
	return m
}

// Actions are those of the rows and of the list.
func (m *Menu) Actions() []Action {
	actions := []Action{
		{Keys: Bind("take", "", "enter", "space", "right"), Footer: true, Group: m.title, Do: func() tea.Cmd {
			if len(m.rows) == 0 {
				return m.close()
			}
			return m.chose(m.list.Cursor())
		}},
		{Keys: Bind("close", "", "esc", "q", "left"), Footer: true, Group: m.title, Do: m.close},
	}
	for i, r := range m.rows {
		if r.Key != "" {
			actions = append(actions, Action{Keys: Bind(r.Words, "", r.Key), Group: m.title, Do: func() tea.Cmd { return m.chose(i) }})
		}
	}
	slices.SortStableFunc(actions, func(a, b Action) int { return cmp.Compare(len(a.Keys.Keys()), len(b.Keys.Keys())) })
	return append(actions, ListActions(func() Scroller { return &m.list }, nil)...)
}

func (m *Menu) chose(row int) tea.Cmd {
	m.closed = true
	if m.take == nil {
		return nil
	}
	return m.take(row)
}

func (m *Menu) close() tea.Cmd {
	m.closed = true
	return nil
}

// Capturing is false: the letters are those of the rows.
func (m *Menu) Capturing() bool { return false }

// Type uses nothing.
func (m *Menu) Type(tea.Msg) (tea.Cmd, bool) { return nil, false }

// Mouse takes the row that is clicked; a click beside the menu leaves it.
func (m *Menu) Mouse(msg tea.MouseMsg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok && !image.Pt(click.X, click.Y).In(image.Rectangle{Max: m.size}) {
		return m.close()
	}
	if click, ok := msg.(tea.MouseClickMsg); ok && click.Button == tea.MouseLeft && m.list.Click(click.Y-BoxOrigin(m.size).Y) {
		return m.chose(m.list.Cursor())
	}
	m.list.Wheel(msg)
	return nil
}

// Resize fits the menu into room.
func (m *Menu) Resize(room image.Point) {
	m.size = m.sizeIn(room)
	m.list.SetHeight(BoxInner(m.size).Y)
}

// Closed reports that a row was taken or the menu left.
func (m *Menu) Closed() bool { return m.closed }

// NewMenu opens a menu with the cursor on the first row that holds now, else on
// the first.
func NewMenu(title string, rows ...MenuRow) *Menu {
	m := &Menu{title: title, rows: rows}
	m.list.SetLen(len(rows))
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i].On {
			m.list.SetCursor(i)
		}
	}
	return m
}

// words is how wide the words of the rows are.
func (m *Menu) words() int {
	words := 0
	for _, r := range m.rows {
		words = max(words, text.Width(text.Safe(r.label())))
	}
	return words
}

func (m *Menu) sizeIn(room image.Point) image.Point {
	wish := text.Width(m.title) + 6
	for _, r := range m.rows {
		line := 4 + m.words()
		if r.Note != "" {
			line += 2 + text.Width(text.Safe(r.Note))
		}
		wish = max(wish, line+3)
	}
	return image.Pt(min(room.X, wish, 72), min(room.Y, len(m.rows)+2))
}

// View draws the menu as a box no larger than room.
func (m *Menu) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	size, words := m.sizeIn(room), m.words()
	body := m.list.View(BoxInner(size), func(i, width int, selected bool) string {
		r := m.rows[i]
		key := text.PadRight(r.Key, 2)
		label := text.PadRight(text.Safe(r.label()), words)
		note := ""
		if r.Note != "" {
			note = "  " + text.TruncateMiddle(text.Safe(r.Note), width-5-words-1)
		}
		if selected {
			return th.Selected.Render(text.PadRight(" "+key+" "+label+note, width))
		}
		return " " + th.Key.Render(key) + " " + th.Text.Render(label) + th.Muted.Render(note)
	})
	return box(size, th.ShapeFocus, th.Dialog, th.DialogTitle, th.Muted, text.Safe(m.title), "", strings.TrimRight(body, "\n"))
}

// label is the row's words, with the word for the row that holds now.
func (r MenuRow) label() string {
	if r.On {
		return r.Words + " (now)"
	}
	return r.Words
}
