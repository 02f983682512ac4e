package picker

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// startJump asks for a path and starts with the current folder.
func (m *Model) startJump() tea.Cmd {
	folder := m.shown.folder
	if folder != "" && !strings.HasSuffix(folder, string(filepath.Separator)) {
		folder += string(filepath.Separator)
	}
	var asked page.Questions
	var begun string   // what the names complete
	var names []string // folders end in a slash
	var failure error
	p := kit.NewPrompt("Go to", "", folder, "/a/folder or ~/a/folder")
	p.Verb = "go there"
	p.Typed = func(typed string) tea.Cmd {
		d, path := m.disk, m.typedPath(typed)
		return asked.Ask(func() tea.Msg {
			found, err := d.namesIn(filepath.Split(path))
			return page.Do(func() {
				begun, names, failure = typed, found, err
				p.Refresh()
			})
		})
	}
	p.Complete = func(typed string) (list []string) {
		if typed != begun {
			return nil
		}
		_, begin := filepath.Split(m.typedPath(typed))
		for _, name := range names {
			list = append(list, typed[:max(0, len(typed)-len(begin))]+name)
		}
		return list
	}
	p.Note = func(typed string) string {
		switch {
		case typed != begun:
			return ""
		case failure != nil:
			return "No such folder yet."
		}
		return text.If(len(names) == 0, "No name here begins like that.")
	}
	p.Do = func(typed string) tea.Cmd { return m.open(filepath.Clean(m.typedPath(typed)), "") }
	m.Open(p)
	return p.Typed(folder)
}

// typedPath returns the absolute path of a typed one. ~ is the home folder, and a relative path starts at the current
// folder. // or /~/ in the middle starts over, as in editors.
func (m *Model) typedPath(text string) string {
	if i := strings.LastIndex(text, "/~/"); i >= 0 {
		text = text[i+1:]
	}
	if i := strings.LastIndex(text, "//"); i >= 0 {
		text = text[i+1:]
	}
	if text == "~" || strings.HasPrefix(text, "~"+string(filepath.Separator)) {
		if home, err := m.home(); err == nil {
			text = home + text[1:]
		}
	}
	if !filepath.IsAbs(text) {
		return m.shown.folder + string(filepath.Separator) + text
	}
	return text
}

// namesIn returns the names in a folder that start with begin, ignoring case, folders first. It includes hidden names only if
// begin is not empty.
func (d *disk) namesIn(folder, begin string) (names []string, err error) {
	found, err := readNames(folder)
	low := strings.ToLower(begin)
	for _, f := range found {
		name := f.Name()
		if !strings.HasPrefix(strings.ToLower(name), low) || name[0] == '.' && begin == "" {
			continue
		}
		if info, err := d.stat(filepath.Join(folder, name), d.timeout); f.IsDir() || err == nil && info.IsDir() {
			name += string(filepath.Separator)
		}
		names = append(names, name)
	}
	rank := func(name string) int { return strings.Count(name, string(filepath.Separator)) }
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(text.SortKey(a), text.SortKey(b)))
	})
	return names, err
}

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
	if rest, ok := strings.CutPrefix(path+"/", "~/"); ok {
		if home, err := homeFolder(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return api.Source{Path: filepath.Clean(path)}, true
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
	begins := !slices.ContainsFunc(words, func(w string) bool { return !isAnchored(w) })
	ends := !slices.ContainsFunc(words, func(w string) bool { return !named.MatchString(extension(w)) })
	if begins || ends {
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

// named matches an extension like that of a file: two to four letters or digits, not only digits.
var named = regexp.MustCompile(`^([a-z][a-z0-9]{1,3}|[0-9][a-z0-9]?[a-z][a-z0-9]?)$`)

// splitShell splits a line as a shell does. A quotation mark counts only at the beginning of a word or after another one, so that
// it's.jpg needs no quotes. quoted tells that quotes or backslashes were used; ok is false if a quotation has no end.
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
