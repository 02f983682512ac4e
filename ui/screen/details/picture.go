package details

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// pictureSide is the greatest side of the picture kept for drawing: enough that
// a small region is still seen in its crop.
const pictureSide = 1600

// picturePatience is how long a picture may take to arrive.
const picturePatience = time.Minute

// pictureState is the picture of the current file.
type pictureState struct {
	asked   string // what it is the picture of
	cancel  context.CancelFunc
	decoded *picture.Picture
	err     error

	view    *picture.RegionView
	hung    *picture.RegionView // that was to show real pictures last
	soon    bool                // realMsg is on its way
	size    image.Point
	options picture.Options
	area    image.Rectangle // the cells that the picture covers in size

	crop *picture.CropView // the region alone
}

// pictureMsg has the picture of a state of a file.
type pictureMsg struct {
	owner   *Model
	of      string
	decoded *picture.Picture
	err     error
}

// pictureOf names a state of a file: another version has another picture.
func pictureOf(f *api.File) string {
	version := ""
	if f.VersionInfo != nil {
		version = f.VersionInfo.ID
	}
	return fmt.Sprintf("%s %s %d", f.FileID, version, f.Size.Or(-1))
}

// wantPicture asks for the picture of the current file where it is not there.
func (m *Model) wantPicture() tea.Cmd {
	e := m.current()
	if e == nil || !e.canHaveRegion() {
		return nil
	}
	of := pictureOf(&e.file)
	if m.picture.asked == of {
		return nil
	}
	if m.picture.cancel != nil {
		m.picture.cancel()
	}
	ctx, cancel := context.WithTimeout(m.o.Context, picturePatience)
	gone := tea.Batch(m.picture.hung.TakeDown(), m.picture.crop.TakeDown())
	m.picture = pictureState{asked: of, cancel: cancel, crop: &picture.CropView{}}
	file, s := e.file, m.o.Session
	return tea.Batch(gone, func() tea.Msg {
		defer cancel()
		path, err := s.Picture(ctx, file)
		if err != nil {
			return pictureMsg{m, of, nil, err}
		}
		p, err := picture.DecodeFile(ctx, path, media.Limits{Side: pictureSide})
		return pictureMsg{m, of, p, err}
	})
}

func (m *Model) gotPicture(msg pictureMsg) {
	if msg.owner == m && msg.of == m.picture.asked {
		m.picture.decoded, m.picture.err = msg.decoded, msg.err
	}
}

// realMsg is the time to have the terminal show what has been drawn with glyphs.
type realMsg struct{ owner *Model }

// rest is how long a drawing stays the same before it is sent as a picture: while
// the window is pulled larger nothing is sent.
const rest = 150 * time.Millisecond

// soon looks, a moment later, whether the terminal can show the picture; nil where
// it cannot.
func (m *Model) soon() tea.Cmd {
	if m.o.Gallery == nil || m.o.Draw.Method != picture.MethodKitty || m.picture.soon || m.picture.decoded == nil {
		return nil
	}
	m.picture.soon = true
	return tea.Tick(rest, func(time.Time) tea.Msg { return realMsg{m} })
}

// wantReal has the terminal show the picture in place of the glyphs.
func (m *Model) wantReal() tea.Cmd {
	s := &m.picture
	s.soon = false
	if s.view == nil || s.view == s.hung || s.decoded == nil {
		return nil
	}
	gone := s.hung.TakeDown()
	s.hung = s.view
	return tea.Batch(gone, s.view.Hang(m.o.Gallery, s.decoded, s.options))
}

// its is the picture of the current file; nil while it is not there.
func (m *Model) its() *picture.Picture {
	if e := m.current(); e == nil || m.picture.asked != pictureOf(&e.file) {
		return nil
	}
	return m.picture.decoded
}

// plane is what the numbers of the current file's region count in.
func (m *Model) plane() (plane, bool) {
	e := m.current()
	if e == nil {
		return plane{}, false
	}
	return planeOf(&e.file, m.its())
}

// rect is the region as a rectangle of the upright picture; empty where there
// is none that could be drawn.
func (m *Model) rect() image.Rectangle {
	p, ok := m.plane()
	if !ok {
		return image.Rectangle{}
	}
	r, err := api.ParseRegion(cleanRegion(m.current().wantedRegion()))
	if err != nil {
		return image.Rectangle{}
	}
	return p.seen(r).Intersect(image.Rectangle{Max: p.upright()})
}

