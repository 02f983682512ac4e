package delivery

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"sync"

	"github.com/HugoSmits86/nativewebp"

	"mediadesk/api/media"
	"mediadesk/api/rule"
)

// CannotError reports that a content cannot be made into a picture.
type CannotError struct{ Err error }

func (e *CannotError) Error() string { return media.Reason(e.Err) }

func (e *CannotError) Unwrap() error { return e.Err }

// Make makes the requested picture and returns its bytes and type, which differs from a.Format where
// that is not supported. mime is the type of content. The result is upright whatever the
// metadata. region holds the custom coordinates in pixels of the stored picture, or "". A picture
// that package media refuses is a [*CannotError].
func Make(ctx context.Context, content io.ReadSeeker, mime string, a Request,
	region string,
) ([]byte, string, error) {
	picture, err := media.DecodeFull(ctx, content)
	if err != nil {
		if ctx.Err() != nil {
			return nil, "", err
		}
		return nil, "", &CannotError{err}
	}
	defer picture.Release()
	img := picture.Image
	if len(a.Steps) > 0 && a.Steps[0].Trim > 0 {
		img = trimmed(img, a.Steps[0].Trim)
	}
	steps, err := plan(a, img.Rect.Size(), picture.Orientation, region)
	if err != nil {
		return nil, "", &CannotError{err}
	}
	for _, s := range steps {
		img = s.do(img)
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
	}
	back := color.NRGBA{A: 0xff}
	for _, step := range a.Steps {
		back = cmp.Or(step.Back, back)
	}
	format := a.Format
	switch format {
	case formatOrig:
		format = mime
	case formatAuto:
		format = "" // any
	}
	return encode(img, format, cmp.Or(a.Quality, usualQuality), back)
}

// step scales the part cut of a picture to the size to, then applies the effects in the order of [Step].
type step struct {
	cut       image.Rectangle
	to        image.Point
	canvas    image.Point // the picture is centered in it; zero for none
	requested Step
}

func (s step) do(img *image.NRGBA) *image.NRGBA {
	if s.requested.Focus != "" && s.cut != img.Rect {
		s.cut = focused(img, s.cut)
	}
	if s.cut.Size() != s.to {
		img = media.Scale(img, s.cut, s.to)
	} else {
		img = img.SubImage(s.cut).(*image.NRGBA) // always an NRGBA
		img.Rect = image.Rectangle{Max: s.to}
	}
	if s.canvas != (image.Point{}) {
		out := image.NewNRGBA(image.Rectangle{Max: s.canvas})
		back := cmp.Or(s.requested.Back, color.NRGBA{A: 0xff})
		draw.Draw(out, out.Rect, image.NewUniform(back), image.Point{}, draw.Src)
		if s.requested.Blurred {
			out = blurred(img, media.CoverCut(s.to, s.canvas), s.canvas, blurBehind)
		}
		at := s.canvas.Sub(s.to).Div(2)
		draw.Draw(out, image.Rectangle{at, at.Add(s.to)}, img, image.Point{}, draw.Over)
		img = out
	}
	if s.requested.Gray {
		gray(img)
	}
	if s.requested.Blur > 0 {
		img = blurred(img, img.Rect, img.Rect.Size(), s.requested.Blur)
	}
	finish(img, &s.requested)
	if s.requested.Radius != 0 {
		round(img, s.requested.Radius)
	}
	flips := map[string]media.Orientation{"": media.Normal, "h": 2, "h_v": 3, "v": 4}
	img = media.Turn(img, flips[s.requested.Flip])
	// Clockwise quarter turns.
	return media.Turn(img, [...]media.Orientation{media.Normal, 6, 3, 8}[s.requested.Turns])
}

const blurBehind = 25

// blurred scales a part of a picture. Reducing it first removes its details.
func blurred(img *image.NRGBA, cut image.Rectangle, size image.Point, by int) *image.NRGBA {
	img = media.Scale(img, cut, image.Pt(max(1, size.X/(by+1)), max(1, size.Y/(by+1))))
	return media.Scale(img, img.Rect, size)
}

func plan(a Request, size image.Point, o media.Orientation, region string) (steps []step, err error) {
	add := func(s step) {
		if size = cmp.Or(s.canvas, s.to); s.requested.Turns%2 == 1 {
			size = image.Pt(size.Y, size.X)
		}
		largest := max(s.canvas.X, s.canvas.Y)
		if s.cut.Size() != s.to {
			largest = max(largest, s.to.X, s.to.Y)
		}
		if largest > maxSide && err == nil { // a picture that keeps its size may be larger
			err = fmt.Errorf("it would have %d × %d pixels, and no side may have more than %d", size.X, size.Y, maxSide)
		}
		steps = append(steps, s)
	}
	for _, requested := range a.Steps {
		if requested.Custom {
			cut := crop(size, o, region)
			add(step{cut: cut, to: cut.Size()})
		}
		if requested.Fit > 0 {
			add(step{cut: image.Rectangle{Max: size}, to: media.FitSize(size, requested.Fit)})
		}
		add(requested.resize(size))
	}
	return steps, err
}

