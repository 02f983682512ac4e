package extension

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"maps"
	"slices"

	"mediadesk/api"
	"mediadesk/api/media"
)

// removeOptions are the options of remove-bg (service.md §2.2). Hosted services spell the color
// option differently.
type removeOptions struct {
	Shadow  bool    `json:"add_shadow"`
	British *string `json:"bg_colour"`
	Color   *string `json:"bg_color"`
	Address string  `json:"bg_image_url"` // of a background picture; may be empty
	Soft    *bool   `json:"semitransparency"`

	background *color.NRGBA // may be nil
}

// hard reports whether pixels are either opaque or transparent.
func (o *removeOptions) hard() bool { return o.Soft != nil && !*o.Soft }

// BackgroundAddress returns the address of the background picture of an element, or "".
func BackgroundAddress(e api.Extension) string {
	if e.Name != api.RemoveBackground {
		return ""
	}
	o, err := readRemoveOptions(e.Options)
	if err != nil {
		return "" // CheckElement refused it before
	}
	return o.Address
}

// CheckElement checks the members and options of an element.
func CheckElement(e api.Extension) error {
	for _, name := range slices.Sorted(maps.Keys(e.Rest)) {
		return fmt.Errorf("unknown member %q: it takes name, options, maxTags and minConfidence", name)
	}
	if e.Name == api.RemoveBackground {
		_, err := readRemoveOptions(e.Options)
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(e.Options)) {
		return fmt.Errorf("unknown option %q", name)
	}
	return nil
}

func readRemoveOptions(options map[string]json.RawMessage) (o removeOptions, err error) {
	text, err := json.Marshal(options)
	if err != nil {
		return o, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var kind *json.UnmarshalTypeError
	switch err := decoder.Decode(&o); {
	case errors.As(err, &kind):
		return o, fmt.Errorf("the option %s is of the wrong type", kind.Field)
	case err != nil:
		return o, fmt.Errorf("%w: the options are add_shadow, bg_color (or bg_colour), bg_image_url and semitransparency", err)
	}
	if name := cmp.Or(o.Color, o.British); name != nil {
		c, err := ParseColor(*name)
		if err != nil {
			return o, fmt.Errorf("the background: %w", err)
		}
		o.background = &c
	}
	if o.Address != "" && o.background != nil {
		return o, errors.New("bg_image_url and a background color exclude each other")
	}
	if _, given := options["bg_image_url"]; given && api.CheckSourceURL(o.Address) != nil {
		return o, errors.New("the option bg_image_url must be an http or https address")
	}
	return o, nil
}

// removeBackground returns the subject as a PNG with an alpha channel.
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
	if options.hard() {
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
		fillBehind(cut, func(i int) color.NRGBA { return color.NRGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3]} })
	}
	if options.background != nil {
		fillBehind(cut, func(int) color.NRGBA { return *options.background })
	}
	file, err := media.EncodePNG(ctx, cut)
	if err != nil {
		return Output{}, err
	}
	return Output{Picture: file, Orientation: picture.Orientation}, nil
}

// cutCost returns the bytes that cutting out needs besides the picture: 200 per pixel of the small
// one, two numbers per pixel of a shadow, and the file.
func cutCost(size image.Point, o removeOptions) int64 {
	cost := media.ReducedCost(size, workSide) + media.EncodeCost(size) + 200*workSide*workSide
	if o.Shadow {
		cost += 8 * int64(size.X) * int64(size.Y)
	}
	return cost
}

// behind is the picture behind the subject; zero for none.
type behind struct {
	content io.ReadSeeker
	size    image.Point
	decoded int64
}

func readBehind(ctx context.Context, in Input) (b behind, err error) {
	b.content = io.NewSectionReader(in.Background, 0, in.BackgroundSize)
	b.size, b.decoded, err = media.FullCost(ctx, b.content)
	if errors.Is(err, media.ErrNotPicture) {
		return b, errors.New("the file at bg_image_url is not a picture")
	}
	return b, errBehind(ctx, err)
}

// errBehind adds that an error is about the background picture.
func errBehind(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("bg_image_url: %s", media.Reason(err))
}

// cost returns the bytes needed to lay the picture behind one of that size.
func (b behind) cost(size image.Point) int64 {
	if b.content == nil {
		return 0
	}
	return b.decoded + media.ScaleCost(b.size, size)
}

// decode decodes the picture and scales it to cover the subject's.
func (b behind) decode(ctx context.Context, subject *media.Full) (*image.NRGBA, error) {
	img, err := subject.Decode(ctx, b.content)
	if err != nil {
		return nil, errBehind(ctx, err)
	}
	size := subject.Image.Rect.Size()
	return media.Scale(ctx, img, media.CoverCut(img.Rect.Size(), size), size)
}

// harden makes every pixel either opaque or transparent.
func harden(img *image.NRGBA) {
	for i := 0; i < len(img.Pix); i += 4 {
		if img.Pix[i+3] < 128 {
			copy(img.Pix[i:i+4], []uint8{0, 0, 0, 0})
		} else {
			img.Pix[i+3] = 255
		}
	}
}

// workSide is the longest side of the picture in which the background is found; edges are then
// drawn in full size.
const workSide = 900

// cutOut makes the background of img transparent and returns img.
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

// fillBehind puts the color for index i of Pix behind each pixel.
func fillBehind(img *image.NRGBA, color func(i int) color.NRGBA) {
	for i := 0; i < len(img.Pix); i += 4 {
		over(img.Pix[i:i+4:i+4], color(i))
	}
}

// over puts the pixel p over the color c.
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
	for range 2 { // two box blurs approximate a soft one
		for y := range h {
			blurLine(alpha[y*w:], buffer[y*w:], w, 1, radius)
		}
		for x := range w {
			blurLine(buffer[x:], alpha[x:], h, w, radius)
		}
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

// blurLine writes the mean of the pixels around each one; outside the line they count as 0.
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
