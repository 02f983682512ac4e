package kit

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Help is a searchable list of all available actions, by group. It is both the help
// and the command palette: enter runs the action under the cursor.
type Help struct {
	Popup
	title   string
	actions []Action
	list    List[int] // of actions
	size    image.Point
	groups  int // width of the column of groups
	keys    int // width of the column of keys
}

var _ Overlay = (*Help)(nil)

// NewHelp opens the help for a list of actions. It leaves out actions without keys.
func NewHelp(title string, actions []Action) *Help {
	h := &Help{title: title}
	order := map[string]int{} // of groups
	for _, a := range actions {
		if len(a.Keys.Keys()) == 0 {
			continue
		}
		if _, seen := order[a.Group]; !seen {
			order[a.Group] = len(order)
		}
		h.actions = append(h.actions, a)
		h.groups, h.keys = min(14, max(h.groups, text.Width(text.Safe(a.Group)))), max(h.keys, text.Width(a.KeyLabel()))
	}
	slices.SortStableFunc(h.actions, func(a, b Action) int { return order[a.Group] - order[b.Group] })
	h.list = List[int]{
		ID: "help", Bare: true, Placeholder: "type to search",
		Rows: func() []Group[int] { return numbered(len(h.actions)) }, Key: func(row int) any { return row }, Draw: h.row,
		Match: func(row int, words []string) bool {
			a := h.actions[row]
			return text.HasAll(words, a.Group, a.KeyLabel(), strings.Join(a.Keys.Keys(), " "), a.Label(), a.ID)
		},
		Empty: func() string { return "No matching action. esc clears the search." },
	}
	h.list.Arrange()
	h.list.StartFilter()
	return h
}

// numbered returns a group of rows that are numbers from 0.
func numbered(n int) []Group[int] {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return []Group[int]{{Rows: rows}}
}

// Actions returns the actions of the list: run, move, close.
func (h *Help) Actions() []Action {
	step := func(words, key string, by int) Action {
		return Action{Keys: Bind(words, "", key), Do: func() tea.Cmd { h.list.Move(by); return nil }}
	}
	return append([]Action{
		{Keys: Bind("run", "", "enter"), Footer: true, Do: h.run},
		{Keys: Bind("close", "", "esc"), Footer: true, Do: func() tea.Cmd {
			h.closed = h.list.Filter() == ""
			h.list.SetFilter("")
			return nil
		}},
		{Keys: Bind("close", "", "f1", "ctrl+k"), Do: h.Close},
		step("up", "ctrl+p", -1),
		step("down", "ctrl+n", 1),
	}, h.list.moves()...)
}

// Capturing returns true: letters search.
func (h *Help) Capturing() bool { return true }

// Type searches. The keys that open the help close it while the search is empty.
func (h *Help) Type(msg tea.Msg) (tea.Cmd, bool) {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch name := press.String(); {
		case (name == "?" || name == ":") && h.list.Filter() == "":
			h.closed = true
			return nil, true
		case name == "ctrl+k", name == "home", name == "end":
			return nil, false
		}
	}
	return h.list.Type(msg)
}

// Mouse runs the action that is clicked.
func (h *Help) Mouse(msg tea.MouseMsg) tea.Cmd {
	switch msg := Moved(msg, BoxOrigin(h.size)).(type) {
	case tea.MouseClickMsg:
		if h.list.Hit(image.Pt(msg.X, msg.Y)) {
			return h.run()
		}
	case tea.MouseWheelMsg:
		h.list.Wheel(msg)
	}
	return nil
}

// Resize fits the help into room.
func (h *Help) Resize(room image.Point) {
	h.size = h.sizeIn(room)
	h.list.Resize(BoxInner(h.size))
	h.list.Changed()
}

func (h *Help) sizeIn(room image.Point) image.Point {
	return image.Pt(min(room.X, 76), min(room.Y, max(len(h.actions)+3, 8)))
}

// run runs the action under the cursor. For a disabled action it does nothing: the row
// shows the reason.
func (h *Help) run() tea.Cmd {
	row, ok := h.list.Row()
	if !ok || h.actions[row].Reason() != "" || h.actions[row].Do == nil {
		return nil
	}
	h.closed = true
	return h.actions[row].Do()
}

// View draws the help as a box no larger than room.
func (h *Help) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	size := h.sizeIn(room)
	inner := BoxInner(size)
	reason := h.reasonBelow(inner, th)
	body := JoinV(h.list.View(image.Pt(inner.X, inner.Y-len(reason)), th), strings.Join(reason, "\n"))
	footer := ""
	if h.list.Len() >= inner.Y-len(reason) {
		footer = h.list.Position()
	}
	return popupBox(h.title, footer, body, size, th)
}

// reasonBelow says below the rows, in at most two lines, why the action under the
// cursor is disabled, if its own row has no room for that.
func (h *Help) reasonBelow(inner image.Point, th *theme.Theme) []string {
	row, ok := h.list.Row()
	if !ok || inner.Y < 5 {
		return nil
	}
	reason := h.actions[row].Reason()
	if group, keys, words := h.line(row, inner.X); reason == "" || text.Width(group+keys+words) <= inner.X {
		return nil
	}
	lines := text.Wrap(text.Sentence(text.Safe(reason)), inner.X-2)
	lines = lines[:min(len(lines), 2)]
	for n, line := range lines {
		lines[n] = "  " + th.Warn.Render(line)
	}
	return lines
}

// line returns the group and the keys of an action, and what it does or why it is disabled.
func (h *Help) line(row, width int) (group, keys, words string) {
	a := h.actions[row]
	if width >= 40 {
		if row == 0 || h.actions[row-1].Group != a.Group || h.list.Filter() != "" {
			group = text.Safe(a.Group)
		}
		group = " " + text.PadRight(group, h.groups)
	}
	words = "  " + text.Safe(a.Label())
	if reason := a.Reason(); reason != "" {
		words += " - " + text.Safe(reason)
	}
	return group, " " + text.PadLeft(a.KeyLabel(), min(h.keys, max(4, width/3))), words
}

func (h *Help) row(row int, _ theme.Sign, width int, selected bool, th *theme.Theme) string {
	group, keys, words := h.line(row, width)
	if selected {
		return th.Selected.Render(text.PadRight(group+keys+words, width))
	}
	style, name := th.Text, th.Key
	if h.actions[row].Reason() != "" {
		style, name = th.Off, th.Off
	}
	return th.Strong.Render(group) + name.Render(keys) + style.Render(text.Truncate(words, width-text.Width(group+keys)))
}
