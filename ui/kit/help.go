package kit

import (
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Help is a list of everything a person can do now, in groups and searchable.
// It is the help and the command palette at once: enter runs what is under the
// cursor.
type Help struct {
	title string
	acts  []Act
	rows  []helpRow
	query Field
	list  List
	body  image.Point // where the rows begin inside the box
	full  int         // rows without a search, so that searching keeps the size
}

// helpRow is a heading (act < 0) or an act.
type helpRow struct {
	heading string
	act     int
}

// HelpAction is what a help came to: still open (the zero value), closed, or
// closed with an act to run.
type HelpAction struct {
	// Closed tells that the help is to be taken away.
	Closed bool
	// Run is the act that was chosen, nil for none. Send its Press to the
	// screen.
	Run *Act
}

// NewHelp opens the help over the acts of the focused thing and those that are
// everywhere. Acts without keys are left out.
func NewHelp(title string, acts []Act) *Help {
	h := &Help{title: title, query: Field{Placeholder: "type to search"}}
	for _, a := range acts {
		if len(a.Binding.Keys()) > 0 {
			h.acts = append(h.acts, a)
		}
	}
	h.query.Focus()
	h.filter()
	h.full = len(h.rows)
	return h
}

// Update handles keys, wheel and clicks. Every key is the help's own while it
// is open. The position of a mouse message counts from the help's upper left
// corner.
func (h *Help) Update(msg tea.Msg) HelpAction {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return h.press(msg)
	case tea.PasteMsg:
		h.query.Update(msg)
		h.filter()
	case tea.MouseWheelMsg:
		h.list.Update(msg)
		h.skipHeading(1)
	case tea.MouseClickMsg:
		i, ok := h.list.At(msg.Y - h.body.Y)
		if ok && h.rows[i].act >= 0 {
			h.list.SetCursor(i)
			return h.run()
		}
	}
	return HelpAction{}
}

func (h *Help) press(msg tea.KeyPressMsg) HelpAction {
	switch key := msg.String(); key {
	case "esc":
		if h.query.Value() != "" {
			h.query.SetValue("")
			h.filter()
			return HelpAction{}
		}
		return HelpAction{Closed: true}
	case "f1", "ctrl+k":
		return HelpAction{Closed: true}
	case "?", ":":
		if h.query.Value() == "" {
			return HelpAction{Closed: true}
		}
		h.query.Update(msg)
		h.filter()
	case "enter":
		return h.run()
	case "up", "ctrl+p", "pgup", "home":
		h.move(key, -1)
	case "down", "ctrl+n", "pgdown", "end":
		h.move(key, 1)
	default:
		before := h.query.Value()
		h.query.Update(msg)
		if h.query.Value() != before {
			h.filter()
		}
	}
	return HelpAction{}
}

func (h *Help) run() HelpAction {
	if h.list.Len() == 0 {
		return HelpAction{}
	}
	i := h.rows[h.list.Cursor()].act
	// What cannot be done now stays on the screen, with its reason.
	if i < 0 || h.acts[i].Why != "" {
		return HelpAction{}
	}
	act := h.acts[i]
	return HelpAction{Closed: true, Run: &act}
}

func (h *Help) move(key string, direction int) {
	switch key {
	case "ctrl+p":
		key = "up"
	case "ctrl+n":
		key = "down"
	case "home":
		direction = 1
	case "end":
		direction = -1
	}
	h.list.press(key)
	h.skipHeading(direction)
}

// skipHeading moves the cursor off a heading, in the direction it was going.
func (h *Help) skipHeading(direction int) {
	n := h.list.Len()
	i := h.list.Cursor()
	for ; i >= 0 && i < n && h.rows[i].act < 0; i += direction {
	}
	if i < 0 {
		for i = 0; i < n && h.rows[i].act < 0; i++ {
		}
		// The first heading is shown with its first act.
		h.list.SetCursor(0)
	}
	if i < n {
		h.list.SetCursor(i)
	}
}

