package kit

import (
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// MarkMenu is a list over the screen of which any number of rows are taken at once:
// the marked ones, or the one under the cursor where none is marked. Its rows have a
// label and a note.
type MarkMenu struct {
	MarkList
	title, verb string
	rows        []MenuRow
	marks       []bool
	do          func(rows []int) tea.Cmd
	size        image.Point
	closed      bool
}

var _ Overlay = (*MarkMenu)(nil)

// NewMarkMenu opens a list. The verb says what enter does with the rows, and do does
// it with their numbers.
func NewMarkMenu(title, verb string, rows []MenuRow, do func(rows []int) tea.Cmd) *MarkMenu {
	m := &MarkMenu{title: title, verb: verb, rows: rows, marks: make([]bool, len(rows)), do: do}
	m.MarkList = MarkList{ID: "menu", Mark: func(row int) *bool { return &m.marks[row] }, Name: func(row int) string { return rows[row].Label }}
	m.SetLen(len(rows))
	return m
}

// Actions take rows, close, and those of the list.
func (m *MarkMenu) Actions() []Action {
	actions := m.MarkList.Actions()
	if m.Capturing() {
		return actions
	}
	return Shadow(append([]Action{
		{ID: "menu.take-marked", Keys: Bind(m.verb, "", "enter"), Footer: true, Group: m.title, Do: m.choose},
	}, append(actions, Action{ID: "menu.close", Keys: Bind("close", "", "esc", "q"), Footer: true, Group: m.title, Do: m.close})...))
}

func (m *MarkMenu) close() tea.Cmd {
	m.closed = true
	return nil
}

func (m *MarkMenu) choose() tea.Cmd {
	m.closed = true
	var chosen []int
	for row, on := range m.marks {
		if on {
			chosen = append(chosen, row)
		}
	}
	if len(chosen) == 0 && m.Len() > 0 {
		chosen = []int{m.Cursor()}
	}
	return m.do(chosen)
}

// Closed reports that it is to be taken away.
func (m *MarkMenu) Closed() bool { return m.closed }

// Resize fits the list into room.
func (m *MarkMenu) Resize(room image.Point) {
	m.size = m.sizeIn(room)
	m.SetHeight(BoxInner(m.size).Y)
}

func (m *MarkMenu) sizeIn(room image.Point) image.Point {
	width := max(36, text.Width(text.Safe(m.title))+6)
	for _, r := range m.rows {
		width = max(width, text.Width(text.Safe(r.Label))+text.Width(r.Note)+8)
	}
	return image.Pt(min(room.X, width, 72), min(room.Y, len(m.rows)+3))
}

// Mouse marks the row that is clicked; a click beside the list closes it.
func (m *MarkMenu) Mouse(msg tea.MouseMsg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok {
		switch at := image.Pt(click.X, click.Y); {
		case !at.In(image.Rectangle{Max: m.size}):
			return m.close()
		case click.Button == tea.MouseLeft:
			if _, ok := m.Click(at.Y - BoxOrigin(m.size).Y); ok {
				m.marks[m.Cursor()] = !m.marks[m.Cursor()]
			}
		}
		return nil
	}
	return m.Wheel(msg)
}

// View draws the list as a box no larger than room.
func (m *MarkMenu) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	size := m.sizeIn(room)
	body := m.MarkList.View(BoxInner(size), th, func(i int, mark theme.Sign, width int, selected bool) string {
		r := m.rows[i]
		label := text.PadRight(text.Safe(r.Label), width-4-text.Width(r.Note))
		if selected {
			return th.Selected.Render(text.PadRight(" "+th.Glyph(mark)+" "+label+" "+r.Note, width))
		}
		return " " + th.Sign(mark) + " " + th.Text.Render(label) + " " + th.Muted.Render(r.Note)
	})
	return popupBox(m.title, "", body, size, th)
}
