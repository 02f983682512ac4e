package picker

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/ui/kit"
)

func (m *Model) startJump() tea.Cmd {
	p := kit.NewPrompt("Go to", "", "", "/a/folder or ~/a/folder")
	p.Verb = "go there"
	p.Do = func(typed string) tea.Cmd {
		if source, ok := sourceOf(typed, m.shown.folder); ok && source.Path != "" {
			return m.open(source.Path, "")
		}
		return nil
	}
	return m.Open(p)
}

// ParsePaste parses text pasted or dropped on the terminal: paths quoted like in a shell, file://
// addresses, and http or https URLs, one per line or separated by blanks. Relative paths start at
// dir, and ~ is the home folder. Each source appears once, in order. ParsePaste does not access
// the disk, so a path may not exist.
//
// A line with blanks but without quotes is several paths only if each begins like one.
// Otherwise, it is one path with blanks, as file managers copy it.
func ParsePaste(text, dir string) []api.Source {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == 0 })
	if len(lines) > 1 && (lines[0] == "copy" || lines[0] == "cut") && rule.IsFileAddress(lines[1]) {
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

func sourceOf(word, dir string) (api.Source, bool) {
	switch {
	case word == "":
		return api.Source{}, false
	case api.IsWebAddress(word):
		return api.Source{URL: word}, true
	case rule.IsFileAddress(word):
		if path, ok := rule.PathOfAddress(word); ok {
			return api.Source{Path: path}, true
		}
	}
	path := word
	if rest, ok := strings.CutPrefix(path+"/", "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return api.Source{Path: filepath.Clean(path)}, true
}

func splitLine(line string) []string {
	words, quoted, ok := splitShell(line)
	switch {
	case !ok:
		return []string{line} // the name has a quotation mark
	case quoted || len(words) < 2:
		return words
	}
	if slices.ContainsFunc(words, func(w string) bool { return !isAnchored(w) }) {
		return []string{line}
	}
	return words
}

func isAnchored(w string) bool {
	for _, begin := range []string{"/", "~/", "./", "../"} {
		if strings.HasPrefix(w, begin) {
			return true
		}
	}
	return api.IsWebAddress(w) || rule.IsFileAddress(w) || filepath.IsAbs(w)
}

// splitShell splits a line as a shell does. A quotation mark counts only at the beginning of a
// word or after another one, so that it's.jpg needs no quotes. quoted tells that quotes or
// backslashes were used; ok is false if a quotation has no end.
func splitShell(line string) (words []string, quoted, ok bool) {
	escapes := filepath.Separator != '\\'
	var word []byte
	inside, marks := false, false // in a word; it began with a quotation mark
	mark := byte(0)               // of the open quotation
	end := func() {
		if inside {
			words = append(words, string(word))
		}
		word, inside, marks = nil, false, false
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		next := byte(0)
		if escapes && c == '\\' && mark != '\'' && i+1 < len(line) {
			next = line[i+1]
		}
		switch {
		case next != 0 && (mark == 0 || strings.IndexByte("\\\"$`", next) >= 0):
			word, inside, quoted = append(word, next), true, true
			i++
		case c == mark:
			mark = 0
		case mark == 0 && (c == '\'' || c == '"') && (!inside || marks):
			mark, inside, marks, quoted = c, true, true, true
		case mark == 0 && c < utf8.RuneSelf && unicode.IsSpace(rune(c)):
			end()
		default:
			word, inside = append(word, c), true
		}
	}
	end()
	return words, quoted, mark == 0
}
