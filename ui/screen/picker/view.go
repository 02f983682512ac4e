package picker

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

func (m *Model) View(size image.Point, th *theme.Theme) string {
	list, tray := m.layout(size)
	gap := strings.Repeat(" \n", max(0, tray.Min.Y-list.Max.Y))
	return text.Fit(kit.JoinV(m.list.View(list.Size(), th), gap+m.drawTray(tray.Size(), th)), size.X, size.Y)
}

// trayLeast is the least height for a tray in a box.
const trayLeast = 11

// layout divides the screen: the list with its preview, and the tray below, which grows only with the
// focus. On a small screen a line of the status is enough, or the tray with the focus has it all.
func (m *Model) layout(size image.Point) (list, tray image.Rectangle) {
	list = image.Rectangle{Max: size}
	lines := size.Y/6 + 2
	if m.focus == onTray {
		lines = max(lines, min(m.trayList.Len()+3, size.Y/3)) // with its filter
	}
	switch small := kit.ModeOfWidth(size.X) < kit.Stacked || size.Y < trayLeast; {
	case small && m.focus == onTray:
		return image.Rectangle{}, list
	case small, len(m.tray.items) == 0:
		lines = 0
	}
	tray = list
	tray.Min.Y -= lines - list.Max.Y
	list.Max.Y = tray.Min.Y - text.Either(lines == 0 || size.Y < 28, 0, 1) // a blank line
	return list, tray
}

func insideTray(tray image.Rectangle) image.Point { return tray.Min.Add(kit.BoxOrigin(tray.Size())) }

func (m *Model) clicked(msg tea.MouseClickMsg) tea.Cmd {
	at := image.Pt(msg.X, msg.Y)
	switch list, tray := m.layout(m.size); {
	case at.In(tray) && len(m.tray.items) > 0 && !m.list.Capturing():
		m.focus = onTray
		if m.trayList.Click(kit.Moved(msg, insideTray(tray)).(tea.MouseClickMsg)) && m.noItemFile() == "" {
			return m.showItem()
		}
	case at.In(list):
		m.focus = onList
		if m.list.Click(msg) {
			return m.enter()
		}
	}
	return nil
}

func (m *Model) wheel(msg tea.MouseWheelMsg) {
	if _, tray := m.layout(m.size); image.Pt(msg.X, msg.Y).In(tray) {
		m.trayList.Wheel(kit.Moved(msg, insideTray(tray)).(tea.MouseWheelMsg))
		return
	}
	m.list.Wheel(msg)
	m.list.Hold()
}

// columns are those of the files. A word for what is wrong takes the place of the kind.
func (m *Model) columns(int) kit.Columns {
	n := len(m.shown.rows)
	files := n > 0 && m.shown.entries[m.shown.rows[n-1]].kind != kindFolder // folders are first
	return kit.Columns{
		{Name: "Name", Width: 24, Flex: 1},
		{Name: "Size", Width: 10, Right: true},
		{Name: text.Either(files, "Kind", "    "), Width: 12, Spare: 1}, // as wide for folders
		{Name: "Changed", Width: 11, Right: true, Spare: 2},
	}
}

// title returns the path of the folder. It cuts the middle, because the last part matters most.
func (m *Model) title(width int) string {
	if m.shown.folder == "" {
		return "Reading…"
	}
	return text.TruncateMiddle(text.Safe(m.short(m.shown.folder)), width)
}

func (m *Model) short(folder string) string {
	home, _ := os.UserHomeDir()
	return text.Home(folder, home)
}

func (m *Model) footer() string {
	if m.shown.folder == "" || m.problem != nil {
		return ""
	}
	words := m.list.Position()
	if m.shown.order != (order{}) {
		words += " · " + m.shown.order.String()
	}
	switch {
	case m.shown.hidden:
		words += " · with hidden"
	case m.shown.without > 0:
		words += " · " + text.Count(m.shown.without) + " hidden"
	}
	if m.opening != "" {
		words += " · reading…"
	} else if m.shown.order != m.order || m.shown.pattern != m.list.Filter() {
		words += " · sorting…"
	}
	return words
}