func pixels(requested float64, full int) int {
	if requested > 0 && requested < 1 {
		return max(1, int(requested*float64(full)+0.5))
	}
	return int(requested)
}

// crop returns the region of an upright picture of that size. The region counts pixels as stored.
func crop(size image.Point, o media.Orientation, region string) image.Rectangle {
	all := image.Rectangle{Max: size}
	r, err := rule.ParseRegion(region)
	if err != nil {
		return all // without a region, all of it
	}
	// Turning back swaps the sides again.
	cut := media.ToDisplay(o, o.Upright(size), r.Rectangle()).Intersect(all)
	if cut.Empty() {
		return all
	}
	return cut
}

func (s *Step) sides(size image.Point) (w, h int) {
	w, h = pixels(s.Width, size.X), pixels(s.Height, size.Y)
	if s.Ratio != (image.Point{}) && h == 0 {
		h = max(1, (w*s.Ratio.Y+s.Ratio.X/2)/s.Ratio.X)
	} else if s.Ratio != (image.Point{}) && w == 0 {
		w = max(1, (h*s.Ratio.X+s.Ratio.Y/2)/s.Ratio.Y)
	}
	if s.DPR == 0 {
		return w, h
	}
	wide, high := int(float64(w)*s.DPR+0.5), int(float64(h)*s.DPR+0.5)
	if max(wide, high) > maxSide || w > 0 && wide < 1 || h > 0 && high < 1 {
		return w, h // ignored
	}
	return wide, high
}

// resize scales a picture to the requested sides. One side keeps the ratio; for both see Step.Crop.
func (s *Step) resize(size image.Point) step {
	all := image.Rectangle{Max: size}
	w, h := s.sides(size)
	made := step{cut: all, to: size, requested: *s}
	across := func(w int) image.Point { return image.Pt(w, max(1, (size.Y*w+size.X/2)/size.X)) }
	down := func(h int) image.Point { return image.Pt(max(1, (size.X*h+size.Y/2)/size.Y), h) }
	if w == 0 && h == 0 {
		return made
	}
	switch s.Crop {
	case cropAtMax:
		if (w == 0 || size.X <= w) && (h == 0 || size.Y <= h) {
			return made
		}
	case cropExtract:
		part := image.Pt(min(size.X, cmp.Or(w, size.X)), min(size.Y, cmp.Or(h, size.Y)))
		at := size.Sub(part).Div(2)
		made.cut, made.to = image.Rectangle{at, at.Add(part)}, part
		return made
	}
	switch {
	case h == 0:
		made.to = across(w)
		return made
	case w == 0:
		made.to = down(h)
		return made
	}
	wider := size.X*h > size.Y*w // than requested
	switch s.Crop {
	case cropAtMax, cropEnlarge, cropPad:
		if made.to = down(h); wider {
			made.to = across(w)
		}
		if s.Crop == cropPad {
			made.canvas = image.Pt(w, h)
		}
	case cropAtLeast:
		if made.to = across(w); wider {
			made.to = down(h)
		}
	case cropForce:
		made.to = image.Pt(w, h)
	default:
		made.cut, made.to = media.CoverCut(size, image.Pt(w, h)), image.Pt(w, h)
	}
	return made
}

func gray(img *image.NRGBA) {
	for y := range img.Rect.Dy() {
		row := img.Pix[y*img.Stride:][:4*img.Rect.Dx()]
		for i := 0; i < len(row); i += 4 {
			c := color.GrayModel.Convert(color.RGBA{row[i], row[i+1], row[i+2], 0xff}).(color.Gray)
			row[i], row[i+1], row[i+2] = c.Y, c.Y, c.Y
		}
	}
}

// round makes the corners transparent; a radius of -1 means the largest possible.
func round(img *image.NRGBA, radius int) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	r := float64(min(w, h)) / 2
	if radius > 0 {
		r = min(r, float64(radius))
	}
	for y := range h {
		down := max(r-(float64(y)+0.5), float64(y)+0.5-(float64(h)-r), 0)
		for x := 0; x < w && down > 0; x++ {
			across := max(r-(float64(x)+0.5), float64(x)+0.5-(float64(w)-r), 0)
			if beyond := math.Hypot(across, down) - r + 0.5; across > 0 && beyond > 0 {
				alpha := &img.Pix[y*img.Stride+4*x+3]
				*alpha = uint8(float64(*alpha) * (1 - min(beyond, 1)))
			}
		}
	}
}

