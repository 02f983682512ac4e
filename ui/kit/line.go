package kit

import (
	"strings"
	"unicode"

	"mediadesk/ui/text"

	"charm.land/lipgloss/v2"
)

// line is a line of text being edited. The cursor stands between grapheme clusters,
// never between a letter and its combining marks.
type line struct {
	text string
	at   int // byte offset of the cursor
	kill string
}

func (l *line) set(s string) { l.text, l.at = s, len(s) }

// insert inserts s at the cursor. Combining marks may join the text before them, so the
// cursor moves to the end of the last cluster of s.
func (l *line) insert(s string) {
	l.text = l.text[:l.at] + s + l.text[l.at:]
	l.at = l.snap(l.at + len(s))
}

// snap returns the first cluster boundary at or after the byte offset i.
func (l *line) snap(i int) int {
	at := 0
	for _, g := range text.Graphemes(l.text) {
		if at >= i {
			break
		}
		at += len(g)
	}
	return at
}

// left and right return the cluster boundaries before and after the cursor.
func (l *line) left() int {
	letters := text.Graphemes(l.text[:l.at])
	if len(letters) == 0 {
		return 0
	}
	return l.at - len(letters[len(letters)-1])
}

func (l *line) right() int { return l.snap(min(l.at+1, len(l.text))) }

// wordLeft and wordRight return the ends of words of letters and digits, so that the
// cursor stops at each part of a path or file name.
func (l *line) wordLeft() int {
	before := strings.TrimRightFunc(l.text[:l.at], notWordRune)
	return l.snap(len(strings.TrimRightFunc(before, wordRune)))
}

func (l *line) wordRight() int {
	after := strings.TrimLeftFunc(l.text[l.at:], notWordRune)
	return l.snap(len(l.text) - len(strings.TrimLeftFunc(after, wordRune)))
}

// blankLeft returns the start of the word before the cursor, where only blanks
// separate words, as ctrl+w does in the shell.
func (l *line) blankLeft() int {
	before := strings.TrimRightFunc(l.text[:l.at], unicode.IsSpace)
	return l.snap(strings.LastIndexFunc(before, unicode.IsSpace) + 1)
}

// cut removes the text between two offsets. If keep is set, ctrl+y can insert it.
func (l *line) cut(from, to int, keep bool) {
	if from >= to {
		return
	}
	if keep {
		l.kill = l.text[from:to]
	}
	l.text = l.text[:from] + l.text[to:]
	l.at = l.snap(from)
}

// press handles the readline keys and reports whether key is one of them. If secret is
// set, words have no boundaries, so that the cursor reveals nothing about hidden text.
func (l *line) press(key string, secret bool) bool {
	wordLeft, wordRight, blankLeft := l.wordLeft, l.wordRight, l.blankLeft
	if secret {
		begin := func() int { return 0 }
		wordLeft, blankLeft = begin, begin
		wordRight = func() int { return len(l.text) }
	}
	switch key {
	case "left", "ctrl+b":
		l.at = l.left()
	case "right", "ctrl+f":
		l.at = l.right()
	case "home", "ctrl+a":
		l.at = 0
	case "end", "ctrl+e":
		l.at = len(l.text)
	case "alt+b", "alt+left", "ctrl+left":
		l.at = wordLeft()
	case "alt+f", "alt+right", "ctrl+right":
		l.at = wordRight()
	case "backspace":
		l.cut(l.left(), l.at, false)
	case "delete", "ctrl+d":
		l.cut(l.at, l.right(), false)
	case "ctrl+u":
		l.cut(0, l.at, !secret)
	case "ctrl+k":
		l.cut(l.at, len(l.text), !secret)
	case "ctrl+w":
		l.cut(blankLeft(), l.at, !secret)
	case "alt+backspace", "ctrl+backspace":
		l.cut(wordLeft(), l.at, !secret)
	case "alt+d", "ctrl+delete":
		l.cut(l.at, wordRight(), !secret)
	case "ctrl+y":
		l.insert(l.kill)
	default:
		return false
	}
	return true
}

// view draws the line in exactly width columns, scrolled to show the cursor. A mask
// other than "" replaces every letter; fill follows the text in every cell.
func (l *line) view(width int, focused bool, mask, fill string, words, cursor lipgloss.Style) string {
	if width < 1 {
		return ""
	}
	cells := text.Graphemes(l.text)
	at, pos, total := 0, len(cells), 0
	for i, letter := range cells {
		if at == l.at {
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

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func notWordRune(r rune) bool { return !wordRune(r) }

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
