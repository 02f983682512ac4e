package edit

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
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

const (
	// side is the greatest side of the picture that is kept for drawing: enough
	// that a small region is still seen in its crop.
	side = 1600
	// patience is how long a picture may take to arrive.
	patience = time.Minute
	// rest is how long a drawing stays the same before it is sent to the terminal
	// as a picture: while the window is resized nothing is sent.
	rest = 150 * time.Millisecond
	// leastBeside is the width from which the crop is drawn, too.
	leastBeside = 44
)

// RegionOptions are what a region editor works with.
type RegionOptions struct {
	// Context ends the loading of pictures.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	// Draw says how to draw pictures. Where the theme has no color, neither have
	// they.
	Draw picture.Options
	// Images shows real pictures where the terminal can; nil: glyphs are drawn.
	Images *picture.ImageStore
	// Text is the region as it is edited, x,y,width,height; blanks between the
	// numbers do not count, and any other text is no region.
	Text func() string
	// Set takes the region that was drawn, in the same form.
	Set func(region string)
	// Keep returns what brings back the regions of the screen as they are now; undo
	// calls it.
	Keep func() (restore func())
	// Files are all pictures of the screen that can have a region, this one among them;
	// nil: there are no others.
	Files func() []RegionFile
	// Overlays are those of the screen, for a menu.
	Overlays *kit.Overlays
}

// Subject is the picture on which the region is drawn.
type Subject struct {
	// Name identifies the picture and its version: with another name it is loaded
	// again. Empty: there is no picture.
	Name string
	// Size is the size that the service or the file states, as stored; zero: not
	// known.
	Size image.Point
	// Orientation turns the picture upright; zero: not known before it is loaded.
	Orientation media.Orientation
	// Path gives a local file that holds the picture. Nil: no picture can be
	// shown, only its numbers.
	Path func(ctx context.Context) (string, error)
}

// Region edits a rectangle on a picture by keys and by the mouse. The screen
// keeps the rectangle itself, as text. Make it with [NewRegion].
type Region struct {
	o       RegionOptions
	subject Subject
	load    page.Questions
	cancel  context.CancelFunc
	decoded *picture.Picture
	err     error

	handle  picture.Handle
	ratio   picture.Ratio
	past    []step
	asked   page.Questions // for suggestions
	all     page.Questions // for those of all files
	found   suggestions
	drag    drag
	pointer page.Pointer // where in its cell the mouse is, until its message

	room  image.Rectangle // of the screen, for picture and crop
	frame *kit.Memo[frameOf, frame]
	sent  *picture.RegionView // the view that the terminal shows as a picture
	soon  bool                // sendDue is on its way
	crop  *picture.CropView
}

// drag is a rectangle that is moved or drawn with the mouse. It counts from
// where it began, so that rounding to cells never adds up.
type drag struct {
	on    bool
	from  image.Point     // in pixels of the upright picture
	rect  image.Rectangle // as it was
	fresh bool            // a new rectangle is drawn
	moved bool            // it changed the rectangle, which is one step
	cells image.Rectangle // of the screen, where the picture was
}

// step is a change of the region, as it was before.
type step struct {
	restore func()
	ratio   picture.Ratio
}

// frame is the picture fitted to the cells in which it was drawn last, and
// frameOf what that depends on.
type (
	frame struct {
		view    *picture.RegionView
		options picture.Options
	}
	frameOf struct {
		picture *picture.Picture
		size    image.Point
		options picture.Options
	}
)

type (
	// pictureMsg has the picture that was asked for last.
	pictureMsg struct {
		decoded *picture.Picture
		err     error
	}
	// sendDue is the time to send the terminal what has been drawn with glyphs.
	sendDue struct{}
)

// NewRegion makes an editor that has no picture yet.
func NewRegion(o RegionOptions) *Region {
	return &Region{o: o, frame: &kit.Memo[frameOf, frame]{}, crop: &picture.CropView{}}
}

// Show has the region drawn on a picture, which is loaded where it is another
// than before.
func (r *Region) Show(s Subject) tea.Cmd {
	before := r.subject
	r.subject = s
	if s.Name == before.Name {
		return nil
	}
	if r.cancel != nil {
		r.cancel()
	}
	gone := tea.Batch(r.sent.Delete(), r.crop.Delete())
	r.load.Drop()
	r.decoded, r.err, r.sent, r.crop, r.found = nil, nil, nil, &picture.CropView{}, suggestions{}
	r.frame = &kit.Memo[frameOf, frame]{}
	if s.Name == "" || s.Path == nil {
		return gone
	}
	ctx, cancel := context.WithTimeout(r.o.Context, patience)
	r.cancel = cancel
	return tea.Batch(gone, r.load.Ask(func() tea.Msg {
		defer cancel()
		path, err := s.Path(ctx)
		if err != nil {
			return pictureMsg{err: err}
		}
		p, err := picture.DecodeFile(ctx, path, media.Limits{Side: side})
		return pictureMsg{p, err}
	}))
}

