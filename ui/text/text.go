// Package text prepares text for a terminal: it makes text safe, fits it to columns, and
// formats numbers with units.
package text

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// ellipsis replaces text that was cut.
const ellipsis = "…"

// Width returns the number of columns of one line. Escape sequences take no columns, East
// Asian letters and emoji two.
func Width(s string) int { return Method().StringWidth(s) }

// Truncate shortens one line, which may contain styles, to at most w columns and ends it
// with … if it was longer. It never splits a grapheme cluster. For w < 1 it returns "".
func Truncate(s string, w int) string {
	if w < 1 {
		return ""
	}
	s, _ = clip(s, w, ellipsis)
	return s
}

// List joins words with commas, as many as fit into w columns, and adds how many have no room, such as
// "gray, dark +2".
func List(words []string, w int) string {
	all := strings.Join(words, ", ")
	for n := len(words) - 1; n > 0 && Width(all) > w; n-- {
		all = strings.Join(words[:n], ", ") + " +" + Count(len(words)-n)
	}
	return Truncate(all, w)
}

// TruncateMiddle shortens a plain name (without styles) to at most w columns by cutting
// its middle, to keep the beginning and the extension. It never splits a grapheme cluster
// or an escape written by Safe. For w < 1 it returns "".
func TruncateMiddle(s string, w int) string {
	if w <= 1 || Width(s) <= w {
		return Truncate(s, w)
	}
	parts := split(s, func(s string) string { return cmp.Or(writtenOut.FindString(s), firstGrapheme(s)) })
	room := w - 1
	tail := room / 2
	// A longer extension may take more than half the width, but leaves two columns.
	if dot := strings.LastIndexByte(s, '.'); dot > 0 {
		if ext := Width(s[dot:]); ext > tail && ext <= 10 && ext <= room-2 {
			tail = ext
		}
	}
	begin, end, used := 0, len(parts), 0
	for ; end > 0 && used+Width(parts[end-1]) <= tail; end-- {
		used += Width(parts[end-1])
	}
	for ; begin < end && used+Width(parts[begin]) <= room; begin++ {
		used += Width(parts[begin])
	}
	return strings.Join(parts[:begin], "") + ellipsis + strings.Join(parts[end:], "")
}

// suffix matches the part that makes a name unique: nine random characters before the
// extension. usual matches the exceptions, which look like a word, a number or a date.
var (
	suffix = regexp.MustCompile(`_([A-Za-z0-9_-]{9})(\.[^./]*)?$`)
	usual  = regexp.MustCompile(`^(([A-Z]?[a-z]*|[A-Z]*)[0-9]*([-_]|$))+$`)
)

// ShortName shortens a file name or path to at most w columns and makes it safe. It cuts a
// random suffix first, then the middle. Wherever letters are missing stands ….
func ShortName(name string, w int) string {
	safe := Safe(name)
	if at := suffix.FindStringSubmatchIndex(safe); at != nil && Width(safe) > w &&
		!usual.MatchString(safe[at[2]:at[3]]) {
		ext := ellipsis + safe[at[3]:]
		switch room := w - Width(ext); {
		case room > Width(safe[:at[0]]): // with the beginning of the suffix
			name, _ := clip(safe[:at[3]], room, "")
			return name + ext
		case room > 5:
			return TruncateMiddle(safe[:at[0]], room) + ext
		case room > 1:
			name, _ := clip(safe[:at[0]], room, "")
			return name + ext
		}
	}
	return TruncateMiddle(safe, w)
}

// PadRight makes one line, which may contain styles, exactly w columns wide: shortened
// with … or padded with blanks. For w < 1 it returns "".
func PadRight(s string, w int) string {
	s = Truncate(s, w)
	return s + Blanks(w-Width(s))
}

// PadLeft is like PadRight, but puts the blanks first: for numbers.
func PadLeft(s string, w int) string {
	s = Truncate(s, w)
	return Blanks(w-Width(s)) + s
}

// Wrap breaks plain or styled text into lines of at most w columns, between words if possible, or after a
// slash if there is a longer word. It keeps line breaks. For w < 1 it returns no lines.
func Wrap(s string, w int) []string {
	if w < 1 {
		return nil
	}
	long := slices.ContainsFunc(strings.Fields(s), func(word string) bool { return Width(word) > w })
	const whole = "\u2011" // a hyphen at which no line ends, as in --flag
	lines := strings.Split(Method().Wrap(strings.ReplaceAll(s, "-", whole), w, If(long, "/")), "\n")
	for i, line := range lines {
		// A wide letter does not fit in a line of one column.
		lines[i], _ = clip(strings.ReplaceAll(line, whole, "-"), w, "")
	}
	return lines
}

// Fit makes a block of lines, which may contain styles, exactly w columns by h rows:
// clipped without an ellipsis, padded with blanks. For w < 1 or h < 1 it returns "".
func Fit(s string, w, h int) string {
	if w < 1 || h < 1 {
		return ""
	}
	var b strings.Builder
	b.Grow(len(s) + w)
	rest, more := s, true
	for row := range h {
		line := ""
		if more {
			line, rest, more = strings.Cut(rest, "\n")
		}
		if row > 0 {
			b.WriteByte('\n')
		}
		line, width := clip(NoControls(line), w, "")
		b.WriteString(line)
		b.WriteString(Blanks(w - width))
	}
	return b.String()
}

