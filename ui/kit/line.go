package kit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mediadesk/ui/text"

	"charm.land/lipgloss/v2"
)

// line is text being edited in one line. The cursor stands between letters as
// a reader sees them, never between a letter and its marks.
type line struct {
	text string
	at   int // byte offset of the cursor
	kill string
}

func (l *line) set(s string) { l.text, l.at = s, len(s) }

// insert puts s at the cursor. Marks may join what stands before them, so the
// cursor goes to the end of the letter that s ends in.
func (l *line) insert(s string) {
	l.text = l.text[:l.at] + s + l.text[l.at:]
	l.at = l.snap(l.at + len(s))
}

// snap is the first border between letters at or after the byte offset i.
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

func (l *line) left() int {
	prev, at := 0, 0
	for _, g := range text.Graphemes(l.text) {
		if at >= l.at {
			break
		}
		prev = at
		at += len(g)
	}
	return prev
}

func (l *line) right() int {
	if l.at >= len(l.text) {
		return len(l.text)
	}
	return l.snap(l.at + 1)
}

// wordLeft and wordRight are the ends of words of letters and digits, so that
// a path or a file name is walked through part by part.
func (l *line) wordLeft() int {
	i := l.at
	for i > 0 && !wordRune(lastRune(l.text[:i])) {
		i -= lastSize(l.text[:i])
	}
	for i > 0 && wordRune(lastRune(l.text[:i])) {
		i -= lastSize(l.text[:i])
	}
	return l.snap(i)
}

func (l *line) wordRight() int {
	i := l.at
	for i < len(l.text) {
		r, n := utf8.DecodeRuneInString(l.text[i:])
		if wordRune(r) {
			break
		}
		i += n
	}
	for i < len(l.text) {
		r, n := utf8.DecodeRuneInString(l.text[i:])
		if !wordRune(r) {
			break
		}
		i += n
	}
	return l.snap(i)
}

// blankLeft is the beginning of the word before the cursor where only blanks
// end words, as the shell's ctrl+w has it.
func (l *line) blankLeft() int {
	i := l.at
	for i > 0 && unicode.IsSpace(lastRune(l.text[:i])) {
		i -= lastSize(l.text[:i])
	}
	for i > 0 && !unicode.IsSpace(lastRune(l.text[:i])) {
		i -= lastSize(l.text[:i])
	}
	return l.snap(i)
}

// cut removes the text between two offsets and keeps it for ctrl+y when keep
// is true.
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

// press edits by the readline keys. secret makes words unknown, so that moving
// by them tells nothing of a hidden text. It tells whether the key was one of
// them.
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

// view draws the line in exactly width columns, scrolled so that the cursor is
// seen. A mask other than "" stands for every letter, fill for every cell behind
// the text.
func (l *line) view(width int, focused bool, mask, fill string, words, cursor lipgloss.Style) string {
	if width < 1 {
		return ""
	}
	type cell struct {
		s    string
		w    int
		curs bool
	}
	var cells []cell
	at, pos, total := 0, 0, 0
	for _, g := range text.Graphemes(l.text) {
		shown := mask
		if shown == "" {
			shown = text.Safe(g)
		}
		c := cell{s: shown, w: text.Width(shown), curs: at == l.at}
		if c.curs {
			pos = len(cells)
		}
		cells = append(cells, c)
		total += c.w
		at += len(g)
	}
	if l.at >= len(l.text) {
		pos = len(cells)
		if focused {
			cells = append(cells, cell{s: " ", w: 1, curs: true})
			total++
		}
	}
	// The window begins as far left as still shows the cursor's whole letter,
	// with a little of what follows it.
	begin := 0
	if total > width && focused {
		used := cells[pos].w
		begin = pos
		ahead := min(len(cells)-1, pos+2)
		for i := pos + 1; i <= ahead; i++ {
			used += cells[i].w
		}
		for begin > 0 && used+cells[begin-1].w <= width {
			begin--
			used += cells[begin].w
		}
	}
	var out, run strings.Builder
	flush := func() {
		if run.Len() > 0 {
			out.WriteString(words.Render(run.String()))
			run.Reset()
		}
	}
	used := 0
	for _, c := range cells[begin:] {
		if used+c.w > width {
			if c.curs && focused && used == 0 {
				// An escape longer than the field: its beginning.
				out.WriteString(cursor.Render(text.Fit(c.s, width, 1)))
				used = width
			}
			break
		}
		used += c.w
		if c.curs && focused {
			flush()
			out.WriteString(cursor.Render(c.s))
			continue
		}
		run.WriteString(c.s)
	}
	run.WriteString(strings.Repeat(fill, max(0, width-used)))
	flush()
	return out.String()
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func lastSize(s string) int {
	_, n := utf8.DecodeLastRuneInString(s)
	return n
}

// oneLine makes pasted text fit for one line: every run of line ends and tabs
// is one blank, none at the end.
func oneLine(s string) string {
	s = strings.TrimRight(s, "\r\n")
	if !strings.ContainsAny(s, "\r\n\t") {
		return s
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '\r' || r == '\n' || r == '\t' })
	return strings.Join(parts, " ")
}
