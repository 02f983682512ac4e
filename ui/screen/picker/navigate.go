package picker

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// enter opens a folder or shows a picture in full screen. For other files, it opens the form; if
// nothing is picked, it picks the file first.
func (m *Model) enter() tea.Cmd {
	e, ok := m.current()
	if !ok {
		return nil
	}
	switch e.kind {
	case kindFolder:
		return m.open(m.path(e), "")
	case kindLink:
		delete(m.folder, e.name) // try again
		return page.Send(problem(noAnswer(m.path(e))))
	}
	if m.viewable(e) {
		return m.startViewer()
	}
	return m.form(len(m.tray.items) == 0)
}

func (m *Model) parent() tea.Cmd {
	return m.open(filepath.Dir(m.shown.folder), filepath.Base(m.shown.folder))
}

// widen leaves the contact sheet, see [kit.List]. The tray stays, because people who leave a form with esc
// often press it once more.
func (m *Model) widen(try bool) bool {
	if m.sheet.On && !try {
		m.next = m.sheet.Toggle()
		return true
	}
	return m.sheet.On
}

func (m *Model) nextPart() tea.Cmd {
	m.focus = text.Either(m.focus == onTray, onList, onTray)
	return nil
}

func (m *Model) showItem() tea.Cmd {
	if m.trayList.Fold() {
		return nil
	}
	m.focus = onList
	path := m.trayRows()[0].source.Path
	return m.open(filepath.Dir(path), filepath.Base(path))
}

func (m *Model) startAddress() tea.Cmd {
	p := kit.NewPrompt("Add a URL", "The address of a picture. It is fetched when you send.", "URL", "", "such as https://example.com/photo.jpg")
	p.Do = func(address string) tea.Cmd { return m.pick([]api.Source{{URL: strings.TrimSpace(address)}}) }
	p.Verb = "add"
	p.Check = func(typed string) string {
		err := rule.CheckSourceURL(strings.TrimSpace(typed))
		return text.If(err != nil, "Enter a complete http or https URL.")
	}
	return m.Open(p)
}

func (m *Model) paste(msg tea.PasteMsg) tea.Cmd {
	sources := parsePaste(msg.Content, m.shown.folder)
	if len(sources) == 0 {
		return page.Tell(page.Info, "The pasted text has no path and no URL.")
	}
	return m.add(sources)
}

// sortMenu has the rows of the sort menu. The last one reverses the order.
var sortMenu = []kit.MenuRow{
	byName:     {Key: "n", Label: "name"},
	bySize:     {Key: "s", Label: "size"},
	byTime:     {Key: "t", Label: "time"},
	byKind:     {Key: "k", Label: "kind"},
	byKind + 1: {Key: "r", Label: "reverse the order"},
}

func (m *Model) openMenu() tea.Cmd {
	rows, last := slices.Clone(sortMenu), len(sortMenu)-1
	for i := range rows {
		next := order{by: by(i)}
		rows[i].Current = i < last && m.order.by == next.by || i == last && m.order.reverse
		if i == last {
			next = order{m.order.by, !m.order.reverse}
		}
		rows[i].Do = func() tea.Cmd {
			m.order = next
			return m.arrange(false)
		}
	}
	return m.Open(kit.NewMenu("Sort", rows...))
}

// Commands returns the command that uploads the tray or the file under the cursor.
func (m *Model) Commands() [][]string {
	args := []string{"upload"}
	for _, i := range m.tray.items {
		args = append(args, session.SourceArg(i.source))
	}
	if e, ok := m.current(); ok && len(args) == 1 {
		args = append(args, m.path(e))
	}
	return [][]string{args}
}

func (m *Model) pickClipboard() tea.Cmd {
	m.pasting = true
	read := m.options.Clipboard
	return func() tea.Msg {
		source, err := read(context.Background())
		return page.Then(func() tea.Cmd {
			m.pasting = false
			if err != nil {
				return page.Send(problem(err))
			}
			words := "The picture on the clipboard is in the tray as " + text.Safe(source.Name()) + "."
			return tea.Batch(m.pick([]api.Source{source}), page.Tell(page.Info, words))
		})
	}
}

func (m *Model) startJump() tea.Cmd {
	p := kit.NewPrompt("Go to", "", "Folder", "", "/a/folder or ~/a/folder")
	p.Verb = "go there"
	p.Do = func(typed string) tea.Cmd {
		source, ok := sourceOf(typed, m.shown.folder)
		if !ok {
			return nil
		}
		return m.reads.Ask(func() tea.Msg {
			_, err := os.Stat(source.Path)
			return page.Then(func() tea.Cmd {
				if err != nil && missing(err) {
					return m.Open(p.Refuse("Nothing is there. Correct the path."))
				}
				return m.open(source.Path, "")
			})
		})
	}
	return m.Open(p)
}

// parsePaste parses text pasted or dropped on the terminal: paths quoted like in a shell, file://
// addresses, and http or https URLs, one per line or separated by blanks. Relative paths start at
// dir, and ~ is the home folder. Each source appears once, in order. parsePaste does not access
// the disk, so a path may not exist.
//
// A line with blanks but without quotes is several paths only if each begins like one.
// Otherwise, it is one path with blanks, as file managers copy it.
func parsePaste(content, dir string) []api.Source {
	lines := strings.FieldsFunc(content, func(r rune) bool { return r == '\n' || r == '\r' || r == 0 })
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
	if slices.ContainsFunc(words, func(w string) bool {
		begins := func(prefix string) bool { return strings.HasPrefix(w, prefix) }
		return !slices.ContainsFunc([]string{"/", "~/", "./", "../"}, begins) &&
			!api.IsWebAddress(w) && !rule.IsFileAddress(w) && !filepath.IsAbs(w)
	}) {
		return []string{line}
	}
	return words
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
