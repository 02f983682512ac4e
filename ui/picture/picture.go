// Package picture draws images in terminal cells. Package media decodes files to a reduced size;
// [Render] draws a picture, [RegionView] a picture with a marked rectangle, and [Loader] a file,
// with a cache in memory. A terminal shows pixels by one of four protocols, see
// [Method]. Screens draw the same placeholder cells for all: each names an [Image] and its part.
// Terminals with Unicode placeholders draw them; for others a [Painter] sits between renderer and
// terminal.
package picture

import (
	"context"
	"errors"
	"image"
	"image/jpeg"
	"os"

	"golang.org/x/sync/semaphore"

	"mediadesk/api/media"
	"mediadesk/assets"
)

// Picture is a decoded picture, upright and reduced. Its sizes and rectangles are in pixels
// of the full picture. It is immutable and safe for concurrent use.
type Picture struct {
	full   *media.Picture
	window image.Rectangle // the visible part
	alpha  bool
}

// New returns a picture from img, turned according to o. It does not retain img.
func New(img image.Image, o media.Orientation) *Picture { return shown(media.New(img, o)) }

// DecodeFile decodes a regular file; see [media.DecodeFile].
func DecodeFile(ctx context.Context, path string, limits media.Limits) (*Picture, error) {
	f, _, err := media.OpenFile(path)
	if err != nil {
		return nil, media.WithPath(path, err)
	}
	defer func() { _ = f.Close() }()
	return decodeFile(ctx, f, limits)
}

func decodeFile(ctx context.Context, f *os.File, limits media.Limits) (*Picture, error) {
	p, err := media.DecodeFile(ctx, f, limits)
	if err != nil {
		return nil, err
	}
	return shown(p), nil
}

func shown(p *media.Picture) *Picture {
	return &Picture{p, image.Rectangle{Max: p.Size}, !p.Pixels.Opaque()}
}

// Size returns the size of the visible part in pixels.
func (p *Picture) Size() image.Point { return p.window.Size() }

// Stored returns the size as stored, before turning it upright.
func (p *Picture) Stored() image.Point { return p.full.Orientation.Upright(p.full.Size) }

// Orientation returns the orientation of the stored picture.
func (p *Picture) Orientation() media.Orientation { return p.full.Orientation }

// Crop returns the part of p inside rect, in pixels of p. It shares the pixels of p.
func Crop(p *Picture, rect image.Rectangle) *Picture {
	c := *p
	c.window = rect.Add(p.window.Min).Intersect(p.window)
	return &c
}

// framed returns p with a dashed line, black and white, along the inside of rect and all outside of it
// darkened.
func (p *Picture) framed(rect image.Rectangle, line int) *Picture {
	full, from := *p.full, p.full.Pixels
	full.Pixels = image.NewRGBA(from.Rect)
	on := Scaled(rect, full.Size, from.Rect.Size())
	inside := on.Inset(line)
	for y := range from.Rect.Dy() {
		for x := range from.Rect.Dx() {
			at, c := image.Pt(x, y), from.RGBAAt(x, y)
			switch {
			case at.In(inside):
			case at.In(on):
				c = dashes[(x+y)/(4*line)%len(dashes)]
			default:
				c.R, c.G, c.B = dimmed(c.R), dimmed(c.G), dimmed(c.B)
			}
			full.Pixels.SetRGBA(x, y, c)
		}
	}
	return &Picture{&full, p.window, p.alpha}
}

func dimmed(c uint8) uint8 { return uint8(int(c) * dimLight / fullLight) }

// Request asks for the picture in a file, drawn into a rectangle of cells.
type Request struct {
	Path       string
	Cols, Rows int
	Options    Options
	// Mark is a part of the picture that stands out; may be nil.
	Mark *Mark
}

// Mark is a part of a picture that is framed, or alone visible with Crop.
type Mark struct {
	// Part returns the part; empty for none.
	Part func(p *Picture) image.Rectangle
	Crop bool
}

// Loader draws pictures from files. It decodes at most two at a time and caches results. It is safe
// for concurrent use and needs no closing.
type Loader struct {
	// Store shows pictures in pixels; nil for glyphs. Set it before the first Load.
	Store *ImageStore

	decoders *semaphore.Weighted
	pictures *media.Cache[fileID, outcome]
}

// Images returns the store of a loader, which may be nil.
func (l *Loader) Images() *ImageStore {
	if l == nil {
		return nil
	}
	return l.Store
}