// Begin forgets handle, ratio and steps, for the region of another file.
func (r *Region) Begin() {
	r.handle, r.ratio, r.past, r.found, r.drag = 0, picture.Ratio{}, nil, suggestions{}, drag{}
}

// Step is for before a change of the region, so that undo takes it back. A suggestion
// that is shown goes.
func (r *Region) Step() {
	r.past = append(r.past, step{r.o.Keep(), r.ratio})
	r.found.shown = false
}

// Unset is for before the region is removed: it is one step, and frees the ratio.
func (r *Region) Unset() {
	r.Step()
	r.ratio = picture.Ratio{}
}

// undo takes the last step back.
func (r *Region) undo() tea.Cmd {
	if r.found.shown {
		return r.dropSuggestion()
	}
	last := r.past[len(r.past)-1]
	r.past = r.past[:len(r.past)-1]
	last.restore()
	r.ratio = last.ratio
	return nil
}

// Resize tells where on the screen picture and crop are drawn; empty: nowhere.
func (r *Region) Resize(room image.Rectangle) { r.room = room }

// Draw is how pictures are drawn on the terminal.
func (r *Region) Draw() picture.Options { return r.o.Draw }

// Picture is what is drawn on; nil while there is none.
func (r *Region) Picture() *picture.Picture { return r.decoded }

// Plane is what the region counts in; it is not ok while that is not known.
func (r *Region) Plane() (plane Plane, ok bool) { return PlaneOf(r.subject, r.decoded) }

// Rect is the suggestion that is shown, else the region, as a rectangle of the upright
// picture; empty where there is none that could be drawn.
func (r *Region) Rect() image.Rectangle {
	if r.found.shown {
		return r.found.list[r.found.at]
	}
	p, ok := r.Plane()
	region, err := api.ParseRegion(strings.Join(strings.Fields(r.o.Text()), ""))
	if !ok || err != nil {
		return image.Rectangle{}
	}
	return p.Seen(region).Intersect(image.Rectangle{Max: p.Upright()})
}

// SetRect makes a rectangle of the upright picture the region. An empty one
// changes nothing.
func (r *Region) SetRect(rect image.Rectangle) {
	if p, ok := r.Plane(); ok && !rect.Empty() {
		r.o.Set(p.Region(rect).String())
	}
}

// change makes a rectangle the region, as a step of its own.
func (r *Region) change(to image.Rectangle) {
	if to != r.Rect() || r.found.shown {
		r.Step()
		r.SetRect(to)
	}
}

// Update takes a message and reports whether it may have changed what is drawn;
// true for a click means that it was on the picture.
func (r *Region) Update(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case pictureMsg:
		r.decoded, r.err = msg.decoded, msg.err
	case suggestedMsg:
		return r.suggested(msg), true
	case allSuggestedMsg:
		return r.allSuggested(msg), true
	case sendDue:
		return r.send(), true
	case tea.ColorProfileMsg:
		r.o.Draw.Color = picture.ColorOf(msg.Profile)
	case picture.Abilities:
		r.o.Draw = msg.Options(r.o.Draw.Color, r.o.Draw.Light)
	case picture.ViewReady:
	case page.Pointer:
		r.pointer = msg
		return nil, false
	case tea.MouseMsg:
		used = r.mouse(msg)
		r.pointer = page.Pointer{}
		return nil, used
	default:
		return nil, false
	}
	return nil, true
}

// Follow is for the end of each Update of the screen: what is drawn after it may
// have to be sent to the terminal as a picture. Nil where there is nothing to do.
func (r *Region) Follow() tea.Cmd {
	crop := r.crop.Follow(r.o.Images, r.o.Draw)
	if r.o.Images == nil || !r.o.Draw.Method.Pixels() || r.soon || r.decoded == nil {
		return crop
	}
	r.soon = true
	return tea.Batch(crop, tea.Tick(rest, func(time.Time) tea.Msg { return sendDue{} }))
}

// send has the terminal show the picture in place of the glyphs.
func (r *Region) send() tea.Cmd {
	r.soon = false
	last := r.frame.Last()
	if last.view == nil || last.view == r.sent || r.decoded == nil {
		return nil
	}
	gone := r.sent.Delete()
	r.sent = last.view
	return tea.Batch(gone, r.sent.Transmit(r.o.Images, r.decoded, last.options))
}

