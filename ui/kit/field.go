package kit

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Field is a text field of one line with the readline keys. The zero value is
// an empty field without a label.
type Field struct {
	// Label stands before the text; empty takes no room.
	Label string
	// LabelWidth is the width of the label's column, so that fields under each
	// other line up. 0 makes it as wide as the label.
	LabelWidth int
	// Placeholder is shown, muted, while the field is empty.
	Placeholder string
	// Secret shows a star for every letter, keeps nothing for ctrl+y and knows
	// no words.
	Secret bool
	// Limit is the greatest number of bytes, 0 for none. What goes beyond is
	// not taken.
	Limit int
	// Complete gives the texts that may be meant by what is typed, the best first; nil
	// offers none. Tab takes the one shown, up and down choose, esc puts them away.
	Complete func(typed string) []string

	line line
	offers
	focus
}

// focus is embedded by what takes keys only while it has the focus.
type focus struct{ focused bool }

// Focus makes it take keys.
func (f *focus) Focus() { f.focused = true }

// Blur makes it ignore keys.
func (f *focus) Blur() { f.focused = false }

// Focused tells whether it takes keys.
func (f *focus) Focused() bool { return f.focused }

// NewField makes a field with a label and a placeholder.
func NewField(label, placeholder string) *Field {
	return &Field{Label: label, Placeholder: placeholder}
}

// Value is the text exactly as typed or pasted.
func (f *Field) Value() string { return f.line.text }

// SetValue replaces the text and puts the cursor at its end.
func (f *Field) SetValue(s string) {
	f.line.set(s)
	f.offers.set(nil)
}

// Blur makes it ignore keys and puts the completions away.
func (f *Field) Blur() {
	f.focused = false
	f.offers.set(nil)
}

// Cursor is the byte offset of the cursor in the text.
func (f *Field) Cursor() int { return f.line.at }

// Update edits the text. It tells whether it used the message; enter, and without
// completions esc, tab and the arrows up and down are left to the screen.
func (f *Field) Update(msg tea.Msg) bool {
	if !f.focused {
		return false
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		if took, used := f.offers.press(press.String()); used {
			if took != "" {
				f.line.set(took)
				f.Refresh()
			}
			return true
		}
	}
	before := f.line.text
	used := f.edit(msg)
	if used && f.Complete != nil && f.line.text != before {
		f.Refresh()
	}
	return used
}

// Refresh asks for the completions again.
func (f *Field) Refresh() {
	f.offers.set(nil)
	if f.Complete != nil {
		f.offers.set(f.Complete(f.line.text))
	}
}

// Offers are the completions that are offered now.
func (f *Field) Offers() []string { return f.offers.list }

// ViewOffers draws the completions in one line: a path whole, of others what is after the
// last space or comma.
func (f *Field) ViewOffers(width int, th *theme.Theme) string {
	return f.offers.view(width, func(offer string) string {
		offer = strings.TrimRight(offer, " ")
		if strings.HasPrefix(offer, "/") {
			return offer // a path, which may have spaces
		}
		return lastWord(offer)
	}, th)
}

// lastWord is what follows the last space or comma that is not in quotation marks.
func lastWord(line string) string {
	from, quoted := 0, false
	for i := range len(line) {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case !quoted && (line[i] == ' ' || line[i] == ','):
			from = i + 1
		}
	}
	return line[from:]
}

func (f *Field) edit(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		f.insert(oneLine(msg.Content))
		return true
	case tea.KeyPressMsg:
		if typed(msg) != "" {
			f.insert(typed(msg))
			return true
		}
		if msg.String() == "ctrl+y" {
			f.insert(f.line.kill)
			return true
		}
		return f.line.press(msg.String(), f.Secret)
	}
	return false
}

// insert takes as many whole letters of s as the limit allows.
func (f *Field) insert(s string) {
	if f.Limit > 0 {
		room := f.Limit - len(f.line.text)
		kept := 0
		for _, g := range text.Graphemes(s) {
			if kept+len(g) > room {
				break
			}
			kept += len(g)
		}
		s = s[:kept]
	}
	f.line.insert(s)
}

// View draws label and text in one line of exactly width columns.
func (f *Field) View(width int, th *theme.Theme) string {
	label, room := labelColumn(f.Label, f.LabelWidth, width, f.focused, th)
	return label + f.text(room, th)
}

func (f *Field) text(width int, th *theme.Theme) string {
	style := th.Field
	if f.focused {
		style = th.FieldFocus
	}
	if f.line.text == "" && f.Placeholder != "" {
		// The placeholder keeps the field's ground, with the cursor before it.
		hint := th.Placeholder
		if f.focused {
			hint = th.PlaceholderFocus
		}
		hint = hint.Inherit(style)
		words := text.Safe(f.Placeholder)
		if f.focused && width > 0 {
			return th.Cursor.Render(" ") + hint.Render(text.PadRight(words, width-1))
		}
		return hint.Render(text.PadRight(words, width))
	}
	mask := ""
	if f.Secret {
		mask = "*"
	}
	return f.line.view(width, f.focused, mask, th.FieldFill, style, th.Cursor)
}

// labelColumn draws the label of a part that stands in a form and tells how
// many columns are left for the part.
func labelColumn(label string, labelWidth, width int, focused bool, th *theme.Theme) (drawn string, room int) {
	if label == "" && labelWidth == 0 {
		return "", max(0, width)
	}
	w := labelWidth
	if w == 0 {
		w = text.Width(text.Safe(label))
	}
	// The text always has more room than its label.
	w = min(w, max(0, width/2-1))
	style := th.Label
	if focused {
		style = th.Accent
	}
	if w < 1 {
		return "", max(0, width)
	}
	return style.Render(text.PadRight(text.Safe(label), w)) + " ", width - w - 1
}

// typed is the text that a key press writes, empty for keys that write none.
func typed(msg tea.KeyPressMsg) string {
	if msg.Mod&^(tea.ModShift|tea.ModCapsLock|tea.ModNumLock|tea.ModScrollLock) != 0 {
		return ""
	}
	return msg.Text
}
