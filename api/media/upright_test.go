package media

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"mediadesk/api/apitest"
)

// TestUprightKeepsColors compares with the colors that each picture declares.
func TestUprightKeepsColors(t *testing.T) {
	decoded, err := jpeg.Decode(bytes.NewReader(apitest.JPEG(801, 203)))
	must(t, err)
	part := decoded.(*image.YCbCr).SubImage(image.Rect(3, 5, 700, 200))
	gray, inks := image.NewGray(image.Rect(-2, -3, 300, 301)), image.NewCMYK(image.Rect(1, 2, 300, 301))
	multiplied := image.NewRGBA(image.Rect(4, 4, 20, 20))
	for i := range gray.Pix {
		gray.Pix[i] = byte(i)
	}
	for i := range inks.Pix {
		inks.Pix[i] = byte(i * i / 7)
	}
	for i := range multiplied.Pix {
		multiplied.Pix[i] = byte(i / 4 * (i%4 + 1) / 4)
	}
	for name, img := range map[string]image.Image{
		"jpeg": decoded, "part": part, "gray": gray, "inks": inks, "alpha": multiplied,
	} {
		got := upright(img, img.Bounds(), Normal)
		b := img.Bounds()
		for y := range b.Dy() {
			for x := range b.Dx() {
				if want := color.NRGBAModel.Convert(img.At(b.Min.X+x, b.Min.Y+y)); got.NRGBAAt(x, y) != want {
					t.Fatalf("%s: %d,%d is %v, want %v", name, x, y, got.NRGBAAt(x, y), want)
				}
			}
		}
	}
}
