package media

import (
	"bytes"
	"errors"
	"image"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"testing"

	"mediadesk/api/media/mediatest"
)

// TestPNGByRows: decoding a PNG row by row gives the same pixels as decoding it at once.
func TestPNGByRows(t *testing.T) {
	rect := image.Rect(0, 0, 103, 71)
	random := rand.New(rand.NewPCG(1, 2))
	noise := image.NewNRGBA(rect)
	for i := range noise.Pix {
		noise.Pix[i] = uint8(i/7 + random.IntN(40))
	}
	opaque := image.NewNRGBA(rect)
	draw.Draw(opaque, rect, image.Black, image.Point{}, draw.Src)
	draw.Draw(opaque, rect, noise, image.Point{}, draw.Over)
	gray := image.NewGray(rect)
	draw.Draw(gray, rect, noise, image.Point{}, draw.Src)
	deep := image.NewNRGBA64(rect)
	draw.Draw(deep, rect, noise, image.Point{}, draw.Src)
	for name, c := range map[string]struct {
		img    image.Image
		byRows bool
	}{"transparent": {noise, true}, "opaque": {opaque, true}, "gray": {gray, false}, "16 bits": {deep, false}} {
		for _, side := range []int{10, 34, 60} {
			for _, o := range []Orientation{Normal, 6} {
				file := mediatest.PNG(t, c.img)
				whole, err := png.Decode(bytes.NewReader(file))
				must(t, err)
				want := newPicture(whole, rect, o, side)
				h := &header{format: formatOf(file), size: rect.Size()}
				got, err := h.decodePNG(t.Context(), bytes.NewReader(file), o,
					Limits{Side: side}.orDefaults())
				switch {
				case !c.byRows && !errors.Is(err, errNotByRows):
					t.Errorf("%s: %v", name, err)
				case c.byRows && err != nil:
					t.Errorf("%s: %v", name, err)
				case c.byRows && (!bytes.Equal(got.Pixels.Pix, want.Pixels.Pix) || got.Size != want.Size ||
					got.Orientation != want.Orientation):
					t.Errorf("%s, %d, turned by %v: another picture", name, side, o)
				}
				// Damaged pixels are left to image/png.
				for range 20 {
					damaged := bytes.Clone(file)
					damaged[60+random.IntN(len(damaged)-80)] ^= 1 << random.IntN(8)
					_, err := h.decodePNG(t.Context(), bytes.NewReader(damaged), o,
						Limits{Side: side}.orDefaults())
					if err == nil && c.byRows {
						t.Errorf("%s: damage is not seen", name)
					}
				}
			}
		}
	}
}
