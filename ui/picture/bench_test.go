package picture

import (
	"context"
	"image"
	"testing"

	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

// BenchmarkQuick24MP measures the embedded preview of a camera, from the file to the cells.
func BenchmarkQuick24MP(b *testing.B) {
	thumb := mediatest.JPEG(b, mediatest.Photograph(160, 106))
	path := write(b, "a.jpg", mediatest.WithThumbnail(mediatest.LargeJPEG(b), thumb))
	for b.Loop() {
		if NewLoader(media.Limits{}).Quick(context.Background(), Request{Path: path, Cols: 80, Rows: 40}) == nil {
			b.Fatal("no thumbnail")
		}
	}
}

// BenchmarkCached24MP measures a cached picture, from the cache on disk to the cells.
func BenchmarkCached24MP(b *testing.B) {
	r := Request{Path: write(b, "a.jpg", mediatest.LargeJPEG(b)), Cols: 80, Rows: 40}
	cache := NewCache(b.TempDir(), DefaultCache)
	for b.Loop() {
		l := NewLoader(media.Limits{})
		l.Cache = cache
		_, err := l.Load(context.Background(), r)
		must(b, err)
	}
}

func BenchmarkRender(b *testing.B) {
	p := New(mediatest.Photograph(1024, 768), media.Normal)
	for name, o := range map[string]Options{
		"blocks": {}, "blocks256": {Color: Color256}, "shades": {Color: NoColor},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Render(p, 80, 30, o)
			}
		})
	}
}

func BenchmarkRegionFrame(b *testing.B) {
	v := NewRegionView(New(mediatest.Photograph(1024, 768), media.Normal), 80, 30, Options{})
	for b.Loop() {
		v.Render(image.Rect(100, 100, 700, 500))
	}
}
