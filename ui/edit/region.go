package edit

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

const (
	// side is the longest side of the decoded picture, enough for crops of small regions.
	side = 1600
	// timeout limits the time for loading a picture.
	timeout = time.Minute
	// drawDelay is how long a drawing must stay unchanged before it is sent as a picture, so that
	// resizing sends none.
	drawDelay = 150 * time.Millisecond
)

// RegionOptions configures a region editor.
type RegionOptions struct {
	// Context ends the loading of pictures.
	Context context.Context
	// Draw configures drawing. Without colors in the theme, pictures have none.
	Draw picture.Options
	// Images shows real pictures if the terminal can; nil for glyphs.
	Images *picture.ImageStore
	// Text returns the region as edited, x,y,width,height; blanks are ignored and other text means
	// no region.
	Text func() string
	// Set receives the drawn region in the same form.
	Set func(region string)
	// File identifies the file of Text. It is not nil.
	File func() any
	// Keep returns what restores the current regions, by file, of the files that Set changes or of all.
	Keep func(all bool) (restore map[any]func())
	// Files returns all pictures of the screen that can have a region, with this one; may be nil.
	Files func() []RegionFile
	// Crops are how pages use regions.
	Crops []session.Crop
	// Overlays are those of the screen, for a menu.
	Overlays *kit.Overlays
}

// Subject is the picture to draw the region on.
type Subject struct {
	// Name identifies the picture and its version; changing it reloads the picture. Empty for no
	// picture.
	Name string
	// Size is the stored size according to service or file; zero if unknown.
	Size image.Point
	// Orientation turns the picture upright; zero until known.
	Orientation media.Orientation
	// File is the stored file; its URL is empty before it is sent.
	File api.File
	// Path returns a local file with the picture. Nil if only numbers can be shown.
	Path func(ctx context.Context) (string, error)
}

// decode reads the picture, in a command. The longer side has at most side pixels.
func (s Subject) decode(ctx context.Context, side int) (*picture.Picture, error) {
	path, err := s.Path(ctx)
	if err != nil {
		return nil, err
	}
	return picture.DecodeFile(ctx, path, media.Limits{Side: side})
}

// Region edits a rectangle on a picture with keys and mouse. The screen stores the rectangle as
// text. Create it with [NewRegion].
type Region struct {
	o       RegionOptions
	subject Subject
	load    page.Questions
	cancel  context.CancelFunc
	decoded *picture.Picture
	err     error

	handle    picture.Handle
	ratio     picture.Ratio
	past      []map[any]func() // what undoes each step, by file; under nil for the ratio
	questions page.Questions   // for suggestions
	all       page.Questions   // for suggestions for all files
	found     suggestions
	drag      drag

	room   image.Rectangle     // on the screen, for picture and crop
	frame  *picture.RegionView // the last drawing, of framed
	framed frameOf
	sent   *picture.RegionView // the view shown as a picture
	soon   bool                // sendDue is pending
	views  []*picture.CropView // of the crops
	only   bool                // the crops are shown in place of the picture where both do not fit
	page   *RegionPage         // the latest one, or nil
	eager  bool                // a suggestion is wanted once the picture is loaded
}

// drag is a rectangle being moved or drawn with the mouse. It is relative to its start, so rounding
// does not add up.
type drag struct {
	on    bool
	from  image.Point     // in pixels of the upright picture
	rect  image.Rectangle // at the start
	fresh bool            // a new rectangle is drawn
	moved bool            // it changed the rectangle, which is one undo step
	cells image.Rectangle // of the picture on the screen
}

type frameOf struct {
	picture *picture.Picture
	size    image.Point
	options picture.Options
}

// sendDue asks to send the current drawing as a picture.
type sendDue struct{}

// NewRegion returns an editor without a picture.
func NewRegion(o RegionOptions) *Region { return &Region{o: o, cancel: func() {}} }

// Show shows a picture, loading it if it changed.
func (r *Region) Show(s Subject) tea.Cmd {
	before := r.subject
	r.subject = s
	if s.Name == before.Name {
		return nil
	}
	r.cancel()
	gone := tea.Batch(r.sent.Delete(), r.deleteCrops())
	r.load.Drop()
	r.decoded, r.err, r.sent, r.found = nil, nil, nil, suggestions{}
	r.frame = nil
	if s.Name == "" || s.Path == nil {
		return gone
	}
	ctx, cancel := context.WithTimeout(r.o.Context, timeout)
	r.cancel = cancel
	return tea.Batch(gone, r.load.Ask(func() tea.Msg {
		defer cancel()
		p, err := s.decode(ctx, side)
		return page.Then(func() tea.Cmd {
			if r.decoded, r.err = p, err; r.eager {
				return r.Suggest()
			}
			return nil
		})
	}))
}

