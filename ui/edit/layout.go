package edit

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Layout is where the parts of an editor are on its screen. Parts that have no room are empty.
type Layout struct {
	Files, Form image.Rectangle
	// Side is for what the screen shows in addition to the form.
	Side image.Rectangle
	// Picture is the current file, or the contact sheet of several targets; Facts are the lines below.
	Picture, Facts image.Rectangle
}

// LeastStacked is the height from which all parts are shown, unless the screen is narrow.
const LeastStacked = 15

// leastAiry is the height from which a blank line is above the form, leastSideRows that of a side
// below it, and leastGap that of a picture that does not touch the form.
const leastAiry, leastSideRows, leastGap = 26, 4, 10

// fewFiles is the most files whose contact sheet has their tags, and needs no list beside it.
const fewFiles = 6

// Least widths.
const leastForm, leastSide = 48, 30

// Layout returns the parts in a size, for the one that was settled last as they are shown.
func (e *Editor[T]) Layout(size image.Point) Layout {
	if size == e.size {
		return e.layout
	}
	return e.arrange(size)
}

// air returns the blank lines of a form in a size: one above it, and one for longer notes.
func air(size image.Point) int { return text.Either(size.Y >= leastAiry, 2, 0) }

// arrange divides a size: the picture above the form, as large as it can be.
func (e *Editor[T]) arrange(size image.Point) (l Layout) {
	room, mode := image.Rectangle{Max: size}, kit.ModeOfWidth(size.X)
	switch {
	case len(e.Items) == 0:
		return l
	case mode < kit.Stacked || size.Y < LeastStacked:
		*[]*image.Rectangle{&l.Files, &l.Form, &l.Side}[e.On] = room
		return l
	case len(e.Items) > 1:
		// A list would repeat the names of a sheet that shows all files.
		if e.On == OnFiles || !e.ShowsSheet() || len(e.targetRows()) < len(e.Items) ||
			mode == kit.Wide && len(e.Items) > fewFiles {
			l.Files = room
			l.Files.Max.X = max(22, min(size.X/4, 34))
			room.Min.X = l.Files.Max.X
		}
	}
	// The side is to the right of the form or below it.
	l.Form = room
	switch {
	case !e.Side:
	case room.Dx() < leastForm+leastSide:
		l.Side = room
		l.Form.Max.Y -= max(leastSideRows, room.Dy()/5)
		l.Side.Min.Y = l.Form.Max.Y
	default:
		l.Form.Max.X -= max(leastSide, room.Dx()*2/5)
		l.Side = room
		l.Side.Min.X = l.Form.Max.X
	}
	height := e.Form.Height(Inner(l.Form).Dx(), air(size)) + 2
	least := text.Either(e.Form.open, room.Dy()/4, room.Dy()*2/5) // of the picture
	l.Form.Min.Y = max(least, l.Form.Max.Y-height)
	if l.Form.Dy() < height && l.Form.Max.Y < room.Max.Y {
		l.Form.Min.Y = 0 // no room for a picture
	}
	if _, ok := e.pictured(); !ok {
		l.Form.Min.Y = min(len(e.facts()), room.Dy()/4) + text.Either(room.Dy() >= leastAiry, 1, 0)
	}
	if e.Side && l.Form.Max.Y == room.Max.Y {
		l.Side.Min.Y = l.Form.Min.Y
	}
	room.Max.Y = l.Form.Min.Y
	l = e.position(l, room)
	if sheet := l.Picture.Size(); e.ShowsSheet() && len(e.targetRows()) <= e.Sheet.gridOf(sheet).Columns {
		l.Picture.Min.Y += (sheet.Y - e.Sheet.Fit(sheet).Y) / 2 // a single row is in the middle
	}
	if !e.Side {
		l.Form.Max.Y = min(l.Form.Max.Y, l.Form.Min.Y+height)
	}
	return l
}

// pictured returns the size of what is shown of the targets, if there are pictures.
func (e *Editor[T]) pictured() (size image.Point, ok bool) {
	file, ok := e.Subject()
	if !ok || e.ShowsSheet() {
		return size, ok
	}
	s := e.o.Subject(file)
	plane, _ := PlaneOf(s, e.Region.decoded)
	return plane.Upright(), s.Path != nil
}

// position puts the picture at the top of a room, and the facts below it.
func (e *Editor[T]) position(l Layout, room image.Rectangle) Layout {
	facts := e.facts()
	size, ok := e.pictured()
	if room.Min.X, room.Max.X = room.Min.X+1, room.Max.X-1; ok {
		room.Min.Y++
	}
	if ok && e.Region.cropsBeside(room.Size()) {
		facts = nil // they are below the crops
	}
	below := len(facts)
	if airy := l.Form.Max.Y >= leastAiry; ok && l.Form.Min.Y > 0 && (airy || below == 0 && room.Dy() > leastGap) {
		below += text.Either(airy, min(2, below+1), 1)
	}
	l.Picture, l.Facts = room, room
	if l.Picture.Max.Y -= min(below, max(0, room.Dy()-4)); !ok {
		l.Picture = image.Rectangle{Min: room.Min, Max: room.Min}
	} else if size != (image.Point{}) {
		l.Picture = e.Region.fitted(l.Picture, size)
	}
	// They begin where the picture does, if that leaves them room.
	l.Facts.Min = image.Pt(l.Picture.Min.X, l.Picture.Max.Y+(below-len(facts)+1)/2)
	for _, line := range facts {
		l.Facts.Min.X = max(room.Min.X, min(l.Facts.Min.X, room.Max.X-text.Width(line)))
	}
	return l
}

