package media

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gabriel-vasile/mimetype"

	"mediadesk/api/media/jpegdc"
)

// Picture is a decoded picture, upright and reduced as [Limits] says.
type Picture struct {
	// Pixels are the reduced pixels, with premultiplied alpha. Not to be changed.
	Pixels *image.RGBA
	// Size is the upright size of the whole, unreduced picture.
	Size image.Point
	// Orientation is how the stored picture was turned to stand upright.
	Orientation Orientation
	// Rough reports that the file has more detail than Pixels, though Limits.Side
	// would allow it.
	Rough bool
	// Converted reports that another program made it, which takes long.
	Converted bool
}

// Straight returns a copy of the reduced pixels with straight alpha.
func (p *Picture) Straight() *image.NRGBA {
	c := *p.Pixels
	c.Pix = slices.Clone(c.Pix)
	return straight(&c)
}

// New returns a picture made from an image in memory, which is turned as o says and
// is not kept.
func New(img image.Image, o Orientation) *Picture {
	p, err := newPicture(context.Background(), img, img.Bounds(), o, defaultSide)
	if err != nil {
		// Only a damaged image gets here.
		return &Picture{Pixels: image.NewRGBA(image.Rectangle{}), Orientation: Normal}
	}
	return p
}

func newPicture(ctx context.Context, img image.Image, full image.Rectangle, o Orientation, side int) (*Picture, error) {
	small, err := reduce(ctx, img, full, side)
	if err != nil {
		return nil, err
	}
	return &Picture{Pixels: turn(small, o), Size: o.Upright(full.Size()), Orientation: o.valid()}, nil
}

// DecodeFile decodes the picture in a regular file, see [Decode]. If the content is
// none that this package decodes, another program makes a picture of it, where one
// is installed.
func DecodeFile(ctx context.Context, f *os.File, limits Limits) (*Picture, error) {
	p, err := Decode(ctx, f, limits)
	if !errors.Is(err, ErrNotPicture) {
		return p, WithPath(f.Name(), err)
	}
	head, failed := readHead(f)
	if failed != nil {
		return nil, WithPath(f.Name(), err)
	}
	mime := mimeOf(head)
	if program, _ := installed(convertersOf(mime)); program == nil {
		return nil, WithPath(f.Name(), err) // which says what is missing
	}
	p, err = convert(ctx, f.Name(), mime, limits.orDefaults())
	return p, WithPath(f.Name(), err)
}

// Decode decodes the picture in rs, upright and reduced as limits says; of an
// animation the first frame. It waits for memory of the budget and ends early, with
// the context's error, when ctx does. Every other error is an [*Error].
func Decode(ctx context.Context, rs io.ReadSeeker, limits Limits) (*Picture, error) {
	limits = limits.orDefaults()
	h, o, err := open(ctx, rs, limits)
	if err != nil {
		return nil, err
	}
	if h.format.mime == "image/jpeg" && max(h.size.X, h.size.Y)/8 >= min(limits.Enough, limits.Side) {
		p, err := decodeEighth(ctx, rs, h, o, limits)
		if !errors.Is(err, jpegdc.ErrUnsupported) {
			return p, err
		}
	}
	release, err := limits.Budget.Reserve(ctx, Cost{Source: h.memory()}.Plus(ReducedCost(h.size, limits.Side)))
	if err != nil {
		return nil, err
	}
	defer release()
	var p *Picture
	err = h.decode(ctx, rs, limits.Time, func(ctx context.Context, img image.Image, full image.Rectangle) error {
		p, err = newPicture(ctx, img, full, o, limits.Side)
		return err
	})
	return p, err
}

// decodeEighth decodes a JPEG at an eighth of its size.
func decodeEighth(ctx context.Context, rs io.ReadSeeker, h *header, o Orientation, limits Limits) (p *Picture, err error) {
	defer recoverTo(&err, h.format.name)
	small := image.Pt((h.size.X+7)/8, (h.size.Y+7)/8)
	// Up to three samples for each block, blocks up to a multiple of four, and the tables.
	source := 3*int64(small.X+3)*int64(small.Y+3) + 1<<20
	release, err := limits.Budget.Reserve(ctx, Cost{Source: source}.Plus(ReducedCost(small, limits.Side)))
	if err != nil {
		return nil, err
	}
	defer release()
	// The decoder checks ctx between the lines, so it may read in large pieces.
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return nil, readFailure(ctx, err)
	}
	img, err := jpegdc.Decode(ctx, rs)
	if err == nil {
		p, err = newPicture(ctx, img, img.Bounds(), o, limits.Side)
	}
	if errors.Is(err, jpegdc.ErrUnsupported) {
		return nil, err
	}
	if err != nil {
		return nil, decodeError(ctx, h.format.name, err)
	}
	p.Size, p.Rough = o.Upright(h.size), true
	return p, nil
}

// Full is a picture in full size, upright, with straight alpha. It uses memory of
// the budget until it is released.
type Full struct {
	Image       *image.NRGBA
	Orientation Orientation // by which the pixels were turned
	release     func()
}

// Release gives the memory back to the budget. The second call does nothing.
func (f *Full) Release() {
	if f.release != nil {
		f.Image = nil
		f.release()
		f.release = nil
	}
}

