package details

import (
	"context"
	"image"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	return m.Draw(size, th, m.now(), func() string { return m.draw(size, th) })
}

// layout divides the screen. Parts without a rectangle are hidden.
type layout struct {
	files, form, side image.Rectangle
	picture           image.Rectangle // in side, above the facts
	facts             int             // lines below the picture
}

// leastStacked is the least height of a layout with the picture above the form.
const leastStacked = 15

// sideFacts is the number of lines below the picture, with a remark.
const sideFacts = 5

func inner(r image.Rectangle) image.Rectangle {
	return image.Rectangle{Max: kit.BoxInner(r.Size())}.Add(r.Min.Add(kit.BoxOrigin(r.Size())))
}

func (m *Model) layout(size image.Point) layout {
	var l layout
	if m.current() == nil {
		return l
	}
	size.Y -= len(m.status(size, &theme.Theme{}))
	mode, x, files := kit.ModeOfWidth(size.X), 0, len(m.entries) > 1
	switch {
	case mode == kit.Wide && size.Y >= leastStacked:
		if files {
			x = min(max(22, size.X/6), 30)
			l.files = image.Rect(0, 0, x, size.Y)
		}
		side := x + (size.X-x)/2
		l.form, l.side = image.Rect(x, 0, side, size.Y), image.Rect(side, 0, size.X, size.Y)
	case mode >= kit.Stacked && size.Y >= leastStacked:
		y := max(size.Y*2/5, size.Y-m.form.Height(size.X-2)-2)
		if files {
			x = max(22, size.X/4)
			l.files = image.Rect(0, 0, x, size.Y)
		}
		l.side, l.form = image.Rect(x, 0, size.X, y), image.Rect(x, y, size.X, size.Y)
	case m.onFiles:
		l.files = image.Rectangle{Max: size}
	default:
		l.form = image.Rectangle{Max: size}
	}
	l.picture = inner(l.side)
	l.facts = min(sideFacts, max(0, l.picture.Dy()-4))
	if l.picture.Max.Y -= l.facts; !m.current().canHaveRegion() {
		l.picture = image.Rectangle{}
	}
	return l
}

func (m *Model) draw(size image.Point, th *theme.Theme) string {
	if m.current() == nil {
		return text.Fit(kit.Paragraph("No file is open. Press esc to go back.", size.X, th.Muted), size.X, size.Y)
	}
	l := m.layout(size)
	files, form, side := m.viewFiles(l, th), m.viewForm(l, th), m.viewSide(l, th)
	body := kit.JoinH(files, form, side)
	if l.side.Min.X == l.form.Min.X {
		body = kit.JoinH(files, kit.JoinV(side, form))
	}
	return text.Fit(kit.JoinV(append([]string{body}, m.status(size, th)...)...), size.X, size.Y)
}

func (m *Model) viewFiles(l layout, th *theme.Theme) string {
	if l.files.Empty() {
		return ""
	}
	title := "Files"
	if n := len(m.targets()); n < len(m.entries) {
		title = text.Count(n) + " of " + text.Plural(len(m.entries), "file")
	}
	body := m.files.View(inner(l.files).Size(), th)
	return edit.Panel(title, m.files.Position(), body, l.files.Size(), m.onFiles, th)
}

func (m *Model) drawFile(e *entry, mark theme.Sign, width int, selected bool, th *theme.Theme) string {
	sign, style := theme.SignNone, th.Text
	switch {
	case e.problem != nil:
		sign, style = theme.SignBad, th.Bad
	case e.changed():
		sign = theme.SignChanged
	}
	label := text.ShortName(edit.Label(&e.file), max(1, width-3))
	if selected {
		style := th.SelectedDim
		if m.onFiles {
			style = th.Selected
		}
		return style.Render(text.PadRight(th.Glyph(mark)+th.Glyph(sign)+" "+label, width))
	}
	return th.Sign(mark) + th.Sign(sign) + " " + style.Render(label)
}

func (m *Model) viewForm(l layout, th *theme.Theme) string {
	if l.form.Empty() {
		return ""
	}
	title := text.ShortName(edit.FilesLabel(filesOf(m.targets())), max(1, l.form.Dx()-6))
	return edit.Panel(title, "", m.form.View(inner(l.form).Size(), !m.onFiles, th), l.form.Size(), !m.onFiles, th)
}

