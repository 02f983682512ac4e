package kit

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Help is a searchable list of all available actions, in groups. It is both the help
// and the command palette: enter runs the action under the cursor.
type Help struct {
	Popup
	title   string
	actions []Action
	rows    []helpRow
	query   Field
	list    List
	size    image.Point
	body    image.Point // upper left corner of the rows inside the box
	full    int         // rows without a search, so that searching keeps the size
}

var _ Overlay = (*Help)(nil)

// helpRow is a heading (action < 0) or an action.
type helpRow struct {
	heading string
	action  int
}

// NewHelp opens the help for a list of actions. It leaves out actions without keys.
func NewHelp(title string, actions []Action) *Help {
	h := &Help{title: title, query: Field{Placeholder: "type to search"}}
	for _, a := range actions {
		if len(a.Keys.Keys()) > 0 {
			h.actions = append(h.actions, a)
		}
	}
	h.query.Focus()
	h.filter()
	h.full = len(h.rows)
	return h
}

// Actions returns the actions of the list: run, move, close.
func (h *Help) Actions() []Action {
	move := func(words string, by func() int, direction int, keys ...string) Action {
		return Action{Keys: Bind(words, "", keys...), Do: func() tea.Cmd {
			h.list.Move(by())
			h.skipHeading(direction)
			return nil
		}}
	}
	page := func() int { return max(1, h.list.Page()-1) }
	return []Action{
		{Keys: Bind("run", "", "enter"), Footer: true, Do: h.run},
		{Keys: Bind("close", "", "esc"), Footer: true, Do: func() tea.Cmd {
			h.closed = h.query.Value() == ""
			h.query.SetValue("")
			h.filter()
			return nil
		}},
		{Keys: Bind("close", "", "f1", "ctrl+k"), Do: h.Close},
		move("up", func() int { return -1 }, -1, "up", "ctrl+p"),
		move("down", func() int { return 1 }, 1, "down", "ctrl+n"),
		move("page up", func() int { return -page() }, -1, "pgup"),
		move("page down", page, 1, "pgdown"),
		move("top", func() int { return -h.list.Len() }, 1, "home"),
		move("bottom", h.list.Len, -1, "end"),
	}
}

// Capturing returns true: letters search.
func (h *Help) Capturing() bool { return true }

// Type searches. The keys that open the help close it while the search is empty.
func (h *Help) Type(msg tea.Msg) (tea.Cmd, bool) {
	before := h.query.Value()
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch name := press.String(); {
		case (name == "?" || name == ":") && before == "":
			h.closed = true
			return nil, true
		case name == "ctrl+k", name == "home", name == "end":
			return nil, false
		}
	}
	used := h.query.Update(msg)
	if h.query.Value() != before {
		h.filter()
	}
	return nil, used
}

// Mouse runs the action that is clicked.
func (h *Help) Mouse(msg tea.MouseMsg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok {
		if i, ok := h.list.At(click.Y - h.body.Y); ok && h.rows[i].action >= 0 {
			h.list.SetCursor(i)
			return h.run()
		}
	}
	if h.list.Wheel(msg) {
		h.skipHeading(1)
	}
	return nil
}

// Resize fits the help into room.
func (h *Help) Resize(room image.Point) {
	h.size = image.Pt(min(room.X, 76), min(room.Y, max(h.full+4, 8)))
	h.body = BoxOrigin(h.size).Add(image.Pt(0, BoxInner(h.size).Y-h.shown()))
	h.list.SetHeight(h.shown())
}

// shown returns the number of rows that fit below the search.
func (h *Help) shown() int {
	if rows := BoxInner(h.size).Y; rows < 4 {
		return rows
	}
	return BoxInner(h.size).Y - 2
}

// run runs the action under the cursor. For a disabled action it does nothing: the row
// shows the reason.
func (h *Help) run() tea.Cmd {
	if h.list.Len() == 0 {
		return nil
	}
	i := h.rows[h.list.Cursor()].action
	if i < 0 || h.actions[i].Reason() != "" || h.actions[i].Do == nil {
		return nil
	}
	h.closed = true
	return h.actions[i].Do()
}

// skipHeading moves the cursor off a heading, in the direction of its last move.
func (h *Help) skipHeading(direction int) {
	n := h.list.Len()
	i := h.list.Cursor()
	for ; i >= 0 && i < n && h.rows[i].action < 0; i += direction {
	}
	if i < 0 {
		for i = 0; i < n && h.rows[i].action < 0; i++ {
		}
		// Show the first heading with its first action.
		h.list.SetCursor(0)
	}
	if i < n {
		h.list.SetCursor(i)
	}
}

