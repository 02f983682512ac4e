package kit

import (
	"image"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// DialogGrace is how long a new dialog ignores keys, because the user may still be
// typing for the screen below. Redraw the dialog afterwards to enable its actions.
const DialogGrace = 425 * time.Millisecond

// pasteGrace is how long a dialog ignores keys after a paste, whose end may look like
// keys.
const pasteGrace = 50 * time.Millisecond

// defaultKey chooses the default. The same key opens most dialogs, so that pressing it
// twice is enough.
const defaultKey = "ctrl+s"

// Choice is a button of a dialog.
type Choice struct {
	// Label names the action with its count and target: "Send 12 files to /summer/".
	Label string
	// Key runs it at once. It is a single letter, or empty.
	Key string
	// Danger marks an action that cannot be undone.
	Danger bool
	// Default focuses the choice and binds it to ctrl+s: only for actions that a single
	// key can undo. Without a default, the first choice has the focus.
	Default bool
	// Do runs when it is chosen; it may be nil.
	Do func() tea.Cmd
}

// Dialog asks a question over the screen. Put the safe choice first: esc chooses it,
// and it has the focus unless another is the default.
type Dialog struct {
	Popup
	title, text string
	choices     []Choice
	now         func() time.Time
	opened      time.Time
	pasted      time.Time
	focused     int
	room        image.Point
}

var _ Overlay = (*Dialog)(nil)

// NewDialog opens a dialog. The clock now is time.Now outside of tests.
func NewDialog(now func() time.Time, title, text string, choices ...Choice) *Dialog {
	d := &Dialog{title: title, text: text, choices: choices, now: now, opened: now()}
	d.focused = max(0, d.byDefault())
	return d
}

// byDefault returns the index of the default choice, or -1.
func (d *Dialog) byDefault() int {
	return slices.IndexFunc(d.choices, func(c Choice) bool { return c.Default })
}

// Type uses messages that come too early to be meant for the dialog.
func (d *Dialog) Type(msg tea.Msg) (tea.Cmd, bool) {
	now := d.now()
	if press, ok := msg.(tea.KeyPressMsg); ok && press.String() == defaultKey && d.byDefault() >= 0 {
		return nil, false // it is not typed by accident, and it can be undone
	}
	if _, pasted := msg.(tea.PasteMsg); pasted {
		d.pasted = now
		return nil, true
	}
	return nil, d.deaf(now)
}

// deaf reports whether keys come too early to be meant for the dialog.
func (d *Dialog) deaf(now time.Time) bool {
	return now.Sub(d.opened) < DialogGrace || (!d.pasted.IsZero() && now.Sub(d.pasted) < pasteGrace)
}

// Resize fits the dialog into room.
func (d *Dialog) Resize(room image.Point) { d.room = room }

// Mouse runs the choice that is clicked.
func (d *Dialog) Mouse(msg tea.MouseMsg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok && !d.deaf(d.now()) {
		_, buttons := d.draw(d.room, &theme.Theme{})
		for i, r := range buttons {
			if image.Pt(click.X, click.Y).In(r) {
				return d.choose(i)
			}
		}
	}
	return nil
}

// choose answers with choice i; if it does not exist, the dialog only closes.
func (d *Dialog) choose(i int) tea.Cmd {
	d.Close()
	if i >= len(d.choices) || d.choices[i].Do == nil {
		return nil
	}
	return d.choices[i].Do()
}

// Actions returns the choices and the keys that move between them.
func (d *Dialog) Actions() []Action {
	early := func() string {
		return text.If(d.deaf(d.now()), "the question has only just come up")
	}
	actions := make([]Action, 0, len(d.choices)+4)
	for i, c := range d.choices {
		if c.Key != "" {
			actions = append(actions, Action{Keys: Bind(c.Label, "", c.Key), Footer: true, Disabled: early, Do: func() tea.Cmd { return d.choose(i) }})
		}
	}
	if i := d.byDefault(); i >= 0 {
		actions = append(actions, Action{Keys: Bind(d.choices[i].Label, "", defaultKey), Do: func() tea.Cmd { return d.choose(i) }})
	}
	walk := func(id, words string, by int, keys ...string) Action {
		return Action{ID: id, Keys: Bind(words, "", keys...), Disabled: early, Do: func() tea.Cmd {
			if n := len(d.choices); n > 0 {
				d.focused = (d.focused + by + n) % n
			}
			return nil
		}}
	}
	return append(actions,
		Action{ID: "dialog.take", Keys: Bind("choose", "", "enter", "space"), Footer: true, Disabled: early, Do: func() tea.Cmd { return d.choose(d.focused) }},
		Action{ID: "dialog.cancel", Keys: Bind("cancel", "", "esc"), Footer: true, Disabled: early, Do: func() tea.Cmd { return d.choose(0) }},
		walk("dialog.next", "next choice", 1, "right", "down", "tab", "l", "j"),
		walk("dialog.previous", "previous choice", -1, "left", "up", "shift+tab", "h", "k"))
}

// View draws the dialog as a box no larger than room.
func (d *Dialog) View(room image.Point, th *theme.Theme) string {
	block, _ := d.draw(room, th)
	return block
}

// draw draws the dialog and returns the rectangles of its buttons by choice.
func (d *Dialog) draw(room image.Point, th *theme.Theme) (block string, buttons []image.Rectangle) {
	if room.X < 1 || room.Y < 1 {
		return "", nil
	}
	wish := max(36, text.Width(text.Safe(d.title))+6)
	for line := range strings.SplitSeq(d.text, "\n") {
		wish = max(wish, min(64, text.Width(text.Safe(line))+4))
	}
	row := 2
	for i := range d.choices {
		row += text.Width(d.label(i, room.X)) + 1
	}
	wish = max(wish, min(row+2, 76))
	width := min(room.X, wish)
	inner := BoxInner(image.Pt(width, room.Y))
	margin := 1
	if inner.X < 10 {
		margin = 0
	}
	words := inner.X - 2*margin

	question := NewFacts(words, th)
	question.Say(th.Text, d.text)
	var body []string
	for _, line := range question.Lines() {
		body = append(body, text.Blanks(margin)+line)
	}
	rows := d.layout(words)
	// The text never pushes the buttons out of the box.
	if fit := inner.Y - len(rows) - 1; len(body) > fit {
		body = body[:max(0, fit)]
	}
	if len(body)+len(rows) < inner.Y && len(body) > 0 {
		body = append(body, "")
	}
	origin := BoxOrigin(image.Pt(width, room.Y))
	for _, row := range rows {
		line, x := text.Blanks(margin), margin
		for _, i := range row {
			s := text.Truncate(d.label(i, words), words)
			style := th.Button
			switch {
			case i == d.focused:
				style = th.ButtonFocus
			case d.choices[i].Danger:
				style = th.Bad
			}
			if x > margin {
				line += " "
				x++
			}
			at := origin.Add(image.Pt(x, len(body)))
			buttons = append(buttons, image.Rectangle{Min: at, Max: at.Add(image.Pt(text.Width(s), 1))})
			line += style.Render(s)
			x += text.Width(s)
		}
		body = append(body, line)
	}
	height := min(room.Y, len(body)+2)
	return popupBox(d.title, "", strings.Join(body, "\n"), image.Pt(width, height), th), buttons
}

// layout distributes the buttons over rows of at most width columns.
func (d *Dialog) layout(width int) [][]int {
	var rows [][]int
	used := 0
	for i := range d.choices {
		w := text.Width(d.label(i, width))
		if len(rows) == 0 || used+1+w > width {
			rows, used = append(rows, nil), 0
		} else {
			used++
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], i)
		used += w
	}
	return rows
}

// label returns the text of a button. If it is too long, the key stays visible when
// the label is cut.
func (d *Dialog) label(i, width int) string {
	c := d.choices[i]
	key := text.If(c.Key != "", " ("+c.Key+")")
	words := text.Truncate(text.Safe(c.Label), max(1, width-text.Width(key)-2)) + key
	if i == d.focused {
		return "[" + words + "]"
	}
	return " " + words + " "
}
