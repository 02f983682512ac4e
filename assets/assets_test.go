package assets

import (
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"testing"

	"mediadesk/api/media/mediatest"
)

func TestWriteSamples(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "samples")
	mediatest.Must(t, WriteSamples(dir))
	ours := filepath.Join(dir, "mug.jpg")
	mediatest.Must(t, os.WriteFile(ours, []byte("mine"), 0o600))
	mediatest.Must(t, WriteSamples(dir))
	if text, _ := os.ReadFile(ours); string(text) != "mine" {
		t.Error("a file that was there was written over")
	}
	for _, name := range []string{"harbour.jpg", "logo.png", "orbit.gif"} {
		f, err := os.Open(filepath.Join(dir, name))
		mediatest.Must(t, err)
		if _, _, err := image.Decode(f); err != nil {
			t.Errorf("%s is no picture: %v", name, err)
		}
		f.Close()
	}
}