// viewSide draws the picture of the current file, and what it is.
func (m *Model) viewSide(l layout, th *theme.Theme) string {
	if l.side.Empty() {
		return ""
	}
	room, f := inner(l.side), &m.current().file
	var lines []string
	switch {
	case l.picture.Empty():
	case m.showsSheet():
		lines = append(lines, m.sheet.View(l.picture.Size(), th))
	default:
		lines = append(lines, m.region.View(l.picture.Size(), th))
	}
	size, bytes, version, when := "", "", "", ""
	if w, h, ok := f.PixelSize(); ok {
		size = text.Count(w) + " × " + text.Count(h)
	}
	if n, ok := f.Size.Get(); ok {
		bytes = text.Bytes(n)
	}
	if f.VersionInfo != nil {
		version = f.VersionInfo.Name
	}
	if at := f.Created(); !at.IsZero() {
		when = text.When(at, m.now())
	}
	for _, parts := range [][]string{{f.FilePath}, {size, strings.ToUpper(f.Mime[strings.LastIndexByte(f.Mime, '/')+1:]), bytes}, {when, version, text.If(f.IsPrivateFile.Or(false), "private")}} {
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		if len(parts) > 0 {
			lines = append(lines, th.Muted.Render(text.TruncateMiddle(text.Safe(strings.Join(parts, " · ")), room.Dx())))
		}
	}
	if sign, words := m.region.Note(); words != "" {
		lines = append(lines, withSign(sign, words, room.Dx(), 2, th)...)
	}
	title := ""
	if len(m.targets()) > 1 {
		title = text.ShortName(edit.Label(f), max(1, room.Dx()-2))
	}
	return edit.Panel(title, "", text.Fit(strings.Join(lines, "\n"), room.Dx(), room.Dy()), l.side.Size(), false, th)
}

// showsSheet reports whether the side shows the pictures of several files.
func (m *Model) showsSheet() bool {
	return m.o.Loader != nil && m.theme != nil && len(m.targets()) > 1
}

// tile is a target on the contact sheet, from the page that shows the current one.
func (m *Model) tile(i int) edit.Tile {
	targets := m.targets()
	page := max(1, m.sheet.Grid().Page())
	at := max(0, slices.Index(targets, m.current())) / page * page
	f := targets[(at+i)%len(targets)].file
	t := edit.Tile{Name: f.Name, Words: kindLabel(&f)}
	if f.IsImage() {
		t.Picture = edit.Thumb{Key: m.subjectOf(targets[(at+i)%len(targets)]).Name, Path: func(ctx context.Context) (string, error) { return m.o.Session.Thumb(ctx, f) }}
	}
	return t
}

// status returns the last lines: running work, failures and unsaved changes; none if there is
// nothing to say.
func (m *Model) status(size image.Point, th *theme.Theme) []string {
	if size.Y < 5 {
		return nil
	}
	e := m.current()
	switch {
	case m.manage.Busy() != "":
		return withSign(theme.SignBusy, m.manage.Progress()+" esc stops.", size.X, 1, th)
	case e.problem != nil:
		return withSign(theme.SignBad, m.named(e, "Not saved: "+page.Explain(e.problem)), size.X, min(max(1, size.Y/4), 3), th)
	case m.gone(e):
		return withSign(theme.SignBad, m.named(e, "")+"This file no longer exists. This is its last known state.", size.X, 2, th)
	}
	if d, err := e.change(); err != nil || !d.IsEmpty() {
		words := "Not saved: " + strings.Join(describe(e.saved, api.ChangesOf(d)), "; ")
		if err != nil {
			words = "Not saved, and cannot be saved yet: " + page.Explain(err)
		}
		words = m.named(e, words)
		if n := len(m.changedEntries()); n > 1 {
			words = text.Plural(n, "file") + " changed. " + words
		}
		return withSign(theme.SignChanged, words, size.X, 1, th)
	}
	switch n := len(m.changedEntries()); {
	case e.readErr != nil && api.Unavailable(e.readErr):
		return withSign(theme.SignNone, m.named(e, text.Capital(m.seen(e)))+". This service does not return records.", size.X, 1, th)
	case e.readErr != nil:
		return withSign(theme.SignWarn, m.named(e, text.Capital(m.seen(e)))+". Reading it again failed: "+page.Explain(e.readErr), size.X, 2, th)
	case n > 0:
		return withSign(theme.SignNone, "Unsaved changes in "+text.Plural(n, "other file")+".", size.X, 1, th)
	}
	return nil
}

// named prefixes a text with the file name if there are several files.
func (m *Model) named(e *entry, words string) string {
	if len(m.entries) < 2 {
		return words
	}
	return text.ShortName(edit.Label(&e.file), 28) + ": " + words
}

// withSign returns at most most lines of a text with a sign. The text is made safe.
func withSign(sign theme.Sign, words string, width, most int, th *theme.Theme) []string {
	lines := text.Wrap(text.Safe(words), max(1, width-4))
	if len(lines) > most {
		rest := strings.Join(lines[most-1:], " ")
		lines = append(lines[:most-1], text.Truncate(rest, max(1, width-4)))
	}
	style := th.SignStyle(sign)
	if sign == theme.SignNone {
		style = th.Muted
	}
	for i, line := range lines {
		lead := "   "
		if i == 0 {
			lead = " " + th.Sign(sign) + " "
		}
		lines[i] = lead + style.Render(line)
	}
	return lines
}
