package kit

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mediadesk/ui/text"
)

// line is a line of text being edited by the text input of bubbles. It adds what that lacks:
// keys move over whole letters, not over code points, and drawing is safe for any text. The
// zero value is empty.
type line struct{ in *textinput.Model }

func (l *line) input() *textinput.Model {
	if l.in == nil {
		in := textinput.New()
		in.SetVirtualCursor(false)
		in.KeyMap.Paste.SetEnabled(false) // the terminal pastes
		in.Focus()
		l.in = &in
	}
	return l.in
}

// value returns the text, and the byte offset of the cursor in it.
func (l *line) value() (s string, at int) {
	if l.in == nil {
		return "", 0
	}
	s = l.in.Value()
	return s, offsetOf(s, l.in.Position())
}

// offsetOf returns the byte offset of the code point with number n.
func offsetOf(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

func (l *line) set(s string) {
	l.input().SetValue(s)
	l.in.CursorEnd()
}

// insert inserts s at the cursor.
func (l *line) insert(s string) {
	*l.input(), _ = l.in.Update(tea.PasteMsg{Content: s})
}

// press handles the keys that edit or move, and reports whether msg is one. If secret is
// set, words have no boundaries, so that the cursor reveals nothing about hidden text.
func (l *line) press(msg tea.KeyPressMsg, secret bool) bool {
	in := l.input()
	k := &in.KeyMap
	if !key.Matches(msg, k.CharacterForward, k.CharacterBackward, k.WordForward, k.WordBackward, k.LineStart, k.LineEnd,
		k.DeleteCharacterBackward, k.DeleteCharacterForward, k.DeleteWordBackward, k.DeleteWordForward,
		k.DeleteAfterCursor, k.DeleteBeforeCursor) {
		return false
	}
	in.EchoMode = textinput.EchoNormal
	if secret {
		in.EchoMode = textinput.EchoPassword
	}
	s, at := l.value()
	times := 1
	switch {
	case key.Matches(msg, k.CharacterBackward, k.DeleteCharacterBackward):
		times = lastLetter(s[:at])
	case key.Matches(msg, k.CharacterForward, k.DeleteCharacterForward):
		times = firstLetter(s[at:])
	}
	for range times {
		*in, _ = in.Update(msg)
	}
	return true
}

// firstLetter and lastLetter return the number of code points of a letter, which may have
// combining marks; 0 without one.
func firstLetter(s string) int {
	for _, g := range text.Graphemes(s[:min(len(s), 200)]) {
		return utf8.RuneCountInString(g)
	}
	return 0
}

func lastLetter(s string) int {
	letters := text.Graphemes(s)
	if len(letters) == 0 {
		return 0
	}
	return utf8.RuneCountInString(letters[len(letters)-1])
}

// view draws the line in exactly width columns, scrolled to show the cursor. A mask
// other than "" replaces every letter; fill follows the text in every cell.
func (l *line) view(width int, focused bool, mask, fill string, words, cursor lipgloss.Style) string {
	if width < 1 {
		return ""
	}
	s, cursorAt := l.value()
	cells := text.Graphemes(s)
	at, pos, total := 0, len(cells), 0
	for i, letter := range cells {
		if at == cursorAt {
			pos = i
		}
		at += len(letter)
		if cells[i] = mask; mask == "" {
			cells[i] = text.Safe(letter)
		}
		total += text.Width(cells[i])
	}
	if focused && pos == len(cells) {
		cells = append(cells, " ")
		total++
	}
	// Scroll just far enough to show the whole letter at the cursor and a few cells
	// after it.
	from := 0
	if focused && total > width {
		from = pos
		used := text.Width(strings.Join(cells[pos:min(len(cells), pos+3)], ""))
		for from > 0 && used+text.Width(cells[from-1]) <= width {
			from--
			used += text.Width(cells[from])
		}
	}
	to, used := from, 0
	for to < len(cells) && used+text.Width(cells[to]) <= width {
		used += text.Width(cells[to])
		to++
	}
	rest := strings.Repeat(fill, width-used)
	switch {
	case !focused || pos >= to && to > from:
		return words.Render(strings.Join(cells[from:to], "") + rest)
	case to == from:
		return cursor.Render(text.Fit(cells[pos], width, 1)) // an escape wider than the field: show its beginning
	}
	return words.Render(strings.Join(cells[from:pos], "")) + cursor.Render(cells[pos]) + words.Render(strings.Join(cells[pos+1:to], "")+rest)
}

// oneLine makes pasted text fit in one line: it replaces every run of newlines and tabs
// with one blank, and removes them at the end.
func oneLine(s string) string {
	s = strings.TrimRight(s, "\r\n")
	if !strings.ContainsAny(s, "\r\n\t") {
		return s
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '\r' || r == '\n' || r == '\t' })
	return strings.Join(parts, " ")
}