// filter keeps the acts in which every word of the query occurs, in its group,
// keys or words.
func (h *Help) filter() {
	words := strings.Fields(strings.ToLower(h.query.Value()))
	h.rows = h.rows[:0]
	var groups []string
	byGroup := map[string][]int{}
	for i, a := range h.acts {
		text := strings.ToLower(a.Group + " " + a.Keys() + " " + strings.Join(a.Binding.Keys(), " ") + " " + a.Binding.Help().Desc + " " + a.Called)
		if !containsAll(text, words) {
			continue
		}
		if _, seen := byGroup[a.Group]; !seen {
			groups = append(groups, a.Group)
		}
		byGroup[a.Group] = append(byGroup[a.Group], i)
	}
	for _, g := range groups {
		if g != "" {
			h.rows = append(h.rows, helpRow{heading: g, act: -1})
		}
		for _, i := range byGroup[g] {
			h.rows = append(h.rows, helpRow{act: i})
		}
	}
	h.list = List{height: h.list.height}
	h.list.SetLen(len(h.rows))
	h.skipHeading(1)
}

func containsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// View draws the help as a box no larger than room; lay it over the screen with
// [OverlayCenter].
func (h *Help) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	size := image.Pt(min(room.X, 76), min(room.Y, max(h.full+4, 8)))
	inner := BoxInner(size)
	rows := inner.Y
	head := ""
	if inner.Y >= 4 {
		rows -= 2
		head = h.query.View(inner.X, th) + "\n" + text.Blanks(inner.X) + "\n"
	}
	h.body = BoxOrigin(size).Add(image.Pt(0, inner.Y-rows))
	keys := 0
	for _, a := range h.acts {
		keys = max(keys, text.Width(a.Keys()))
	}
	keys = min(keys, max(4, inner.X/3))
	why := h.whyBelow(keys, inner.X, rows, th)
	rows -= len(why)
	body := ""
	if len(h.rows) == 0 {
		body = text.Fit(th.Muted.Render("Nothing is called that. esc clears the search."), inner.X, rows)
	} else {
		body = h.list.View(image.Pt(inner.X, rows), func(i, w int, selected bool) string {
			return h.row(h.rows[i], keys, w, selected, th)
		})
	}
	return box(size, th.ShapeFocus, th.Dialog, th.DialogTitle, th.Muted,
		text.Safe(h.title), "enter runs, esc closes", strings.Join(append([]string{head + body}, why...), "\n"))
}

// whyBelow says below the rows, in two lines at most, why the act under the cursor
// cannot be done, where its own row has no room for that.
func (h *Help) whyBelow(keys, width, rows int, th *theme.Theme) []string {
	if len(h.rows) == 0 || rows < 4 {
		return nil
	}
	i := h.rows[h.list.Cursor()].act
	if i < 0 || h.acts[i].Why == "" || text.Width(h.line(h.acts[i], keys)) <= width {
		return nil
	}
	lines := text.Wrap(text.Sentence(text.Safe(h.acts[i].Why)), width-2)
	lines = lines[:min(len(lines), 2)]
	for n, line := range lines {
		lines[n] = "  " + th.Warn.Render(line)
	}
	return lines
}

// line is the row of an act without styles.
func (h *Help) line(a Act, keys int) string {
	words := text.Safe(a.Binding.Help().Desc)
	if a.Why != "" {
		words += " - " + text.Safe(a.Why)
	}
	return "  " + text.PadLeft(a.Keys(), keys) + "  " + words
}

func (h *Help) row(r helpRow, keys, width int, selected bool, th *theme.Theme) string {
	if r.act < 0 {
		return th.Title.Render(text.PadRight(text.Safe(r.heading), width))
	}
	a := h.acts[r.act]
	line := h.line(a, keys)
	if selected {
		return th.Selected.Render(text.PadRight(text.Truncate(line, width), width))
	}
	style, name := th.Text, th.Key
	if a.Why != "" {
		style, name = th.Off, th.Off
	}
	left := "  " + text.PadLeft(a.Keys(), keys)
	words := text.Truncate(strings.TrimPrefix(line, left), width-text.Width(left))
	return "  " + name.Render(strings.TrimPrefix(left, "  ")) + style.Render(words)
}