// rooms are the parts of a size for the picture and, where there is room, for the
// crop; else that is empty. The crop is beside the picture or under it, whichever
// shows both larger.
func (r *Region) rooms(size image.Point) (pic, crop image.Rectangle) {
	all := image.Rectangle{Max: size}
	if size.X < leastBeside || size.Y < 2 || r.decoded == nil {
		return all, image.Rectangle{}
	}
	fitted := func(room image.Rectangle) image.Point {
		return picture.Fit(r.decoded.Size(), room.Dx(), room.Dy(), r.o.Draw.CellAspect).Size()
	}
	wide := min(max(fitted(all).X, size.X/3), size.X*2/3)
	high := min(max(fitted(all).Y, size.Y/3), size.Y*2/3)
	beside := [2]image.Rectangle{image.Rect(0, 0, wide, size.Y), image.Rect(wide+1, 0, size.X, size.Y)}
	under := [2]image.Rectangle{image.Rect(0, 0, size.X, high), image.Rect(0, high, size.X, size.Y)}
	area := func(rooms [2]image.Rectangle) (cells int) {
		rooms[1].Min.Y++ // the label
		for _, room := range rooms {
			cells += fitted(room).X * fitted(room).Y
		}
		return cells
	}
	if area(under) > area(beside) {
		return under[0], under[1]
	}
	return beside[0], beside[1]
}

// pictureRoom is where on the screen there is room for the picture.
func (r *Region) pictureRoom() image.Rectangle {
	pic, _ := r.rooms(r.room.Size())
	return pic.Add(r.room.Min)
}

// Cells are where on the screen the picture is; empty where none is drawn.
func (r *Region) Cells() image.Rectangle {
	if r.decoded == nil {
		return image.Rectangle{}
	}
	room := r.pictureRoom()
	return picture.Fit(r.decoded.Size(), room.Dx(), room.Dy(), r.o.Draw.CellAspect).Add(room.Min)
}

// WantsPixels reports whether the mouse is wanted by pixels: while a picture is
// shown.
func (r *Region) WantsPixels() bool { return !r.Cells().Empty() }

func (r *Region) mouse(msg tea.MouseMsg) (used bool) {
	at := image.Pt(msg.Mouse().X, msg.Mouse().Y)
	held := msg.Mouse().Button == tea.MouseLeft
	switch msg.(type) {
	case tea.MouseClickMsg:
		if !held || !at.In(r.pictureRoom()) || r.NoPlane() != "" {
			return false
		}
		if pixel, ok := r.pixelAt(at); ok {
			rect := r.Rect()
			r.drag = drag{on: true, from: pixel, rect: rect, fresh: !pixel.In(rect), cells: r.Cells()}
		}
		return true
	case tea.MouseMotionMsg:
		if r.drag.on && held {
			r.follow(at)
			return true
		}
		r.drag = drag{} // the button was let go elsewhere
	case tea.MouseReleaseMsg:
		r.drag = drag{}
	}
	return false
}

// follow moves the rectangle with the mouse, or draws another.
func (r *Region) follow(at image.Point) {
	to, ok := r.pixelAt(at)
	if !ok {
		return
	}
	if cells := r.Cells(); cells != r.drag.cells {
		// The picture has moved under a pointer that stands still: go on from there.
		r.drag.cells = cells
		if !r.drag.fresh {
			r.drag.from, r.drag.rect = to, r.Rect()
		}
		return
	}
	p, _ := r.Plane()
	rect := r.drag.rect
	switch {
	case to == r.drag.from:
	case r.drag.fresh:
		r.handle = 0
		rect = r.ratio.Drawn(r.drag.from, to, p.Upright())
	default:
		rect = r.handle.Moved(rect, to.Sub(r.drag.from), p.Upright(), r.ratio)
	}
	if !r.drag.moved {
		if rect == r.drag.rect {
			return
		}
		r.drag.moved = true
		r.Step()
	}
	r.SetRect(rect)
}

// pixelAt is the pixel of the upright picture under a cell of the screen, on its
// border for cells beside it. It is not ok where none is drawn.
func (r *Region) pixelAt(at image.Point) (pixel image.Point, ok bool) {
	p, ok := r.Plane()
	cells := r.Cells()
	if !ok || cells.Empty() {
		return image.Point{}, false
	}
	size, at := p.Upright(), at.Sub(cells.Min)
	within, cell := r.pointer.Within, r.pointer.Cell
	if cell.X < 1 || cell.Y < 1 {
		within, cell = image.Point{}, image.Pt(1, 1)
	}
	return image.Pt(
		along(at.X*cell.X+within.X, cells.Dx()*cell.X, size.X),
		along(at.Y*cell.Y+within.Y, cells.Dy()*cell.Y, size.Y),
	), true
}

// along is the pixel of a side at the middle of one of so many cells, or pixels
// of the terminal; the ends of the side for what lies beside them.
func along(cell, cells, side int) int {
	switch {
	case cell < 0:
		return 0
	case cell >= cells:
		return side
	}
	return (2*cell + 1) * side / (2 * cells)
}

