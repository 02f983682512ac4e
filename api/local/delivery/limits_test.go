package delivery

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"
	"testing"

	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

// TestUnboundedPicturesAreRefused has pictures that once ended the service, or needed most of the memory.
func TestUnboundedPicturesAreRefused(t *testing.T) {
	thumbnail := Asked{Steps: []Step{{Fit: thumbnailSide}}}
	for _, c := range []struct {
		name  string
		data  []byte
		asked Asked
		words string // "" if the picture is made
		want  image.Point
	}{
		{"a thin one made wide", mediatest.LargePNG(200, 300_000, false), Asked{Steps: []Step{{Width: 4000}}}, "it would have 4000 × 6000000 pixels", image.Point{}},
		{"a flat one made high", mediatest.LargePNG(300_000, 200, false), Asked{Steps: []Step{{Height: 4000}}}, "it would have 6000000 × 4000 pixels", image.Point{}},
		{"a share of a long one", mediatest.LargePNG(300_000, 2, false), Asked{Steps: []Step{{Width: 0.5}}}, "no side may have more than 4000", image.Point{}},
		{"the thumbnail of a thin one", mediatest.LargePNG(1, media.MaxSide, false), thumbnail, "", image.Pt(1, 400)},
		{"the thumbnail of a flat one", mediatest.LargePNG(media.MaxSide, 1, false), thumbnail, "", image.Pt(400, 1)},
		{"a line as a square", mediatest.LargePNG(media.MaxSide, 1, false), Asked{Steps: []Step{{Width: 4000, Height: 4000}}}, "", image.Pt(4000, 4000)},
		{"an extreme side", mediatest.LargePNG(67_108_864, 1, false), thumbnail, "no side may have more than 1048576", image.Point{}},
		{"an extreme height", mediatest.LargePNG(1, 67_108_864, false), thumbnail, "no side may have more than 1048576", image.Point{}},
		{"64 megapixels", mediatest.LargePNG(8000, 8000, true), Asked{Steps: []Step{{Width: 4000}}}, "", image.Pt(4000, 4000)},
		{"too many pixels", mediatest.LargePNG(20_000, 20_000, false), thumbnail, "too many pixels: 20000 × 20000", image.Point{}},
		{"too much memory", mediatest.LargePNG(12_000, 12_000, false), Asked{Steps: []Step{{Width: 4000}, {Width: 3999}, {Width: 4000}}}, "MB of memory", image.Point{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, _, err := Make(t.Context(), bytes.NewReader(c.data), "", c.asked, "")
			if c.words != "" {
				var cannot *CannotError
				if !errors.As(err, &cannot) || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), "the file cannot") {
					t.Errorf("refused with %v, not %q", err, c.words)
				}
			} else if config, _, failed := image.DecodeConfig(bytes.NewReader(data)); err != nil || failed != nil || image.Pt(config.Width, config.Height) != c.want {
				t.Errorf("made %v, %v, %v", config, err, failed)
			}
			mediatest.Peak(t, c.name)
		})
	}
}

// TestNoClaimTakesMuchMemory: pictures of every format claim sizes from 1 to 2^31.
func TestNoClaimTakesMuchMemory(t *testing.T) {
	if mediatest.Racing {
		t.Skip("measured without the race detector")
	}
	asked := []Asked{
		{Steps: []Step{{Fit: thumbnailSide}}},
		{Steps: []Step{{Width: 1000}}},
		{Steps: []Step{{Custom: true}, {Width: 1000, Height: 900}}},
		{Steps: []Step{{Height: 0.9}, {Width: 1500}, {Height: 1400}}},
		{Steps: []Step{{Width: 1500, Height: 1400, Crop: cropPad, Blur: 3, Radius: 9, Turns: 1}}, Format: formatWebP},
	}
	for _, size := range [][2]uint32{{1, 1}, {3, 2000}, {70_000, 40}, {300, 300_000}, {media.MaxSide, 100}, {3000, 2000}, {16_384, 9000}, {65_535, 65_535}, {1 << 30, 3}, {1<<31 - 1, 1<<31 - 1}, {1 << 31, 1 << 31}} {
		files := mediatest.Claims(size[0], size[1])
		for _, name := range slices.Sorted(maps.Keys(files)) {
			for _, a := range asked {
				_, _, err := Make(t.Context(), bytes.NewReader(files[name]), "", a, "1,1,400,300")
				var cannot *CannotError
				if err != nil && (!errors.As(err, &cannot) || err.Error() == "") {
					t.Errorf("%s of %v: %v", name, size, err)
				}
			}
		}
		mediatest.Peak(t, fmt.Sprint(size))
	}
}
