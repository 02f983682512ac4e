package picture

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"

	"github.com/gabriel-vasile/mimetype"
)

// DecodeFile decodes the picture in a regular file, upright and reduced as limits
// says; of what is no picture another program makes one, where it is installed. It waits for memory of the budget and ends early, with the context's
// error, when ctx does. Every other error is an [*Error].
func DecodeFile(ctx context.Context, path string, limits Limits) (*Picture, error) {
	f, _, err := open(path)
	if err != nil {
		return nil, at(path, err)
	}
	defer func() { _ = f.Close() }()
	p, err := decodeAny(ctx, path, f, limits)
	return p, at(path, err)
}

// Decode decodes the picture in rs, which it reads from the start. It is
// [DecodeFile] for what is not a file of its own.
func Decode(ctx context.Context, rs io.ReadSeeker, limits Limits) (*Picture, error) {
	limits = limits.orDefaults()
	src := newSource(ctx, rs, maxHeader)
	head, err := readHead(src)
	if err != nil {
		return nil, readFailure(ctx, err)
	}
	f := formatOf(head)
	if f == nil {
		return nil, notPicture(head)
	}
	h, err := inspect(ctx, f, src)
	if err != nil {
		return nil, err
	}
	if err := h.allowed(limits); err != nil {
		return nil, err
	}
	o := readEXIF(src, f).orientation
	if h.atEighth(limits) {
		p, err := decodeSmall(ctx, rs, h, o, limits)
		if !errors.Is(err, errNotEighth) {
			return p, err
		}
	}
	release, err := limits.Budget.take(ctx, h.memory())
	if err != nil {
		return nil, err
	}
	defer release()
	timed, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	p, err := decodePixels(timed, newSource(timed, rs, math.MaxInt64), h, o, limits)
	if err != nil && ctx.Err() == nil && timed.Err() != nil {
		return nil, &Error{
			Reason: ErrTooLarge, Cause: err,
			Detail: fmt.Sprintf("decoding it takes longer than %v; it can be sent without a preview", limits.Time),
		}
	}
	return p, err
}

// readFailure marks an error of reading, as opposed to one of understanding.
func readFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return openError(err)
}

// allowed refuses what is larger than the limits, before anything is allocated.
func (h *header) allowed(l Limits) error {
	if h.pixels() > l.Pixels {
		return &Error{
			Reason: ErrTooLarge,
			Detail: fmt.Sprintf("it has %d × %d pixels, %d million are allowed; it can be sent without a preview", h.size.X, h.size.Y, l.Pixels/1_000_000),
		}
	}
	return nil
}

// decodePixels decodes and reduces; the full picture is gone when it returns.
func decodePixels(ctx context.Context, src io.ReadSeeker, h *header, o Orientation, l Limits) (p *Picture, err error) {
	defer recoverTo(&err, h.format.name)
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return nil, decodeError(ctx, h.format.name, err)
	}
	img, err := h.format.decode(src)
	if err != nil {
		return nil, decodeError(ctx, h.format.name, err)
	}
	// Not every decoder reads to the end of its time: some have the whole file
	// in memory when the context ends.
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	full := img.Bounds()
	if h.format.mime == "image/gif" {
		// A frame may cover only a part of the picture.
		full = image.Rectangle{Max: h.size}
	}
	return newPicture(ctx, img, full, o, l.Side)
}

// atEighth tells whether an eighth of the picture is enough.
func (h *header) atEighth(l Limits) bool {
	return h.format.mime == "image/jpeg" && max(h.size.X, h.size.Y)/8 >= min(l.Enough, l.Side)
}

// decodeSmall decodes a JPEG at an eighth of its size.
func decodeSmall(ctx context.Context, rs io.ReadSeeker, h *header, o Orientation, l Limits) (p *Picture, err error) {
	defer recoverTo(&err, h.format.name)
	// A sixty-fourth of the pixels, and the tables.
	release, err := l.Budget.take(ctx, min(h.memory(), h.pixels()/8+1<<20))
	if err != nil {
		return nil, err
	}
	defer release()
	// A context is looked at between the lines of the picture too, so it may be
	// read in large pieces.
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return nil, readFailure(ctx, err)
	}
	img, err := decodeEighth(ctx, rs)
	if err != nil {
		if errors.Is(err, errNotEighth) {
			return nil, err
		}
		return nil, decodeError(ctx, h.format.name, err)
	}
	p, err = newPicture(ctx, img, img.Bounds(), o, l.Side)
	if err != nil {
		return nil, err
	}
	p.full = o.Upright(h.size)
	p.window = image.Rectangle{Max: p.full}
	p.rough = true
	return p, nil
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
