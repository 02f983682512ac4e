package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gabriel-vasile/mimetype"
	"golang.org/x/image/webp"

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
}

// Straight returns a copy of the reduced pixels with straight alpha.
func (p *Picture) Straight() *image.NRGBA {
	c := *p.Pixels
	c.Pix = slices.Clone(c.Pix)
	return straight(&c)
}

// New returns a picture made from img, turned according to o. It does not retain img.
func New(img image.Image, o Orientation) *Picture {
	return newPicture(img, img.Bounds(), o, defaultSide)
}

func newPicture(img image.Image, full image.Rectangle, o Orientation, side int) *Picture {
	return &Picture{
		Pixels: turn(reduce(img, full, side), o), Size: o.Upright(full.Size()),
		Orientation: o.valid(),
	}
}

// DecodeFile decodes the picture in a regular file, as [Decode] does. If this package
// cannot decode the content, it uses an installed converter.
func DecodeFile(ctx context.Context, f *os.File, limits Limits) (*Picture, error) {
	p, err := Decode(ctx, f, limits)
	if !errors.Is(err, ErrNotPicture) {
		return p, WithPath(f.Name(), err)
	}
	head, failed := readHead(f)
	tool := toolFor(mimeOf(head))
	if failed != nil || tool == nil || tool.Path == "" {
		return nil, WithPath(f.Name(), err) // err says what to install
	}
	p, err = tool.convert(ctx, f.Name(), limits.orDefaults())
	return p, WithPath(f.Name(), err)
}

// Decode decodes the picture in rs, upright and reduced as limits says. It decodes the
// first frame of an animation. It waits while other work uses much memory. If ctx ends, it returns
// the context's error; every other error is an [*Error].
func Decode(ctx context.Context, rs io.ReadSeeker, limits Limits) (p *Picture, err error) {
	limits = limits.orDefaults()
	h, shot, err := open(ctx, rs)
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
	release, err := reserve(ctx, h.weight*h.pixels())
	if err != nil {
		return nil, err
	}
	defer release()
	img, err := h.decode(ctx, rs, decodeTimeout)
	if err != nil {
		return nil, err
	}
	return newPicture(img, h.area(img), shot.Orientation, limits.Side), ctx.Err()
}

func (h *header) decodeDC(ctx context.Context, rs io.ReadSeeker, o Orientation,
	limits Limits,
) (*Picture, error) {
	small := image.Pt((h.size.X+7)/8, (h.size.Y+7)/8)
	release, err := reserve(ctx, int64(small.X)*int64(small.Y))
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
	if err != nil {
		return nil, decodeError(ctx, h.format.name, err)
	}
	p := newPicture(img, img.Bounds(), o, limits.Side)
	p.Size, p.Rough = o.Upright(h.size), true
	return p, nil
}

// Full is an upright picture in full size with straight alpha. Other work waits for its memory
// until [Full.Release].
type Full struct {
	Image       *image.NRGBA
	Orientation Orientation // of the stored picture
	release     func()
}

// Release lets other work begin. A second call does nothing.
func (f *Full) Release() {
	f.Image = nil
	f.release()
}

// decodeTimeout limits the decoding of a picture that is reduced, fullTimeout of one in full size.
const (
	decodeTimeout = 20 * time.Second
	fullTimeout   = 2 * time.Minute
)

// DecodeFull decodes the picture in rs in full size; for an animation, the first frame. It returns
// the errors of [Decode].
func DecodeFull(ctx context.Context, rs io.ReadSeeker) (f *Full, err error) {
	h, shot, err := open(ctx, rs)
	if err != nil {
		return nil, err
	}
	release, err := reserve(ctx, h.weight*h.pixels())
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	defer recoverTo(&err, h.format.name)
	img, err := h.decode(ctx, rs, fullTimeout)
	if err != nil {
		return nil, err
	}
	f = &Full{upright(img, h.area(img), shot.Orientation), shot.Orientation, sync.OnceFunc(release)}
	return f, ctx.Err()
}

// open reads the header and the camera data, and refuses pictures that exceed the limits.
func open(ctx context.Context, rs io.ReadSeeker) (*header, Shot, error) {
	src := &source{ctx, rs, maxHeader}
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
		err = h.allowed()
	}
	if err != nil {
		return nil, Shot{}, err
	}
	return h, ReadShot(src, f.mime), ctx.Err()
}

// decode decodes the pixels; it fails after the timeout.
func (h *header) decode(ctx context.Context, rs io.ReadSeeker,
	timeout time.Duration,
) (image.Image, error) {
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	src := &source{timed, rs, math.MaxInt64}
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
		detail := fmt.Sprintf("decoding it takes longer than %v", timeout)
		return nil, &Error{Reason: ErrTooLarge, Cause: err, Detail: detail}
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

func mimeOf(head []byte) string {
	mime, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	return strings.TrimSpace(mime)
}

func notPicture(head []byte) error {
	if len(head) == 0 {
		return &Error{Reason: ErrNotPicture, Detail: "the file is empty"}
	}
	m := mimetype.Detect(head)
	picture, name := describe(m)
	if tool := toolFor(m.String()); tool != nil {
		return &Error{Reason: ErrNotPicture, Detail: name + ": install " + tool.Program + " for a preview"}
	}
	if picture {
		return &Error{Reason: ErrNotPicture, Detail: name + ": no preview of this format yet"}
	}
	return &Error{Reason: ErrNotPicture, Detail: "it is not a picture (" + name + ")"}
}

// decodeWebP decodes a WebP picture. The library does not support animations.
func decodeWebP(r io.Reader) (image.Image, error) {
	var head [21]byte // to the flags of VP8X
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	if string(head[12:16]) == "VP8X" && head[20]&0x02 != 0 {
		return nil, &Error{Reason: ErrNotPicture, Detail: "no preview of an animated WebP yet"}
	}
	return webp.Decode(io.MultiReader(bytes.NewReader(head[:]), r))
}
