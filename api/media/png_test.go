package media

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api/apitest"
)

// readBack decodes a PNG file with the standard library.
func readBack(t testing.TB, file []byte) *image.NRGBA {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	n, err := upright(t.Context(), img, img.Bounds(), Normal)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// same compares the pixels of two pictures, which may be subimages.
func same(a, b *image.NRGBA) bool {
	if a.Rect.Size() != b.Rect.Size() {
		return false
	}
	for y := range a.Rect.Dy() {
		if n := 4 * a.Rect.Dx(); !bytes.Equal(a.Pix[y*a.Stride:][:n], b.Pix[y*b.Stride:][:n]) {
			return false
		}
	}
	return true
}

// scatter fills a picture with any values, a few, or one alpha.
func scatter(img *image.NRGBA, seed uint64, kind int) {
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range img.Pix {
		switch {
		case kind == 0:
			img.Pix[i] = byte(random.Uint32())
		case kind == 1:
			img.Pix[i] = byte(random.Uint32() % 2 * 255)
		case i%4 == 3:
			img.Pix[i] = byte(kind)
		default:
			img.Pix[i] = byte(i / 4)
		}
	}
}

func TestEncodePNGGivesEveryPixelBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		img := image.NewNRGBA(image.Rect(0, 0, rapid.IntRange(1, 90).Draw(r, "w"), rapid.IntRange(1, 90).Draw(r, "h")))
		scatter(img, rapid.Uint64().Draw(r, "seed"), rapid.SampledFrom([]int{0, 1, 2, 254, 255}).Draw(r, "kind"))
		x, y := rapid.IntRange(0, img.Rect.Dx()-1).Draw(r, "x"), rapid.IntRange(0, img.Rect.Dy()-1).Draw(r, "y")
		for _, img := range []*image.NRGBA{img, img.SubImage(image.Rect(x, y, img.Rect.Dx(), img.Rect.Dy())).(*image.NRGBA)} {
			file, err := EncodePNG(t.Context(), img)
			if err != nil {
				r.Fatal(err)
			}
			if !same(readBack(t, file), img) {
				r.Fatal("the decoded pixels differ")
			}
		}
	})
	if _, err := EncodePNG(t.Context(), image.NewNRGBA(image.Rect(0, 0, 0, 5))); err == nil {
		t.Error("a picture without pixels was written")
	}
}

// strips returns pictures of several strips, with many rows or one row each.
func strips() map[string]*image.NRGBA {
	pictures := map[string]*image.NRGBA{
		"odd":    apitest.Subject(1001, 777),
		"wide":   image.NewNRGBA(image.Rect(0, 0, stripPixels+3, 3)),
		"high":   image.NewNRGBA(image.Rect(0, 0, 1, stripPixels+3)),
		"empty":  image.NewNRGBA(image.Rect(0, 0, 900, 700)),
		"opaque": apitest.Subject(640, 1000),
	}
	scatter(pictures["wide"], 1, 0)
	scatter(pictures["high"], 2, 0)
	for i := 3; i < 400_000; i += 4 {
		pictures["odd"].Pix[i] = byte(i)
	}
	return pictures
}

func TestEncodePNGJoinsStrips(t *testing.T) {
	for name, img := range strips() {
		t.Run(name, func(t *testing.T) {
			file, err := EncodePNG(t.Context(), img)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(file, []byte("IDAT")); n < 3 {
				t.Errorf("got %d strips, want more", n-1)
			}
			if !same(readBack(t, file), img) {
				t.Error("the decoded pixels differ")
			}
			if opaque := file[25] == 2; opaque != img.Opaque() {
				t.Errorf("written without alpha: %t", opaque)
			}
			var usual bytes.Buffer
			if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&usual, img); err != nil {
				t.Fatal(err)
			}
			if len(file) > usual.Len()*6/5+200 {
				t.Errorf("the file has %d bytes, that of image/png %d", len(file), usual.Len())
			}
			before := runtime.GOMAXPROCS(1)
			again, err := EncodePNG(t.Context(), img)
			runtime.GOMAXPROCS(before)
			if err != nil || !bytes.Equal(again, file) {
				t.Errorf("on one core the file is another: %v", err)
			}
		})
	}
}

// TestEncodePNGIsReadByOthers: other decoders, if installed, read the files. Some are stricter than the
// standard library.
func TestEncodePNGIsReadByOthers(t *testing.T) {
	for _, command := range [][]string{{"pngcheck", "-q"}, {"pngtopnm"}, {"identify", "-regard-warnings", "-verbose"}} {
		t.Run(command[0], func(t *testing.T) {
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skip("the decoder is not installed")
			}
			for name, img := range strips() {
				if name == "wide" || name == "high" {
					continue // too large for some decoders
				}
				data, err := EncodePNG(t.Context(), img)
				if err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(t.TempDir(), name+".png")
				if err := os.WriteFile(file, data, 0o600); err != nil {
					t.Fatal(err)
				}
				cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], file)...)
				var told bytes.Buffer
				cmd.Stderr = &told
				if err := cmd.Run(); err != nil || told.Len() > 0 {
					t.Errorf("%s: %v: %s", name, err, told.String())
				}
			}
		})
	}
}

func TestJoinAdler(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a := rapid.SliceOfN(rapid.Byte(), 0, 2000).Draw(r, "a")
		b := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(r, "b"), rapid.IntRange(0, 1000).Draw(r, "times"))
		want := adler32.Checksum(append(bytes.Clone(a), b...))
		if got := joinAdler(adler32.Checksum(a), adler32.Checksum(b), len(b)); got != want {
			r.Fatalf("%08x, want %08x", got, want)
		}
	})
}

func FuzzEncodePNG(f *testing.F) {
	f.Add(uint16(1), []byte{1, 2, 3, 4})
	f.Add(uint16(3), bytes.Repeat([]byte{0, 0, 0, 255}, 7))
	f.Add(uint16(40000), bytes.Repeat([]byte{9, 8, 7, 6, 5}, 200_000))
	f.Fuzz(func(t *testing.T, width uint16, pixels []byte) {
		w := max(1, int(width))
		h := len(pixels) / 4 / w
		if h == 0 {
			w, h = max(1, len(pixels)/4), 1
			pixels = append(pixels, 1, 2, 3, 4)
		}
		img := &image.NRGBA{Pix: pixels[:4*w*h], Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
		file, err := EncodePNG(t.Context(), img)
		if err != nil {
			t.Fatal(err)
		}
		if binary.BigEndian.Uint32(file[16:]) != uint32(w) || !same(readBack(t, file), img) {
			t.Error("the decoded picture differs")
		}
	})
}
