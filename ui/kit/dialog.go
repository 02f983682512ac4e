package kit

import (
	"image"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// DialogGrace is how long a dialog takes no keys after it opened, because a
// person may still be typing for what was there before. Draw it again then: its
// acts are not available before.
const DialogGrace = 425 * time.Millisecond

// pasteGrace is how long a dialog takes no keys after a paste, whose end may
// look like keys.
const pasteGrace = 50 * time.Millisecond

// DialogChoice is one button of a dialog.
type DialogChoice struct {
	// Label names the act with its number and target: "Send 12 files to /summer/".
	Label string
	// Key runs it at once; empty for none.
	Key string
	// Danger marks an act that cannot be undone.
	Danger bool
}

// DialogAction is what a dialog came to.
type DialogAction int

// What a dialog may come to beside the number of a choice, which is 0 or more.
const (
	// DialogOpen means that it has not been answered.
	DialogOpen DialogAction = -1
	// DialogCancelled means that it was left by esc.
	DialogCancelled DialogAction = -2
)

// Dialog asks a question over the screen. Put the safe choice first: it has the
// focus. Left, right and tab walk over the choices, enter takes one, esc leaves.
type Dialog struct {
	title, text string
	choices     []DialogChoice
	now         func() time.Time
	opened      time.Time
	pasted      time.Time
	on          int
	buttons     []image.Rectangle
}

// NewDialog opens a dialog. The clock now is time.Now outside of tests.
func NewDialog(now func() time.Time, title, text string, choices ...DialogChoice) *Dialog {
	return &Dialog{title: title, text: text, choices: choices, now: now, opened: now()}
}

// Update handles keys and clicks and tells what the dialog came to. Every key
// is the dialog's own while it is open. The position of a mouse message counts
// from the dialog's upper left corner.
func (d *Dialog) Update(msg tea.Msg) DialogAction {
	now := d.now()
	switch msg := msg.(type) {
	case tea.PasteMsg, tea.PasteStartMsg, tea.PasteEndMsg:
		d.pasted = now
	case tea.KeyPressMsg:
		if d.deaf(now) {
			return DialogOpen
		}
		return d.press(msg.String())
	case tea.MouseClickMsg:
		if d.deaf(now) {
			return DialogOpen
		}
		for i, r := range d.buttons {
			if image.Pt(msg.X, msg.Y).In(r) {
				return DialogAction(i)
			}
		}
	}
	return DialogOpen
}

// deaf tells whether keys come too early to be meant for the dialog.
func (d *Dialog) deaf(now time.Time) bool {
	return now.Sub(d.opened) < DialogGrace || (!d.pasted.IsZero() && now.Sub(d.pasted) < pasteGrace)
}

func (d *Dialog) press(key string) DialogAction {
	n := len(d.choices)
	if key == "esc" || n == 0 {
		return DialogCancelled
	}
	for i, c := range d.choices {
		if c.Key != "" && c.Key == key {
			return DialogAction(i)
		}
	}
	switch key {
	case "enter", "space":
		return DialogAction(d.on)
	case "right", "down", "tab", "l", "j":
		d.on = (d.on + 1) % n
	case "left", "up", "shift+tab", "h", "k":
		d.on = (d.on + n - 1) % n
	}
	return DialogOpen
}

// Acts are what can be done in the dialog, for hints and help.
func (d *Dialog) Acts() []Act {
	why := ""
	if d.deaf(d.now()) {
		why = "the question has only just come up"
	}
	acts := make([]Act, 0, len(d.choices)+2)
	for _, c := range d.choices {
		if c.Key != "" {
			acts = append(acts, Act{Binding: Bind(c.Label, "", c.Key), Hint: true, Why: why})
		}
	}
	return append(acts,
		Act{Binding: Bind("take", "", "enter"), Hint: true, Why: why},
		Act{Binding: Bind("cancel", "", "esc"), Hint: true, Why: why})
}

// View draws the dialog as a box no larger than room; lay it over the screen
// with [OverlayCenter].
func (d *Dialog) View(room image.Point, th *theme.Theme) string {
	d.buttons = nil
	if room.X < 1 || room.Y < 1 {
		return ""
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

	var body []string
	for line := range strings.SplitSeq(d.text, "\n") {
		for _, w := range text.Wrap(text.Safe(line), words) {
			body = append(body, text.Blanks(margin)+th.Text.Render(w))
		}
	}
	rows := d.layout(words)
	// The buttons are never pushed out by the words.
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
			case i == d.on:
				style = th.ButtonFocus
			case d.choices[i].Danger:
				style = th.Bad
			}
			if x > margin {
				line += " "
				x++
			}
			at := origin.Add(image.Pt(x, len(body)))
			d.buttons = append(d.buttons, image.Rectangle{Min: at, Max: at.Add(image.Pt(text.Width(s), 1))})
			line += style.Render(s)
			x += text.Width(s)
		}
		body = append(body, line)
	}
	height := min(room.Y, len(body)+2)
	return box(image.Pt(width, height), th.ShapeFocus, th.Dialog, th.DialogTitle, th.Muted,
		text.Safe(d.title), "", strings.Join(body, "\n"))
}

// layout shares the buttons among rows of at most width columns.
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

// label is what a button says. Where the words are too long, the key stays in
// view: whoever cannot read all of them can still take the choice.
func (d *Dialog) label(i, width int) string {
	c := d.choices[i]
	key := ""
	if c.Key != "" {
		key = " (" + c.Key + ")"
	}
	words := text.Truncate(text.Safe(c.Label), max(1, width-text.Width(key)-2)) + key
	if i == d.on {
		return "[" + words + "]"
	}
	return " " + words + " "
}
