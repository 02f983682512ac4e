package media

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"testing"

	"mediadesk/api/apitest"
)

// TestPlainKeepsColours compares with what each picture says of its pixels.
func TestPlainKeepsColours(t *testing.T) {
	decoded, err := jpeg.Decode(bytes.NewReader(apitest.JPEG(801, 203)))
	if err != nil {
		t.Fatal(err)
	}
	part := decoded.(*image.YCbCr).SubImage(image.Rect(3, 5, 700, 200))
	grey, inks := image.NewGray(image.Rect(-2, -3, 300, 301)), image.NewCMYK(image.Rect(1, 2, 300, 301))
	multiplied := image.NewRGBA(image.Rect(4, 4, 20, 20))
	for i := range grey.Pix {
		grey.Pix[i] = byte(i)
	}
	for i := range inks.Pix {
		inks.Pix[i] = byte(i * i / 7)
	}
	for i := range multiplied.Pix {
		multiplied.Pix[i] = byte(i / 4 * (i%4 + 1) / 4)
	}
	for name, img := range map[string]image.Image{"jpeg": decoded, "part": part, "grey": grey, "inks": inks, "alpha": multiplied} {
		got, err := plain(t.Context(), img)
		if err != nil {
			t.Fatal(err)
		}
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

// TestMeans compares with sums over all pixels, each of which goes where the
// documentation says.
func TestMeans(t *testing.T) {
	for _, size := range []image.Point{{1000, 700}, {333, 1001}, {101, 3}, {900, 1}} {
		img := image.NewNRGBA(image.Rectangle{Max: size})
		scatter(img, 3, 0)
		got, err := Means(t.Context(), img, 100)
		if err != nil {
			t.Fatal(err)
		}
		w, h := got.Rect.Dx(), got.Rect.Dy()
		if max(w, h) != 100 {
			t.Fatalf("%v became %v", size, got.Rect.Size())
		}
		type sums struct{ r, g, b, a, n float64 }
		all := make([]sums, w*h)
		for y := range size.Y {
			for x := range size.X {
				s := &all[y*h/size.Y*w+x*w/size.X]
				c := img.NRGBAAt(x, y)
				a := float64(c.A)
				s.r, s.g, s.b, s.a, s.n = s.r+float64(c.R)*a, s.g+float64(c.G)*a, s.b+float64(c.B)*a, s.a+a, s.n+1
			}
		}
		for i, s := range all {
			if s.a == 0 {
				continue
			}
			for k, want := range []float64{s.r / s.a, s.g / s.a, s.b / s.a, s.a / s.n} {
				if v := float64(got.Pix[4*i+k]); math.Abs(v-want) > 0.501 {
					t.Fatalf("%v: channel %d of pixel %d is %v, want %v", size, k, i, v, want)
				}
			}
		}
	}
	small := apitest.Subject(60, 40)
	if got, err := Means(t.Context(), small, 100); err != nil || got != small {
		t.Errorf("a small picture was changed: %v", err)
	}
}

func TestStripsTellOfErrors(t *testing.T) {
	wrong := errors.New("wrong")
	if err := Strips(t.Context(), stripPixels, 9, func(from, to int) error {
		if from <= 4 && 4 < to {
			return wrong
		}
		return nil
	}); !errors.Is(err, wrong) {
		t.Errorf("an error of a strip became %v", err)
	}
	if err := Strips(t.Context(), stripPixels, 9, func(from, _ int) error {
		_ = make([]int, 3)[from]
		return nil
	}); err == nil {
		t.Error("a strip broke down, and nobody was told")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Strips(ctx, 1, 1, func(int, int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("it went on after its end: %v", err)
	}
}
