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

// barred is a thumbnail of 160 × 120 for a picture of 3:2, as cameras make them:
// the rest is black.
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
	quick, ok := l.Quick(t.Context(), r)
	if !ok {
		t.Fatal("no thumbnail")
	}
	checkFrame(t, quick, 30, 20, TrueColor)
	shot := screenshot(t, quick.Lines, 30)
	// Upright: the picture is stored on its side, and shown 600 × 900.
	if quick.Area != image.Rect(1, 0, 28, 20) {
		t.Errorf("it covers %v", quick.Area)
	}
	for _, c := range []image.Point{{quick.Area.Min.X, 0}, {quick.Area.Max.X - 1, 19}, {15, 10}} {
		if got := shot.RGBAAt(c.X*8+4, c.Y*24+12); got.R < 150 || got.G > 90 {
			t.Errorf("at %v it is %v: bars are shown", c, got)
		}
	}
	whole, err := l.Load(t.Context(), r)
	must(t, err)
	if whole.Area != quick.Area {
		t.Errorf("the whole covers %v, the thumbnail %v", whole.Area, quick.Area)
	}
	// Once it is decoded, that is what is ready.
	again, ok := l.Quick(t.Context(), r)
	if !ok || again.Lines[10] != whole.Lines[10] {
		t.Error("the thumbnail is shown although the picture is there")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := NewLoader(media.Limits{}).Quick(ctx, r); ok {
		t.Error("it was called off")
	}
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
	const block = 12 // where EXIF begins
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
		if _, ok := NewLoader(media.Limits{}).Quick(t.Context(), Request{Path: write(t, "a.jpg", data), Cols: 9, Rows: 9}); ok {
			t.Errorf("%s: a thumbnail is found", name)
		}
	}
	if _, ok := NewLoader(media.Limits{}).Quick(t.Context(), Request{Path: t.TempDir(), Cols: 9, Rows: 9}); ok {
		t.Error("a folder has one")
	}
}
