package jpegdc

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"testing"

	"mediadesk/api/media/mediatest"
)

// TestDecodeIsTheMean: the DC coefficients are the means of what image/jpeg decodes.
func TestDecodeIsTheMean(t *testing.T) {
	for _, size := range []image.Point{
		{640, 480}, {641, 479}, {1000, 8}, {17, 900}, {8, 8}, {1, 1}, {333, 222},
	} {
		data := mediatest.JPEG(t, mediatest.Photograph(size.X, size.Y))
		small, err := Decode(t.Context(), bytes.NewReader(data))
		must(t, err)
		whole, err := jpeg.Decode(bytes.NewReader(data))
		must(t, err)
		if want := image.Rect(0, 0, ceilDiv(size.X, 8), ceilDiv(size.Y, 8)); small.Bounds() != want {
			t.Fatalf("%v gives %v, want %v", size, small.Bounds(), want)
		}
		y, c := small.(*image.YCbCr), whole.(*image.YCbCr)
		for by := range size.Y / 8 {
			for bx := range size.X / 8 {
				sum := 0
				for j := range 8 {
					for i := range 8 {
						sum += int(c.Y[c.YOffset(8*bx+i, 8*by+j)])
					}
				}
				got := int(y.Y[y.YOffset(bx, by)])
				// image/jpeg limits each pixel to black and white.
				if d := got - (sum+32)/64; d > 3 || d < -3 {
					t.Fatalf("%v: block %d,%d is %d, its pixels average %d", size, bx, by, got, (sum+32)/64)
				}
			}
		}
	}
}

func TestUnsupportedKinds(t *testing.T) {
	data := mediatest.JPEG(t, mediatest.Photograph(64, 64))
	at := bytes.Index(data, []byte{0xff, 0xc0})
	for kind, change := range map[string]func([]byte){
		"lossless":     func(b []byte) { b[at+1] = 0xc3 },
		"12 bits":      func(b []byte) { b[at+4] = 12 },
		"arithmetic":   func(b []byte) { b[at+1] = 0xc9 },
		"odd sampling": func(b []byte) { b[at+4+7] = 0x13 },
	} {
		broken := bytes.Clone(data)
		change(broken)
		if _, err := Decode(t.Context(), bytes.NewReader(broken)); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	data := mediatest.JPEG(t, mediatest.Photograph(400, 300))
	for cut := 0; cut < len(data)-2; cut += 97 {
		if _, err := Decode(t.Context(), bytes.NewReader(data[:cut])); err == nil && cut < len(data)*9/10 {
			t.Errorf("%d of %d bytes are a picture", cut, len(data))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Decode(ctx, bytes.NewReader(data)); !errors.Is(err, context.Canceled) {
		t.Errorf("the end of the context gives %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(mediatest.JPEG(f, mediatest.Photograph(40, 30)))
	f.Add(mediatest.JPEG(f, image.NewGray(image.Rect(0, 0, 20, 20))))
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := jpeg.DecodeConfig(bytes.NewReader(data))
		if err != nil || cfg.Width*cfg.Height > 1<<20 {
			return
		}
		img, err := Decode(context.Background(), bytes.NewReader(data))
		if err != nil {
			return
		}
		if b := img.Bounds(); b.Dx() != ceilDiv(cfg.Width, 8) || b.Dy() != ceilDiv(cfg.Height, 8) {
			t.Errorf("%v of %d × %d", b, cfg.Width, cfg.Height)
		}
		for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
			for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
				img.At(x, y) // all samples exist
			}
		}
	})
}

var must = mediatest.Must

// BenchmarkDecode decodes a photograph of 24 megapixels with this package and with image/jpeg.
func BenchmarkDecode(b *testing.B) {
	data := mediatest.LargeJPEG(b)
	b.Run("jpegdc", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := Decode(context.Background(), bytes.NewReader(data))
			must(b, err)
		}
	})
	b.Run("image-jpeg", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := jpeg.Decode(bytes.NewReader(data))
			must(b, err)
		}
	})
}