// filter keeps the actions whose group, keys or text contain every word of the query.
func (h *Help) filter() {
	words := strings.Fields(strings.ToLower(h.query.Value()))
	h.rows = h.rows[:0]
	var groups []string
	byGroup := map[string][]helpRow{}
	for i, a := range h.actions {
		text := strings.ToLower(a.Group + " " + a.KeyLabel() + " " + strings.Join(a.Keys.Keys(), " ") + " " + a.Label() + " " + a.ID)
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			continue
		}
		if _, seen := byGroup[a.Group]; !seen {
			groups = append(groups, a.Group)
		}
		byGroup[a.Group] = append(byGroup[a.Group], helpRow{action: i})
	}
	for _, g := range groups {
		if g != "" {
			h.rows = append(h.rows, helpRow{heading: g, action: -1})
		}
		h.rows = append(h.rows, byGroup[g]...)
	}
	h.list = List{height: h.list.height}
	h.list.SetLen(len(h.rows))
	h.skipHeading(1)
}

// View draws the help as a box no larger than room.
func (h *Help) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	drawn := *h // drawing changes nothing
	drawn.Resize(room)
	return drawn.draw(th)
}

func (h *Help) draw(th *theme.Theme) string {
	inner, rows := BoxInner(h.size), h.shown()
	head := ""
	if rows < inner.Y {
		head = h.query.View(inner.X, th) + "\n" + text.Blanks(inner.X) + "\n"
	}
	keys := 0
	for _, a := range h.actions {
		keys = max(keys, text.Width(a.KeyLabel()))
	}
	keys = min(keys, max(4, inner.X/3))
	reason := h.reasonBelow(keys, inner.X, rows, th)
	rows -= len(reason)
	body := ""
	if len(h.rows) == 0 {
		body = text.Fit(th.Muted.Render("No matching action. esc clears the search."), inner.X, rows)
	} else {
		body = h.list.View(image.Pt(inner.X, rows), func(i, w int, selected bool) string {
			return h.row(h.rows[i], keys, w, selected, th)
		})
	}
	footer := ""
	if len(h.rows) > rows {
		footer = h.position()
	}
	return popupBox(h.title, footer, strings.Join(append([]string{head + body}, reason...), "\n"), h.size, th)
}

// position describes the position of the cursor among the actions.
func (h *Help) position() string {
	at, n := 0, 0
	for i, r := range h.rows {
		if r.action < 0 {
			continue
		}
		n++
		if i <= h.list.Cursor() {
			at++
		}
	}
	return text.Count(at) + " of " + text.Count(n)
}

// reasonBelow says below the rows, in at most two lines, why the action under the
// cursor is disabled, if its own row has no room for that.
func (h *Help) reasonBelow(keys, width, rows int, th *theme.Theme) []string {
	if len(h.rows) == 0 || rows < 4 {
		return nil
	}
	i := h.rows[h.list.Cursor()].action
	if i < 0 {
		return nil
	}
	reason := h.actions[i].Reason()
	if reason == "" || text.Width(h.line(h.actions[i], reason, keys)) <= width {
		return nil
	}
	lines := text.Wrap(text.Sentence(text.Safe(reason)), width-2)
	lines = lines[:min(len(lines), 2)]
	for n, line := range lines {
		lines[n] = "  " + th.Warn.Render(line)
	}
	return lines
}

// line returns the row of an action without styles.
func (h *Help) line(a Action, reason string, keys int) string {
	words := text.Safe(a.Label())
	if reason != "" {
		words += " - " + text.Safe(reason)
	}
	return "  " + text.PadLeft(a.KeyLabel(), keys) + "  " + words
}

func (h *Help) row(r helpRow, keys, width int, selected bool, th *theme.Theme) string {
	if r.action < 0 {
		return th.Title.Render(text.PadRight(text.Safe(r.heading), width))
	}
	a := h.actions[r.action]
	reason := a.Reason()
	line := h.line(a, reason, keys)
	if selected {
		return th.Selected.Render(text.PadRight(text.Truncate(line, width), width))
	}
	style, name := th.Text, th.Key
	if reason != "" {
		style, name = th.Off, th.Off
	}
	left := "  " + text.PadLeft(a.KeyLabel(), keys)
	words := text.Truncate(strings.TrimPrefix(line, left), width-text.Width(left))
	return "  " + name.Render(strings.TrimPrefix(left, "  ")) + style.Render(words)
}
