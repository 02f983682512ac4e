package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"io"
	"runtime"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
)

func decode(t *testing.T, data []byte) (*Picture, error) {
	t.Helper()
	return Decode(t.Context(), bytes.NewReader(data), Limits{})
}

func TestDecodeFormats(t *testing.T) {
	img := mediatest.Quarters(64, 48)
	quarters := mediatest.QuarterColors
	flat := image.NewPaletted(img.Rect, color.Palette{quarters[0], quarters[1], quarters[2], quarters[3]})
	draw.Draw(flat, flat.Rect, img, image.Point{}, draw.Src)
	for name, data := range map[string][]byte{
		"JPEG": mediatest.JPEG(t, img), "PNG": mediatest.PNG(t, img), "GIF": mediatest.GIF(t, flat), "BMP": mediatest.BMP(t, img), "TIFF": mediatest.TIFF(t, img),
	} {
		t.Run(name, func(t *testing.T) {
			p, err := decode(t, data)
			must(t, err)
			if p.Size != image.Pt(64, 48) || p.Orientation.Upright(p.Size) != image.Pt(64, 48) ||
				p.Orientation != Normal || !p.Pixels.Opaque() {
				t.Errorf("size %v, stored %v, orientation %d, alpha %v", p.Size, p.Orientation.Upright(p.Size), p.Orientation, !p.Pixels.Opaque())
			}
			for i, want := range mediatest.QuarterColors {
				if got := p.Pixels.At(16+i%2*32, 12+i/2*24); !mediatest.Near(got, want) {
					t.Errorf("quarter %d is %v, want %v", i, got, want)
				}
			}
		})
	}
	t.Run("WebP", func(t *testing.T) {
		p, err := decode(t, mediatest.WebP())
		must(t, err)
		if got, want := p.Pixels.At(3, 1), (color.RGBA{30, 200, 60, 255}); p.Size != image.Pt(4, 2) ||
			got != want {
			t.Errorf("size %v, color %v, want %v", p.Size, got, want)
		}
	})
}

// TestDecodeUpright: a picture that is stored in all eight orientations looks the same each time.
func TestDecodeUpright(t *testing.T) {
	shown := mediatest.Quarters(64, 48)
	for o := Orientation(1); o <= 8; o++ {
		stored := image.NewNRGBA(image.Rectangle{Max: o.Upright(image.Pt(64, 48))})
		for y := range 48 {
			for x := range 64 {
				at := ToStored(o, stored.Rect.Size(), image.Rect(x, y, x+1, y+1)).Min
				stored.Set(at.X, at.Y, shown.At(x, y))
			}
		}
		data := mediatest.WithEXIF(mediatest.JPEG(t, stored), mediatest.Tags{Orientation: uint16(o)})
		for _, side := range []int{0, 16} {
			p, err := Decode(t.Context(), bytes.NewReader(data), Limits{Side: side})
			must(t, err)
			if p.Size != image.Pt(64, 48) || p.Orientation.Upright(p.Size) != stored.Rect.Size() ||
				p.Orientation != o {
				t.Fatalf("orientation %d: size %v, stored %v, orientation %d", o, p.Size, p.Orientation.Upright(p.Size), p.Orientation)
			}
			size := p.Pixels.Rect.Size()
			for i, want := range mediatest.QuarterColors {
				x, y := size.X/4+i%2*size.X/2, size.Y/4+i/2*size.Y/2
				if got := p.Pixels.At(x, y); !mediatest.Near(got, want) {
					t.Errorf("orientation %d, side %d: quarter %d is %v, want %v", o, side, i, got, want)
				}
			}
		}
	}
}

func TestDecodeReduces(t *testing.T) {
	photo := mediatest.Photograph(300, 211)
	for name, data := range map[string][]byte{
		"JPEG": mediatest.JPEG(t, photo), "PNG": mediatest.PNG(t, photo),
	} {
		for _, side := range []int{1, 7, 100, 299, 300} {
			p, err := Decode(t.Context(), bytes.NewReader(data), Limits{Side: side})
			must(t, err)
			mediatest.Equal(t, p.Size, image.Pt(300, 211), "%s: size", name)
			if s := p.Pixels.Rect.Size(); max(s.X, s.Y) > side {
				t.Errorf("%s: %v pixels kept, at most %d asked for", name, s, side)
			}
		}
	}
	// The fast path over the planes and the general path agree.
	fast, err := Decode(t.Context(), bytes.NewReader(mediatest.JPEG(t, photo)), Limits{Side: 100})
	must(t, err)
	slow := newPicture(photo, photo.Rect, Normal, 100)
	if db := mediatest.PSNR(fast.Pixels, slow.Pixels); db < 35 {
		t.Errorf("averaging on the planes of a JPEG is %.1f dB off", db)
	}
}

