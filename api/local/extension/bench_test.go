package extension

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"mediadesk/api"
)

// product returns a JPEG file of a typical product: a woven thing before a background with uneven light,
// with the noise of a camera. A flood fill needs -fuzz for this background.
func product(tb testing.TB, w, h int) []byte {
	tb.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			dx, dy := float64(x-w/2)/float64(h), float64(y-h/2)/float64(h)
			far := math.Hypot(dx, dy)
			background := [3]float64{212 - 40*far, 207 - 32*far, 192 - 30*far + 10*dx}
			weave := 25 * math.Sin(900*dx) * math.Sin(700*dy)
			thing := [3]float64{90 + 60*math.Sin(60*dx) + weave, 60 + weave, 50 + 40*math.Cos(80*dy) + weave}
			// One pixel at the rim is a mixture, as from a lens.
			in := math.Max(0, math.Min(1, (0.38+0.06*math.Sin(9*math.Atan2(dy, dx))-far)*float64(h)+0.5))
			var p [3]uint8
			for k := range p {
				p[k] = uint8(math.Max(0, math.Min(255, background[k]*(1-in)+thing[k]*in+3*random.NormFloat64())))
			}
			img.SetNRGBA(x, y, color.NRGBA{p[0], p[1], p[2], 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 92}); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// BenchmarkRemoveBackground measures pictures of 2 and 12 megapixels, and the second one with the flood
// fill of ImageMagick, if installed, with our share of its time.
func BenchmarkRemoveBackground(b *testing.B) {
	small, large := product(b, 1730, 1154), product(b, 4240, 2828)
	tools := New(nil)
	var each time.Duration // of the last measurement
	ours := func(data []byte) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				in := Input{Element: api.Extension{Name: "remove-bg"}, Content: bytes.NewReader(data), Size: int64(len(data)), Mime: "image/jpeg"}
				out, err := tools.Run(b.Context(), in)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(out.Picture)), "bytes")
			}
			each = b.Elapsed() / time.Duration(b.N)
		}
	}
	b.Run("2MP", ours(small))
	b.Run("12MP", ours(large))
	b.Run("12MP by ImageMagick", func(b *testing.B) {
		convert, err := exec.LookPath("convert")
		if err != nil {
			b.Skip("convert is not installed")
		}
		from, to := filepath.Join(b.TempDir(), "a.jpg"), filepath.Join(b.TempDir(), "a.png")
		if err := os.WriteFile(from, large, 0o600); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			cut := exec.CommandContext(b.Context(), convert, from, "-alpha", "set", "-fuzz", "12%", "-fill", "none", "-draw", "color 0,0 floodfill", to)
			if text, err := cut.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, text)
			}
		}
		if info, err := os.Stat(to); err == nil {
			b.ReportMetric(float64(info.Size()), "bytes")
		}
		b.ReportMetric(float64(each)/float64(b.Elapsed()/time.Duration(b.N)), "ours/its")
	})
}