// Begin resets what belongs to a file. Ratio and steps belong to the open page, whichever file it shows.
func (r *Region) Begin() {
	r.handle, r.found, r.drag = 0, suggestions{}, drag{}
	if !r.open() {
		r.ratio, r.past = picture.Ratio{}, nil
	}
}

// open reports whether the page is open.
func (r *Region) open() bool { return r.page != nil && !r.page.Closed() }

// step records an undo step before a change of the region, or those of all files. It drops a suggestion.
func (r *Region) step(all bool) {
	r.past = append(r.past, r.o.Keep(all))
	r.found.shown = false
}

// last returns the number of the last step of a file; -1 if there is none.
func (r *Region) last(file any) int {
	at := len(r.past) - 1
	for at >= 0 && r.past[at][file] == nil {
		at--
	}
	return at
}

func (r *Region) undo() tea.Cmd {
	if r.found.shown {
		return r.dropSuggestion()
	}
	at := r.last(r.o.File())
	for file, restore := range r.past[at] {
		if r.last(file) == at { // later steps of other files stay
			restore()
			delete(r.past[at], file)
		}
	}
	return nil
}

// Resize sets the screen area of picture and crop; empty for none.
func (r *Region) Resize(room image.Rectangle) { r.room = room }

// Draw returns the drawing options of the terminal.
func (r *Region) Draw() picture.Options { return r.o.Draw }

// Picture returns the decoded picture, or nil.
func (r *Region) Picture() *picture.Picture { return r.decoded }

// Plane returns the plane of the region; ok is false until it is known.
func (r *Region) Plane() (plane Plane, ok bool) { return PlaneOf(r.subject, r.decoded) }

// Rect returns the shown suggestion, else the region, as a rectangle of the upright picture; empty
// if there is none.
func (r *Region) Rect() image.Rectangle {
	if r.found.shown {
		return r.found.list[r.found.at]
	}
	p, ok := r.Plane()
	region, err := rule.ParseRegion(CleanRegion(r.o.Text()))
	if !ok || err != nil {
		return image.Rectangle{}
	}
	return p.Seen(region).Intersect(image.Rectangle{Max: p.Upright()})
}

// SetRect sets the region to a rectangle of the upright picture. It ignores an empty one.
func (r *Region) SetRect(rect image.Rectangle) {
	if p, ok := r.Plane(); ok && !rect.Empty() {
		r.o.Set(p.Region(rect).String())
	}
}

// change sets the region as a separate step.
func (r *Region) change(to image.Rectangle) {
	if to != r.Rect() || r.found.shown {
		r.step(false)
		r.SetRect(to)
	}
}

// Update handles a message and reports whether the drawing may have changed; for a click, whether
// it was on the picture.
func (r *Region) Update(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case sendDue:
		return r.send(), true
	case tea.ColorProfileMsg:
		r.o.Draw.Color = picture.ColorOf(msg.Profile)
	case picture.Abilities:
		r.o.Draw = msg.Options(r.o.Draw.Color, r.o.Draw.Light)
	case picture.ViewReady:
	case tea.MouseMsg:
		return nil, r.mouse(msg)
	default:
		return nil, false
	}
	return nil, true
}

// Follow sends the current drawing as a picture if needed. Call it at the end of each Update of the
// screen. It may return nil.
func (r *Region) Follow() tea.Cmd {
	if r.frame != nil {
		r.frame.Handle = r.shownHandle()
	}
	cmds := []tea.Cmd{r.sent.Follow(r.o.Images, r.shownRect)}
	for _, v := range r.views {
		cmds = append(cmds, v.Follow(r.o.Images, r.o.Draw))
	}
	if r.o.Images == nil || !r.o.Draw.Method.Pixels() || r.soon || r.decoded == nil {
		return tea.Batch(cmds...)
	}
	r.soon = true
	return tea.Batch(tea.Batch(cmds...), page.After(drawDelay, sendDue{}))
}

func (r *Region) send() tea.Cmd {
	r.soon = false
	if r.frame == nil || r.frame == r.sent || r.decoded == nil {
		return nil
	}
	gone := r.sent.Delete()
	r.sent = r.frame
	return tea.Batch(gone, r.sent.Transmit(r.o.Images, r.decoded))
}

// rooms divides a size into the areas for picture and crops, which are at the side if both have
// space. The picture begins at the top.
func (r *Region) rooms(size image.Point) (pic, crops image.Rectangle) {
	pic = image.Rectangle{Max: size}
	if r.decoded == nil {
		return pic, crops
	}
	if r.cropsBeside(size) {
		pic.Max.X = picture.Fit(r.decoded.Size(), size.X*3/4, size.Y, r.o.Draw.CellAspect).Dx()
		crops = image.Rect(pic.Max.X+3, 0, size.X, size.Y)
	} else if r.only && r.noCrops() == "" {
		return image.Rectangle{}, pic
	}
	pic.Max.Y = picture.Fit(r.decoded.Size(), pic.Dx(), size.Y, r.o.Draw.CellAspect).Dy()
	return pic, crops
}

