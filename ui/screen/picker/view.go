package picker

import (
	"context"
	"fmt"
	"image"
	"path/filepath"
	"strings"

	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// View draws the picker.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	return m.Draw(size, th, m.now(), func() string { return m.draw(size, th) })
}

func (m *Model) draw(size image.Point, th *theme.Theme) string {
	l := m.layoutIn(size)
	left := m.drawList(l, th)
	if !l.preview.Empty() {
		pane := m.drawPreview(l, th)
		if l.preview.Min.X > 0 {
			left = kit.JoinH(left, pane)
		} else {
			left = kit.JoinV(left, pane)
		}
	}
	view := kit.JoinV(left, m.drawTray(l, th), m.drawSummary(l, th))
	if l.list.Empty() {
		view = kit.JoinV(m.drawTray(l, th), left, m.drawSummary(l, th))
	}
	return text.Fit(view, size.X, size.Y)
}

// listColumns are sign, name, size, age, and the kind or the word for the sign.
var listColumns = kit.Columns{
	{Width: 1},
	{Name: "Name", Width: 16, Flex: 1},
	{Name: "Size", Width: 9, Right: true},
	{Name: "Changed", Width: 11, Right: true, Spare: 2},
	{Name: "Kind", Width: 10, Spare: 1},
}

func (m *Model) drawList(l layout, th *theme.Theme) string {
	if l.list.Empty() {
		return ""
	}
	body := m.list.View(inner(l.list).Size(), th)
	return kit.BoxFooter(m.title(l.list.Dx()-6), m.footer(), body, l.list.Size(), m.focus != onTray, th)
}

// title returns the path of the folder. It cuts the middle, because the last part matters most.
func (m *Model) title(width int) string {
	if m.shown.folder == "" {
		return "Reading…"
	}
	return text.TruncateMiddle(text.Safe(m.short(m.shown.folder)), width)
}

// short abbreviates the home folder as ~.
func (m *Model) short(folder string) string {
	if home, err := m.home(); err == nil && home != "/" {
		if rest, ok := strings.CutPrefix(folder, home); ok && (rest == "" || rest[0] == filepath.Separator) {
			return "~" + rest
		}
	}
	return folder
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

// emptyText tells why the list is empty and what to do; "" if it is not.
func (m *Model) emptyText() string {
	switch {
	case m.problem != nil:
		return text.Safe(page.Explain(m.problem)) + " Press h for the parent folder, ~ for your home folder."
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

// drawRow draws one row of the list.
func (m *Model) drawRow(row int32, mark theme.Sign, width int, selected bool, th *theme.Theme) string {
	e, widths := m.shown.entries[row], listColumns.Widths(width)
	look := m.infos[e.name]
	picked := m.tray.has(api.Source{Path: m.path(e)})
	some, share := m.share(m.path(e))
	if share != "" {
		share = th.Glyph(some) + " " + share
	}
	ranged := mark == theme.SignMarked
	sign, note := m.mark(e, look, picked, ranged)

	base, faint := th.Text, th.Muted
	if e.kind == kindFolder {
		base = th.Accent
	}
	if picked || ranged || share != "" {
		base = th.Marked
	}
	size, age := "", ""
	if look.known {
		if look.size >= 0 {
			size = text.Bytes(look.size)
		}
		if !look.modified.IsZero() {
			age = text.Age(look.modified, m.now())
		}
	}
	signStyle := th.SignStyle(sign)
	word := kit.Cell{Text: e.label(), Style: faint}
	if note != "" {
		word = kit.Cell{Text: note, Style: signStyle}
	}
	sizeStyle := faint
	if share != "" {
		size, sizeStyle = share, base
		if text.Width(size) > widths[2] {
			size, _, _ = strings.Cut(size, "/")
		}
	}
	chosen := th.SelectedDim
	if m.focus != onTray {
		chosen = th.Selected
	}
	return listColumns.Draw([]kit.Cell{
		{Text: th.Glyph(sign), Style: signStyle}, {Text: m.name(e, widths[1], base, th.Match)}, {Text: size, Style: sizeStyle}, {Text: age, Style: faint}, word,
	}, widths, theme.SignNone, 0, selected, chosen, th)
}

// mark returns the sign of a row and its word.
func (m *Model) mark(e entry, look info, picked, ranged bool) (theme.Sign, string) {
	switch {
	case ranged:
		return theme.SignMarked, "in range"
	case picked:
		return theme.SignMarked, "picked"
	}
	if note := look.note(e); note != "" {
		return theme.SignWarn, note
	}
	switch {
	case e.kind == kindFolder:
		return theme.SignFolder, ""
	case e.kind != kindFile:
		return theme.SignWarn, e.label()
	}
	return theme.SignNone, ""
}

// name draws a name with its matched letters, unless it is shortened.
func (m *Model) name(e entry, width int, base, match lipgloss.Style) string {
	if m.shown.pattern == "" {
		return base.Render(text.ShortName(e.name, width))
	}
	if short := text.ShortName(e.name, width); short != e.name {
		return base.Render(short) // offsets refer to the original name
	}
	return text.Matched(e.name, letters(e.name, m.shown.pattern), match, base)
}

// firstPictures returns the first pictures under a folder.
func firstPictures(ctx context.Context, folder string) (thumbs []edit.Thumb, err error) {
	n, err := countFolder(ctx, folder)
	for _, path := range n.first {
		thumbs = append(thumbs, thumbOf(path, ""))
	}
	return thumbs, err
}

// thumbOf returns the thumbnail of a file. state changes with the file.
func thumbOf(path, state string) edit.Thumb {
	return edit.Thumb{Key: path + "\x00" + state, Name: filepath.Base(path), Path: func(context.Context) (string, error) { return path, nil }}
}

// seenRows returns the visible rows.
func (m *Model) seenRows() (from, to int) {
	if m.sheet.On {
		return m.sheet.Visible()
	}
	return m.list.Lines().Visible()
}

// tile returns the tile of row i.
func (m *Model) tile(i int) edit.Tile {
	e, _ := m.entryAt(i)
	path, look := m.path(e), m.infos[e.name]
	t := edit.Tile{Name: e.name, Words: e.label()}
	switch {
	case e.kind == kindFolder && !look.silent:
		t.Folder = path
	case e.kind == kindFile && look.known:
		t.Picture = thumbOf(path, fmt.Sprint(look.size, look.modified.UnixNano()))
	case e.kind == kindFile:
		t.Words = "…"
	}
	if m.tray.has(api.Source{Path: path}) {
		t.Marked, t.Sign = true, theme.SignMarked
	} else if some, words := m.share(path); words != "" {
		t.Marked, t.Sign = true, some
	}
	return t
}
