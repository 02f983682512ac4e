package media

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mediadesk/api/media/mediatest"
)

func TestFactsOfPictures(t *testing.T) {
	img := mediatest.Quarters(64, 48)
	clear64 := image.NewNRGBA(image.Rect(0, 0, 64, 48))
	pal := image.NewPaletted(image.Rect(0, 0, 64, 48), color.Palette{color.Transparent, color.White})
	opaque := mediatest.PNGHeader(64, 48, 2)
	trns := slices.Concat(opaque[:33], mediatest.PNGChunk("tRNS", make([]byte, 6)), opaque[33:])
	tests := []struct {
		name  string
		data  []byte
		mime  string
		words string
		alpha bool
	}{
		{"a.jpg", mediatest.JPEG(t, img), "image/jpeg", "JPEG picture", false},
		{"a.png", mediatest.PNG(t, img), "image/png", "PNG picture", false},
		{"alpha.png", mediatest.PNG(t, clear64), "image/png", "PNG picture", true},
		{"palette.png", mediatest.PNG(t, pal), "image/png", "PNG picture", true},
		{"one color transparent.png", trns, "image/png", "PNG picture", true},
		{"a.gif", mediatest.GIF(t, img), "image/gif", "GIF picture", false},
		{"alpha.gif", mediatest.GIF(t, pal), "image/gif", "GIF picture", true},
		{"a.bmp", mediatest.BMP(t, img), "image/bmp", "BMP picture", false},
		{"a.tiff", mediatest.TIFF(t, img), "image/tiff", "TIFF picture", true},
		{"really a PNG.jpg", mediatest.PNG(t, img), "image/png", "PNG picture", false},
		{"no name", mediatest.JPEG(t, img), "image/jpeg", "JPEG picture", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, tt.name, tt.data)
			f, err := FactsOf(t.Context(), path)
			must(t, err)
			if !f.Picture || f.MIME != tt.mime || f.Name != tt.words || f.Problem != nil {
				t.Errorf("picture %v, %s, %q, problem %v", f.Picture, f.MIME, f.Name, f.Problem)
			}
			if f.Stored != image.Pt(64, 48) || f.Upright != f.Stored || f.Orientation != Normal {
				t.Errorf("stored %v, upright %v, orientation %d", f.Stored, f.Upright, f.Orientation)
			}
			mediatest.Equal(t, f.Alpha, tt.alpha, "alpha")
			if f.Bytes != int64(len(tt.data)) || time.Since(f.Modified) > time.Hour {
				t.Errorf("%d bytes, modified %v", f.Bytes, f.Modified)
			}
		})
	}
}

func TestFactsFromEXIF(t *testing.T) {
	jpg := mediatest.JPEG(t, mediatest.Quarters(64, 48))
	clock := time.Date(2024, 9, 29, 10, 37, 52, 0, time.UTC)
	tests := []struct {
		name        string
		tags        mediatest.Tags
		orientation Orientation
		camera      string
		taken       time.Time
	}{
		{"nothing", mediatest.Tags{}, 1, "", time.Time{}},
		{"all", mediatest.Tags{
			Orientation: 6, Brand: "Panasonic", Model: "DC-G91", Taken: "2024:09:29 10:37:52", Offset: "+01:00",
		}, 6, "Panasonic DC-G91", clock.Add(-time.Hour)},
		{"no zone", mediatest.Tags{Taken: "2024:09:29 10:37:52"}, 1, "", clock},
		{"maker repeated", mediatest.Tags{Brand: "NIKON CORPORATION", Model: "NIKON D1"}, 1, "NIKON D1", time.Time{}},
		{"maker alone", mediatest.Tags{Brand: "Acme"}, 1, "Acme", time.Time{}},
		{"no such orientation", mediatest.Tags{Orientation: 77}, 1, "", time.Time{}},
		{"no date", mediatest.Tags{Taken: "    :  :     :  :  "}, 1, "", time.Time{}},
		{"hostile", mediatest.Tags{Model: "A\x1b[31m\u202eB\u0301\r\nC"}, 1, "A[31mBC", time.Time{}},
		{"long", mediatest.Tags{Model: strings.Repeat("x", 500)}, 1, strings.Repeat("x", 80), time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := FactsOf(t.Context(), write(t, "a.jpg", mediatest.WithEXIF(jpg, tt.tags)))
			must(t, err)
			if f.Orientation != tt.orientation || f.Upright != tt.orientation.Upright(image.Pt(64, 48)) {
				t.Errorf("orientation %d, upright %v", f.Orientation, f.Upright)
			}
			if f.Camera != tt.camera || !f.Taken.Equal(tt.taken) {
				t.Errorf("camera %q, taken %v", f.Camera, f.Taken)
			}
		})
	}
}

