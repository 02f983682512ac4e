package kit

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Chips edits a list of short texts, such as tags: chips and an entry behind
// them. Enter or a comma makes a chip of the entry; backspace in an empty entry
// takes the last chip away; left and right from the entry's begin walk over the
// chips, where delete or backspace takes one away and enter puts it back into
// the entry. A text that is there already is not added twice. The zero value
// is an empty list.
type Chips struct {
	// Label and LabelWidth are as in [Field].
	Label      string
	LabelWidth int
	// Placeholder is shown while there is neither chip nor entry.
	Placeholder string
	// Complete gives the texts that may be meant by what is typed, the best
	// first; nil offers none. Tab takes the one shown, up and down choose.
	Complete func(typed string) []string
	// Note says something of a chip, behind it; nil or "": nothing.
	Note func(value string) string
	// Entered takes every text that becomes a chip, also one that is a chip already;
	// nil: nothing does.
	Entered func(value string)

	values []string
	entry  line
	on     int // the chip the keys act upon, len(values) = the entry
	offers
	focus
}

// NewChips makes an editor with a label and a placeholder.
func NewChips(label, placeholder string) *Chips {
	return &Chips{Label: label, Placeholder: placeholder}
}

// Value is the list of chips. An entry not yet made a chip counts as one, so
// that nothing typed is lost by sending.
func (c *Chips) Value() []string {
	out := slices.Clone(c.values)
	if v := c.Typed(); v != "" && !slices.Contains(out, v) {
		out = append(out, v)
	}
	return out
}

// Typed is the entry that is not a chip yet.
func (c *Chips) Typed() string { return strings.TrimSpace(c.entry.text) }

// SetValue replaces the chips and empties the entry.
func (c *Chips) SetValue(values []string) {
	c.values = slices.Clone(values)
	c.entry = line{}
	c.on = len(c.values)
	c.offers.set(nil)
}

// Add appends a chip where it is not there already, and tells whether it did.
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

// Focus makes the editor take keys, those of the entry.
func (c *Chips) Focus() {
	c.focused = true
	c.on = len(c.values)
}

// Blur makes a chip of the entry and the editor ignore keys.
func (c *Chips) Blur() {
	if c.focused {
		c.commit()
	}
	c.focused = false
	c.on = len(c.values)
	c.offers.set(nil)
}

// Update edits the chips and the entry. It tells whether it used the message;
// enter and tab are used only where they do something here.
func (c *Chips) Update(msg tea.Msg) bool {
	if !c.focused {
		return false
	}
	switch msg := msg.(type) {
	case tea.PasteMsg:
		c.paste(msg.Content)
		return true
	case tea.KeyPressMsg:
		if text := typed(msg); text != "" {
			c.write(text)
			return true
		}
		if c.on < len(c.values) {
			return c.pressChip(msg.String())
		}
		return c.pressEntry(msg.String())
	}
	return false
}

// write types into the entry; a comma ends it.
func (c *Chips) write(text string) {
	c.on = len(c.values)
	for i, part := range strings.Split(text, ",") {
		if i > 0 {
			c.commit()
		}
		c.entry.insert(part)
	}
	c.complete()
}

// paste adds every part of a list divided by commas or line ends; text without
// either goes into the entry.
func (c *Chips) paste(text string) {
	text = strings.TrimRight(text, "\r\n")
	if !strings.ContainsAny(text, ",\r\n") {
		c.write(oneLine(text))
		return
	}
	c.commit()
	// A list may be long: looking for each in all before it would take seconds.
	have := make(map[string]bool, len(c.values))
	for _, v := range c.values {
		have[v] = true
	}
	divider := func(r rune) bool { return r == ',' || r == '\r' || r == '\n' }
	for part := range strings.FieldsFuncSeq(text, divider) {
		v := strings.TrimSpace(oneLine(part))
		c.tell(v)
		if v != "" && !have[v] {
			have[v] = true
			c.values = append(c.values, v)
		}
	}
	c.on = len(c.values)
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
		c.entry.set(v)
		c.on = len(c.values)
	default:
		return false
	}
	return true
}

func (c *Chips) pressEntry(key string) bool {
	if took, used := c.offers.press(key); used {
		if took != "" {
			c.entry.set(took)
			c.commit()
		}
		return true
	}
	switch key {
	case "enter":
		if strings.TrimSpace(c.entry.text) == "" {
			return false
		}
		c.commit()
		return true
	case "backspace":
		if c.entry.text == "" {
			c.remove(len(c.values) - 1)
			return true
		}
	case "left", "ctrl+b":
		if c.entry.at == 0 && len(c.values) > 0 {
			c.on = len(c.values) - 1
			return true
		}
	}
	used := c.entry.press(key, false)
	if used {
		c.complete()
	}
	return used
}

