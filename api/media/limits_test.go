package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"slices"
	"testing"

	"mediadesk/api/media/mediatest"
)

// TestNoClaimTakesMuchMemory: every format claims sizes from 1 to 2^31. Sizes that are too large are
// refused with a message.
func TestNoClaimTakesMuchMemory(t *testing.T) {
	mediatest.OnlyWithEverything(t)
	mediatest.SkipRacing(t)
	for _, size := range [][2]uint32{
		{1, 1},
		{MaxSide, 1},
		{1, MaxSide},
		{MaxSide + 1, 1},
		{200, 100_000},
		{4000, 4000},
		{12_000, 12_000},
		{16_384, 16_384},
		{65_535, 2000},
		{65_535, 65_535},
		{1<<31 - 1, 1<<31 - 1},
		{1 << 31, 1},
	} {
		files := mediatest.Claims(size[0], size[1])
		for _, name := range slices.Sorted(maps.Keys(files)) {
			rs := bytes.NewReader(files[name])
			_, err1 := ReadFacts(t.Context(), rs)
			_, err2 := Decode(t.Context(), rs, Limits{})
			full, err3 := DecodeFull(t.Context(), rs)
			if err3 == nil {
				Scale(full.Image, CoverCut(full.Image.Rect.Size(), image.Pt(600, 600)), image.Pt(600, 600))
				full.Release()
			}
			if max(size[0], size[1]) > MaxSide && (err2 == nil || err3 == nil) {
				t.Errorf("%s of %v is decoded", name, size)
			}
			for _, err := range []error{err1, err2, err3} {
				if ours := (*Error)(nil); err != nil && (!errors.As(err, &ours) || ours.Detail == "") {
					t.Errorf("%s of %v: no words: %v", name, size, err)
				}
			}
		}
		mediatest.Peak(t, fmt.Sprint(size))
	}
}

// TestLargePicturesWait: a picture waits until there is memory, or gives up with its context.
func TestLargePicturesWait(t *testing.T) {
	first, err := reserve(t.Context(), maxWork)
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reserve(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("beside all: %v", err)
	}
	done := make(chan error)
	go func() {
		again, err := reserve(t.Context(), maxWork)
		if err == nil {
			again()
		}
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	first()
	must(t, <-done)
	if _, err := reserve(t.Context(), maxWork+1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("more than all: %v", err)
	}
}

func TestScale(t *testing.T) {
	photo := upright(mediatest.Photograph(301, 207), image.Rect(0, 0, 301, 207), Normal)
	for _, to := range []image.Point{
		{301, 207}, {602, 414}, {200, 140}, {75, 51}, {40, 200}, {900, 20}, {1, 500},
	} {
		small := Scale(photo, photo.Rect, to)
		mediatest.Equal(t, small.Rect.Size(), to, "the size")
		whole := image.Pt(1, 1)
		if got, want := Scale(small, small.Rect, whole).At(0, 0),
			Scale(photo, photo.Rect, whole).At(0, 0); !mediatest.Near(got, want) {
			t.Errorf("%v: the mean color is %v, want %v", to, got, want)
		}
	}
	// Transparent pixels have no color to mix in.
	half := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := 0; i < len(half.Pix); i += 4 {
		if half.Pix[i+1] = 255; i/4%64 < 32 {
			copy(half.Pix[i:], []uint8{200, 0, 0, 255})
		}
	}
	for got := Scale(half, half.Rect, image.Pt(21, 21)).Pix; len(got) > 0; got = got[4:] {
		if got[3] > 0 && (got[0] != 200 || got[1] != 0) {
			t.Fatalf("a pixel is %v", got[:4])
		}
	}
}
