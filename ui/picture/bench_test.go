package picture

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"testing"
)

// largeJPEG is a photograph of 24 megapixels, made of tiles so that making it does
// not take longer than decoding it.
func largeJPEG(b *testing.B) []byte {
	tile := photograph(750, 500)
	img := image.NewRGBA(image.Rect(0, 0, 6000, 4000))
	for y := range 4000 {
		line := tile.Pix[y%500*tile.Stride:][:tile.Stride]
		for x := range 8 {
			copy(img.Pix[y*img.Stride+x*tile.Stride:], line)
		}
	}
	return asJPEG(b, img)
}

func BenchmarkDecode24MP(b *testing.B) {
	data := largeJPEG(b)
	b.ReportAllocs()
	for b.Loop() {
		_, err := Decode(context.Background(), bytes.NewReader(data), Limits{Side: previewSide})
		must(b, err)
	}
}

// What a camera put beside a picture, from the file to the cells.
func BenchmarkQuick24MP(b *testing.B) {
	thumb := asJPEG(b, photograph(160, 106))
	path := write(b, "a.jpg", withThumbnail(largeJPEG(b), thumb))
	for b.Loop() {
		if _, ok := NewLoader(Limits{}).Quick(context.Background(), Request{Path: path, Cols: 80, Rows: 40}); !ok {
			b.Fatal("no thumbnail")
		}
	}
}

// A picture that was shown before, from the cache on disk to the cells.
func BenchmarkCached24MP(b *testing.B) {
	r := Request{Path: write(b, "a.jpg", largeJPEG(b)), Cols: 80, Rows: 40}
	cache := NewCache(b.TempDir(), DefaultCache)
	for b.Loop() {
		l := NewLoader(Limits{})
		l.UseCache(cache)
		_, err := l.Load(context.Background(), r)
		must(b, err)
	}
}

func BenchmarkReduce24MP(b *testing.B) {
	img, err := jpeg.Decode(bytes.NewReader(largeJPEG(b)))
	must(b, err)
	for b.Loop() {
		_, err := reduce(context.Background(), img, img.Bounds(), previewSide)
		must(b, err)
	}
}

func BenchmarkRender(b *testing.B) {
	p, err := newPicture(context.Background(), photograph(1024, 768), image.Rect(0, 0, 1024, 768), Normal, previewSide)
	must(b, err)
	for name, o := range map[string]Options{
		"blocks": {}, "half": {Set: Half}, "blocks256": {Color: Color256}, "shades": {Color: NoColor},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Render(p, 80, 30, o)
			}
		})
	}
}

func BenchmarkRegionFrame(b *testing.B) {
	v := NewRegionView(New(photograph(1024, 768), Normal), 80, 30, Options{})
	for b.Loop() {
		v.Render(image.Rect(100, 100, 700, 500))
	}
}

func BenchmarkFacts(b *testing.B) {
	path := write(b, "a.jpg", withEXIF(asJPEG(b, quarters(64, 48)), tags{orientation: 6, brand: "Acme", model: "One"}))
	for b.Loop() {
		_, err := FactsOf(context.Background(), path)
		must(b, err)
	}
}
