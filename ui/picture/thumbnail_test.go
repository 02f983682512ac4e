package picture

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"testing"

	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

// barred is a thumbnail of 160 × 120 of a picture with ratio 3:2, with black bars as cameras add them.
func barred() image.Image {
	img := image.NewRGBA(image.Rect(0, 0, 160, 120))
	draw.Draw(img, img.Rect, image.Black, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(0, 7, 160, 113), &image.Uniform{color.RGBA{200, 40, 40, 255}}, image.Point{}, draw.Src)
	return img
}

func TestThumbnailComesFirst(t *testing.T) {
	jpg := mediatest.WithThumbnail(mediatest.JPEG(t, mediatest.Photograph(900, 600)), mediatest.JPEG(t, barred()))
	path := write(t, "a.jpg", jpg)
	l := NewLoader(media.Limits{})
	r := Request{Path: path, Cols: 30, Rows: 20}
	quick := l.Quick(t.Context(), r)
	if quick == nil {
		t.Fatal("no thumbnail")
	}
	checkLines(t, quick.Lines(), 30, 20, TrueColor)
	shot := screenshot(t, quick.Lines(), 30)
	area := covered(shot)
	// Upright: the stored picture lies on its side and is shown as 600 × 900.
	if area != image.Rect(1, 0, 28, 20) {
		t.Errorf("the picture covers %v", area)
	}
	for _, c := range []image.Point{{area.Min.X, 0}, {area.Max.X - 1, 19}, {15, 10}} {
		if got := shot.RGBAAt(c.X*8+4, c.Y*24+12); got.R < 150 || got.G > 90 {
			t.Errorf("the color at %v is %v: bars are shown", c, got)
		}
	}
	whole, err := l.Load(t.Context(), r)
	must(t, err)
	if now := covered(screenshot(t, whole.Lines(), 30)); now != area {
		t.Errorf("the whole covers %v, the thumbnail %v", now, area)
	}
	// After decoding, the decoded picture is the one that is ready.
	again := l.Quick(t.Context(), r)
	if again == nil || again.Lines()[10] != whole.Lines()[10] {
		t.Error("the thumbnail is shown although the picture is there")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if NewLoader(media.Limits{}).Quick(ctx, r) != nil {
		t.Error("the load was canceled")
	}
}

// covered returns the rectangle of the cells of a screenshot that have a color.
func covered(shot *image.RGBA) (area image.Rectangle) {
	for i := 0; i < len(shot.Pix); i += 4 {
		if shot.Pix[i+3] != 0 {
			at := image.Pt(i/4%shot.Rect.Dx()/cellWidth, i/4/shot.Rect.Dx()/cellHeight)
			area = area.Union(image.Rectangle{at, at.Add(image.Pt(1, 1))})
		}
	}
	return area
}

func TestNoThumbnail(t *testing.T) {
	photo := mediatest.JPEG(t, mediatest.Photograph(90, 60))
	thumb := mediatest.JPEG(t, barred())
	sound := mediatest.WithThumbnail(photo, thumb)
	changed := func(at int, b ...byte) []byte {
		c := append([]byte{}, sound...)
		copy(c[at:], b)
		return c
	}
	const block = 12 // start of the EXIF data
	for name, data := range map[string][]byte{
		"no EXIF":               photo,
		"EXIF without one":      mediatest.WithEXIF(photo, mediatest.Tags{Orientation: 3}),
		"PNG":                   mediatest.PNG(t, mediatest.Quarters(8, 8)),
		"text":                  []byte("text"),
		"empty":                 nil,
		"no picture in it":      mediatest.WithThumbnail(photo, []byte("no picture at all")),
		"half of one":           mediatest.WithThumbnail(photo, thumb[:len(thumb)/2]),
		"longer than a segment": changed(block+26+2+12+8, 0xff, 0xff, 1),
		"before the block":      changed(block+26+2+8, 1, 0),
		"directory outside":     changed(block+4, 0xff, 0xff, 0xff, 0xff),
		"second outside":        changed(block+22, 0xf0, 0xff, 0xff, 0xff),
		"many entries":          changed(block+8, 0xff, 0xff),
		"a large picture":       mediatest.WithThumbnail(photo, mediatest.JPEG(t, image.NewGray(image.Rect(0, 0, 1100, 10)))),
	} {
		if NewLoader(media.Limits{}).Quick(t.Context(), Request{Path: write(t, "a.jpg", data), Cols: 9, Rows: 9}) != nil {
			t.Errorf("%s: a thumbnail is found", name)
		}
	}
	if NewLoader(media.Limits{}).Quick(t.Context(), Request{Path: t.TempDir(), Cols: 9, Rows: 9}) != nil {
		t.Error("a folder has one")
	}
}
