package extensions

import (
	"image"
	"image/color"
	"testing"

	"mediadesk/api/media/mediatest"
)

// photo is a dark disc on a light background.
func photo(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 160, 120))
	for y := range 120 {
		for x := range 160 {
			c := color.RGBA{0xe8, 0xe6, 0xe0, 0xff}
			if (x-80)*(x-80)+(y-60)*(y-60) < 40*40 {
				c = color.RGBA{0x80, 0x20, 0x30, 0xff}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return mediatest.PNG(t, img)
}
