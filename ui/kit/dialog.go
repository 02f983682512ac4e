package kit

import (
	"image"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// DialogDelay is how long a new dialog ignores keys, because the user may still be
// typing for the screen below. Redraw the dialog afterwards to enable its actions.
const DialogDelay = 425 * time.Millisecond

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

// Drawing is what a dialog shows between its text and its buttons, if there is room.
type Drawing interface {
	// Fit returns how much of a room it takes.
	Fit(room image.Point) image.Point
	// Resize sets the size that View gets; empty for none.
	Resize(size image.Point)
	View(size image.Point, th *theme.Theme) string
	Updater
	// Close is called once the question is answered.
	Close() tea.Cmd
}

// Dialog asks a question over the screen. Put the safe choice first: esc and n choose it, and it
// has the focus unless another is the default.
type Dialog struct {
	Popup
	Drawing     Drawing     // nil for none; set it before the first Resize
	Facts       [][2]string // labels and values below the text
	title, text string
	choices     []Choice
	now         func() time.Time
	since       time.Time // keys that come soon after it are not for the dialog
	focused     int
	room        image.Point
}

var _ Overlay = (*Dialog)(nil)

// NewDialog opens a dialog with at least one choice. The clock now is time.Now outside of tests.
func NewDialog(now func() time.Time, title, content string, choices ...Choice) *Dialog {
	d := &Dialog{title: title, text: content, choices: choices, now: now, since: now()}
	d.focused = max(0, d.byDefault())
	return d
}

// byDefault returns the index of the default choice, or -1.
func (d *Dialog) byDefault() int {
	return slices.IndexFunc(d.choices, func(c Choice) bool { return c.Default })
}

// Type uses messages that come too early to be meant for the dialog, and pastes, whose end may look
// like keys.
func (d *Dialog) Type(msg tea.Msg) (tea.Cmd, bool) {
	if press, ok := msg.(tea.KeyPressMsg); ok && press.String() == defaultKey && d.byDefault() >= 0 {
		return nil, false // it is not typed by accident, and it can be undone
	}
	if _, pasted := msg.(tea.PasteMsg); pasted {
		d.since = d.now()
	}
	return nil, d.tooEarly()
}

// tooEarly reports whether keys come too early to be meant for the dialog.
func (d *Dialog) tooEarly() bool { return d.now().Sub(d.since) < DialogDelay }

// Update gives a message to the drawing.
func (d *Dialog) Update(msg tea.Msg) tea.Cmd {
	if d.Drawing == nil {
		return nil
	}
	d.Resize(d.room) // the shapes of pictures can be known now
	return d.Drawing.Update(msg)
}

// Resize fits the dialog into room.
func (d *Dialog) Resize(room image.Point) {
	d.room = room
	if d.Drawing != nil {
		d.Drawing.Resize(d.layout(room, &theme.Theme{}).drawing)
	}
}

// Mouse runs the choice that is clicked.
func (d *Dialog) Mouse(msg tea.MouseMsg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok && !d.tooEarly() {
		for i, r := range d.layout(d.room, &theme.Theme{}).buttons {
			if image.Pt(click.X, click.Y).In(r) {
				return d.choose(i)
			}
		}
	}
	return nil
}

func (d *Dialog) choose(i int) tea.Cmd {
	cmd := d.Close()
	if d.Drawing != nil {
		cmd = d.Drawing.Close()
	}
	if d.choices[i].Do == nil {
		return cmd
	}
	return tea.Batch(cmd, d.choices[i].Do())
}

// Actions returns the choices and the keys that move between them.
func (d *Dialog) Actions() []Action {
	early := func() string {
		return text.If(d.tooEarly(), "the question has only just come up")
	}
	action := func(id, words string, footer bool, do func() tea.Cmd, keys ...string) Action {
		first, n := utf8.DecodeRuneInString(words)
		words = text.If(n > 0, string(unicode.ToLower(first))+words[n:]) // as other hints
		return Action{ID: id, Keys: Bind(words, "", keys...), Footer: footer, Disabled: early, Do: do}
	}
	choose := func(i int) func() tea.Cmd { return func() tea.Cmd { return d.choose(i) } }
	walk := func(by int) func() tea.Cmd {
		return func() tea.Cmd {
			d.focused = max(0, min(d.focused+by, len(d.choices)-1)) // never from one end to the other
			return nil
		}
	}
	many := len(d.choices) > 1
	take := action("dialog.take", d.choices[d.focused].Label, true, choose(d.focused), "enter", "space")
	if take.Main = true; many && d.focused == 0 {
		take.Keys.SetHelp("enter/esc", take.Label())
	}
	actions, no := []Action{take}, []string{"esc", "n"}
	for i, c := range d.choices {
		if c.Key != "" {
			no = slices.DeleteFunc(no, func(k string) bool { return k == c.Key })
			actions = append(actions, action("", c.Label, i > 0 && i != d.focused, choose(i), c.Key))
		}
	}
	if i := d.byDefault(); i >= 0 {
		actions = append(actions, Action{Keys: Bind(d.choices[i].Label, "", defaultKey), Do: choose(i)})
	}
	next := action("dialog.next", "", many, walk(1))
	next.Keys = Bind("choose a button", "←/→", "right", "down", "tab", "l", "j")
	return append(actions, next,
		action("dialog.cancel", d.choices[0].Label, d.focused > 0, choose(0), no...),
		action("dialog.previous", "previous choice", false, walk(-1), "left", "up", "shift+tab", "h", "k"))
}

// spareRows is the least number of spare rows for an empty line above and below the text.
const spareRows = 6

// View draws the dialog as a box no larger than room.
func (d *Dialog) View(room image.Point, th *theme.Theme) string {
	l := d.layout(room, th)
	if l.size.X < 1 || l.size.Y < 1 {
		return ""
	}
	body := slices.Clone(l.text)
	if l.drawing.Y > 0 {
		body = append(append(body, strings.Split(d.Drawing.View(l.drawing, th), "\n")...), "")
	}
	body = append(body, l.rows...)
	if slices.ContainsFunc(d.choices, func(c Choice) bool { return c.Danger }) && d.byDefault() < 0 {
		danger := *th
		danger.Dialog, danger.DialogTitle = th.Bad, th.Bad.Bold(true)
		th = &danger
	}
	return popupText(d.title, "", body, l.size, th)
}

// dialogLayout is a dialog in a size: its lines, and the rectangles of its buttons by choice.
type dialogLayout struct {
	size, drawing image.Point
	text, rows    []string
	buttons       []image.Rectangle
}

// drawingWidth is the greatest width of a drawing, leastDrawing the least height of one.
const drawingWidth, leastDrawing = 120, 6

func (d *Dialog) layout(room image.Point, th *theme.Theme) (l dialogLayout) {
	if room.X < 1 || room.Y < 1 {
		return l
	}
	wish, row := max(36, text.Width(text.Safe(d.title))+6), 4
	for line := range strings.SplitSeq(d.text, "\n") {
		wish = max(wish, min(76, text.Width(text.Safe(line))+4))
	}
	for _, fact := range d.Facts {
		wish = max(wish, min(76, factColumns+text.Width(text.Safe(fact[1]))+4))
	}
	for i := range d.choices {
		row += text.Width(d.label(i, room.X)) + 1
	}
	size := image.Pt(min(room.X, max(wish, min(row, 76))), room.Y)
	if d.Drawing != nil {
		size.X = min(room.X, max(size.X, d.Drawing.Fit(image.Pt(drawingWidth, room.Y)).X+4))
	}
	inner, width := BoxInner(size), PaneWidth(size)

	// Each row of buttons, below the text and an empty line.
	question := NewFacts(width, th)
	question.Say(th.Text, d.text)
	for _, fact := range d.Facts {
		question.labels = max(question.labels, min(text.Width(text.Safe(fact[0]))+2, width/3))
	}
	for i, fact := range d.Facts {
		if i == 0 {
			question.Gap()
		}
		question.Styled(text.Safe(fact[0]), fact[1], text.Either(fact[1] == "none", th.Muted, th.Text))
	}
	rows := []string{""}
	for i, c := range d.choices {
		style, label := th.Button, d.label(i, width)
		switch {
		case i == d.focused && c.Danger:
			style = th.Bad.Bold(true).Reverse(true)
		case i == d.focused:
			style = th.ButtonFocus
		case c.Danger:
			style = th.Button.Foreground(th.Bad.GetForeground())
		}
		at := text.Width(rows[len(rows)-1])
		if at > 0 && at+1+text.Width(label) > width {
			rows, at = append(rows, ""), 0
		}
		if at > 0 {
			rows[len(rows)-1] += " "
			at++
		}
		rows[len(rows)-1] += style.Render(label)
		corner := image.Pt(paneMargin(inner.X)+at, len(rows)-1)
		end := corner.Add(image.Pt(text.Width(label), 1))
		l.buttons = append(l.buttons, image.Rectangle{Min: corner, Max: end})
	}
	// The text never pushes the buttons out of the box.
	body := question.Lines()
	body = body[:max(0, min(len(body), inner.Y-len(rows)-1))]
	if len(body) > 0 {
		body = append(body, "")
	}
	if inner.Y >= len(body)+len(rows)+spareRows {
		body, rows = slices.Insert(body, 0, ""), append(rows, "")
	}
	high, buttons := len(body)+len(rows), len(rows)
	if left := inner.Y - high - 1; d.Drawing != nil && left >= leastDrawing {
		l.drawing = d.Drawing.Fit(image.Pt(width, left))
		high += l.drawing.Y + 1
	}
	size.Y = min(room.Y, high+2)
	for i := range l.buttons {
		l.buttons[i] = l.buttons[i].Add(BoxOrigin(size)).Add(image.Pt(0, high-buttons))
	}
	l.size, l.text, l.rows = size, body, rows
	return l
}

// label returns the text of a button. If it is too long, the key stays visible when
// the label is cut.
func (d *Dialog) label(i, width int) string {
	c := d.choices[i]
	key := text.If(c.Key != "", " ("+c.Key+")")
	if i == 0 {
		key = " (esc)" // the safe choice has the same key and place in every dialog
	}
	words := text.Truncate(text.Safe(c.Label), max(1, width-text.Width(key)-2)) + key
	return text.Truncate(" "+words+" ", width)
}
