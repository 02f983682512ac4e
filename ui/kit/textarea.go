package kit

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// TextArea is a text field of many lines, for JSON and descriptions. Lines do not wrap:
// the line with the cursor scrolls. The zero value is empty.
//
// The textarea of bubbles is no replacement: it drops control characters and invalid
// UTF-8 from the value, draws direction marks, splits grapheme clusters, and has no
// ctrl+y.
type TextArea struct {
	// Placeholder is shown, muted, while the text is empty.
	Placeholder string

	lines  []line
	row    int
	top    int
	height int
	focus
}

// NewTextArea returns a text area with a placeholder.
func NewTextArea(placeholder string) *TextArea { return &TextArea{Placeholder: placeholder} }

// Value returns the lines of the text, separated by \n.
func (a *TextArea) Value() string {
	parts := make([]string, len(a.lines))
	for i := range a.lines {
		parts[i] = a.lines[i].text
	}
	return strings.Join(parts, "\n")
}

// SetValue replaces the text and moves the cursor to its end. It normalizes line ends
// to \n.
func (a *TextArea) SetValue(s string) {
	a.lines, a.row, a.top = nil, 0, 0
	a.insert(s)
}

// Position returns the cursor's line and the byte offset in it, both 0-based, so that an
// error in the text can be shown next to it.
func (a *TextArea) Position() (row, offset int) {
	if len(a.lines) == 0 {
		return 0, 0
	}
	return a.row, a.lines[a.row].at
}

// Update edits the text and reports whether it used the message. It does not use tab
// and esc.
func (a *TextArea) Update(msg tea.Msg) bool {
	if !a.focused {
		return false
	}
	switch msg := msg.(type) {
	case tea.PasteMsg:
		a.insert(msg.Content)
		return true
	case tea.KeyPressMsg:
		if text := typed(msg); text != "" {
			a.insert(text)
			return true
		}
		return a.press(msg.String())
	}
	by := wheelBy(msg)
	if by != 0 {
		a.move(by)
	}
	return by != 0
}

func (a *TextArea) press(key string) bool {
	l := a.current()
	switch key {
	case "enter":
		a.insert("\n")
	case "up", "ctrl+p":
		a.move(-1)
	case "down", "ctrl+n":
		a.move(1)
	case "pgup":
		a.move(-max(1, a.height-1))
	case "pgdown":
		a.move(max(1, a.height-1))
	case "ctrl+home":
		a.row = 0
		a.current().at = 0
	case "ctrl+end":
		a.row = len(a.lines) - 1
		a.current().at = len(a.current().text)
	case "left", "ctrl+b":
		if l.at == 0 && a.row > 0 {
			a.row--
			a.current().at = len(a.current().text)
			return true
		}
		return l.press(key, false)
	case "right", "ctrl+f":
		if l.at == len(l.text) && a.row < len(a.lines)-1 {
			a.row++
			a.current().at = 0
			return true
		}
		return l.press(key, false)
	case "backspace":
		if l.at == 0 && a.row > 0 {
			a.row--
			a.join()
			return true
		}
		return l.press(key, false)
	case "delete", "ctrl+d", "ctrl+k":
		if l.at == len(l.text) && a.row < len(a.lines)-1 {
			a.join()
			return true
		}
		return l.press(key, false)
	default:
		return l.press(key, false)
	}
	return true
}

// current returns the line of the cursor; an empty text has one empty line.
func (a *TextArea) current() *line {
	if len(a.lines) == 0 {
		a.lines = []line{{}}
	}
	a.row = max(0, min(a.row, len(a.lines)-1))
	return &a.lines[a.row]
}

// move moves up or down and keeps the column if the line is long enough.
func (a *TextArea) move(by int) {
	column := text.Width(a.current().text[:a.current().at])
	a.row += by
	l := a.current()
	at, w := 0, 0
	for _, g := range text.Graphemes(l.text) {
		w += text.Width(g)
		if w > column {
			break
		}
		at += len(g)
	}
	l.at = at
}

// join appends the next line to the current one and puts the cursor between them.
func (a *TextArea) join() {
	l := a.current()
	end := len(l.text)
	l.text += a.lines[a.row+1].text
	l.at = l.snap(end)
	a.lines = slices.Delete(a.lines, a.row+1, a.row+2)
}

// plainLines normalizes line ends to \n and replaces tabs with blanks.
var plainLines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "  ")

func (a *TextArea) insert(s string) {
	s = plainLines.Replace(s)
	l := a.current()
	before, after := l.text[:l.at], l.text[l.at:]
	parts := strings.Split(s, "\n")
	if len(parts) == 1 {
		l.insert(s)
		return
	}
	fresh := make([]line, len(parts))
	for i, p := range parts {
		fresh[i].set(p)
	}
	fresh[0].set(before + parts[0])
	last := &fresh[len(fresh)-1]
	last.text += after
	last.at = last.snap(last.at)
	a.lines = slices.Replace(a.lines, a.row, a.row+1, fresh...)
	a.row += len(fresh) - 1
}

// View draws the text, exactly filling size.
func (a *TextArea) View(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	a.height = size.Y
	cur := a.current()
	a.top = max(0, min(a.top, a.row))
	if a.row >= a.top+size.Y {
		a.top = a.row - size.Y + 1
	}
	a.top = max(0, min(a.top, len(a.lines)-size.Y))
	style := th.Field
	if a.focused {
		style = th.FieldFocus
	}
	var b strings.Builder
	for y := range size.Y {
		if y > 0 {
			b.WriteByte('\n')
		}
		i := a.top + y
		switch {
		case i >= len(a.lines):
			b.WriteString(style.Render(text.Blanks(size.X)))
		case i == a.row && len(a.lines) == 1 && cur.text == "" && a.Placeholder != "":
			f := Field{Placeholder: a.Placeholder, focus: a.focus}
			b.WriteString(f.text(size.X, th))
		default:
			b.WriteString(a.lines[i].view(size.X, a.focused && i == a.row, "", " ", style, th.Cursor))
		}
	}
	return b.String()
}