// setRect drafts a rectangle of the upright picture as the region.
func (m *Model) setRect(rect image.Rectangle) {
	p, ok := m.plane()
	if !ok || rect.Empty() {
		return
	}
	m.current().setRegion(p.region(rect).String())
	m.load()
}

// onPicture is a rectangle in pixels of the plane as pixels of the picture that
// is drawn, which may be a smaller one of the same.
func (p plane) onPicture(rect image.Rectangle, drawn image.Point) image.Rectangle {
	size := p.upright()
	if size == drawn || size.X < 1 || size.Y < 1 {
		return rect
	}
	out := image.Rect(
		rect.Min.X*drawn.X/size.X, rect.Min.Y*drawn.Y/size.Y,
		(rect.Max.X*drawn.X+size.X-1)/size.X, (rect.Max.Y*drawn.Y+size.Y-1)/size.Y,
	)
	return out
}

// options are how pictures are drawn in a theme.
func (m *Model) options(th *theme.Theme) picture.Options {
	o := m.o.Draw
	if !th.Pictures {
		o.Color = picture.NoColor
	}
	o.Light = !th.Dark
	return o
}

// drawPicture draws the picture with the region on it, or says why not, exactly
// filling size.
func (m *Model) drawPicture(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	p := m.its()
	if p == nil {
		return text.Fit(wrapped(m.noPicture(), size.X, th.Muted), size.X, size.Y)
	}
	s, o := &m.picture, m.options(th)
	if s.view == nil || s.size != size || s.options != o {
		s.view, s.size, s.options = picture.NewRegionView(p, size.X, size.Y, o), size, o
	}
	var on image.Rectangle
	if pl, ok := m.plane(); ok {
		on = pl.onPicture(m.rect(), p.Size())
	}
	drawn := s.view.Render(on)
	s.area = drawn.Area
	return strings.Join(drawn.Lines, "\n")
}

// noPicture says why no picture is drawn.
func (m *Model) noPicture() string {
	switch err := m.picture.err; {
	case err == nil:
		return "Getting the picture…"
	case errors.Is(err, context.DeadlineExceeded):
		return "The picture did not come in time; the numbers work without it."
	default:
		return "No picture: " + strings.TrimSuffix(err.Error(), ".") + ". The numbers work without it."
	}
}

// drawCrop draws the region alone, as it will look, exactly filling size.
func (m *Model) drawCrop(size image.Point, th *theme.Theme) string {
	p, rect := m.its(), m.rect()
	pl, ok := m.plane()
	if size.X < 1 || size.Y < 1 || p == nil || !ok || rect.Empty() {
		return text.Fit(wrapped("The crop will be shown here.", size.X, th.Muted), size.X, size.Y)
	}
	return strings.Join(m.picture.crop.Draw(p, pl.onPicture(rect, p.Size()), size.X, size.Y, m.options(th)), "\n")
}

// turnedWords say how the numbers relate to what is seen, where the picture is
// stored turned; empty where it is not.
func (m *Model) turnedWords() string {
	p := m.its()
	if p == nil || !p.Orientation().Turned() {
		return ""
	}
	words := fmt.Sprintf("EXIF orientation %d: shown %s. ", p.Orientation(), p.Orientation())
	if pl, _ := m.plane(); pl.o.Turned() {
		return words + "The numbers count in the picture as stored; the service does not say which it means."
	}
	return words + "The numbers count in the picture as shown, as the size of the record does."
}

// shapeWords warn where the picture is not of the shape that the record says.
func (m *Model) shapeWords() string {
	p := m.its()
	pl, ok := m.plane()
	if p == nil || !ok {
		return ""
	}
	a, b := p.Size(), pl.upright()
	// Rounding of a smaller copy changes a side by one pixel at most.
	if off := a.X*b.Y - a.Y*b.X; max(off, -off) <= max(b.X, b.Y) {
		return ""
	}
	return fmt.Sprintf("The picture is %d x %d, the record says %d x %d: the drawing may be off, the numbers count.", a.X, a.Y, b.X, b.Y)
}
