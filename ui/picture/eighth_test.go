package picture

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// apart compares two pictures of one size, channel by channel: the mean of the
// differences and the greatest.
func apart(t testing.TB, got, want *Picture) (mean float64, most int) {
	t.Helper()
	if got.pix.Rect != want.pix.Rect || got.full != want.full {
		t.Fatalf("sizes %v %v, %v %v", got.pix.Rect, want.pix.Rect, got.full, want.full)
	}
	sum := 0
	for i := range got.pix.Pix {
		d := int(got.pix.Pix[i]) - int(want.pix.Pix[i])
		sum += max(d, -d)
		most = max(most, d, -d)
	}
	return float64(sum) / float64(len(got.pix.Pix)), most
}

// An eighth by the numbers in the file is what the library's picture averages to.
func TestEighthIsTheAverage(t *testing.T) {
	for _, size := range []image.Point{{640, 480}, {641, 479}, {1000, 8}, {17, 900}, {8, 8}, {1, 1}, {333, 222}} {
		data := asJPEG(t, photograph(size.X, size.Y))
		small, err := decodeEighth(t.Context(), bytes.NewReader(data))
		must(t, err)
		whole, err := jpeg.Decode(bytes.NewReader(data))
		must(t, err)
		if want := image.Rect(0, 0, up(size.X, 8), up(size.Y, 8)); small.Bounds() != want {
			t.Fatalf("%v gives %v", size, small.Bounds())
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
				// The library cuts each pixel off at black and white.
				if d := got - (sum+32)/64; d > 3 || d < -3 {
					t.Fatalf("%v: block %d,%d is %d, its pixels average %d", size, bx, by, got, (sum+32)/64)
				}
			}
		}
	}
}

// All kinds of JPEG, made by another program.
func TestEighthOfEveryKind(t *testing.T) {
	cjpeg := tool(t, "convert")
	dir := t.TempDir()
	source := filepath.Join(dir, "in.png")
	must(t, os.WriteFile(source, asPNG(t, photograph(603, 405)), 0o600))
	for name, args := range map[string][]string{
		"baseline":      {"-sampling-factor", "2x2"},
		"422":           {"-sampling-factor", "2x1"},
		"440":           {"-sampling-factor", "1x2"},
		"444":           {"-sampling-factor", "1x1"},
		"411":           {"-sampling-factor", "4x1"},
		"progressive":   {"-interlace", "JPEG", "-sampling-factor", "2x2"},
		"progressive44": {"-interlace", "JPEG", "-sampling-factor", "1x1"},
		"grey":          {"-colorspace", "Gray"},
		"best":          {"-quality", "100"},
		"worst":         {"-quality", "3"},
		"restarts":      {"-define", "jpeg:restart-interval=3"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name+".jpg")
			out, err := exec.Command(cjpeg, append(append([]string{source}, args...), path)...).CombinedOutput() //nolint:gosec // a test's own
			if err != nil {
				t.Fatalf("%v %s", err, out)
			}
			data, err := os.ReadFile(path)
			must(t, err)
			rough, err := Decode(t.Context(), bytes.NewReader(data), Limits{Side: 76, Enough: 60})
			must(t, err)
			if !rough.rough {
				t.Fatal("it was not decoded at an eighth")
			}
			exact, err := Decode(t.Context(), bytes.NewReader(data), Limits{Side: 76})
			must(t, err)
			if mean, most := apart(t, rough, exact); mean > 2 || most > 70 {
				t.Errorf("off by %.2f, at most %d", mean, most)
			}
		})
	}
}

func TestEighthLeavesOtherKindsToTheLibrary(t *testing.T) {
	data := asJPEG(t, photograph(64, 64))
	at := bytes.Index(data, []byte{0xff, 0xc0})
	for kind, change := range map[string]func([]byte){
		"lossless":     func(b []byte) { b[at+1] = 0xc3 },
		"12 bits":      func(b []byte) { b[at+4] = 12 },
		"arithmetic":   func(b []byte) { b[at+1] = 0xc9 },
		"odd sampling": func(b []byte) { b[at+4+7] = 0x13 },
	} {
		broken := bytes.Clone(data)
		change(broken)
		if _, err := decodeEighth(t.Context(), bytes.NewReader(broken)); !errors.Is(err, errNotEighth) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestEighthOfDamagedFiles(t *testing.T) {
	data := asJPEG(t, photograph(400, 300))
	for cut := 0; cut < len(data)-2; cut += 97 {
		if _, err := decodeEighth(t.Context(), bytes.NewReader(data[:cut])); err == nil && cut < len(data)*9/10 {
			t.Errorf("%d of %d bytes are a picture", cut, len(data))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := decodeEighth(ctx, bytes.NewReader(data)); !errors.Is(err, context.Canceled) {
		t.Errorf("the end of the context gives %v", err)
	}
}

// A preview that was enough for few cells is not blown up for many.
func TestLoaderDecodesAgainForMoreDetail(t *testing.T) {
	path := write(t, "a.jpg", asJPEG(t, quarters(1600, 1200)))
	l := NewLoader(Limits{})
	info, err := os.Stat(path)
	must(t, err)
	for _, want := range []struct {
		cols  int
		rough bool
	}{{40, true}, {100, true}, {300, false}, {20, false}} {
		_, err := l.Load(t.Context(), Request{Path: path, Cols: want.cols, Rows: want.cols / 2})
		must(t, err)
		o, ok := l.pictures.get(identify(path, info))
		if !ok || o.picture.rough != want.rough {
			t.Errorf("%s columns: rough is %v", strconv.Itoa(want.cols), !want.rough)
		}
	}
}

func FuzzEighth(f *testing.F) {
	f.Add(asJPEG(f, photograph(40, 30)))
	f.Add(asJPEG(f, image.NewGray(image.Rect(0, 0, 20, 20))))
	f.Fuzz(func(t *testing.T, data []byte) {
		if cfg, err := jpeg.DecodeConfig(bytes.NewReader(data)); err != nil || cfg.Width*cfg.Height > 1<<20 {
			return
		}
		img, err := decodeEighth(context.Background(), bytes.NewReader(data))
		if err != nil {
			return
		}
		if p := New(img, Normal); p.Size() != img.Bounds().Size() {
			t.Error(p.Size())
		}
	})
}

func BenchmarkEighth24MP(b *testing.B) {
	data := largeJPEG(b)
	b.ReportAllocs()
	for b.Loop() {
		_, err := Decode(context.Background(), bytes.NewReader(data), Limits{Side: previewSide, Enough: 320})
		must(b, err)
	}
}