func (r *Region) cropsBeside(size image.Point) bool { return size.X >= cropsFrom && r.noCrops() == "" }

// fitted returns the part of a room that a picture of a size takes, with its crops.
func (r *Region) fitted(room image.Rectangle, of image.Point) image.Rectangle {
	if r.cropsBeside(room.Size()) {
		return room
	}
	fit := picture.Fit(of, room.Dx(), room.Dy(), r.o.Draw.CellAspect)
	return fit.Add(room.Min.Sub(image.Pt(0, fit.Min.Y)))
}

func (r *Region) pictureRoom() image.Rectangle {
	pic, _ := r.rooms(r.room.Size())
	return pic.Add(r.room.Min)
}

// Cells returns the screen area of the drawn picture; empty if none.
func (r *Region) Cells() image.Rectangle {
	if r.decoded == nil {
		return image.Rectangle{}
	}
	room := r.pictureRoom()
	return picture.Fit(r.decoded.Size(), room.Dx(), room.Dy(), r.o.Draw.CellAspect).Add(room.Min)
}

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
		r.drag = drag{} // the button was released elsewhere
	case tea.MouseReleaseMsg:
		r.drag = drag{}
	}
	return false
}

func (r *Region) follow(at image.Point) {
	to, ok := r.pixelAt(at)
	if !ok {
		return
	}
	if cells := r.Cells(); cells != r.drag.cells {
		// The picture moved under the pointer: continue from here.
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
		r.step(false)
	}
	r.SetRect(rect)
}

// pixelAt returns the pixel of the upright picture under a screen cell, clamped to its border. ok
// is false if no picture is drawn.
func (r *Region) pixelAt(at image.Point) (pixel image.Point, ok bool) {
	p, ok := r.Plane()
	cells := r.Cells()
	if !ok || cells.Empty() {
		return image.Point{}, false
	}
	size, at := p.Upright(), at.Sub(cells.Min)
	return image.Pt(along(at.X, cells.Dx(), size.X), along(at.Y, cells.Dy(), size.Y)), true
}

// along returns the pixel of a side at the middle of a cell, clamped to the side.
func along(cell, cells, side int) int {
	switch {
	case cell < 0:
		return 0
	case cell >= cells:
		return side
	}
	return (2*cell + 1) * side / (2 * cells)
}

// Options returns the drawing options for a theme.
func (r *Region) Options(th *theme.Theme) picture.Options {
	o := r.o.Draw
	if !th.Pictures {
		o.Color = picture.NoColor
	}
	o.Light = !th.Dark
	return o
}

// View draws the picture with the region and, if there is space, the crops with the facts beside or below
// them. The result has exactly the given size. It is empty under an open page, which draws the same picture
// in another size.
func (r *Region) View(size image.Point, facts string, th *theme.Theme) string {
	if r.open() {
		return text.Fit("", size.X, size.Y)
	}
	return r.draw(size, text.If(r.cropsBeside(size), facts), th)
}

func (r *Region) draw(size image.Point, facts string, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	pic, crops := r.rooms(size)
	if pic.Empty() && !crops.Empty() {
		return text.Fit(r.drawCrops(crops.Size(), th), size.X, size.Y)
	}
	words := kit.Paragraph(r.noPicture()+text.If(facts != "", "\n\n"+facts), pic.Dx(), th.Muted)
	body := kit.OverlayCenter(text.Fit("", pic.Dx(), size.Y), words)
	if r.decoded != nil {
		if of := (frameOf{r.decoded, pic.Size(), r.Options(th)}); r.frame == nil || of != r.framed {
			r.frame, r.framed = picture.NewRegionView(r.decoded, pic.Dx(), pic.Dy(), of.options), of
		}
		r.frame.Handle = r.shownHandle()
		if r.o.Images == nil || !r.frame.Waits() { // glyphs for a moment would only flicker
			body = strings.Join(r.frame.Render(r.shownRect()), "\n")
		}
	}
	body = text.Fit(body, pic.Dx(), size.Y)
	if !crops.Empty() {
		below := ""
		if facts != "" { // lines end between two facts
			facts = strings.ReplaceAll(strings.ReplaceAll(facts, " ", "\u00a0"), "\u00a0·\u00a0", " ·\u00a0")
			facts = strings.ReplaceAll(strings.Join(text.Wrap(facts, crops.Dx()), "\n"), "\n·\u00a0", "\n")
			below = "\n" + kit.Paragraph(strings.ReplaceAll(facts, "\u00a0", " "), crops.Dx(), th.Muted)
			crops.Max.Y -= lipgloss.Height(below)
		}
		side := r.drawCrops(crops.Size(), th) + below
		side = strings.Repeat("\n", max(0, pic.Dy()-lipgloss.Height(side))/2) + side // beside the middle
		body = kit.JoinH(body, text.Blanks(crops.Min.X-pic.Max.X), side)
	}
	return text.Fit(body, size.X, size.Y)
}