func TestFactsOfOthers(t *testing.T) {
	tests := []struct {
		name  string
		data  []byte
		words string
	}{
		{"day.txt", []byte("day 1\n"), "text"},
		{"a.jpg", []byte("not a picture at all"), "text"},
		{"empty.png", nil, "empty file"},
		{"a.pdf", []byte("%PDF-1.7\n"), "PDF file"},
		{"a.zip", []byte("PK\x03\x04"), "ZIP file"},
		{"a.flac", []byte("fLaC\x00\x00\x00\x22"), "FLAC audio"},
		{"a.mp4", []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"), "MP4 video"},
		{"a.bin", make([]byte, 100), "unknown content"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := FactsOf(t.Context(), write(t, tt.name, tt.data))
			must(t, err)
			if f.Picture || f.Name != tt.words || f.MIME == "" || f.Problem != nil ||
				f.Bytes != int64(len(tt.data)) {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestFactsOfTroubled(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // without programs that draw some of these
	for name, tt := range map[string]struct {
		data   []byte
		reason error
	}{
		"bomb.png":   {mediatest.PNGHeader(50_000, 50_000, 2), ErrTooLarge},
		"cut.jpg":    {mediatest.JPEG(t, mediatest.Quarters(64, 48))[:20], ErrTruncated},
		"phone.heic": {[]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), ErrNotPicture},
	} {
		f, err := FactsOf(t.Context(), write(t, name, tt.data))
		must(t, err)
		if !f.Picture || !errors.Is(f.Problem, tt.reason) || !strings.Contains(f.Problem.Error(), name) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := FactsOf(ctx, write(t, "a.jpg", mediatest.JPEG(t, mediatest.Quarters(8, 8))))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestNotAFile(t *testing.T) {
	dir := t.TempDir()
	tests := []struct{ name, path, words string }{
		{"folder", dir, "it is a folder"},
		{"vanished", filepath.Join(dir, "gone.jpg"), "does not exist"},
		{"hostile name", filepath.Join(dir, "\x1b]0;x\a\u202egone"), `"\x1b]0;x\a\u202egone"`},
	}
	if os.Getuid() > 0 {
		locked := write(t, "locked.jpg", mediatest.JPEG(t, mediatest.Quarters(8, 8)))
		must(t, os.Chmod(locked, 0))
		tests = append(tests, struct{ name, path, words string }{"locked", locked, "permissions"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refused(t, tt.path, tt.words) })
	}
}

// refused checks that every function reports why a file cannot be read.
func refused(t *testing.T, path, words string) {
	t.Helper()
	_, err1 := FactsOf(t.Context(), path)
	_, err2 := decodePath(t.Context(), path, Limits{})
	for _, err := range []error{err1, err2} {
		if !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
}

// TestCheapFacts: the facts of a large picture are read from its beginning.
func TestCheapFacts(t *testing.T) {
	data := append(mediatest.JPEG(t, mediatest.Quarters(64, 48)), make([]byte, 8<<20)...)
	r := &counting{Reader: bytes.NewReader(data)}
	f, err := ReadFacts(t.Context(), r)
	must(t, err)
	if f.Stored != image.Pt(64, 48) || r.n > 64<<10 {
		t.Errorf("size %v, %d bytes read", f.Stored, r.n)
	}
}

// TestEndlessHeader: the search for a header ends soon.
func TestEndlessHeader(t *testing.T) {
	data := make([]byte, maxHeader+1<<20)
	copy(data, "\xff\xd8\xff")
	r := &counting{Reader: bytes.NewReader(data)}
	f, err := ReadFacts(t.Context(), r)
	must(t, err)
	if !errors.Is(f.Problem, ErrTruncated) || r.n > maxHeader {
		t.Errorf("problem %v, %d bytes read", f.Problem, r.n)
	}
}

type counting struct {
	*bytes.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}
