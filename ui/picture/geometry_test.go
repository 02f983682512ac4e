package picture

import (
	"image"
	"testing"

	"mediadesk/api/media/mediatest"
)

func TestFit(t *testing.T) {
	tests := []struct {
		size       image.Point
		cols, rows int
		aspect     float64
		want       image.Rectangle
	}{
		{image.Pt(400, 300), 80, 30, 0, image.Rect(0, 0, 80, 30)},
		{image.Pt(400, 400), 80, 30, 0, image.Rect(10, 0, 70, 30)},
		{image.Pt(300, 400), 20, 30, 0, image.Rect(0, 8, 20, 21)},
		{image.Pt(100, 100), 10, 10, 1, image.Rect(0, 0, 10, 10)},
		{image.Pt(100_000, 1), 80, 30, 0, image.Rect(0, 14, 80, 15)},
		{image.Pt(1, 100_000), 80, 30, 0, image.Rect(39, 0, 40, 30)},
		{image.Pt(1, 1), 1, 1, 0, image.Rect(0, 0, 1, 1)},
		{image.Pt(0, 10), 80, 30, 0, image.Rectangle{}},
		{image.Pt(10, 10), 0, 30, 0, image.Rectangle{}},
		{image.Pt(10, 10), 80, -1, 0, image.Rectangle{}},
	}
	for _, tt := range tests {
		mediatest.Equal(t, Fit(tt.size, tt.cols, tt.rows, tt.aspect), tt.want,
			"Fit(%v, %d, %d, %v) =", tt.size, tt.cols, tt.rows, tt.aspect)
	}
}
