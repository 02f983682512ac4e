package apitest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"net/http"
	"testing"

	"mediadesk/api/media/mediatest"
)

// The tests generate their pictures, so that the repository needs no binary files.

// Subject returns a picture like a photograph: a red ball with light and shade on a
// blurred, slightly grainy blue background.
func Subject(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	radius := 0.3 * float64(min(w, h))
	noise := uint32(1)
	for y := range h {
		for x := range w {
			noise = noise*1664525 + 1013904223
			grain := float64(noise>>24)/255*6 - 3
			dx, dy := float64(x)-float64(w)/2, float64(y)-float64(h)/2
			r, g, b := 150+40*float64(x)/float64(w)+grain, 180+30*float64(y)/float64(h)+grain, 225+grain
			// Blend one pixel at the rim, as a lens does.
			if in := math.Max(0, math.Min(1, radius-math.Hypot(dx, dy)+0.5)); in > 0 {
				light := 0.75 - 0.35*(dx+dy)/(2*radius)
				r, g, b = mix(r, 215*light, in), mix(g, 40*light, in), mix(b, 35*light, in)
			}
			img.SetNRGBA(x, y, color.NRGBA{clamp(r), clamp(g), clamp(b), 255})
		}
	}
	return img
}

func mix(a, b, share float64) float64 { return a*(1-share) + b*share }

func clamp(v float64) uint8 { return uint8(math.Max(0, math.Min(255, v+0.5))) }

// JPEG returns Subject as a JPEG file.
func JPEG(w, h int) []byte {
	var b bytes.Buffer
	jpeg.Encode(&b, Subject(w, h), &jpeg.Options{Quality: 90})
	return b.Bytes()
}

// PhotoJPEG returns Subject as a JPEG file with an EXIF orientation, a maker, a model and
// the time 2024:07:15 10:20:30.
func PhotoJPEG(w, h, orientation int) []byte {
	return mediatest.WithEXIF(JPEG(w, h), mediatest.Tags{
		Orientation: uint16(orientation), Brand: "Pentacon", Model: "Praktica MX", Taken: "2024:07:15 10:20:30",
	})
}

// takenJPEG returns a photograph taken at 2024-07-15 10:20:30, at 52.52 degrees north and
// 24 minutes 18 seconds more than east degrees east.
func takenJPEG(east uint32) []byte {
	const ascii, long, rational = 2, 4, 5
	order := binary.BigEndian
	var tiff []byte
	tiff = append(tiff, "MM\x00\x2a\x00\x00\x00\x08"...)
	ifd := func(entries ...[4]uint32) { // tag, type, count, value
		tiff = order.AppendUint16(tiff, uint16(len(entries)))
		for _, e := range entries {
			tiff = order.AppendUint16(order.AppendUint16(tiff, uint16(e[0])), uint16(e[1]))
			tiff = order.AppendUint32(order.AppendUint32(tiff, e[2]), e[3])
		}
		tiff = order.AppendUint32(tiff, 0)
	}
	// The groups begin at 8, 38 and 56; their values begin at 110.
	ifd([4]uint32{0x8769, long, 1, 38}, [4]uint32{0x8825, long, 1, 56})
	ifd([4]uint32{0x9003, ascii, 20, 110})
	ifd([4]uint32{1, ascii, 2, 'N' << 24}, [4]uint32{2, rational, 3, 130}, [4]uint32{3, ascii, 2, 'E' << 24},
		[4]uint32{4, rational, 3, 154})
	tiff = append(tiff, "2024:07:15 10:20:30\x00"...)
	for _, n := range []uint32{52, 1, 31, 1, 12, 1, east, 1, 24, 1, 18, 1} {
		tiff = order.AppendUint32(tiff, n)
	}
	exif := append([]byte("Exif\x00\x00"), tiff...)
	plain := JPEG(20, 20)
	out := append(append([]byte{}, plain[:2]...), 0xFF, 0xE1, byte((len(exif)+2)>>8), byte(len(exif)+2))
	return append(append(out, exif...), plain[2:]...)
}

// PNG returns an opaque PNG file.
func PNG(w, h int) []byte { return encodePNG(Subject(w, h)) }

// AlphaPNG returns a PNG file that is transparent around a disc.
func AlphaPNG(w, h int) []byte {
	img := Subject(w, h)
	for y := range h {
		for x := range w {
			if math.Hypot(float64(x)-float64(w)/2, float64(y)-float64(h)/2) > 0.3*float64(min(w, h)) {
				img.SetNRGBA(x, y, color.NRGBA{})
			}
		}
	}
	return encodePNG(img)
}

