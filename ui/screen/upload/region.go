package upload

import (
	"context"
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

// drawingSide is the greatest side of the picture kept for drawing: enough
// that a small region is still seen in its crop.
const drawingSide = 1600

// regionPicture is the picture of the current source with its region marked.
type regionPicture struct {
	asked   string // the path that was asked for
	cancel  context.CancelFunc
	decoded *picture.Picture
	err     error

	view    *picture.RegionView // of decoded, at size
	hung    *picture.RegionView // that was to show a real picture last
	soon    bool                // realMsg is on its way
	size    image.Point
	options picture.Options
	area    image.Rectangle // the cells that the picture covers in size

	crop *picture.CropView // the region alone, in its editor
}

// pictureMsg has the decoded picture of a path.
type pictureMsg struct {
	owner   *Model
	path    string
	decoded *picture.Picture
	err     error
}

// wantPicture asks for the picture while the region is edited.
func (m *Model) wantPicture() tea.Cmd {
	s := m.current()
	i := m.focused()
	if _, drawing := m.over.(*regionEditor); s == nil || !drawing && (i == nil || i.section != sectionRegion) {
		return nil
	}
	if yes, _ := s.known.isPicture(); !yes || m.picture.asked == s.src.Path {
		return tea.Batch(m.soon(), m.picture.crop.Follow(m.opt.Gallery, m.opt.Picture))
	}
	if m.picture.cancel != nil {
		m.picture.cancel()
	}
	gone := tea.Batch(m.picture.hung.TakeDown(), m.picture.crop.TakeDown())
	ctx, cancel := context.WithTimeout(m.opt.Context, patience)
	path := s.src.Path
	m.picture = regionPicture{asked: path, cancel: cancel, crop: &picture.CropView{}}
	return tea.Batch(gone, func() tea.Msg {
		defer cancel()
		p, err := picture.DecodeFile(ctx, path, media.Limits{Side: drawingSide})
		return pictureMsg{m, path, p, err}
	})
}

// realMsg is the time to have the terminal show what has been drawn with glyphs.
type realMsg struct{ owner *Model }

// rest is how long a drawing stays the same before it is sent as a picture: while
// the window is pulled larger nothing is sent.
const rest = 150 * time.Millisecond

// soon looks, a moment later, whether the terminal can show the picture; nil where
// it cannot. That it does already is seen only then: what a message changes is drawn
// after it.
func (m *Model) soon() tea.Cmd {
	p := &m.picture
	if m.opt.Gallery == nil || m.opt.Picture.Method != picture.MethodKitty || p.soon || p.decoded == nil {
		return nil
	}
	p.soon = true
	return tea.Tick(rest, func(time.Time) tea.Msg { return realMsg{m} })
}

// wantReal has the terminal show the picture in place of the glyphs.
func (m *Model) wantReal(msg realMsg) tea.Cmd {
	p := &m.picture
	if msg.owner != m {
		return nil
	}
	p.soon = false
	if p.view == nil || p.view == p.hung || p.decoded == nil {
		return nil
	}
	gone := p.hung.TakeDown()
	p.hung = p.view
	return tea.Batch(gone, p.view.Hang(m.opt.Gallery, p.decoded, p.options))
}

func (m *Model) gotPicture(msg pictureMsg) {
	if msg.owner == m && msg.path == m.picture.asked {
		m.picture.decoded, m.picture.err = msg.decoded, msg.err
	}
}

// draw draws the picture with the region marked, exactly filling size; empty
// where there is none to draw.
func (p *regionPicture) draw(words string, size image.Point, o picture.Options, th *theme.Theme) string {
	p.area = image.Rectangle{}
	if size.X < 8 || size.Y < 3 || p.asked == "" {
		return ""
	}
	if p.err != nil {
		return text.Fit(strings.Join(wrapStyled("No drawing: "+p.err.Error(), size.X, th.Muted), "\n"), size.X, size.Y)
	}
	if p.decoded == nil {
		return text.Fit(th.Muted.Render("Reading the picture…"), size.X, size.Y)
	}
	if !th.Pictures {
		o.Color = picture.NoColor
	}
	o.Light = !th.Dark
	if p.view == nil || p.size != size || p.options != o {
		p.view, p.size, p.options = picture.NewRegionView(p.decoded, size.X, size.Y, o), size, o
	}
	var rect image.Rectangle
	if r, err := api.ParseRegion(regionText(words).Or("")); err == nil {
		rect = media.ToDisplay(p.decoded.Orientation(), p.decoded.Stored(), r.Rectangle())
	}
	drawn := p.view.Render(rect)
	p.area = drawn.Area
	return strings.Join(drawn.Lines, "\n")
}
