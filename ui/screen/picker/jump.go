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

// jump is the path field with completions.
type jump struct {
	kit.Popup
	m      *Model
	field  kit.Field
	asked  page.Questions
	folder string   // folder of the names
	names  []string // matching names; folders end in a slash
	list   kit.List // of names
	more   bool     // names were left out
	err    error
	size   image.Point
}

var _ kit.Overlay = (*jump)(nil)

// completionsKept limits the completions, namesSearched the names that are searched for them.
const (
	completionsKept = 200
	namesSearched   = 200_000
)

// startJump asks for a path and starts with the current folder.
func (m *Model) startJump() tea.Cmd {
	folder := m.shown.folder
	if folder != "" && !strings.HasSuffix(folder, string(filepath.Separator)) {
		folder += string(filepath.Separator)
	}
	j := newJump(m, folder)
	m.Open(j)
	return j.complete()
}

func newJump(m *Model, path string) *jump {
	j := &jump{m: m, field: kit.Field{Label: "path", Placeholder: "/a/folder or ~/a/folder"}}
	j.field.SetValue(path)
	j.field.Focus()
	return j
}

// Actions returns the actions that open the path, complete it and close the field.
func (j *jump) Actions() []kit.Action {
	move := func(by int) func() tea.Cmd {
		return func() tea.Cmd { j.list.Move(by); return nil }
	}
	return []kit.Action{
		{ID: "picker.path-go", Keys: kit.Bind("go there", "", "enter"), Group: groupMove, Footer: true, Do: j.goTyped},
		{ID: "picker.path-complete", Keys: kit.Bind("complete", "", "tab"), Group: groupMove, Footer: true, Do: j.acceptCompletion},
		{ID: "picker.path-close", Keys: kit.Bind("close", "", "esc"), Group: groupMove, Footer: true, Do: j.Close},
		{ID: "picker.path-next", Keys: kit.Bind("next completion", "↓", "down"), Group: groupMove, Do: move(1)},
		{ID: "picker.path-previous", Keys: kit.Bind("previous completion", "↑", "up"), Group: groupMove, Do: move(-1)},
	}
}

// Capturing reports true: letters are text.
func (j *jump) Capturing() bool { return true }

// Type edits the path.
func (j *jump) Type(msg tea.Msg) (tea.Cmd, bool) {
	if !j.field.Update(msg) {
		return nil, false
	}
	return j.complete(), true
}

// Mouse accepts a clicked completion and scrolls with the wheel.
func (j *jump) Mouse(msg tea.MouseMsg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok {
		switch {
		case !image.Pt(click.X, click.Y).In(image.Rectangle{Max: j.size}):
			return j.Close()
		case j.list.Click(click.Y - kit.BoxOrigin(j.size).Y - 1): // below the field
			return j.put(j.names[j.list.Cursor()])
		}
	}
	j.list.Wheel(msg)
	return nil
}

// Resize fits it into room.
func (j *jump) Resize(room image.Point) {
	j.size = image.Pt(min(room.X, 76), min(room.Y, 14))
	j.list.SetHeight(kit.BoxInner(j.size).Y - 2) // between the field and the hint
}

// typedPath returns the absolute path in the field. ~ is the home folder, and a relative path starts at the current folder.
// or /~/ in the middle starts over, as in editors.
func (j *jump) typedPath() string {
	text := j.field.Value()
	if i := strings.LastIndex(text, "/~/"); i >= 0 {
		text = text[i+1:]
	}
	if i := strings.LastIndex(text, "//"); i >= 0 {
		text = text[i+1:]
	}
	if text == "~" || strings.HasPrefix(text, "~"+string(filepath.Separator)) {
		if home, err := j.m.home(); err == nil {
			text = home + text[1:]
		}
	}
	if !filepath.IsAbs(text) {
		return j.m.shown.folder + string(filepath.Separator) + text
	}
	return text
}

// complete searches for completions of the path.
func (j *jump) complete() tea.Cmd {
	d, path := j.m.disk, j.typedPath()
	return j.asked.Ask(func() tea.Msg {
		folder, begin := filepath.Split(path)
		names, more, err := d.namesIn(folder, begin)
		return page.Do(func() {
			j.folder, j.names, j.more, j.err = folder, names, more, err
			j.list.SetLen(len(j.names))
			j.list.SetCursor(0)
		})
	})
}

// namesIn returns the names in a folder that start with begin, ignoring case, folders first. It includes hidden names only if
// begin is not empty.
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
	defer func() { _ = dir.Close() }() // read only
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
	rank := func(name string) int { return strings.Count(name, string(filepath.Separator)) }
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(sortKey(a), sortKey(b)))
	})
	if len(names) > completionsKept {
		return names[:completionsKept], true, nil
	}
	return names, false, nil
}

// isFolder reports whether the entry is a folder, following links.
func (d *disk) isFolder(folder string, f os.DirEntry) bool {
	if f.Type()&os.ModeSymlink == 0 {
		return f.IsDir()
	}
	info, err := d.stat(filepath.Join(folder, f.Name()), d.patience)
	return err == nil && info.IsDir()
}

// acceptCompletion inserts the selected name, or the common prefix of all names if none is selected.
func (j *jump) acceptCompletion() tea.Cmd {
	if len(j.names) == 0 {
		return nil
	}
	_, begin := filepath.Split(j.typedPath())
	with := j.names[j.list.Cursor()]
	if j.list.Cursor() == 0 && len(j.names) > 1 && !j.more {
		if all := beginning(j.names); len(all) >= len(begin) && all != begin {
			with = all
		}
	}
	return j.put(with)
}

// put replaces the last part of the path with a name.
func (j *jump) put(name string) tea.Cmd {
	_, begin := filepath.Split(j.typedPath())
	text := j.field.Value()
	j.field.SetValue(text[:max(0, len(text)-len(begin))] + name)
	return j.complete()
}

// beginning returns the longest common prefix of the names.
func beginning(names []string) string {
	all := names[0]
	for _, n := range names[1:] {
		all = all[:common(all, n)]
	}
	return strings.ToValidUTF8(all, "")
}

// goTyped opens the selected name or the path. For a file, it opens the folder with the cursor on the file.
func (j *jump) goTyped() tea.Cmd {
	path := filepath.Clean(j.typedPath())
	if i := j.list.Cursor(); i > 0 {
		path = filepath.Join(j.folder, j.names[i])
	}
	j.Close()
	return j.m.open(path, "")
}

func (j *jump) View(room image.Point, th *theme.Theme) string {
	drawn := *j // draw a copy
	drawn.Resize(room)
	in := kit.BoxInner(drawn.size)
	body := drawn.list.View(image.Pt(in.X, max(0, in.Y-2)), func(i, width int, selected bool) string {
		name := text.PadRight(" "+text.ShortName(j.names[i], width-2), width)
		if selected {
			return th.Selected.Render(name)
		}
		return name
	})
	switch {
	case j.err != nil:
		body = text.Fit(strings.Join(styled("No such folder yet.", in.X, th.Warn), "\n"), in.X, max(0, in.Y-2))
	case len(j.names) == 0:
		body = text.Fit(th.Muted.Render("No name here begins like that."), in.X, max(0, in.Y-2))
	}
	hint := th.Muted.Render(text.Truncate("tab completes, enter goes there, esc closes", in.X))
	return kit.Box("Go to", kit.JoinV(j.field.View(in.X, th), body, hint), drawn.size, true, th)
}