func encodePNG(img image.Image) []byte {
	var b bytes.Buffer
	png.Encode(&b, img)
	return b.Bytes()
}

// GIF returns a GIF file of two frames, the second with a transparent color.
func GIF(w, h int) []byte {
	colors := append(color.Palette{color.NRGBA{}}, palette.Plan9[:255]...)
	var g gif.GIF
	for n := range 2 {
		frame := image.NewPaletted(image.Rect(0, 0, w, h), colors)
		draw.Draw(frame, frame.Rect, Subject(w, h), image.Point{}, draw.Src)
		frame.SetColorIndex(0, 0, 0)
		g.Image, g.Delay = append(g.Image, frame), append(g.Delay, 10*(n+1))
	}
	var b bytes.Buffer
	gif.EncodeAll(&b, &g)
	return b.Bytes()
}

// Noise returns an opaque PNG file of noise.
func Noise(w, h int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	noise := uint32(7)
	for i := range img.Pix {
		noise = noise*1664525 + 1013904223
		img.Pix[i] = uint8(noise >> 24)
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return encodePNG(img)
}

// testCrop tests that fo-custom returns the pixels of the region, upright for any
// orientation of the photograph.
func testCrop(t *testing.T, s *suite) {
	s.delivers(t)
	s.strict(t)
	// A quarter of the ball and its background, which looks different in every other orientation.
	region := image.Rect(100, 60, 180, 110)
	requested := field("customCoordinates", fmt.Sprintf("%d,%d,%d,%d", region.Min.X, region.Min.Y,
		region.Dx(), region.Dy()))
	crop := func(t *testing.T, data []byte) image.Image {
		t.Helper()
		r := s.store(t, field("fileName", "crop"), content(data), requested)
		a := s.do(t, http.MethodGet, s.DeliveryURL+"/tr:fo-custom"+
			escapedPath(r), "", nil, nil)
		wantStatus(t, a, http.StatusOK)
		return decoded(t, a.body)
	}
	for orientation := 1; orientation <= 8; orientation++ {
		t.Run(fmt.Sprint("orientation ", orientation), func(t *testing.T) {
			data := PhotoJPEG(200, 150, orientation)
			want := turned(decoded(t, data), region, orientation)
			if off := difference(crop(t, data), want); off > 4 { // the server compresses again
				t.Errorf("the pixels differ by %.1f of 255", off)
			}
		})
	}
	t.Run("without loss", func(t *testing.T) {
		data := AlphaPNG(200, 150)
		if off := difference(crop(t, data), turned(decoded(t, data), region, 1)); off != 0 {
			t.Errorf("the pixels differ by %.3f of 255, want 0", off)
		}
	})
}

func decoded(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(data))
	mediatest.Must(t, err)
	return img
}

// turned returns a region of stored pixels, turned according to the EXIF orientation.
func turned(stored image.Image, region image.Rectangle, orientation int) *image.NRGBA {
	w, h := region.Dx(), region.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewNRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			from := map[int]image.Point{
				1: {x, y}, 2: {w - 1 - x, y}, 3: {w - 1 - x, h - 1 - y}, 4: {x, h - 1 - y},
				5: {y, x}, 6: {y, h - 1 - x}, 7: {w - 1 - y, h - 1 - x}, 8: {w - 1 - y, x},
			}[orientation].Add(region.Min)
			out.Set(x, y, stored.At(from.X, from.Y))
		}
	}
	return out
}

// difference returns the mean difference of the channels of two pictures; 255 if their sizes
// differ.
func difference(got image.Image, want *image.NRGBA) float64 {
	if got.Bounds().Size() != want.Rect.Size() {
		return 255
	}
	sum := 0
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			a := color.NRGBAModel.Convert(got.At(got.Bounds().Min.X+x, got.Bounds().Min.Y+y)).(color.NRGBA)
			b := want.NRGBAAt(x, y)
			for _, pair := range [][2]uint8{{a.R, b.R}, {a.G, b.G}, {a.B, b.B}, {a.A, b.A}} {
				sum += max(int(pair[0])-int(pair[1]), int(pair[1])-int(pair[0]))
			}
		}
	}
	return float64(sum) / float64(4*want.Rect.Dx()*want.Rect.Dy())
}
