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

// Picture is a decoded picture: upright, and reduced as [Limits] says.
type Picture struct {
	// Pixels holds the reduced pixels with premultiplied alpha. Do not modify them.
	Pixels *image.RGBA
	// Size is the upright size of the unreduced picture.
	Size image.Point
	// Orientation is the orientation of the stored picture.
	Orientation Orientation
	// Rough reports that the file has more detail than Pixels, even within Limits.Side.
	Rough bool
	// Converted reports that another program produced the picture, which is slow.
	Converted bool
}

// Straight returns a copy of the reduced pixels with straight alpha.
func (p *Picture) Straight() *image.NRGBA {
	c := *p.Pixels
	c.Pix = slices.Clone(c.Pix)
	return straight(&c)
}

// New returns a picture made from img, turned according to o. It does not retain img.
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

// DecodeFile decodes the picture in a regular file, as [Decode] does. If this package
// cannot decode the content, it uses an installed converter.
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
		return nil, WithPath(f.Name(), err) // err says what to install
	}
	p, err = convert(ctx, f.Name(), mime, limits.orDefaults())
	return p, WithPath(f.Name(), err)
}

// Decode decodes the picture in rs, upright and reduced as limits says. It decodes the
// first frame of an animation. It waits for memory of the budget. If ctx ends, it returns
// the context's error; every other error is an [*Error].
func Decode(ctx context.Context, rs io.ReadSeeker, limits Limits) (p *Picture, err error) {
	limits = limits.orDefaults()
	h, shot, err := open(ctx, rs, limits)
	if err != nil {
		return nil, err
	}
	defer recoverTo(&err, h.format.name)
	if h.format.mime == "image/jpeg" && max(h.size.X, h.size.Y)/8 >= min(limits.Enough, limits.Side) {
		p, err := h.decodeDC(ctx, rs, shot.Orientation, limits)
		if !errors.Is(err, jpegdc.ErrUnsupported) {
			return p, err
		}
	}
	if h.format.mime == "image/png" && reduction(h.size, limits.Side) > 1 {
		p, err := h.decodePNG(ctx, rs, shot.Orientation, limits)
		if !errors.Is(err, errNotByRows) {
			return p, err
		}
	}
	release, err := limits.Budget.Reserve(ctx, h.memory()+ReducedCost(h.size, limits.Side))
	if err != nil {
		return nil, err
	}
	defer release()
	img, err := h.decode(ctx, rs, limits.Time)
	if err != nil {
		return nil, err
	}
	if p, err = newPicture(ctx, img, h.area(img), shot.Orientation, limits.Side); err != nil {
		return nil, decodeError(ctx, h.format.name, err)
	}
	return p, nil
}

// decodeDC decodes a JPEG at 1/8 of its size.
func (h *header) decodeDC(ctx context.Context, rs io.ReadSeeker, o Orientation, limits Limits) (*Picture, error) {
	small := image.Pt((h.size.X+7)/8, (h.size.Y+7)/8)
	// Up to three samples per block, with block counts rounded up to a multiple of four,
	// plus the tables.
	source := 3*int64(small.X+3)*int64(small.Y+3) + 1<<20
	release, err := limits.Budget.Reserve(ctx, source+ReducedCost(small, limits.Side))
	if err != nil {
		return nil, err
	}
	defer release()
	// The decoder checks ctx after each line, so it may read large pieces.
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return nil, readFailure(ctx, err)
	}
	img, err := jpegdc.Decode(ctx, rs)
	if errors.Is(err, jpegdc.ErrUnsupported) {
		return nil, err
	}
	var p *Picture
	if err == nil {
		p, err = newPicture(ctx, img, img.Bounds(), o, limits.Side)
	}
	if err != nil {
		return nil, decodeError(ctx, h.format.name, err)
	}
	p.Size, p.Rough = o.Upright(h.size), true
	return p, nil
}

// Full is an upright picture in full size with straight alpha. It uses memory of the budget
// until [Full.Release].
type Full struct {
	Image       *image.NRGBA
	Orientation Orientation // of the stored picture
	release     func()
}

// Release returns the memory to the budget. A second call does nothing.
func (f *Full) Release() {
	if f.release != nil {
		f.Image = nil
		f.release()
		f.release = nil
	}
}

// fullTime limits the decoding of a picture in full size.
const fullTime = 2 * time.Minute

