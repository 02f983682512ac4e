package picture

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
)

func TestFactsOfPictures(t *testing.T) {
	img := quarters(64, 48)
	clear64 := image.NewNRGBA(image.Rect(0, 0, 64, 48))
	pal := image.NewPaletted(image.Rect(0, 0, 64, 48), color.Palette{color.Transparent, color.White})
	opaque := pngHeader(64, 48, 2)
	trns := slices.Concat(opaque[:33], pngChunk("tRNS", make([]byte, 6)), opaque[33:])
	tests := []struct {
		name  string
		data  []byte
		mime  string
		words string
		alpha bool
	}{
		{"a.jpg", asJPEG(t, img), "image/jpeg", "JPEG picture", false},
		{"a.png", asPNG(t, img), "image/png", "PNG picture", false},
		{"alpha.png", asPNG(t, clear64), "image/png", "PNG picture", true},
		{"palette.png", asPNG(t, pal), "image/png", "PNG picture", true},
		{"one colour transparent.png", trns, "image/png", "PNG picture", true},
		{"a.gif", asGIF(t, img), "image/gif", "GIF picture", false},
		{"alpha.gif", asGIF(t, pal), "image/gif", "GIF picture", true},
		{"a.bmp", asBMP(t, img), "image/bmp", "BMP picture", false},
		{"a.tiff", asTIFF(t, img), "image/tiff", "TIFF picture", true},
		{"really a PNG.jpg", asPNG(t, img), "image/png", "PNG picture", false},
		{"no name", asJPEG(t, img), "image/jpeg", "JPEG picture", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, tt.name, tt.data)
			f, err := FactsOf(t.Context(), path)
			must(t, err)
			if f.Kind != KindPicture || f.MIME != tt.mime || f.Name != tt.words || f.Problem != nil {
				t.Errorf("kind %d, %s, %q, problem %v", f.Kind, f.MIME, f.Name, f.Problem)
			}
			if f.Stored != image.Pt(64, 48) || f.Upright != f.Stored || f.Orientation != Normal {
				t.Errorf("stored %v, upright %v, orientation %d", f.Stored, f.Upright, f.Orientation)
			}
			if f.Alpha != tt.alpha {
				t.Errorf("alpha %v", f.Alpha)
			}
			if f.Bytes != int64(len(tt.data)) || time.Since(f.Modified) > time.Hour {
				t.Errorf("%d bytes, modified %v", f.Bytes, f.Modified)
			}
		})
	}
}

func TestFactsFromEXIF(t *testing.T) {
	jpg := asJPEG(t, quarters(64, 48))
	clock := time.Date(2024, 9, 29, 10, 37, 52, 0, time.UTC)
	tests := []struct {
		name         string
		tags         tags
		orientation  Orientation
		camera, lens string
		taken        time.Time
	}{
		{"nothing", tags{}, 1, "", "", time.Time{}},
		{"all", tags{
			6, "Panasonic", "DC-G91", "LUMIX 12-60", "2024:09:29 10:37:52", "+01:00",
		}, 6, "Panasonic DC-G91", "LUMIX 12-60", clock.Add(-time.Hour)},
		{"no zone", tags{taken: "2024:09:29 10:37:52"}, 1, "", "", clock},
		{"maker repeated", tags{brand: "NIKON CORPORATION", model: "NIKON D1"}, 1, "NIKON D1", "", time.Time{}},
		{"maker alone", tags{brand: "Acme"}, 1, "Acme", "", time.Time{}},
		{"no such orientation", tags{orientation: 77}, 1, "", "", time.Time{}},
		{"no date", tags{taken: "    :  :     :  :  "}, 1, "", "", time.Time{}},
		{"hostile", tags{model: "A\x1b[31m\u202eB\u0301\r\nC"}, 1, "A[31mBC", "", time.Time{}},
		{"long", tags{model: strings.Repeat("x", 500)}, 1, strings.Repeat("x", 80), "", time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := FactsOf(t.Context(), write(t, "a.jpg", withEXIF(jpg, tt.tags)))
			must(t, err)
			if f.Orientation != tt.orientation || f.Upright != tt.orientation.Upright(image.Pt(64, 48)) {
				t.Errorf("orientation %d, upright %v", f.Orientation, f.Upright)
			}
			if f.Camera != tt.camera || f.Lens != tt.lens || !f.Taken.Equal(tt.taken) {
				t.Errorf("camera %q, lens %q, taken %v", f.Camera, f.Lens, f.Taken)
			}
		})
	}
}

