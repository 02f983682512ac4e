package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"

	"mediadesk/api"
	"mediadesk/api/media"
)

// removeOptions are the options of remove-bg (service.md §2.2). The colour has two
// spellings: that of the specification and that of hosted services.
type removeOptions struct {
	Shadow     bool
	Background *color.NRGBA // nil: none
	Address    string       // of a picture to lay behind; empty: none
	Hard       bool         // no pixel lets a part of the background through
}

// BackgroundAddress is the address of the picture that an element wants behind
// its subject; empty where it wants none.
func BackgroundAddress(e api.Extension) string {
	if e.Name != api.RemoveBackground {
		return ""
	}
	o, err := readRemoveOptions(e.Options)
	if err != nil {
		return "" // told before
	}
	return o.Address
}

// CheckOptions says what is wrong with the values of an element's options that
// this package works by itself.
func CheckOptions(e api.Extension) error {
	if e.Name != api.RemoveBackground {
		return nil
	}
	_, err := readRemoveOptions(e.Options)
	return err
}

func readRemoveOptions(options map[string]json.RawMessage) (removeOptions, error) {
	var o removeOptions
	for name, text := range options {
		switch name {
		case "add_shadow":
			if err := json.Unmarshal(text, &o.Shadow); err != nil {
				return o, fmt.Errorf("option %s is true or false", name)
			}
		case "bg_colour", "bg_color":
			var colour string
			if err := json.Unmarshal(text, &colour); err != nil {
				return o, fmt.Errorf("option %s is a text", name)
			}
			c, err := ParseColour(colour)
			if err != nil {
				return o, fmt.Errorf("option %s: %w", name, err)
			}
			o.Background = &c
		case "bg_image_url":
			if err := json.Unmarshal(text, &o.Address); err != nil || api.CheckSourceURL(o.Address) != nil {
				return o, fmt.Errorf("option %s is no http or https address", name)
			}
		case "semitransparency":
			var soft bool
			if err := json.Unmarshal(text, &soft); err != nil {
				return o, fmt.Errorf("option %s is true or false", name)
			}
			o.Hard = !soft
		}
	}
	if o.Background != nil && o.Address != "" {
		return o, errors.New("option bg_image_url and a background colour exclude each other")
	}
	return o, nil
}

// removeBackground cuts the subject out of its background and returns a PNG
// with an alpha channel.
func removeBackground(ctx context.Context, in Input) (Output, error) {
	options, err := readRemoveOptions(in.Element.Options)
	if err != nil {
		return Output{}, err
	}
	var behind behind
	if in.Background != nil {
		if behind, err = readBehind(ctx, in); err != nil {
			return Output{}, err
		}
	}
	picture, err := media.DecodeFull(ctx, in.content(), func(size image.Point, _ media.Orientation) (int64, error) {
		return cutCost(size, options) + behind.cost(size), nil
	})
	if err != nil {
		return Output{}, err
	}
	defer picture.Release()
	cut, err := cutOut(ctx, picture.Image)
	if err != nil {
		return Output{}, err
	}
	if options.Hard {
		harden(cut)
	}
	if options.Shadow {
		addShadow(cut)
	}
	if behind.content != nil {
		img, err := behind.decode(ctx, picture)
		if err != nil {
			return Output{}, err
		}
		layBehind(cut, img)
	}
	if options.Background != nil {
		fillBehind(cut, *options.Background)
	}
	file, err := media.EncodePNG(ctx, cut)
	if err != nil {
		return Output{}, err
	}
	return Output{Picture: file, Orientation: picture.Orientation}, nil
}

// cutCost is what cutting out takes beside a picture of that size: 200 bytes for each
// pixel of the small one, two numbers for each pixel of a shadow, and the file.
func cutCost(size image.Point, o removeOptions) int64 {
	cost := media.ReducedCost(size, workSide) + media.EncodeCost(size) + 200*workSide*workSide
	if o.Shadow {
		cost += 8 * int64(size.X) * int64(size.Y)
	}
	return cost
}

// behind is the picture that goes behind the subject; zero: none.
type behind struct {
	content io.ReadSeeker
	size    image.Point
	decoded int64
}

func readBehind(ctx context.Context, in Input) (b behind, err error) {
	b.content = io.NewSectionReader(in.Background, 0, in.BackgroundSize)
	b.size, b.decoded, err = media.FullCost(ctx, b.content)
	if errors.Is(err, media.ErrNotPicture) {
		return b, errors.New("what bg_image_url leads to is no picture")
	}
	return b, errBehind(ctx, err)
}