// ShowsSheet reports whether several targets are shown side by side, because there are pictures.
func (e *Editor[T]) ShowsSheet() bool {
	drawn := e.o.Loader != nil && e.Theme != nil && e.Region.o.Draw.Method != picture.MethodOff
	return drawn && len(e.targetRows()) > 1 &&
		slices.ContainsFunc(e.Targets(), func(file T) bool { return e.o.Tile(file).Picture.Key != "" })
}

// FactsLine joins the facts of a file that need no label. Those that are empty or zero are left out.
func FactsLine(size image.Point, kind string, bytes int64, more ...string) []string {
	parts := []string{"", kind, ""}
	if size != (image.Point{}) {
		parts[0] = fmt.Sprintf("%d × %d", size.X, size.Y)
	}
	if bytes > 0 {
		parts[2] = text.Bytes(bytes)
	}
	parts = slices.DeleteFunc(append(parts, more...), func(part string) bool { return part == "" })
	return []string{strings.Join(parts, " · ")}
}

// FactsOf is [FactsLine] of a stored file.
func FactsOf(f *api.File, more ...string) []string {
	w, h, _ := rule.PixelSize(f)
	return FactsLine(image.Pt(w, h), KindOf(*f), f.Size.Or(0), more...)
}

// Uploaded says when a file was uploaded first; "" if that is not known.
func Uploaded(f *api.File, now time.Time) string {
	first, at := text.If(rule.Replaces(f), "first "), rule.Created(f)
	if f.Type == api.TypeVersion {
		first, at = "", rule.Updated(f)
	}
	return text.If(!at.IsZero(), first+"uploaded "+text.When(at, now))
}

// KindOf names the kind of a file, such as "PNG" or "application/pdf".
func KindOf(f api.File) string {
	major, subtype, _ := strings.Cut(f.Mime, "/")
	switch {
	case f.IsFolder():
		return "folder"
	case major == "image":
		return strings.ToUpper(strings.TrimSuffix(subtype, "+xml"))
	case f.IsImage():
		return "image"
	}
	return cmp.Or(f.Mime, "file")
}

// facts are the lines below the picture, about the current file; none below a contact sheet.
func (e *Editor[T]) facts() []string {
	if e.ShowsSheet() {
		return nil
	}
	file, _ := e.Subject()
	lines := e.o.Facts(file)
	if words := e.Region.Note(); words != "" {
		lines = append(lines, words)
	}
	return lines
}

// Settle lays the parts out and loads the pictures, none while the screen is hidden. Call it at the
// end of each Update.
func (e *Editor[T]) Settle(size image.Point, hidden bool) tea.Cmd {
	e.size, e.layout = size, e.arrange(size)
	l := e.layout
	if !l.Files.Empty() {
		e.Files.Resize(Inner(l.Files).Size())
		e.Files.Changed()
	}
	e.Form.Resize(e.inside(l.Form).Size())
	cmd, sheet := e.next, e.ShowsSheet() && !hidden
	e.next = nil
	if e.Drawing() {
		e.Page.Position()
	} else {
		if e.drew {
			e.drew = false
			e.Focus(e.On) // typing goes on
		}
		e.Region.Resize(l.Picture)
	}
	if !sheet || l.Picture.Empty() {
		cmd = tea.Batch(cmd, e.Sheet.Delete())
	} else {
		e.Sheet.Arrange(l.Picture.Size(), e.Region.Options(e.Theme))
		cmd = tea.Batch(cmd, e.Sheet.Want())
	}
	var subject Subject
	if file, ok := e.Subject(); ok && (e.Drawing() || !l.Picture.Empty() && !sheet && !hidden) {
		subject = e.o.Subject(file)
	}
	return tea.Batch(cmd, e.Region.Show(subject), e.Region.Follow())
}

// View draws the parts. side is what the screen shows in addition to the form.
func (e *Editor[T]) View(size image.Point, title, side string, th *theme.Theme) string {
	l := e.Layout(size)
	files, form := e.viewFiles(l.Files, th), e.viewForm(title, l.Form, th)
	pic := e.viewPicture(l, th)
	switch {
	case l.Side.Min.Y == l.Form.Max.Y && l.Side.Dx() == l.Form.Dx():
		form = kit.JoinV(form, side)
	case l.Side.Min.X == l.Form.Max.X:
		form = kit.JoinH(form, side)
	}
	if pic == "" {
		return text.Fit(kit.JoinH(files, form), size.X, size.Y)
	}
	return kit.JoinH(files, kit.JoinV(pic, form))
}

// viewPicture draws what is above the form: the picture or the contact sheet, and the facts below it.
func (e *Editor[T]) viewPicture(l Layout, th *theme.Theme) string {
	room := image.Rect(l.Files.Max.X, 0, max(l.Form.Max.X, l.Side.Max.X), l.Facts.Max.Y)
	if room.Empty() || l.Form.Min.Y == 0 {
		return ""
	}
	var drawn []string
	switch in := l.Picture.Size(); {
	case l.Picture.Empty():
	case e.ShowsSheet():
		drawn = strings.Split(e.Sheet.View(in, th), "\n")
	default:
		drawn = strings.Split(e.Region.View(in, strings.Join(e.facts(), "\n"), th), "\n")
	}
	lines := make([]string, l.Picture.Min.Y)
	for i := range l.Picture.Dy() {
		lines = append(lines, text.Blanks(l.Picture.Min.X-room.Min.X)+drawn[i])
	}
	lines = append(lines, make([]string, max(0, l.Facts.Min.Y-len(lines)))...)
	for _, line := range e.facts()[:min(len(e.facts()), l.Facts.Dy())] {
		line = th.Muted.Render(text.Truncate(text.Safe(line), l.Facts.Dx()))
		lines = append(lines, text.Blanks(l.Facts.Min.X-room.Min.X)+line)
	}
	return text.Fit(strings.Join(lines, "\n"), room.Dx(), room.Dy())
}
