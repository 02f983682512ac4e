package kit

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Field is a one-line text field with the readline keys. The zero value is an empty
// field without a label.
type Field struct {
	// Label precedes the text; an empty label takes no room.
	Label string
	// LabelWidth is the width of the label column, so that fields line up. 0 means the
	// width of the label.
	LabelWidth int
	// Placeholder is shown, muted, while the field is empty.
	Placeholder string
	// Secret shows a star for every letter, keeps no text for ctrl+y and ignores word
	// boundaries.
	Secret bool
	// Limit is the maximum length in bytes, 0 for none. Further input is ignored.
	Limit int
	// Complete returns the completions of the typed text, best first; nil offers none.
	// Tab accepts the selected one, up and down select, esc closes the list.
	Complete func(typed string) []string

	line line
	offers
	focus
}

// focus is embedded by components that take keys only while they have the focus.
type focus struct{ focused bool }

// Focus makes the component take keys.
func (f *focus) Focus() { f.focused = true }

// Blur makes the component ignore keys.
func (f *focus) Blur() { f.focused = false }

// Focused reports whether the component takes keys.
func (f *focus) Focused() bool { return f.focused }

// NewField returns a field with a label and a placeholder.
func NewField(label, placeholder string) *Field {
	return &Field{Label: label, Placeholder: placeholder}
}

// Value returns the text exactly as typed or pasted.
func (f *Field) Value() string { return f.line.text }

// SetValue replaces the text and moves the cursor to its end.
func (f *Field) SetValue(s string) {
	f.line.set(s)
	f.offers.set(nil)
}

// Blur makes the field ignore keys and closes the completions.
func (f *Field) Blur() {
	f.focused = false
	f.offers.set(nil)
}

// Cursor returns the byte offset of the cursor in the text.
func (f *Field) Cursor() int { return f.line.at }

// Update edits the text and reports whether it used the message. It does not use enter,
// and uses esc, tab, up and down only while it offers completions.
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

// Refresh updates the completions.
func (f *Field) Refresh() {
	f.offers.set(nil)
	if f.Complete != nil {
		f.offers.set(f.Complete(f.line.text))
	}
}

// Offers returns the completions offered now.
func (f *Field) Offers() []string { return f.offers.list }

// ViewOffers draws the completions in one line: paths in full, otherwise only the part
// after the last space or comma.
func (f *Field) ViewOffers(width int, th *theme.Theme) string {
	return f.offers.view(width, func(offer string) string {
		offer = strings.TrimRight(offer, " ")
		if strings.HasPrefix(offer, "/") {
			return offer // a path, which may contain spaces
		}
		return lastWord(offer)
	}, th)
}

// lastWord returns the text after the last space or comma outside quotation marks.
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

// insert inserts as many whole letters of s as the limit allows.
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

// View draws the label and the text in one line of exactly width columns.
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
		// The placeholder keeps the field's background, with the cursor before it.
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
	mask := text.If(f.Secret, "*")
	return f.line.view(width, f.focused, mask, th.FieldFill, style, th.Cursor)
}

// labelColumn draws the label of a form component and returns the number of columns
// left for the component.
func labelColumn(label string, labelWidth, width int, focused bool, th *theme.Theme) (drawn string, room int) {
	if label == "" && labelWidth == 0 {
		return "", max(0, width)
	}
	w := labelWidth
	if w == 0 {
		w = text.Width(text.Safe(label))
	}
	// The text always gets more room than its label.
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

// typed returns the text that a key press types, or "".
func typed(msg tea.KeyPressMsg) string {
	if msg.Mod&^(tea.ModShift|tea.ModCapsLock|tea.ModNumLock|tea.ModScrollLock) != 0 {
		return ""
	}
	return msg.Text
}
