package details

import (
	"context"
	"image"
	"path"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	return m.draw(size, th)
}

type layout struct {
	files, form, side image.Rectangle
	picture           image.Rectangle // in side, above the facts
	facts             int             // lines below the picture
}

const leastStacked = 15

const sideFacts = 4

func (m *Model) layout(size image.Point) layout {
	var l layout
	if len(m.Items) == 0 {
		return l
	}
	size.Y -= len(m.status(size, &theme.Theme{}))
	mode, x := kit.ModeOfWidth(size.X), 0
	if len(m.Items) > 1 {
		x = max(22, min(size.X/5, 34))
	}
	switch {
	case mode == kit.Wide && size.Y >= leastStacked:
		side := max(x+(size.X-x)/2, size.X-max(48, size.X/3))
		high := min(size.Y, m.Form.Height(edit.Inner(image.Rect(side, 0, size.X, size.Y)).Dx())+2)
		l.side, l.form = image.Rect(x, 0, side, size.Y), image.Rect(side, 0, size.X, high)
	case mode >= kit.Stacked && size.Y >= leastStacked:
		y := max(size.Y*2/5, size.Y-m.Form.Height(size.X-2)-2)
		l.side, l.form = image.Rect(x, 0, size.X, y), image.Rect(x, y, size.X, size.Y)
	case m.On == edit.OnFiles:
		x = size.X
	default:
		x, l.form = 0, image.Rectangle{Max: size}
	}
	l.files = image.Rect(0, 0, x, size.Y)
	l.picture = edit.Inner(l.side)
	l.facts = min(sideFacts, max(0, l.picture.Dy()-4))
	if l.picture.Max.Y -= l.facts; !m.current().canHaveRegion() && !m.showsSheet() {
		l.picture = image.Rectangle{}
	}
	if w, h, ok := rule.PixelSize(&m.current().file); ok && !m.showsSheet() {
		// The facts follow the picture, which has room for the crop of a region.
		of := image.Pt(w, h)
		if plane, ok := m.Region.Plane(); ok {
			of = plane.Upright()
		}
		high := picture.Fit(of, l.picture.Dx(), l.picture.Dy(), m.Region.Draw().CellAspect).Dy()
		if m.current().Region() != "" {
			high += high*2/3 + 1
		}
		l.picture.Max.Y = min(l.picture.Max.Y, l.picture.Min.Y+high)
	}
	return l
}

func (m *Model) draw(size image.Point, th *theme.Theme) string {
	if len(m.Items) == 0 {
		return text.Fit(kit.Paragraph("No file is open. Press esc to go back.", size.X, th.Muted), size.X, size.Y)
	}
	l := m.layout(size)
	title := m.current().file.Name + " in " + path.Dir(m.current().file.FilePath)
	if n := len(m.Targets()); n > 1 {
		title = text.Plural(n, "file")
	}
	files, form, side := m.ViewFiles(l.files, th), m.ViewForm(title, l.form, th), m.viewSide(l, th)
	body := kit.JoinH(files, side, form)
	if l.side.Min.X == l.form.Min.X {
		body = kit.JoinH(files, kit.JoinV(side, form))
	}
	return text.Fit(kit.JoinV(append([]string{body}, m.status(size, th)...)...), size.X, size.Y)
}

func (m *Model) viewSide(l layout, th *theme.Theme) string {
	if l.side.Empty() {
		return ""
	}
	room, f := edit.Inner(l.side), &m.current().file
	var lines []string
	switch {
	case l.picture.Empty():
	case m.showsSheet():
		lines = append(lines, m.Sheet.View(l.picture.Size(), th))
	default:
		lines = append(lines, m.Region.View(l.picture.Size(), th))
	}
	size, bytes, version, when := "", "", "", ""
	if w, h, ok := rule.PixelSize(f); ok {
		size = text.Count(w) + " × " + text.Count(h)
	}
	if n, ok := f.Size.Get(); ok {
		bytes = text.Bytes(n)
	}
	if f.VersionInfo != nil {
		version = f.VersionInfo.Name
	}
	if at := rule.Created(f); !at.IsZero() {
		when = text.When(at, m.now())
	}
	for _, parts := range [][]string{{size, strings.ToUpper(f.Mime[strings.LastIndexByte(f.Mime, '/')+1:]), bytes}, {when, version, text.If(f.IsPrivateFile.Or(false), "private")}} {
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		if len(parts) > 0 {
			lines = append(lines, th.Muted.Render(text.TruncateMiddle(text.Safe(strings.Join(parts, " · ")), room.Dx())))
		}
	}
	if sign, words := m.Region.Note(); words != "" {
		lines = append(lines, withSign(sign, words, room.Dx(), 2, th)...)
	}
	title := ""
	if len(m.Targets()) > 1 {
		title = text.ShortName(edit.Label(f), max(1, room.Dx()-2))
	}
	return edit.Panel(title, "", text.Fit(strings.Join(lines, "\n"), room.Dx(), room.Dy()), l.side.Size(), false, th)
}

func (m *Model) showsSheet() bool {
	return m.o.Loader != nil && m.Theme != nil && len(m.Targets()) > 1
}

func (m *Model) tile(e *prepared) edit.Tile {
	t := edit.Tile{Name: e.file.Name, Words: kindLabel(&e.file)}
	if e.file.IsImage() {
		t.Picture = edit.Thumb{
			Key:  m.subject(e).Name,
			Path: func(ctx context.Context) (string, error) { return m.o.Session.Thumb(ctx, e.file) },
		}
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
		words := "Not saved: " + strings.Join(describe(e.Saved.Values(), e.Changes()), "; ")
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

func (m *Model) named(e *prepared, words string) string {
	if len(m.Items) < 2 {
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
