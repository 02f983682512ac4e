package uitest_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"testing"
	"time"

	"mediadesk/ui/uitest"
)

// TestAnimation: what is decoded is what was drawn, and of a picture with one
// new dot only that dot is stored.
func TestAnimation(t *testing.T) {
	var a uitest.Animation
	one, two := image.NewRGBA(image.Rect(0, 0, 40, 20)), image.NewRGBA(image.Rect(0, 0, 40, 20))
	for i := range one.Pix {
		one.Pix[i], two.Pix[i] = 0xfc, 0xfc
	}
	two.Set(7, 5, color.RGBA{0xf0, 0, 0, 0xff})
	a.Add(one, time.Second)
	a.Add(two, 2*time.Second)
	a.Add(two, time.Second)
	text, err := a.GIF()
	if err != nil {
		t.Fatal(err)
	}
	got, err := gif.DecodeAll(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Image) != 3 || got.Delay[1] != 200 || got.Image[1].Rect != image.Rect(7, 5, 8, 6) || got.Image[2].Rect.Dx() != 1 {
		t.Errorf("%d pictures, delays %v, the second is %v", len(got.Image), got.Delay, got.Image[1].Rect)
	}
	if r, g, b, _ := got.Image[1].At(7, 5).RGBA(); r>>8 != 0xf0 || g != 0 || b != 0 {
		t.Errorf("the dot is %v", got.Image[1].At(7, 5))
	}
}
