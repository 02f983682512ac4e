package media

import (
	"bytes"
	"context"
	"image/jpeg"
	"testing"

	"mediadesk/api/media/mediatest"
)

const previewSide = 1024

func BenchmarkDecode24MP(b *testing.B) {
	data := mediatest.LargeJPEG(b)
	b.ReportAllocs()
	for b.Loop() {
		_, err := Decode(context.Background(), bytes.NewReader(data), Limits{Side: previewSide})
		must(b, err)
	}
}

func BenchmarkEighth24MP(b *testing.B) {
	data := mediatest.LargeJPEG(b)
	b.ReportAllocs()
	for b.Loop() {
		_, err := Decode(context.Background(), bytes.NewReader(data), Limits{Side: previewSide, Enough: 320})
		must(b, err)
	}
}

func BenchmarkReduce24MP(b *testing.B) {
	img, err := jpeg.Decode(bytes.NewReader(mediatest.LargeJPEG(b)))
	must(b, err)
	for b.Loop() {
		_, err := reduce(context.Background(), img, img.Bounds(), previewSide)
		must(b, err)
	}
}

func BenchmarkFacts(b *testing.B) {
	path := write(b, "a.jpg", mediatest.WithEXIF(mediatest.JPEG(b, mediatest.Quarters(64, 48)), mediatest.Tags{Orientation: 6, Brand: "Acme", Model: "One"}))
	for b.Loop() {
		_, err := FactsOf(context.Background(), path)
		must(b, err)
	}
}