// fullTime is how long decoding a picture in full size may take.
const fullTime = 2 * time.Minute

// DecodeFull decodes the picture in rs in full size; of an animation the first frame.
// plan says what will be made of it: what that costs beside the picture itself, or
// why it is refused; nil: nothing. It is told the upright size, and the orientation.
// All of it is reserved before the first pixel is decoded. Errors are those of
// [Decode] and of plan.
func DecodeFull(ctx context.Context, rs io.ReadSeeker, plan func(size image.Point, o Orientation) (Cost, error)) (*Full, error) {
	limits := Limits{}.orDefaults()
	h, o, err := open(ctx, rs, limits)
	if err != nil {
		return nil, err
	}
	cost := h.fullCost(o)
	if plan != nil {
		more, err := plan(o.Upright(h.size), o)
		if err != nil {
			return nil, err
		}
		cost = cost.Plus(more)
	}
	release, err := limits.Budget.Reserve(ctx, cost)
	if err != nil {
		return nil, err
	}
	f := &Full{Orientation: o, release: release}
	if f.Image, err = h.decodeFull(ctx, rs, o); err != nil {
		f.Release()
		return nil, err
	}
	return f, nil
}

// FullCost is the upright size of the picture in rs, and what decoding it in full
// size takes.
func FullCost(ctx context.Context, rs io.ReadSeeker) (image.Point, Cost, error) {
	h, o, err := open(ctx, rs, Limits{}.orDefaults())
	if err != nil {
		return image.Point{}, Cost{}, err
	}
	return o.Upright(h.size), h.fullCost(o), nil
}

// Decode decodes another picture in full size, whose [FullCost] the plan included.
func (f *Full) Decode(ctx context.Context, rs io.ReadSeeker) (*image.NRGBA, error) {
	h, o, err := open(ctx, rs, Limits{}.orDefaults())
	if err != nil {
		return nil, err
	}
	return h.decodeFull(ctx, rs, o)
}

func (h *header) decodeFull(ctx context.Context, rs io.ReadSeeker, o Orientation) (out *image.NRGBA, err error) {
	err = h.decode(ctx, rs, fullTime, func(ctx context.Context, img image.Image, full image.Rectangle) error {
		out, err = upright(ctx, img, full, o)
		return err
	})
	return out, err
}

// open reads what comes before the pixels, and refuses what exceeds the limits.
func open(ctx context.Context, rs io.ReadSeeker, limits Limits) (*header, Orientation, error) {
	src := newSource(ctx, rs, maxHeader)
	head, err := readHead(src)
	if err != nil {
		return nil, Normal, readFailure(ctx, err)
	}
	f := formatOf(head)
	if f == nil {
		return nil, Normal, notPicture(head)
	}
	h, err := readHeader(ctx, f, src)
	if err == nil {
		err = h.allowed(limits)
	}
	if err != nil {
		return nil, Normal, err
	}
	return h, ReadShot(src, f.mime).Orientation, ctx.Err()
}

// decode decodes the pixels within a time, and has use make something of them; they
// are gone when it returns. full is the area of the picture, of which the pixels may
// be a part.
func (h *header) decode(ctx context.Context, rs io.ReadSeeker, most time.Duration, use func(ctx context.Context, img image.Image, full image.Rectangle) error) error {
	timed, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := h.decodeTimed(timed, newSource(timed, rs, math.MaxInt64), use)
	if err != nil && ctx.Err() == nil && timed.Err() != nil {
		return &Error{Reason: ErrTooLarge, Cause: err, Detail: fmt.Sprintf("decoding it takes longer than %v", most)}
	}
	return err
}

func (h *header) decodeTimed(ctx context.Context, src io.ReadSeeker, use func(ctx context.Context, img image.Image, full image.Rectangle) error) (err error) {
	defer recoverTo(&err, h.format.name)
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return decodeError(ctx, h.format.name, err)
	}
	img, err := h.format.decode(src)
	// Not every decoder reads to the end of its time: some have the whole file
	// in memory when the context ends.
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		full := img.Bounds()
		if h.format.mime == "image/gif" {
			full = image.Rectangle{Max: h.size} // a frame may cover only a part of the picture
		}
		err = use(ctx, img, full)
	}
	if err != nil {
		return decodeError(ctx, h.format.name, err)
	}
	return nil
}

// readFailure marks an error of reading, as opposed to one of understanding.
func readFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return openError(err)
}

// mimeOf is the MIME type of content that begins with head, without parameters.
func mimeOf(head []byte) string {
	mime, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	return strings.TrimSpace(mime)
}

// notPicture says what a file is that cannot be shown.
func notPicture(head []byte) error {
	if len(head) == 0 {
		return &Error{Reason: ErrNotPicture, Detail: "the file is empty"}
	}
	m := mimetype.Detect(head)
	kind, name := describe(m)
	if list := convertersOf(m.String()); len(list) > 0 {
		return &Error{Reason: ErrNotPicture, Detail: name + ": a preview of it needs " + names(list)}
	}
	if kind == KindPicture {
		return &Error{Reason: ErrNotPicture, Detail: name + ": there is no preview of it yet"}
	}
	return &Error{Reason: ErrNotPicture, Detail: "it is no picture (" + name + ")"}
}