func (m *Model) emptyText() string {
	switch {
	case m.problem != nil:
		return text.Safe(page.Explain(m.problem)) + " Press h for the parent folder, c to type a path."
	case len(m.shown.rows) > 0:
		return ""
	case m.shown.folder == "":
		return "Reading the folder…"
	case m.shown.pattern != "":
		return "No name matches the filter. Press esc to clear it."
	case m.shown.without > 0:
		return "Only hidden files here: " + text.Count(m.shown.without) + ". Press . to show them, h for the parent folder."
	}
	return "This folder is empty. Press h for the parent folder, a to add a URL, or drop files on the terminal."
}

func (m *Model) cells(row int32, widths []int, th *theme.Theme) []kit.Cell {
	e := m.shown.entries[row]
	about, path := m.infos[e.name], m.path(e)
	style, slash := th.Text, ""
	if e.kind == kindFolder {
		style, slash = th.Accent, "/"
	}
	size, age := kit.Cell{Style: th.Muted}, ""
	switch {
	case e.kind == kindFolder && about.known && about.problem == nil:
		size.Text = text.Plural(about.items, "item")
		switch about.items {
		case 0:
			size.Text = "empty"
		case maxItems:
			size.Text = text.Count(maxItems) + "+ items"
		}
	case about.known && about.size >= 0:
		size.Text = text.Bytes(about.size)
	}
	if about.known && !about.modified.IsZero() {
		age = text.Age(about.modified, m.options.Now())
	}
	word := kit.Cell{Text: text.If(e.kind != kindFolder, e.label()), Style: th.Muted}
	if note := about.note(e); note != "" || e.kind != kindFile && e.kind != kindFolder {
		word = kit.Cell{Text: th.Glyph(theme.SignWarn) + " " + cmp.Or(note, e.label()), Style: th.Warn}
	}
	if _, share := m.share(path); share != "" {
		style, size = th.Marked, kit.Cell{Text: share, Style: th.Marked}
	}
	if e.kind != kindFile && text.Width(size.Text) > widths[1] {
		size.Text, _, _ = strings.Cut(size.Text, " ")
	}
	name := text.ShortName(e.name, widths[0]-len(slash)) + slash
	if m.shown.pattern != "" && name == e.name { // offsets refer to the original name
		name = text.Matched(e.name, letters(e.name, m.shown.pattern), th.Match, style)
	}
	return []kit.Cell{{Text: name, Style: style}, size, word, {Text: age, Style: th.Muted}}
}

func firstPictures(ctx context.Context, folder string) ([]edit.Thumb, error) {
	n, err := countFolder(ctx, folder)
	return rule.Mapped(n.first, func(path string) edit.Thumb { return thumbOf(path, "") }), err
}

// thumbOf returns the thumbnail of a file. state changes with the file.
func thumbOf(path, state string) edit.Thumb {
	return edit.Thumb{Key: path + "\x00" + state, Name: filepath.Base(path), Path: edit.Local(path)}
}

func (m *Model) shownRows() (from, to int) {
	if m.sheet.On {
		return m.sheet.Visible()
	}
	return m.list.Lines().Visible()
}

func (m *Model) tile(i int) edit.Tile {
	e, _ := m.entryAt(i)
	path, about := m.path(e), m.infos[e.name]
	t := edit.Tile{Name: e.name, Words: e.label()}
	switch {
	case e.kind == kindFolder && !about.silent:
		t.Folder = path
	case e.kind == kindFile && about.known:
		t.Picture = thumbOf(path, fmt.Sprint(about.size, about.modified.UnixNano()))
	case e.kind == kindFile:
		t.Words = "…"
	}
	if m.picked(e) || m.list.InRange(i) {
		t.Marked, t.Sign = true, theme.SignMarked
	} else if some, words := m.share(path); words != "" {
		t.Marked, t.Sign = true, some
	}
	return t
}
