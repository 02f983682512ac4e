package assets

import (
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteSamples(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "samples")
	if err := WriteSamples(dir); err != nil {
		t.Fatal(err)
	}
	ours := filepath.Join(dir, "mug.jpg")
	if err := os.WriteFile(ours, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteSamples(dir); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(ours); string(text) != "mine" {
		t.Error("a file that was there was written over")
	}
	for _, name := range []string{"harbour.jpg", "logo.png", "orbit.gif"} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := image.Decode(f); err != nil {
			t.Errorf("%s is no picture: %v", name, err)
		}
		f.Close()
	}
}