type fileID struct {
	path           string
	modified, size int64
}

// outcome is the result of decoding a file, including failure.
type outcome struct {
	picture *Picture
	err     error
}

const (
	maxDecoders   = 2
	pictureMemory = 64 << 20
	// previewSide is enough for a preview and saves memory.
	previewSide = 1024
)

// NewLoader returns a loader. Pictures are reduced to 1024 pixels.
func NewLoader() *Loader {
	return &Loader{
		decoders: semaphore.NewWeighted(maxDecoders),
		pictures: media.NewCache[fileID, outcome](pictureMemory),
	}
}

// Load draws the picture in a file. It may take a second, so call it in a command. It returns the
// context's error soon after ctx ends; other errors are an [*media.Error].
func (l *Loader) Load(ctx context.Context, r Request) (Surface, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, info, err := media.OpenFile(r.Path)
	if err != nil {
		return nil, media.WithPath(r.Path, err)
	}
	defer func() { _ = f.Close() }()
	id := fileID{r.Path, info.ModTime().UnixNano(), info.Size()}
	cell := image.Pt(2, 4) // more than glyphs can show
	if r.Options.Method.Pixels() && r.Options.Cell.X > 0 {
		cell = r.Options.Cell
	}
	limits := media.Limits{Side: previewSide, Enough: max(r.Cols*cell.X, r.Rows*cell.Y)}
	p, err := l.picture(ctx, id, limits, func() (*Picture, error) { return decodeFile(ctx, f, limits) })
	if err != nil {
		return nil, media.WithPath(r.Path, err)
	}
	return l.Draw(ctx, p, r)
}

// line returns the width of a frame in pixels of a picture of that size: two on the screen, or half a cell.
func (r *Request) line(size image.Point) int {
	cell, wide := r.Options.Cell, 2
	if cell.X < 1 || cell.Y < 1 {
		cell, wide = image.Pt(1, 2), 1
	}
	return max(1, wide*max(size.X/max(1, r.Cols*cell.X), size.Y/max(1, r.Rows*cell.Y)))
}

// Draw draws a picture that is in memory as requested, unless ctx has ended. It ignores the path.
func (l *Loader) Draw(ctx context.Context, p *Picture, r Request) (Surface, error) {
	if r.Mark != nil {
		if part := r.Mark.Part(p); !part.Empty() && r.Mark.Crop {
			p = Crop(p, part)
		} else if !part.Empty() {
			p = p.framed(part, r.line(p.full.Pixels.Rect.Size()))
		}
	}
	s := newSurface(l.Store, p, r.Cols, r.Rows, r.Options)
	if err := ctx.Err(); err != nil {
		s.Drop()
		return nil, err
	}
	return s, nil
}

// Sample draws the sample picture of the program, a photograph that is stored rotated. It ignores
// the path.
func (l *Loader) Sample(ctx context.Context, r Request) (Surface, error) {
	file, err := assets.Samples().Open("harbour.jpg")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	img, err := jpeg.Decode(file)
	if err != nil {
		return nil, err
	}
	return l.Draw(ctx, New(img, 6), r)
}

const smallCost = 512

// serves reports whether the cached result has the wanted detail.
func (o outcome) serves(limits media.Limits) bool {
	if o.picture == nil || !o.picture.full.Rough {
		return true
	}
	size := o.picture.full.Pixels.Rect.Size()
	return max(size.X, size.Y) >= min(limits.Enough, limits.Side)
}

func (l *Loader) picture(ctx context.Context, id fileID, limits media.Limits,
	decode func() (*Picture, error),
) (*Picture, error) {
	if o, ok := l.pictures.Get(id); ok && o.serves(limits) {
		return o.picture, o.err
	}
	if err := l.decoders.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer l.decoders.Release(1)
	// It may have been decoded while this call waited.
	if o, ok := l.pictures.Get(id); ok && o.serves(limits) {
		return o.picture, o.err
	}
	p, err := decode()
	switch {
	case err == nil:
		l.pictures.Put(id, outcome{picture: p}, int64(len(p.full.Pixels.Pix))+smallCost)
	case ctx.Err() == nil && !errors.Is(err, media.ErrUnreadable):
		// A read error is temporary and says nothing about the content.
		l.pictures.Put(id, outcome{err: err}, smallCost)
	}
	return p, err
}