// maxWebP limits the pixels of a WebP file. maxWebPSide and maxJPEGSide are the longest sides that
// the formats can have.
const (
	maxWebP     = 1 << 21
	maxWebPSide = 1 << 14
	maxJPEGSide = 1<<16 - 1
)

// encodesWebP allows one encoder at a time, since it takes 100 bytes per pixel.
var encodesWebP sync.Mutex

// encode encodes a picture as JPEG, PNG or lossless WebP. For any other format it uses PNG if the
// picture has transparency or is too long for a JPEG, else JPEG.
func encode(img *image.NRGBA, format string, quality int, back color.NRGBA) ([]byte, string, error) {
	var b bytes.Buffer
	opaque, size := img.Opaque(), img.Rect.Size()
	if format == formatWebP && size.X*size.Y <= maxWebP && max(size.X, size.Y) <= maxWebPSide {
		encodesWebP.Lock()
		defer encodesWebP.Unlock()
		err := nativewebp.Encode(&b, img, nil)
		return b.Bytes(), format, err
	}
	if format == formatPNG || !opaque && format != formatJPEG || max(size.X, size.Y) > maxJPEGSide {
		err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
		return b.Bytes(), formatPNG, err
	}
	if !opaque {
		back.A = 0xff
		flat := image.NewNRGBA(img.Rect)
		draw.Draw(flat, flat.Rect, image.NewUniform(back), image.Point{}, draw.Src)
		draw.Draw(flat, flat.Rect, img, img.Rect.Min, draw.Over)
		img = flat
	}
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality})
	return b.Bytes(), formatJPEG, err
}

// focusSide is the longer side of the picture in which the focus of a crop is found.
const focusSide = 256

// focused moves a cut to what stands out, such as a face, as the region editor suggests it.
func focused(img *image.NRGBA, cut image.Rectangle) image.Rectangle {
	size := img.Rect.Size()
	small := media.Scale(img, img.Rect, media.FitSize(size, focusSide))
	pixels := image.NewRGBA(small.Rect)
	draw.Draw(pixels, pixels.Rect, small, image.Point{}, draw.Src)
	list := media.Suggest(pixels, cut.Size(), 1)
	if len(list) == 0 {
		return cut
	}
	middle := list[0].Min.Add(list[0].Max).Div(2)
	at := image.Pt(middle.X*size.X/small.Rect.Dx()-cut.Dx()/2, middle.Y*size.Y/small.Rect.Dy()-cut.Dy()/2)
	at = image.Pt(max(0, min(at.X, size.X-cut.Dx())), max(0, min(at.Y, size.Y-cut.Dy())))
	return image.Rectangle{at, at.Add(cut.Size())}
}

// trimmed removes the border whose colors differ from that of the first pixel by up to percent.
func trimmed(img *image.NRGBA, percent int) *image.NRGBA {
	first := img.NRGBAAt(img.Rect.Min.X, img.Rect.Min.Y)
	far := func(a, b uint8) bool { return 100*max(int(a)-int(b), int(b)-int(a)) > 255*percent }
	var box image.Rectangle
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			c := img.NRGBAAt(x, y)
			if far(c.R, first.R) || far(c.G, first.G) || far(c.B, first.B) || far(c.A, first.A) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if box.Empty() {
		return img
	}
	out := image.NewNRGBA(image.Rectangle{Max: box.Size()})
	draw.Draw(out, out.Rect, img, box.Min, draw.Src)
	return out
}

func finish(img *image.NRGBA, s *Step) {
	if s.Sharpen > 0 {
		soft := blurred(img, img.Rect, img.Rect.Size(), 1)
		for y := range img.Rect.Dy() {
			row, blur := img.Pix[y*img.Stride:][:4*img.Rect.Dx()], soft.Pix[y*soft.Stride:]
			for i := range row {
				if i%4 < 3 {
					sharp := int(row[i]) + (int(row[i])-int(blur[i]))*s.Sharpen/10
					row[i] = uint8(max(0, min(sharp, 255)))
				}
			}
		}
	}
	if s.Border > 0 {
		inner := img.Rect.Inset(s.Border)
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
				if !image.Pt(x, y).In(inner) {
					img.SetNRGBA(x, y, s.BorderColor)
				}
			}
		}
	}
	if s.Opacity > 0 {
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				alpha := &img.Pix[y*img.Stride+4*x+3]
				*alpha = uint8(int(*alpha) * s.Opacity / 100)
			}
		}
	}
}