// TestReduceSubsampling: the planes of every kind of JPEG are read correctly, and sums of very many
// pixels are exact.
func TestReduceSubsampling(t *testing.T) {
	for r := image.YCbCrSubsampleRatio444; r <= image.YCbCrSubsampleRatio410; r++ {
		img := image.NewYCbCr(image.Rect(0, 0, 101, 67), r)
		for y := range 67 {
			for x := range 101 {
				img.Y[img.YOffset(x, y)] = uint8(60 + x)
				img.Cb[img.COffset(x, y)] = uint8(70 + y)
				img.Cr[img.COffset(x, y)] = uint8(180 - x)
			}
		}
		fast := reduce(img, img.Rect, 13)
		slow := reduce(struct{ image.Image }{img}, img.Rect, 13)
		if db := mediatest.PSNR(fast, slow); db < 38 {
			t.Errorf("%v: %.1f dB off", r, db)
		}
	}
	large := image.NewYCbCr(image.Rect(0, 0, 4200, 4200), image.YCbCrSubsampleRatio420)
	for _, plane := range [][]uint8{large.Y, large.Cb, large.Cr} {
		for i := range plane {
			plane[i] = 250
		}
	}
	one := reduce(large, large.Rect, 1)
	if got, want := one.At(0, 0), large.At(0, 0); !mediatest.Near(got, want) {
		t.Errorf("the mean of 17 million equal pixels is %v, want %v", got, want)
	}
}

func TestDecodeFirstFrame(t *testing.T) {
	// The first frame covers the lower right corner only.
	pal := color.Palette{color.RGBA{200, 0, 0, 255}, color.RGBA{0, 0, 200, 255}}
	first := image.NewPaletted(image.Rect(4, 2, 8, 6), pal)
	second := image.NewPaletted(image.Rect(0, 0, 8, 6), pal)
	for i := range second.Pix {
		second.Pix[i] = 1
	}
	var b bytes.Buffer
	must(t, gif.EncodeAll(&b, &gif.GIF{
		Image: []*image.Paletted{first, second}, Delay: []int{1, 1},
		Config: image.Config{ColorModel: pal, Width: 8, Height: 6},
	}))
	p, err := decode(t, b.Bytes())
	must(t, err)
	if p.Size != image.Pt(8, 6) || p.Pixels.Opaque() {
		t.Errorf("size %v, alpha %v", p.Size, !p.Pixels.Opaque())
	}
	mediatest.Equal(t, p.Pixels.RGBAAt(0, 0).A, 0, "the opacity beside the frame")
	mediatest.Equal(t, p.Pixels.RGBAAt(7, 5), color.RGBA{200, 0, 0, 255}, "inside the frame")
}

func TestDecodeRefuses(t *testing.T) {
	photo := mediatest.Photograph(200, 150)
	half := func(b []byte) []byte { return b[:len(b)/2] }
	huge := mediatest.RIFF("VP8X", make([]byte, 10), "VP8L", []byte{0x2f, 0xff, 0xff, 0xff, 0x0f})
	animated := mediatest.RIFF("VP8X", append([]byte{2}, make([]byte, 9)...), "ANIM", make([]byte, 6), "ANMF",
		make([]byte, 24))
	tests := []struct {
		name   string
		data   []byte
		reason error
		words  string
	}{
		{"PNG bomb", mediatest.PNGHeader(50_000, 50_000, 2), ErrTooLarge, "50000 × 50000"},
		{"GIF bomb", mediatest.GIFBomb(), ErrTooLarge, "65535 × 65535"},
		{"WebP with a large frame on a small canvas", huge, ErrTruncated, "damaged"},
		{"animated WebP", animated, ErrNotPicture, "animated"},
		{"half a JPEG", half(mediatest.JPEG(t, photo)), ErrTruncated, "JPEG picture ends before"},
		{"half a PNG", half(mediatest.PNG(t, photo)), ErrTruncated, "PNG picture ends before"},
		{"half a GIF", half(mediatest.GIF(t, photo)), ErrTruncated, "GIF picture ends before"},
		{"half a BMP", half(mediatest.BMP(t, photo)), ErrTruncated, "BMP picture ends before"},
		{"half a TIFF", half(mediatest.TIFF(t, photo)), ErrTruncated, "TIFF picture"},
		{"half a WebP", half(mediatest.WebP()), ErrTruncated, "WebP picture"},
		{"JPEG signature alone", []byte("\xff\xd8\xff"), ErrTruncated, "ends before"},
		{"PNG with a wrong checksum", append(mediatest.PNGHeader(1, 1, 2)[:30], make([]byte, 40)...), ErrTruncated, "damaged"},
		{"PNG without pixels", mediatest.PNGHeader(0, 0, 2), ErrTruncated, ""},
		{"nothing", nil, ErrNotPicture, "empty"},
		{"text", []byte("day 1, final\n"), ErrNotPicture, "text"},
		{"PDF", []byte("%PDF-1.7\n"), ErrNotPicture, "PDF file"},
		{"zeros", make([]byte, 4096), ErrNotPicture, "unknown content"},
		{"HEIC", []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), ErrNotPicture, "HEIC picture: install heif-convert for a preview"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := decode(t, tt.data)
			runtime.ReadMemStats(&after)
			if p != nil || !errors.Is(err, tt.reason) || !strings.Contains(err.Error(), tt.words) {
				t.Fatalf("got %v, %v; want %v with %q", p, err, tt.reason, tt.words)
			}
			for _, other := range []error{ErrNotPicture, ErrTooLarge, ErrTruncated, ErrUnreadable} {
				if !errors.Is(other, tt.reason) && errors.Is(err, other) {
					t.Errorf("%v also is %v", err, other)
				}
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
				t.Errorf("refusing the picture used %d MB", n>>20)
			}
		})
	}
}

