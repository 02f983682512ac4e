package kit

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Chips edits a list of short texts, such as tags, as chips followed by an entry.
// Enter or a comma turns the entry into a chip; backspace in an empty entry removes
// the last chip. Left and right from the start of the entry walk over the chips:
// delete or backspace removes one, and enter moves it back into the entry. Duplicates
// are not added. The zero value is an empty list.
type Chips struct {
	// Placeholder is shown in the empty entry; without the focus only if there are no chips.
	Placeholder string
	// Complete returns the completions of the typed text, best first; nil offers none.
	// Tab accepts the selected one, up and down select.
	Complete func(typed string) []string
	// Note returns a remark to show after a chip, or ""; it may be nil.
	Note func(value string) string
	// New reports whether a chip is not saved, which its color and a plus say; it may be nil.
	New func(value string) bool
	// Wrong reports whether a chip is not allowed; it may be nil.
	Wrong func(value string) bool
	// Gone returns the removed chips that are still saved, which are struck out; it may be nil.
	Gone func() []string
	// Entered receives every text that is entered as a chip, including duplicates; it may
	// be nil.
	Entered func(value string)

	values []string
	entry  Field
	on     int // the chip the keys act on; len(values) is the entry
	offers
	focus
}

// Value returns the chips. Text still in the entry counts as a chip, so that it is not
// lost on sending.
func (c *Chips) Value() []string {
	out := slices.Clone(c.values)
	if v := c.Typed(); v != "" && !slices.Contains(out, v) {
		out = append(out, v)
	}
	return out
}

// Typed returns the text of the entry.
func (c *Chips) Typed() string { return strings.TrimSpace(c.entry.Value()) }

// SetValue replaces the chips and empties the entry.
func (c *Chips) SetValue(values []string) {
	c.values = slices.Clone(values)
	c.entry.SetValue("")
	c.on = len(c.values)
	c.offers.set(nil)
}

// Add appends a chip unless it is a duplicate, and reports whether it did.
func (c *Chips) Add(value string) bool {
	v := strings.TrimSpace(value)
	if v == "" || slices.Contains(c.values, v) {
		return false
	}
	atEntry := c.on >= len(c.values)
	c.values = append(c.values, v)
	if atEntry {
		c.on = len(c.values)
	}
	return true
}

// Focus focuses the entry.
func (c *Chips) Focus() {
	c.focused = true
	c.on = len(c.values)
}

// Blur turns the entry into a chip and makes the editor ignore keys.
func (c *Chips) Blur() {
	if c.focused {
		c.commit()
	}
	c.focused = false
	c.on = len(c.values)
	c.offers.set(nil)
}

// Update edits the chips and the entry. It reports whether it used the message; it uses
// enter and tab only if they have an effect.
func (c *Chips) Update(msg tea.Msg) bool {
	if !c.focused {
		return false
	}
	switch msg := msg.(type) {
	case tea.PasteMsg:
		c.paste(msg.Content)
		return true
	case tea.KeyPressMsg:
		if content := typed(msg); content != "" {
			c.write(content)
			return true
		}
		if c.on < len(c.values) {
			return c.pressChip(msg.String())
		}
		return c.pressEntry(msg)
	}
	return false
}

func (c *Chips) write(content string) {
	c.on = len(c.values)
	for i, part := range strings.Split(content, ",") {
		if i > 0 {
			c.commit()
		}
		c.entry.edit(tea.PasteMsg{Content: part})
	}
	c.complete()
}

// paste adds every part of a list separated by commas or newlines; other text goes
// into the entry.
func (c *Chips) paste(content string) {
	content = strings.TrimRight(content, "\r\n")
	if !strings.ContainsAny(content, ",\r\n") {
		c.write(oneLine(content))
		return
	}
	c.commit()
	separates := func(r rune) bool { return r == ',' || r == '\r' || r == '\n' }
	for part := range strings.FieldsFuncSeq(content, separates) {
		c.entry.SetValue(oneLine(part))
		c.commit()
	}
}

func (c *Chips) pressChip(key string) bool {
	switch key {
	case "left", "ctrl+b":
		c.on = max(0, c.on-1)
	case "right", "ctrl+f":
		c.on++
	case "home", "ctrl+a":
		c.on = 0
	case "end", "ctrl+e":
		c.on = len(c.values)
	case "delete", "backspace", "ctrl+d":
		c.remove(c.on)
	case "enter":
		v := c.values[c.on]
		c.remove(c.on)
		c.commit()
		c.entry.SetValue(v)
		c.on = len(c.values)
	default:
		return false
	}
	return true
}