// clip cuts one line to w columns, ends it with tail if it was longer, and returns its width, too. It keeps
// escape sequences after the cut. (The library's own function measures by one method and cuts by another.)
func clip(s string, w int, tail string) (string, int) {
	if width := Width(s); width <= w {
		return s, width
	}
	m := Method()
	room := w - Width(tail)
	var b strings.Builder
	var state byte
	used, over := 0, false
	for len(s) > 0 {
		seq, width, n, next := m.DecodeSequenceInString(s, state, nil)
		state, s = next, s[n:]
		switch {
		case over:
			if width == 0 && seq[0] == 0x1b {
				b.WriteString(seq)
			}
		case used+width > room:
			over = true
			used += Width(tail)
			b.WriteString(tail)
		default:
			used += width
			b.WriteString(seq)
		}
	}
	return b.String(), used
}

// NoControls removes control characters from a line and replaces tabs with blanks. It
// keeps escape sequences.
func NoControls(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < 0x20 && r != 0x1b:
			return -1
		}
		return r
	}, line)
}

// Matched draws a name from outside, with the letters at the byte offsets indexes in style
// and the others in base. It makes the name safe letter by letter, because the offsets
// refer to the original name. It ignores offsets out of range.
func Matched(s string, indexes []int, style, base lipgloss.Style) string {
	var b, run strings.Builder
	found := false
	flush := func() {
		st := Either(found, style, base)
		b.WriteString(st.Render(Safe(run.String())))
		run.Reset()
	}
	at := 0
	for _, g := range Graphemes(s) {
		end := at + len(g)
		if now := slices.ContainsFunc(indexes, func(i int) bool { return at <= i && i < end }); now != found {
			flush()
			found = now
		}
		run.WriteString(g)
		at = end
	}
	flush()
	return b.String()
}

// Graphemes splits plain text into grapheme clusters.
func Graphemes(s string) []string { return split(s, firstGrapheme) }

func split(s string, first func(string) string) (parts []string) {
	for s != "" {
		part := first(s)
		parts, s = append(parts, part), s[len(part):]
	}
	return parts
}

func firstGrapheme(s string) string {
	if g, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth); g != "" {
		return g
	}
	return s[:1]
}

// writtenOut matches an escape written by Safe.
var writtenOut = regexp.MustCompile(`^\\(x[0-9a-f]{2}|u\{[0-9a-f]{1,6}\})`)

// Blanks returns n blanks, or "" for n < 1.
func Blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// Home returns a path with "~" in place of the home folder. An empty home changes nothing.
func Home(path, home string) string {
	rest, inside := strings.CutPrefix(path, home)
	return Either(home != "" && home != "/" && inside && (rest == "" || os.IsPathSeparator(rest[0])), "~"+rest, path)
}

// HasAll reports whether each word, in lower case, occurs in one of the texts, ignoring
// their case. Without words it returns true.
func HasAll(words []string, texts ...string) bool {
	if len(words) == 0 {
		return true
	}
	all := strings.ToLower(strings.Join(texts, "\n"))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, w) })
}

// SortKey returns a key whose bytes sort a name as people expect: ignoring case, with numbers by
// value. Make it once per name: comparing keys is much cheaper than comparing names.
func SortKey(name string) string {
	b := make([]byte, 0, len(name)+4)
	name = strings.ToLower(name)
	digit := func(i int) bool { return i < len(name) && name[i] >= '0' && name[i] <= '9' }
	for i := 0; i < len(name); {
		if !digit(i) {
			b = append(b, name[i])
			i++
			continue
		}
		end := i
		for digit(end) {
			end++
		}
		digits := strings.TrimLeft(name[i:end], "0")
		// The digit count comes first, because a longer number is larger.
		b = append(b, '0', byte(min(len(digits), 255)))
		b = append(b, digits...)
		i = end
	}
	return string(b)
}

// countsLetters reports how the terminal counts columns. It is global because a process
// has one terminal, and Bubble Tea's renderer must count the same way: otherwise lines
// would lose their ends.
var countsLetters atomic.Bool

// NoteTerminal detects how the terminal counts the columns of grapheme clusters (emoji
// with a skin color, the scripts of India): rune by rune, as most do, or as one. The root
// passes it every message.
func NoteTerminal(msg tea.Msg) {
	report, ok := msg.(tea.ModeReportMsg)
	if !ok || report.Mode != ansi.ModeUnicodeCore {
		return
	}
	// Bubble Tea enables the mode if the terminal supports it.
	switch report.Value {
	case ansi.ModeReset, ansi.ModeSet, ansi.ModePermanentlySet:
		countsLetters.Store(true)
	}
}

// Method returns the current method of counting columns.
func Method() ansi.Method { return Either(countsLetters.Load(), ansi.GraphemeWidth, ansi.WcWidth) }

// typedKey matches a key at the beginning of a sentence. A key is written as it is typed.
var typedKey = regexp.MustCompile(`^([b-z]|esc|f[0-9]+|.+[+].+)$`)

// Sentence capitalizes text and ends it with a full stop.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	// Keep the case of a path, an address or a name like maxTags at the beginning, but not
	// that of a verb ("upload: no answer").
	word, _, _ := strings.Cut(text, " ")
	word = strings.TrimSuffix(word, ":")
	if !strings.ContainsAny(word, "/\\_.:=") && !typedKey.MatchString(word) &&
		!strings.ContainsFunc(word, unicode.IsUpper) {
		text = Capital(text)
	}
	return Stop(text)
}

// Stop ends text with a full stop, unless it already ends like a sentence or is empty.
func Stop(text string) string {
	if last, n := utf8.DecodeLastRuneInString(text); n > 0 && !strings.ContainsRune(".!?…", last) {
		text += "."
	}
	return text
}

// Capital capitalizes the first letter of text.
func Capital(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	return If(n != 0, string(unicode.ToUpper(first))+text[n:])
}

// If returns words if is, otherwise "", such as the reason why an action is disabled.
func If(is bool, words string) string { return Either(is, words, "") }

// Either returns yes or no.
func Either[T any](is bool, yes, no T) T {
	if is {
		return yes
	}
	return no
}