// DecodeFull decodes the picture in rs in full size; for an animation, the first frame. It
// calls plan, which may be nil, with the upright size and the orientation. plan returns how
// many more bytes the caller needs for its work, or an error to refuse the picture.
// DecodeFull reserves all memory before it decodes. It returns the errors of [Decode] and
// of plan.
func DecodeFull(ctx context.Context, rs io.ReadSeeker, plan func(size image.Point, o Orientation) (int64, error)) (*Full, error) {
	limits := Limits{}.orDefaults()
	h, shot, err := open(ctx, rs, limits)
	if err != nil {
		return nil, err
	}
	cost, o := h.fullCost(shot.Orientation), shot.Orientation
	if plan != nil {
		more, err := plan(o.Upright(h.size), o)
		if err != nil {
			return nil, err
		}
		cost += more
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

// FullCost returns the upright size of the picture in rs and the memory in bytes for
// decoding it in full size.
func FullCost(ctx context.Context, rs io.ReadSeeker) (image.Point, int64, error) {
	h, shot, err := open(ctx, rs, Limits{}.orDefaults())
	if err != nil {
		return image.Point{}, 0, err
	}
	return shot.Orientation.Upright(h.size), h.fullCost(shot.Orientation), nil
}

// Decode decodes another picture in full size. Its [FullCost] must be part of the plan.
func (f *Full) Decode(ctx context.Context, rs io.ReadSeeker) (*image.NRGBA, error) {
	h, shot, err := open(ctx, rs, Limits{}.orDefaults())
	if err != nil {
		return nil, err
	}
	return h.decodeFull(ctx, rs, shot.Orientation)
}

func (h *header) decodeFull(ctx context.Context, rs io.ReadSeeker, o Orientation) (out *image.NRGBA, err error) {
	defer recoverTo(&err, h.format.name)
	img, err := h.decode(ctx, rs, fullTime)
	if err != nil {
		return nil, err
	}
	if out, err = upright(ctx, img, h.area(img), o); err != nil {
		return nil, decodeError(ctx, h.format.name, err)
	}
	return out, nil
}

// open reads the header and the camera data, and refuses pictures that exceed the limits.
func open(ctx context.Context, rs io.ReadSeeker, limits Limits) (*header, Shot, error) {
	src := newSource(ctx, rs, maxHeader)
	head, err := readHead(src)
	if err != nil {
		return nil, Shot{}, readFailure(ctx, err)
	}
	f := formatOf(head)
	if f == nil {
		return nil, Shot{}, notPicture(head)
	}
	h, err := readHeader(ctx, f, src)
	if err == nil {
		err = h.allowed(limits)
	}
	if err != nil {
		return nil, Shot{}, err
	}
	return h, ReadShot(src, f.mime), ctx.Err()
}

// decode decodes the pixels; it fails after the time most.
func (h *header) decode(ctx context.Context, rs io.ReadSeeker, most time.Duration) (image.Image, error) {
	timed, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	src := newSource(timed, rs, math.MaxInt64)
	_, err := src.Seek(0, io.SeekStart)
	var img image.Image
	if err == nil {
		img, err = h.format.decode(src)
	}
	// Some decoders read the whole file before the context ends.
	if err == nil {
		err = timed.Err()
	}
	switch {
	case err == nil:
		return img, nil
	case ctx.Err() == nil && timed.Err() != nil:
		return nil, &Error{Reason: ErrTooLarge, Cause: err, Detail: fmt.Sprintf("decoding it takes longer than %v", most)}
	}
	return nil, decodeError(ctx, h.format.name, err)
}

// area returns the area of the picture. The frame of a GIF may cover only a part of it.
func (h *header) area(img image.Image) image.Rectangle {
	if h.format.mime == "image/gif" {
		return image.Rectangle{Max: h.size}
	}
	return img.Bounds()
}

// readFailure returns the error for a failed read, as opposed to damaged content.
func readFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return openError(err)
}

// mimeOf returns the MIME type of content that begins with head, without parameters.
func mimeOf(head []byte) string {
	mime, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	return strings.TrimSpace(mime)
}

// notPicture returns the error for content that this package cannot decode.
func notPicture(head []byte) error {
	if len(head) == 0 {
		return &Error{Reason: ErrNotPicture, Detail: "the file is empty"}
	}
	m := mimetype.Detect(head)
	kind, name := describe(m)
	if list := convertersOf(m.String()); len(list) > 0 {
		return &Error{Reason: ErrNotPicture, Detail: name + ": install " + names(list) + " for a preview"}
	}
	if kind == KindPicture {
		return &Error{Reason: ErrNotPicture, Detail: name + ": no preview of this format yet"}
	}
	return &Error{Reason: ErrNotPicture, Detail: "it is not a picture (" + name + ")"}
}
