package extension

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mediadesk/api"
	"mediadesk/api/apitest"
)

// BenchmarkRemoveBackground is a picture of 2 and one of 12 megapixels, and the
// second by the flood fill of ImageMagick where that is installed.
func BenchmarkRemoveBackground(b *testing.B) {
	small, large := apitest.JPEG(1730, 1154), apitest.JPEG(4240, 2828)
	tools := New(nil)
	ours := func(data []byte) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				in := Input{Element: api.Extension{Name: "remove-bg"}, Content: bytes.NewReader(data), Size: int64(len(data)), Mime: "image/jpeg"}
				if _, err := tools.Run(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
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
	})
}