// canceling cancels its context after n bytes, and counts the bytes read afterwards.
type canceling struct {
	*bytes.Reader
	cancel context.CancelFunc
	n      int
	late   int
}

func (c *canceling) Read(p []byte) (int, error) {
	if c.n <= 0 {
		c.late++
	}
	n, err := c.Reader.Read(p[:min(len(p), 512)])
	if c.n -= n; c.n <= 0 {
		c.cancel()
	}
	return n, err
}

func TestDecodeCanceled(t *testing.T) {
	photo := mediatest.Photograph(240, 160)
	for name, data := range map[string][]byte{
		"JPEG": mediatest.JPEG(t, photo), "PNG": mediatest.PNG(t, photo), "GIF": mediatest.GIF(t, photo), "BMP": mediatest.BMP(t, photo),
	} {
		for _, n := range []int{1, 5000, len(data) - 100} {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				// Without ReadAt every byte goes through Read.
				r := &canceling{Reader: bytes.NewReader(data), cancel: cancel, n: n}
				p, err := Decode(ctx, struct{ io.ReadSeeker }{r}, Limits{})
				if p != nil || !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, %v", p, err)
				}
				mediatest.Equal(t, r.late, 0, "further reads")
			})
		}
	}
}

// panicking panics while a decoder works, as a decoder itself might.
type panicking struct {
	*bytes.Reader
	reads int
}

func (p *panicking) Read(b []byte) (int, error) {
	if p.reads++; p.reads > 12 {
		panic("index out of range")
	}
	return p.Reader.Read(b)
}

func TestDecodePanics(t *testing.T) {
	r := &panicking{Reader: bytes.NewReader(mediatest.PNG(t, mediatest.Photograph(200, 200)))}
	p, err := Decode(t.Context(), struct{ io.ReadSeeker }{r}, Limits{})
	if p != nil || !errors.Is(err, ErrTruncated) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v, %v", p, err)
	}
}

func FuzzDecode(f *testing.F) {
	img := mediatest.Quarters(6, 4)
	f.Add(mediatest.WithEXIF(mediatest.JPEG(f, img),
		mediatest.Tags{Orientation: 6, Brand: "Some", Model: "Camera", Taken: "2024:05:06 07:08:09"}))
	f.Add(mediatest.PNG(f, img))
	f.Add(mediatest.GIF(f, img))
	f.Add(mediatest.BMP(f, img))
	f.Add(mediatest.TIFF(f, img))
	f.Add(mediatest.WebP())
	f.Add(mediatest.GIFBomb())
	f.Add(film(64, 48, true))
	f.Add(matroska())
	f.Add(mediatest.PNGHeader(50_000, 50_000, 6))
	f.Add([]byte("plain text"))
	f.Fuzz(func(t *testing.T, data []byte) {
		facts, err := ReadFacts(t.Context(), bytes.NewReader(data))
		if err != nil {
			t.Fatalf("facts of bytes in memory: %v", err)
		}
		mediatest.Equal(t, Clean(facts.Camera), facts.Camera, "unsafe text")
		if facts.Problem == nil && facts.Stored.X*facts.Stored.Y > 1<<16 {
			return // it takes too long
		}
		p, err := Decode(t.Context(), bytes.NewReader(data), Limits{Side: 64})
		if err != nil {
			var ours *Error
			if !errors.As(err, &ours) || ours.Detail == "" {
				t.Errorf("an error without words: %v", err)
			}
			return
		}
		if s := p.Size; s.X <= 0 || s.Y <= 0 || s.X*s.Y > 1<<16 {
			t.Errorf("size %v", s)
		}
	})
}