// shownHandle returns the handle that stands out; none outside of the page, where keys move none.
func (r *Region) shownHandle() picture.Handle {
	return text.Either(r.open(), r.handle, picture.NoHandle)
}

// shownRect returns [Region.Rect] in pixels of the decoded picture.
func (r *Region) shownRect() image.Rectangle {
	p, ok := r.Plane()
	if !ok || r.decoded == nil {
		return image.Rectangle{}
	}
	return p.drawn(r.Rect(), r.decoded.Size())
}

func (r *Region) noPicture() string {
	switch {
	case r.subject.Path == nil:
		return "No picture can be shown here."
	case r.err == nil:
		return "Loading the picture…"
	case errors.Is(r.err, context.DeadlineExceeded):
		return "The picture did not arrive in time."
	}
	return "No picture: " + text.Stop(media.Reason(r.err))
}

// Note warns if the size of the picture differs from the record, or says that it is stored rotated.
// It may be empty.
func (r *Region) Note() string {
	p, ok := r.Plane()
	if r.decoded == nil || !ok {
		return ""
	}
	a, b, o := r.decoded.Size(), p.Upright(), r.decoded.Orientation()
	// Rounding changes a side of a smaller copy by at most one pixel.
	switch off := a.X*b.Y - a.Y*b.X; {
	case max(off, -off) > max(b.X, b.Y):
		return fmt.Sprintf("The record says %d × %d: the drawing may be wrong, the numbers are right.", b.X, b.Y)
	case !o.Turned():
		return ""
	}
	as := text.Either(p.Orientation.Turned(), "stored; the service does not say which it uses", "shown, like the size in the record")
	return fmt.Sprintf("EXIF orientation %d: shown %s. The numbers count pixels as %s.", o, o, as)
}

// Handle describes what the arrows move and the locked ratio, or the keys of a suggestion.
func (r *Region) Handle() string {
	if r.found.shown {
		of := r.Rect().Size()
		return fmt.Sprintf("suggestion %d of %d · %d × %d", r.found.at+1, len(r.found.list), of.X, of.Y)
	}
	words := "arrows move " + r.handle.String() + " (shift: 1 pixel)"
	if r.ratio.Locked() {
		words = "ratio " + r.ratio.String() + " kept, " + words
	}
	return words
}

// Plane maps regions, which count pixels of the stored picture, to rectangles of the upright
// picture.
type Plane struct {
	// Size is the size of the stored picture.
	Size image.Point
	// Orientation turns it upright.
	Orientation media.Orientation
}

// PlaneOf returns the plane of a subject with the decoded picture p, or nil before. ok is false if
// the size is unknown.
func PlaneOf(s Subject, p *picture.Picture) (plane Plane, ok bool) {
	size, known := s.Size, s.Size != image.Point{}
	switch {
	case p == nil:
		return Plane{size, max(s.Orientation, media.Normal)}, known
	case !known:
		return Plane{p.Stored(), p.Orientation()}, p.Stored() != image.Point{}
	case p.Orientation().Swapped() && size == p.Size() && size != p.Stored():
		// The service counts pixels of the upright picture.
		return Plane{size, media.Normal}, true
	}
	return Plane{size, p.Orientation()}, true
}

// Upright returns the size of the upright picture.
func (p Plane) Upright() image.Point { return p.Orientation.Upright(p.Size) }

// Seen converts a region to a rectangle of the upright picture.
func (p Plane) Seen(r rule.Region) image.Rectangle {
	return media.ToDisplay(p.Orientation, p.Size, r.Rectangle())
}

// Region converts a rectangle of the upright picture to a region.
func (p Plane) Region(rect image.Rectangle) rule.Region {
	return rule.RegionOf(media.ToStored(p.Orientation, p.Size, rect))
}

// drawn converts a rectangle of the upright picture to pixels of a drawn copy.
func (p Plane) drawn(rect image.Rectangle, copied image.Point) image.Rectangle {
	size := p.Upright()
	if size == copied || size.X < 1 || size.Y < 1 {
		return rect
	}
	return image.Rect(
		rect.Min.X*copied.X/size.X, rect.Min.Y*copied.Y/size.Y,
		(rect.Max.X*copied.X+size.X-1)/size.X, (rect.Max.Y*copied.Y+size.Y-1)/size.Y,
	)
}
