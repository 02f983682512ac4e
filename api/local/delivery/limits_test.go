package delivery

import (
	"bytes"
	"errors"
	"image"
	"strings"
	"testing"

	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

// TestUnboundedPicturesAreRefused has pictures that once ended the service, or needed most of the memory.
func TestUnboundedPicturesAreRefused(t *testing.T) {
	mediatest.SkipRacing(t)
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
		{"a padded one made high", mediatest.LargePNG(100, 100, false), Asked{Steps: []Step{{Width: 100, Ratio: image.Pt(1, 500), Crop: cropPad}}}, "it would have 100 × 50000 pixels", image.Point{}},
		{"a padded one made wide", mediatest.LargePNG(100, 100, false), Asked{Steps: []Step{{Height: 100, Ratio: image.Pt(41, 1), Crop: cropPad, Turns: 1, Blurred: true}}}, "it would have 100 × 4100 pixels", image.Point{}},
		{"one padded twice", mediatest.LargePNG(100, 100, false), Asked{Steps: []Step{{Width: 100, Height: 4000, Crop: cropPad}, {Width: 100, Ratio: image.Pt(1, 41), Crop: cropPad}}}, "it would have 100 × 4100 pixels", image.Point{}},
		{"a padded one as high as it may be", mediatest.LargePNG(100, 100, false), Asked{Steps: []Step{{Width: 100, Ratio: image.Pt(1, 40), Crop: cropPad}}}, "", image.Pt(100, 4000)},
		{"one too high for a JPEG", mediatest.LargePNG(10, 66_000, false), Asked{Format: formatJPEG}, "", image.Pt(10, 66_000)},
		{"one too wide for a WebP", mediatest.LargePNG(17_000, 10, false), Asked{Format: formatWebP}, "", image.Pt(17_000, 10)},
		{"the thumbnail of a thin one", mediatest.LargePNG(1, media.MaxSide, false), thumbnail, "", image.Pt(1, 400)},
		{"the thumbnail of a flat one", mediatest.LargePNG(media.MaxSide, 1, false), thumbnail, "", image.Pt(400, 1)},
		{"a line as a square", mediatest.LargePNG(media.MaxSide, 1, false), Asked{Steps: []Step{{Width: 4000, Height: 4000}}}, "", image.Pt(4000, 4000)},
		{"an extreme side", mediatest.LargePNG(67_108_864, 1, false), thumbnail, "no side may have more than 1048576", image.Point{}},
		{"an extreme height", mediatest.LargePNG(1, 67_108_864, false), thumbnail, "no side may have more than 1048576", image.Point{}},
		{"64 megapixels", mediatest.LargePNG(8000, 8000, true), Asked{Steps: []Step{{Width: 4000}}}, "", image.Pt(4000, 4000)},
		{"too many pixels", mediatest.LargePNG(20_000, 20_000, false), thumbnail, "too many pixels: 20000 × 20000", image.Point{}},
		{"too much memory", mediatest.LargePNG(12_000, 12_000, false), Asked{Steps: []Step{{Width: 4000}, {Width: 3999}, {Width: 4000}}}, "the memory of 144 megapixels", image.Point{}},
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
