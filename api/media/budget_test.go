package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/draw"

	"mediadesk/api/media/mediatest"
)

// sides returns sizes from 1 to 2^31, including those at the limits.
func sides(n int) [][2]uint32 {
	list := [][2]uint32{
		{1, 1},
		{67_108_864, 1},
		{1, 67_108_864},
		{MaxSide, 1},
		{1, MaxSide},
		{MaxSide, 140},
		{MaxSide + 1, 1},
		{200, 300_000},
		{300_000, 200},
		{4000, 4000},
		{12_000, 12_000},
		{16_384, 16_384},
		{65_535, 65_535},
		{65_535, 2000},
		{1 << 31, 1 << 31},
		{1<<31 - 1, 1<<31 - 1},
		{1 << 31, 1},
	}
	r := rand.New(rand.NewPCG(7, 8))
	side := func() uint32 { return uint32(math.Exp2(31 * r.Float64())) }
	for range n {
		list = append(list, [2]uint32{side(), side()})
	}
	return list
}

// TestNoClaimTakesMuchMemory: every format claims every size. Sizes that are too large are refused with
// a message, and the others stay within the budget.
func TestNoClaimTakesMuchMemory(t *testing.T) {
	if mediatest.Racing {
		t.Skip("measured without the race detector")
	}
	shown, refused := 0, 0
	for _, size := range sides(8) {
		files := mediatest.Claims(size[0], size[1])
		for _, name := range slices.Sorted(maps.Keys(files)) {
			rs := bytes.NewReader(files[name])
			for entry, work := range map[string]func() error{
				"facts":     func() error { _, err := ReadFacts(t.Context(), rs); return err },
				"preview":   func() error { _, err := Decode(t.Context(), rs, Limits{}); return err },
				"thumbnail": func() error { Thumbnail(t.Context(), rs, Limits{}); return nil },
				"scaled":    func() error { return scaled(t.Context(), rs) },
			} {
				err := work()
				if err == nil {
					shown++
					continue
				}
				refused++
				var ours *Error
				if !errors.As(err, &ours) || ours.Detail == "" {
					t.Errorf("%s of %v, %s: no words: %v", name, size, entry, err)
				}
			}
		}
		mediatest.Peak(t, fmt.Sprint(size))
	}
	t.Logf("%d worked, %d were refused", shown, refused)
}

// scaled makes a square from the middle, as delivery does.
func scaled(ctx context.Context, rs io.ReadSeeker) error {
	to := image.Pt(600, 600)
	f, err := DecodeFull(ctx, rs, func(size image.Point, _ Orientation) (int64, error) {
		return ScaleCost(CoverCut(size, to).Size(), to) + EncodeCost(to), nil
	})
	if err != nil {
		return err
	}
	defer f.Release()
	img, err := Scale(ctx, f.Image, CoverCut(f.Image.Rect.Size(), to), to)
	if err != nil {
		return err
	}
	_, err = EncodePNG(ctx, img)
	return err
}

func TestExtremeSidesAreRefused(t *testing.T) {
	for _, size := range [][2]uint32{{67_108_864, 1}, {1, 67_108_864}, {MaxSide + 1, 1}} {
		data := mediatest.LargePNG(size[0], size[1], false)
		if len(data) > 140_000 {
			t.Errorf("%v needs %d bytes", size, len(data))
		}
		_, err := Decode(t.Context(), bytes.NewReader(data), Limits{})
		if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "no side may have more than 1048576") {
			t.Errorf("%v: %v", size, err)
		}
	}
	// A picture with the longest allowed side is shown.
	p, err := Decode(t.Context(), bytes.NewReader(mediatest.LargePNG(MaxSide, 3, false)), Limits{Side: 1000})
	must(t, err)
	if p.Size != image.Pt(MaxSide, 3) || p.Pixels.Rect.Dx() > 1000 || p.Pixels.Rect.Dy() != 1 {
		t.Errorf("%v reduced to %v", p.Size, p.Pixels.Rect)
	}
}

// TestBudgetLetsOthersWait: a few pictures are decoded at a time. The others wait, or give up with
// their context.
func TestBudgetLetsOthersWait(t *testing.T) {
	b := NewBudget(1 << 20)
	var release []func()
	for range maxAtOnce {
		done, err := b.Reserve(t.Context(), 1)
		must(t, err)
		release = append(release, done)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := b.Reserve(ctx, 1)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("one more: %v", err)
	}
	for _, done := range release {
		done()
	}
	// Waiting for memory reserves nothing that is not released.
	all, err := b.Reserve(t.Context(), 1<<20)
	must(t, err)
	for range 2 * maxAtOnce {
		if _, err := b.Reserve(ctx, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("beside all: %v", err)
		}
	}
	all()
	all, err = b.Reserve(t.Context(), 1<<20)
	must(t, err)
	all()
}

func byLibrary(img *image.NRGBA, cut image.Rectangle, to image.Point) *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: to})
	draw.CatmullRom.Scale(out, out.Rect, img, cut, draw.Src, nil)
	return out
}

// asRGBA converts an opaque picture to another type.
func asRGBA(img *image.NRGBA) *image.RGBA {
	return &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
}

// TestScaleIsTheLibrarys: scaling in parts has the result of the library's scaler.
func TestScaleIsTheLibrarys(t *testing.T) {
	photo, err := upright(t.Context(), mediatest.Photograph(301, 207), image.Rect(0, 0, 301, 207), Normal)
	must(t, err)
	for _, to := range []image.Point{{301, 207}, {602, 414}, {200, 140}, {151, 104}, {75, 51}, {40, 200}, {900, 20}, {1, 500}} {
		got, err := Scale(t.Context(), photo, photo.Rect, to)
		must(t, err)
		want := byLibrary(photo, photo.Rect, to)
		if db := mediatest.PSNR(want, asRGBA(got)); db < 32 {
			t.Errorf("%v: %.1f dB", to, db)
		}
	}
	cut := image.Rect(40, 30, 140, 130)
	got, err := Scale(t.Context(), photo, cut, image.Pt(80, 80))
	must(t, err)
	if db := mediatest.PSNR(byLibrary(photo, cut, image.Pt(80, 80)), asRGBA(got)); db < 40 {
		t.Errorf("a part: %.1f dB", db)
	}
	// Transparent pixels have no color to mix in.
	half := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			c := half.Pix[half.PixOffset(x, y):][:4]
			if c[1] = 255; x < 32 {
				c[0], c[1], c[3] = 200, 0, 255
			}
		}
	}
	got, err = Scale(t.Context(), half, half.Rect, image.Pt(21, 21))
	must(t, err)
	for i := 0; i < len(got.Pix); i += 4 {
		if got.Pix[i+3] > 0 && (got.Pix[i] != 200 || got.Pix[i+1] != 0) {
			t.Fatalf("a pixel is %v", got.Pix[i:i+4])
		}
	}
}