func TestFactsOfOthers(t *testing.T) {
	tests := []struct {
		name  string
		data  []byte
		kind  Kind
		words string
	}{
		{"day.txt", []byte("day 1\n"), KindText, "text"},
		{"a.jpg", []byte("not a picture at all"), KindText, "text"},
		{"empty.png", nil, KindOther, "empty file"},
		{"a.pdf", []byte("%PDF-1.7\n"), KindDocument, "PDF document"},
		{"a.zip", []byte("PK\x03\x04"), KindArchive, "ZIP archive"},
		{"a.flac", []byte("fLaC\x00\x00\x00\x22"), KindAudio, "FLAC audio"},
		{"a.mp4", []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"), KindVideo, "MP4 video"},
		{"a.bin", make([]byte, 100), KindOther, "unknown content"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := FactsOf(t.Context(), write(t, tt.name, tt.data))
			must(t, err)
			if f.Kind != tt.kind || f.Name != tt.words || f.MIME == "" || f.Problem != nil || f.Bytes != int64(len(tt.data)) {
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
		"bomb.png":   {pngHeader(50_000, 50_000, 2), ErrTooLarge},
		"cut.jpg":    {asJPEG(t, quarters(64, 48))[:20], ErrTruncated},
		"phone.heic": {[]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), ErrNotPicture},
	} {
		f, err := FactsOf(t.Context(), write(t, name, tt.data))
		must(t, err)
		if f.Kind != KindPicture || !errors.Is(f.Problem, tt.reason) || !strings.Contains(f.Problem.Error(), name) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FactsOf(ctx, write(t, "a.jpg", asJPEG(t, quarters(8, 8)))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestNotAFile(t *testing.T) {
	dir := t.TempDir()
	tests := []struct{ name, path, words string }{
		{"folder", dir, "it is a folder"},
		{"vanished", filepath.Join(dir, "gone.jpg"), "not there any more"},
		{"hostile name", filepath.Join(dir, "\x1b]0;x\a\u202egone"), `"\x1b]0;x\a\u202egone"`},
	}
	if os.Getuid() > 0 {
		locked := write(t, "locked.jpg", asJPEG(t, quarters(8, 8)))
		must(t, os.Chmod(locked, 0))
		tests = append(tests, struct{ name, path, words string }{"locked", locked, "permissions"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refused(t, tt.path, tt.words) })
	}
}

// refused expects every way to a file to say in words why it cannot be read.
func refused(t *testing.T, path, words string) {
	t.Helper()
	_, err1 := FactsOf(t.Context(), path)
	_, err2 := DecodeFile(t.Context(), path, Limits{})
	_, err3 := NewLoader(Limits{}).Load(t.Context(), Request{Path: path, Cols: 10, Rows: 10})
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
}

// TestCheapFacts expects the facts of a large picture to be read from its head.
func TestCheapFacts(t *testing.T) {
	data := append(asJPEG(t, quarters(64, 48)), make([]byte, 8<<20)...)
	r := &counting{Reader: bytes.NewReader(data)}
	f, err := readFacts(t.Context(), r)
	must(t, err)
	if f.Stored != image.Pt(64, 48) || r.n > 64<<10 {
		t.Errorf("size %v, %d bytes read", f.Stored, r.n)
	}
}

// TestEndlessHeader expects the search for a header to end in good time.
func TestEndlessHeader(t *testing.T) {
	data := make([]byte, maxHeader+1<<20)
	copy(data, "\xff\xd8\xff")
	r := &counting{Reader: bytes.NewReader(data)}
	f, err := readFacts(t.Context(), r)
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
