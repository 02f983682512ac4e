package picker

import (
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"mediadesk/api"
)

// ParsePaste parses text pasted or dropped on the terminal: paths quoted like in a shell, file:// addresses, and http or https
// URLs, one per line or separated by blanks. Relative paths start at dir, and ~ is the home folder. Each source appears once,
// in order. ParsePaste does not access the disk, so a path may not exist.
//
// A line with blanks but without quotes is several paths only if each part looks like a path. Otherwise, it is one path
// with blanks, as file managers copy it.
func ParsePaste(text, dir string) []api.Source {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == 0 })
	if len(lines) > 1 && (lines[0] == "copy" || lines[0] == "cut") && api.IsFileAddress(lines[1]) {
		lines = lines[1:] // format of some file managers
	}
	var out []api.Source
	seen := map[string]bool{}
	for _, line := range lines {
		line = strings.TrimFunc(line, unicode.IsSpace)
		for _, word := range splitLine(line) {
			s, ok := sourceOf(word, dir)
			if ok && !seen[keyOf(s)] {
				seen[keyOf(s)] = true
				out = append(out, s)
			}
		}
	}
	return out
}

// sourceOf returns the source for a word of the text.
func sourceOf(word, dir string) (api.Source, bool) {
	switch {
	case word == "":
		return api.Source{}, false
	case api.IsWebAddress(word):
		return api.Source{URL: word}, true
	case api.IsFileAddress(word):
		if path, ok := api.PathOfAddress(word); ok {
			return api.Source{Path: path}, true
		}
	}
	path := word
	if rest, ok := cutHome(path); ok {
		if home, err := homeFolder(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return api.Source{Path: filepath.Clean(path)}, true
}

// cutHome removes ~/ from the beginning of a path.
func cutHome(path string) (rest string, ok bool) {
	if path == "~" {
		return "", true
	}
	return strings.CutPrefix(path, "~/")
}

// splitLine splits a line of a paste into words.
func splitLine(line string) []string {
	words, quoted, ok := splitShell(line)
	switch {
	case !ok:
		return []string{line} // the name has a quotation mark
	case quoted || len(words) < 2:
		return words
	}
	anchored, named := true, true
	for _, w := range words {
		anchored = anchored && isAnchored(w)
		named = named && looksNamed(w)
	}
	if anchored || named {
		return words
	}
	return []string{line}
}

// isAnchored reports whether a word starts like a path or a URL.
func isAnchored(w string) bool {
	for _, begin := range []string{"/", "~/", "./", "../"} {
		if strings.HasPrefix(w, begin) {
			return true
		}
	}
	return api.IsWebAddress(w) || api.IsFileAddress(w) || filepath.IsAbs(w)
}

// looksNamed reports whether a word ends like a file name: a dot and two to four letters or digits, not only digits.
func looksNamed(w string) bool {
	ext := extension(w)
	letter := false
	for i := range len(ext) {
		if !isDigit(ext[i]) && (ext[i] < 'a' || ext[i] > 'z') {
			return false
		}
		letter = letter || !isDigit(ext[i])
	}
	return letter && len(ext) >= 2 && len(ext) <= 4
}

// splitShell splits a line as a shell does. A quotation mark counts only where
// a word begins or after another one, so that it's.jpg needs no quotes. quoted
// tells that quotes or backslashes were used; ok is false where a quotation has
// no end.
func splitShell(line string) (words []string, quoted, ok bool) {
	var word strings.Builder
	inside, marks := false, false // inside a word; that began with a quotation mark
	end := func() {
		if inside {
			words = append(words, word.String())
		}
		word.Reset()
		inside, marks = false, false
	}
	escapes := filepath.Separator != '\\'
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		switch {
		case unicode.IsSpace(r):
			end()
		case (r == '\'' || r == '"') && (!inside || marks):
			body, used, closed := quotation(line[i:], escapes)
			if !closed {
				return nil, false, false
			}
			word.WriteString(body)
			inside, marks, quoted = true, true, true
			n = used
		case r == '\\' && escapes && i+1 < len(line):
			_, size := utf8.DecodeRuneInString(line[i+1:])
			word.WriteString(line[i+1 : i+1+size])
			inside, quoted = true, true
			n = 1 + size
		default:
			word.WriteString(line[i : i+n])
			inside = true
		}
		i += n
	}
	end()
	return words, quoted, true
}

// quotation reads a quoted part at the start of s. used is its length with the marks.
func quotation(s string, escapes bool) (body string, used int, closed bool) {
	mark := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == mark:
			return b.String(), i + 1, true
		case c == '\\' && mark == '"' && escapes && i+1 < len(s) && strings.IndexByte("\\\"$`", s[i+1]) >= 0:
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
