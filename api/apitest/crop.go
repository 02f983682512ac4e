package apitest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // formats of responses
	_ "image/png"  // as above
	"net/http"
	"net/url"
	"testing"
)

// testCrop tests that fo-custom returns the pixels of the region, upright for any
// orientation of the photograph.
func testCrop(t *testing.T, s *suite) {
	if s.DeliveryURL == "" {
		t.Skip("the target has no delivery address")
	}
	s.strict(t)
	// A quarter of the ball and its background, which looks different in every other orientation.
	region := image.Rect(100, 60, 180, 110)
	asked := field("customCoordinates", fmt.Sprintf("%d,%d,%d,%d", region.Min.X, region.Min.Y, region.Dx(), region.Dy()))
	crop := func(t *testing.T, data []byte) image.Image {
		t.Helper()
		r := s.store(t, field("fileName", "crop"), content(data), asked)
		a := s.do(t, http.MethodGet, s.DeliveryURL+"/tr:fo-custom"+(&url.URL{Path: text(r["filePath"])}).EscapedPath(), "", nil, nil)
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
	if err != nil {
		t.Fatal(err)
	}
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