// Options are how pictures are drawn in a theme.
func (r *Region) Options(th *theme.Theme) picture.Options {
	o := r.o.Draw
	if !th.Pictures {
		o.Color = picture.NoColor
	}
	o.Light = !th.Dark
	return o
}

// View draws the picture with the region on it and, where there is room, the
// region alone as it will look, exactly filling size.
func (r *Region) View(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	pic, crop := r.rooms(size)
	drawing := r.drawPicture(pic.Size(), th)
	if crop.Empty() {
		return drawing
	}
	room := crop.Size()
	label := text.PadRight(th.Muted.Render(r.cropLabel()), room.X)
	part := kit.JoinV(label, r.drawCrop(image.Pt(room.X, room.Y-1), th))
	if crop.Min.X == 0 {
		return kit.JoinV(drawing, part)
	}
	return kit.JoinH(drawing, text.Fit("", 1, size.Y), part)
}

func (r *Region) cropLabel() string {
	rect := r.Rect()
	if rect.Empty() {
		return "No region: the whole picture"
	}
	if r.found.shown {
		return fmt.Sprintf("Suggestion %d of %d: %d x %d", r.found.at+1, len(r.found.list), rect.Dx(), rect.Dy())
	}
	return fmt.Sprintf("Crop: %d x %d", rect.Dx(), rect.Dy())
}

func (r *Region) drawPicture(size image.Point, th *theme.Theme) string {
	if r.decoded == nil {
		return said(r.noPicture(), size, th)
	}
	var on image.Rectangle
	if p, ok := r.Plane(); ok {
		on = p.drawn(r.Rect(), r.decoded.Size())
	}
	o := r.Options(th)
	f := r.frame.Draw(frameOf{r.decoded, size, o}, func() frame { return frame{picture.NewRegionView(r.decoded, size.X, size.Y, o), o} })
	return strings.Join(f.view.Render(on).Lines, "\n")
}

func (r *Region) drawCrop(size image.Point, th *theme.Theme) string {
	part := image.Rectangle{Max: r.decoded.Size()}
	if p, ok := r.Plane(); ok && !r.Rect().Empty() {
		part = p.drawn(r.Rect(), r.decoded.Size())
	}
	return strings.Join(r.crop.Draw(r.decoded, part, size.X, size.Y, r.Options(th)), "\n")
}

// said is a text in place of a picture.
func said(words string, size image.Point, th *theme.Theme) string {
	return text.Fit(kit.Paragraph(words, size.X, th.Muted), size.X, size.Y)
}

// noPicture says why no picture is drawn.
func (r *Region) noPicture() string {
	switch {
	case r.subject.Path == nil:
		return "No picture can be shown here; the numbers work without it."
	case r.err == nil:
		return "Loading the picture…"
	case errors.Is(r.err, context.DeadlineExceeded):
		return "The picture did not arrive in time; the numbers work without it."
	}
	return "No picture: " + strings.TrimSuffix(r.err.Error(), ".") + ". The numbers work without it."
}

// Note is what a person must know of the numbers: that the picture is not of the
// size that the record says, or stored turned. Empty where there is nothing.
func (r *Region) Note() (sign theme.Sign, words string) {
	p, ok := r.Plane()
	if r.decoded == nil || !ok {
		return theme.SignNone, ""
	}
	a, b := r.decoded.Size(), p.Upright()
	// Rounding of a smaller copy changes a side by one pixel at most.
	if off := a.X*b.Y - a.Y*b.X; max(off, -off) > max(b.X, b.Y) {
		return theme.SignWarn, fmt.Sprintf("The picture is %d x %d, the record says %d x %d: the drawing may be off, the numbers count.", a.X, a.Y, b.X, b.Y)
	}
	o := r.decoded.Orientation()
	switch {
	case !o.Turned():
		return theme.SignNone, ""
	case p.Orientation.Turned():
		return theme.SignInfo, fmt.Sprintf("EXIF orientation %d: shown %s. The numbers count in the picture as stored; the service does not say which it means.", o, o)
	}
	return theme.SignInfo, fmt.Sprintf("EXIF orientation %d: shown %s. The numbers count in the picture as shown, as the size of the record does.", o, o)
}

// Handle says what the arrows move and which ratio is kept, or what can be done with a
// suggestion.
func (r *Region) Handle() string {
	if r.found.shown {
		return fmt.Sprintf("suggestion %d of %d: enter takes it, s shows the next, esc drops it", r.found.at+1, len(r.found.list))
	}
	words := "arrows move " + r.handle.String() + " by 2 %, with shift by 1 pixel"
	if r.ratio.Locked() {
		words = "ratio " + r.ratio.String() + " kept, " + words
	}
	return words
}