func (c *Chips) pressEntry(msg tea.KeyPressMsg) bool {
	key := msg.String()
	if took, used := c.offers.press(key); used {
		if took != "" {
			c.entry.SetValue(took)
			c.commit()
		}
		return true
	}
	switch key {
	case "enter", "esc":
		if c.Typed() == "" {
			return false
		}
		if key == "esc" { // a word that was not ended is no tag
			c.entry.SetValue("")
		}
		c.commit()
		return true
	case "backspace":
		if c.entry.Value() == "" {
			c.remove(len(c.values) - 1)
			return true
		}
	case "left", "ctrl+b":
		if c.entry.input().Position() == 0 && len(c.values) > 0 {
			c.on = len(c.values) - 1
			return true
		}
	}
	used := c.entry.edit(msg)
	if used {
		c.complete()
	}
	return used
}

func (c *Chips) commit() {
	if c.Typed() != "" && c.Entered != nil {
		c.Entered(c.Typed())
	}
	c.Add(c.Typed())
	c.entry.SetValue("")
	c.offers.set(nil)
	c.on = len(c.values)
}

func (c *Chips) remove(i int) {
	if i < 0 || i >= len(c.values) {
		return
	}
	atEntry := c.on >= len(c.values)
	c.values = slices.Delete(c.values, i, i+1)
	if atEntry {
		c.on = len(c.values)
	}
	c.on = min(c.on, len(c.values))
}

func (c *Chips) complete() {
	c.offers.set(nil)
	content := c.Typed()
	if c.Complete == nil || content == "" {
		return
	}
	c.offers.set(slices.DeleteFunc(slices.Clone(c.Complete(content)),
		func(v string) bool { return v == content || slices.Contains(c.values, v) }))
}

// Rows returns the number of rows that the editor needs at that width.
func (c *Chips) Rows(width int, th *theme.Theme) int {
	rows, _ := c.layout(width, th)
	return len(rows)
}

// View draws the chips, the entry and its completions, exactly filling size.
// If the rows do not fit, it shows those around the chip or entry that has the focus.
func (c *Chips) View(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	rows, at := c.layout(size.X, th)
	return text.Fit(strings.Join(rows[max(0, at-size.Y+1):], "\n"), size.X, size.Y)
}

// layout breaks chips, entry and completions into rows. at is the row with the focus.
func (c *Chips) layout(room int, th *theme.Theme) (rows []string, at int) {
	rows = []string{""}
	put := func(drawn string, focused bool) {
		last := &rows[len(rows)-1]
		switch {
		case *last == "":
			*last = drawn
		case text.Width(*last)+1+text.Width(drawn) > room:
			rows = append(rows, drawn)
		default:
			*last += " " + drawn
		}
		if focused {
			at = len(rows) - 1
		}
	}
	for i, v := range c.values {
		on := c.focused && i == c.on
		style, first, last := text.Either(on, th.ChipFocus, th.Chip), "[", "]"
		if th.Color {
			first, last = " ", " "
		}
		if c.New != nil && c.New(v) {
			style = text.Either(on, style, style.Foreground(th.Warn.GetForeground()))
			first = text.Either(th.Color, " +", "[+")
		}
		if c.Wrong != nil && c.Wrong(v) {
			style = text.Either(on, style, style.Foreground(th.Bad.GetForeground()))
		}
		if c.Note != nil && c.Note(v) != "" {
			last = " " + c.Note(v) + last
		}
		quiet := text.Either(on, style, style.Foreground(th.Muted.GetForeground()))
		words := style.Render(text.Truncate(first+text.Safe(v), max(1, room-text.Width(last))))
		put(text.Truncate(words+quiet.Render(last), room), on)
	}
	var gone []string
	if c.Gone != nil {
		gone = c.Gone()
	}
	for _, v := range gone {
		put(th.Bad.Strikethrough(th.Color).Render(text.Truncate("-"+text.Safe(v), room)), false)
	}
	if !c.focused {
		if len(c.values)+len(gone) == 0 {
			put(th.Placeholder.Render(text.Truncate(text.Safe(c.Placeholder), room)), false)
		}
		return rows, at
	}
	atEntry := c.on >= len(c.values)
	f := Field{Placeholder: c.Placeholder, in: c.entry.in, focus: focus{atEntry}}
	w := min(room, max(12, text.Width(text.Safe(c.entry.Value()))+1, text.Width(text.Safe(f.Placeholder))+1))
	if left := room - text.Width(rows[len(rows)-1]+text.If(rows[len(rows)-1] != "", " ")); w <= left {
		w = left
	}
	put(f.text(w, th), atEntry)
	if len(c.offers.list) > 0 && atEntry {
		whole := func(v string) string { return v }
		rows = append(rows, c.offers.view(room, whole, th))
		at++
	}
	return rows, at
}