// commit makes a chip of the entry.
func (c *Chips) commit() {
	c.tell(c.Typed())
	c.Add(c.entry.text)
	c.entry.set("")
	c.offers.set(nil)
	c.on = len(c.values)
}

func (c *Chips) tell(entered string) {
	if entered != "" && c.Entered != nil {
		c.Entered(entered)
	}
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

// Offers are the completions that are offered now.
func (c *Chips) Offers() []string { return c.offers.list }

// complete asks for completions of what is typed now.
func (c *Chips) complete() {
	c.offers.set(nil)
	text := strings.TrimSpace(c.entry.text)
	if c.Complete == nil || text == "" {
		return
	}
	c.offers.set(slices.DeleteFunc(slices.Clone(c.Complete(text)), func(v string) bool { return v == text || slices.Contains(c.values, v) }))
}

// Rows is how many rows the editor needs at that width to show everything.
func (c *Chips) Rows(width int, th *theme.Theme) int {
	return max(1, len(c.layout(width, th)))
}

// View draws label, chips, entry and, while something is typed, its
// completions, exactly filling size. Where there are more rows than room, those
// with the thing that the keys act upon are shown.
func (c *Chips) View(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	rows := c.layout(size.X, th)
	from := 0
	for i, r := range rows {
		if r.focus && i >= size.Y {
			from = i - size.Y + 1
		}
	}
	lines := make([]string, 0, size.Y)
	for _, r := range rows[from:min(len(rows), from+size.Y)] {
		lines = append(lines, r.draw())
	}
	return text.Fit(strings.Join(lines, "\n"), size.X, size.Y)
}

// chipRow is one row. Its parts are drawn only where the row is seen: there may
// be thousands.
type chipRow struct {
	head  string
	parts []chipPart
	width int
	focus bool
}

// chipPart is a chip, or with a nil style something that is drawn already.
type chipPart struct {
	text  string
	style *lipgloss.Style
}

func (r chipRow) draw() string {
	var b strings.Builder
	b.WriteString(r.head)
	for i, p := range r.parts {
		if i > 0 {
			b.WriteByte(' ')
		}
		if p.style == nil {
			b.WriteString(p.text)
			continue
		}
		b.WriteString(p.style.Render(p.text))
	}
	return b.String()
}

// layout breaks chips and entry into rows.
func (c *Chips) layout(width int, th *theme.Theme) []chipRow {
	label, room := labelColumn(c.Label, c.LabelWidth, width, c.focused, th)
	indent := text.Blanks(width - room)
	rows := []chipRow{{head: label}}
	put := func(words string, style *lipgloss.Style, focus bool) {
		r := &rows[len(rows)-1]
		w := text.Width(words)
		if len(r.parts) > 0 {
			w++
		}
		if len(r.parts) > 0 && r.width+w > room {
			rows = append(rows, chipRow{head: indent})
			r = &rows[len(rows)-1]
			w--
		}
		r.parts = append(r.parts, chipPart{words, style})
		r.width += w
		r.focus = r.focus || focus
	}
	for i, v := range c.values {
		on := c.focused && i == c.on
		style, words := &th.Chip, text.Safe(v)
		if on {
			style = &th.ChipFocus
		}
		if c.Note != nil {
			words = strings.TrimSpace(words + " " + c.Note(v))
		}
		if th.Color {
			words = " " + words + " "
		} else {
			words = "[" + words + "]"
		}
		put(text.Truncate(words, room), style, on)
	}
	if !c.focused {
		if len(c.values) == 0 {
			put(text.Truncate(text.Safe(c.Placeholder), room), &th.Placeholder, false)
		}
		return rows
	}
	atEntry := c.on >= len(c.values)
	hint := ""
	if len(c.values) == 0 {
		hint = c.Placeholder
	}
	f := Field{Placeholder: hint, line: c.entry, focus: focus{atEntry}}
	w := min(room, max(12, text.Width(text.Safe(c.entry.text))+1, text.Width(text.Safe(hint))+1))
	put(f.text(w, th), nil, atEntry)
	if len(c.offers.list) > 0 && atEntry {
		whole := func(v string) string { return v }
		rows = append(rows, chipRow{head: indent + c.offers.view(room, whole, th), width: room, focus: true})
	}
	return rows
}
