package media

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"testing"

	"golang.org/x/image/draw"

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

// BenchmarkPNG12MP encodes a cut-out of 12 megapixels with this package and with image/png.
func BenchmarkPNG12MP(b *testing.B) {
	img, err := upright(b.Context(), mediatest.Photograph(4240, 2830), image.Rect(0, 0, 4240, 2830), Normal)
	must(b, err)
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if dx, dy := x-2120, y-1415; dx*dx+dy*dy > 1100*1100 {
				clear(img.Pix[img.PixOffset(x, y):][:4])
			}
		}
	}
	b.Run("EncodePNG", func(b *testing.B) {
		for b.Loop() {
			file, err := EncodePNG(b.Context(), img)
			must(b, err)
			b.ReportMetric(float64(len(file)), "bytes")
		}
	})
	b.Run("image-png", func(b *testing.B) {
		for b.Loop() {
			var file bytes.Buffer
			must(b, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&file, img))
			b.ReportMetric(float64(file.Len()), "bytes")
		}
	})
}

func BenchmarkReduceAny24MP(b *testing.B) {
	img, err := jpeg.Decode(bytes.NewReader(mediatest.LargeJPEG(b)))
	must(b, err)
	for b.Loop() {
		dst := image.NewRGBA(image.Rect(0, 0, 1000, 667))
		must(b, reduceAny(context.Background(), dst, img, img.Bounds(), 6))
	}
}

// BenchmarkScale scales from 8000 × 8000 to 4000 × 4000 pixels and to a thumbnail.
func BenchmarkScale(b *testing.B) {
	img := image.NewNRGBA(image.Rect(0, 0, 8000, 8000))
	for i := range img.Pix {
		img.Pix[i] = byte(i*i>>8) | byte(i%4/3*255)
	}
	for _, side := range []int{4000, 400} {
		b.Run(fmt.Sprint(side), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := Scale(b.Context(), img, img.Rect, image.Pt(side, side))
				must(b, err)
			}
		})
		b.Run(fmt.Sprint(side, " by x/image"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out := image.NewNRGBA(image.Rect(0, 0, side, side))
				draw.CatmullRom.Scale(out, out.Rect, img, img.Rect, draw.Src, nil)
			}
		})
	}
}