// errBehind says of which picture an error is.
func errBehind(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("bg_image_url: %s", media.Reason(err))
}

// cost is what it takes to lay the picture behind one of that size.
func (b behind) cost(size image.Point) int64 {
	if b.content == nil {
		return 0
	}
	return b.decoded + media.ScaleCost(b.size, size)
}

// decode decodes the picture and makes it cover the subject's.
func (b behind) decode(ctx context.Context, subject *media.Full) (*image.NRGBA, error) {
	img, err := subject.Decode(ctx, b.content)
	if err != nil {
		return nil, errBehind(ctx, err)
	}
	size := subject.Image.Rect.Size()
	return media.Scale(ctx, img, media.CoverCut(img.Rect.Size(), size), size)
}

// layBehind lays a picture of the same size behind img.
func layBehind(img, behind *image.NRGBA) {
	for i := 0; i < len(img.Pix); i += 4 {
		b := behind.Pix[i : i+4]
		over(img.Pix[i:i+4:i+4], color.NRGBA{b[0], b[1], b[2], b[3]})
	}
}

// harden makes every pixel either subject or nothing.
func harden(img *image.NRGBA) {
	for i := 0; i < len(img.Pix); i += 4 {
		if img.Pix[i+3] < 128 {
			copy(img.Pix[i:i+4], []uint8{0, 0, 0, 0})
		} else {
			img.Pix[i+3] = 255
		}
	}
}

// workSide is the longest side of the picture in which the background is
// found. The edges are then drawn in full size.
const workSide = 900

// cutOut returns the picture with its background transparent. It writes into
// img.
func cutOut(ctx context.Context, img *image.NRGBA) (*image.NRGBA, error) {
	small, err := media.Reduced(ctx, img, workSide)
	if err != nil {
		return nil, err
	}
	s, err := segment(ctx, small)
	if err != nil {
		return nil, err
	}
	return s.matte(ctx, img)
}

// fillBehind lays a colour behind the picture.
func fillBehind(img *image.NRGBA, c color.NRGBA) {
	for i := 0; i < len(img.Pix); i += 4 {
		over(img.Pix[i:i+4:i+4], c)
	}
}

// over puts the pixel p over the colour c.
func over(p []uint8, c color.NRGBA) {
	front, back := float64(p[3])/255, float64(c.A)/255
	total := front + back*(1-front)
	if total == 0 {
		copy(p, []uint8{0, 0, 0, 0})
		return
	}
	mix := func(a, b uint8) uint8 { return uint8((float64(a)*front+float64(b)*back*(1-front))/total + 0.5) }
	p[0], p[1], p[2], p[3] = mix(p[0], c.R), mix(p[1], c.G), mix(p[2], c.B), uint8(total*255+0.5)
}

// addShadow lays a soft shadow behind the subject, a little below it.
func addShadow(img *image.NRGBA) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	side := min(w, h)
	radius, dx, dy := max(1, side/60), side/100, max(1, side/50)
	const strength = 0.45
	alpha := make([]float32, w*h)
	for i := range alpha {
		alpha[i] = float32(img.Pix[4*i+3])
	}
	buffer := make([]float32, w*h)
	for range 2 { // a box drawn twice is a soft one
		blurRows(alpha, buffer, w, h, radius)
		blurColumns(buffer, alpha, w, h, radius)
	}
	for y := range h {
		for x := range w {
			fromX, fromY := x-dx, y-dy
			if fromX < 0 || fromY < 0 {
				continue
			}
			i := 4 * (y*w + x)
			over(img.Pix[i:i+4:i+4], color.NRGBA{A: uint8(alpha[fromY*w+fromX] * strength)})
		}
	}
}

func blurRows(from, to []float32, w, h, radius int) {
	for y := range h {
		blurLine(from[y*w:], to[y*w:], w, 1, radius)
	}
}

func blurColumns(from, to []float32, w, h, radius int) {
	for x := range w {
		blurLine(from[x:], to[x:], h, w, radius)
	}
}

// blurLine writes the mean of the pixels around each one; beyond the ends
// there is nothing.
func blurLine(from, to []float32, n, step, radius int) {
	var sum float32
	for i := range min(radius, n) {
		sum += from[i*step]
	}
	for i := range n {
		if i+radius < n {
			sum += from[(i+radius)*step]
		}
		if i-radius-1 >= 0 {
			sum -= from[(i-radius-1)*step]
		}
		to[i*step] = max(0, sum/float32(2*radius+1))
	}
}
