package picker

import (
	"cmp"
	"errors"
	"image"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// jump is the field for a typed path, with what it can be completed to.
type jump struct {
	field  kit.Field
	gen    int
	folder string   // that the names are of
	names  []string // that begin as the last part does, folders with a slash
	at     int      // of names
	more   bool     // there are more than are kept
	err    error
}

// completedMsg brings the names that a typed path can go on with.
type completedMsg struct {
	gen    int
	folder string
	names  []string
	more   bool
	err    error
}

// kept is how many completions are shown at most, and searched how many names of
// a folder are looked through for them.
const (
	completionsKept = 200
	namesSearched   = 200_000
)

func (m *Model) startJump() tea.Cmd {
	m.openPart(onPath)
	m.jump.field.Focus()
	folder := m.shown.folder
	if folder != "" && !strings.HasSuffix(folder, string(filepath.Separator)) {
		folder += string(filepath.Separator)
	}
	m.jump.field.SetValue(folder)
	return m.complete()
}

// typedPath is the path in the field: the home folder filled in, and what does
// not begin at the root begins at the folder shown. A root or a home folder typed
// behind a path begins anew, as in editors.
func (m *Model) typedPath() string {
	text := m.jump.field.Value()
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

// complete looks for the names that the typed path can go on with.
func (m *Model) complete() tea.Cmd {
	m.jump.gen++
	d, gen, path := m.disk, m.jump.gen, m.typedPath()
	return func() tea.Msg {
		folder, begin := filepath.Split(path)
		names, more, err := d.namesIn(folder, begin)
		return completedMsg{gen, folder, names, more, err}
	}
}

// namesIn are the names in a folder that begin like that, upper and lower case
// alike, folders first; hidden ones only where the beginning is.
func (d *disk) namesIn(folder, begin string) (names []string, more bool, err error) {
	info, err := d.stat(folder, d.longPatience)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	if err != nil {
		return nil, false, folderProblem(folder, err)
	}
	dir, err := os.Open(folder)
	if err != nil {
		return nil, false, folderProblem(folder, err)
	}
	defer func() { _ = dir.Close() }() // it was only read
	low := strings.ToLower(begin)
	for seen := 0; seen < namesSearched; seen += readAtOnce {
		found, err := dir.ReadDir(readAtOnce)
		for _, f := range found {
			name := f.Name()
			if !strings.HasPrefix(strings.ToLower(name), low) || name[0] == '.' && begin == "" {
				continue
			}
			if d.isFolder(folder, f) {
				name += string(filepath.Separator)
			}
			names = append(names, name)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, false, folderProblem(folder, err)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		isA, isB := strings.HasSuffix(a, string(filepath.Separator)), strings.HasSuffix(b, string(filepath.Separator))
		if isA != isB {
			if isA {
				return -1
			}
			return 1
		}
		return cmp.Compare(sortKey(a), sortKey(b))
	})
	if len(names) > completionsKept {
		return names[:completionsKept], true, nil
	}
	return names, false, nil
}

// isFolder follows links.
func (d *disk) isFolder(folder string, f os.DirEntry) bool {
	if f.Type()&os.ModeSymlink == 0 {
		return f.IsDir()
	}
	info, err := d.stat(filepath.Join(folder, f.Name()), d.patience)
	return err == nil && info.IsDir()
}

func (m *Model) completed(msg completedMsg) {
	j := &m.jump
	if msg.gen != j.gen {
		return
	}
	j.folder, j.names, j.more, j.err, j.at = msg.folder, msg.names, msg.more, msg.err, 0
}

// takeCompletion puts the chosen name into the field; where nothing was chosen and
// all names begin alike, as much as they have in common.
func (m *Model) takeCompletion() tea.Cmd {
	j := &m.jump
	if len(j.names) == 0 {
		return nil
	}
	_, begin := filepath.Split(m.typedPath())
	with := j.names[j.at]
	if j.at == 0 && len(j.names) > 1 && !j.more {
		if all := common(j.names); len(all) >= len(begin) && all != begin {
			with = all
		}
	}
	return m.putCompletion(with)
}

// putCompletion puts a name in the place of the last part of the typed path.
func (m *Model) putCompletion(name string) tea.Cmd {
	_, begin := filepath.Split(m.typedPath())
	text := m.jump.field.Value()
	m.jump.field.SetValue(text[:max(0, len(text)-len(begin))] + name)
	return m.complete()
}

// clickCompletion takes the name drawn at a line of the list of names.
func (m *Model) clickCompletion(line int) tea.Cmd {
	from, to := m.shownCompletions()
	if i := from + line; line >= 0 && i < to {
		return m.putCompletion(m.jump.names[i])
	}
	return nil
}

func (m *Model) jumpSize() image.Point { return image.Pt(min(m.size.X, 76), min(m.size.Y, 14)) }

// shownCompletions are the names that are drawn, below the field, for which there
// is room above the hint.
func (m *Model) shownCompletions() (from, to int) {
	rows := max(0, kit.BoxInner(m.jumpSize()).Y-2)
	n := len(m.jump.names)
	from = max(0, min(m.jump.at-rows/2, n-rows))
	return from, min(n, from+rows)
}

// common is what all names begin with, letter by letter.
func common(names []string) string {
	all := names[0]
	for _, n := range names[1:] {
		i := 0
		for i < min(len(all), len(n)) && all[i] == n[i] {
			i++
		}
		all = all[:i]
	}
	return strings.ToValidUTF8(all, "")
}

func (m *Model) moveCompletion(by int) tea.Cmd {
	j := &m.jump
	j.at = max(0, min(j.at+by, len(j.names)-1))
	return nil
}

// goTyped goes to the path in the field: a folder is opened, of a file the folder
// with the cursor on it. A path that leads nowhere stays in the field.
func (m *Model) goTyped() tea.Cmd {
	j := &m.jump
	path := filepath.Clean(m.typedPath())
	if j.at > 0 && j.at < len(j.names) {
		path = filepath.Join(j.folder, j.names[j.at])
	}
	m.closePart()
	return m.open(path, "")
}

func (m *Model) drawJump(th *theme.Theme) string {
	j := &m.jump
	size := m.jumpSize()
	in := kit.BoxInner(size)
	lines := []string{j.field.View(in.X, th)}
	switch {
	case j.err != nil:
		lines = append(lines, styled("No such folder yet.", in.X, th.Warn.Render)...)
	case len(j.names) == 0:
		lines = append(lines, th.Muted.Render("Nothing there begins like that."))
	}
	from, to := m.shownCompletions()
	for i := from; i < to; i++ {
		name := text.PadRight(" "+text.TruncateMiddle(text.Safe(j.names[i]), in.X-2), in.X)
		if i == j.at {
			name = th.Selected.Render(name)
		}
		lines = append(lines, name)
	}
	for len(lines) < in.Y-1 {
		lines = append(lines, " ")
	}
	lines = append(lines, th.Muted.Render(text.Truncate("tab completes, enter goes there, esc closes", in.X)))
	return kit.Box("Go to", kit.JoinV(lines...), size, true, th)
}

// Places.

// place is a folder to go to.
type place struct {
	folder string
	words  string // why it is offered
}

// placesMsg brings the folders that are offered.
type placesMsg struct {
	marked  []string
	earlier []string
	err     error
}

// recentKept is how many folders that were shown last are offered.
const recentKept = 15

func (m *Model) startPlaces() tea.Cmd {
	m.openPart(onPlaces)
	m.arrangePlaces()
	m.placeList.SetCursor(0)
	return m.askPlaces()
}

// askPlaces reads the bookmarks and the folders that earlier runs showed.
func (m *Model) askPlaces() tea.Cmd {
	marks, earlier := m.options.Bookmarks, m.options.Earlier
	return func() tea.Msg {
		var msg placesMsg
		if marks.Load != nil {
			msg.marked, msg.err = marks.Load()
		}
		if earlier != nil {
			found, err := earlier()
			msg.earlier, msg.err = found, errors.Join(msg.err, err)
		}
		return msg
	}
}

func (m *Model) gotPlaces(msg placesMsg) tea.Cmd {
	m.marked, m.earlier = msg.marked, msg.earlier
	m.arrangePlaces()
	if msg.err != nil {
		return page.Send(problem(msg.err))
	}
	return nil
}

// arrangePlaces makes the rows: bookmarks, then the folders that were shown last,
// then those that were sent from.
func (m *Model) arrangePlaces() {
	m.placeRows = m.placeRows[:0]
	known := map[string]bool{}
	add := func(folder, words string) {
		if folder != "" && !known[folder] {
			known[folder] = true
			m.placeRows = append(m.placeRows, place{folder, words})
		}
	}
	for _, f := range m.marked {
		add(f, "bookmark")
	}
	for _, f := range Recent(m.recent, m.earlier) {
		add(f, "recent")
	}
	for _, f := range m.sentFolders {
		add(f, "sent from")
	}
	m.placeList.SetLen(len(m.placeRows))
}

// Shown are the folders that were shown in this run, newest first.
func (m *Model) Shown() []string { return slices.Clone(m.recent) }

// Recent are the folders of a run and those of earlier ones, newest first: each
// once, and as many as are offered.
func Recent(run, earlier []string) []string {
	out := slices.Clone(run)
	for _, f := range earlier {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out[:min(len(out), recentKept)]
}

// remember puts a folder in front of the recent ones.
func (m *Model) remember(folder string) {
	m.recent = slices.DeleteFunc(m.recent, func(f string) bool { return f == folder })
	m.recent = slices.Insert(m.recent, 0, folder)
	m.recent = m.recent[:min(len(m.recent), recentKept)]
}

func (m *Model) goPlace() tea.Cmd {
	i := m.placeList.Cursor()
	if i >= len(m.placeRows) {
		return nil
	}
	folder := m.placeRows[i].folder
	m.closePart()
	return m.open(folder, "")
}

// dropPlace takes the bookmark under the cursor away.
func (m *Model) dropPlace() tea.Cmd {
	i := m.placeList.Cursor()
	if i >= len(m.placeRows) || m.placeRows[i].words != "bookmark" {
		return toast(page.Info, "Only bookmarks can be removed.")
	}
	return m.saveMarks(slices.DeleteFunc(slices.Clone(m.marked), func(f string) bool { return f == m.placeRows[i].folder }))
}

// toggleMark makes the folder shown a bookmark, or none any more.
func (m *Model) toggleMark() tea.Cmd {
	marks, folder := m.options.Bookmarks, m.shown.folder
	return func() tea.Msg {
		now, err := marks.Load()
		if err != nil {
			return problem(err)
		}
		words := "is a bookmark now. b lists them."
		if slices.Contains(now, folder) {
			now = slices.DeleteFunc(now, func(f string) bool { return f == folder })
			words = "is no bookmark any more."
		} else {
			now = append(now, folder)
		}
		if err := marks.Save(now); err != nil {
			return problem(err)
		}
		return page.Toast{Level: page.Good, Text: filepath.Base(folder) + " " + words}
	}
}

func (m *Model) saveMarks(folders []string) tea.Cmd {
	marks, earlier := m.options.Bookmarks, m.earlier
	return func() tea.Msg {
		err := marks.Save(folders)
		if err != nil {
			return placesMsg{marked: nil, earlier: earlier, err: err}
		}
		return placesMsg{marked: folders, earlier: earlier}
	}
}

func (m *Model) placesSize() image.Point {
	return image.Pt(min(m.size.X, 76), min(m.size.Y, max(1, len(m.placeRows))+3))
}

func (m *Model) drawPlaces(th *theme.Theme) string {
	size := m.placesSize()
	in := kit.BoxInner(size)
	hint := " " + th.Muted.Render(text.Truncate("enter goes there, d removes a bookmark, esc closes", in.X-1))
	if len(m.placeRows) == 0 {
		return kit.Box("Places", kit.JoinV(" "+th.Muted.Render(text.Truncate("None yet. B makes the folder shown a bookmark.", in.X-1)), hint), size, true, th)
	}
	rows := m.placeList.View(image.Pt(in.X, max(1, in.Y-1)), func(i, width int, selected bool) string {
		p := m.placeRows[i]
		words := 10
		line := " " + text.PadRight(text.TruncateMiddle(text.Safe(p.folder), width-words-2), width-words-1) + text.PadRight(p.words, words)
		if selected {
			return th.Selected.Render(line)
		}
		return line
	})
	return kit.Box("Places", kit.JoinV(rows, hint), size, true, th)
}
