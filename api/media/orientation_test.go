package media

import (
	"fmt"
	"image"
	"testing"

	"mediadesk/api/media/mediatest"
)

// TestOrientationCorners takes the meaning of each value from the EXIF standard: the sides on which the
// first row and column are.
func TestOrientationCorners(t *testing.T) {
	const top, right, bottom, left = "top", "right", "bottom", "left"
	tests := []struct{ row, col string }{
		{top, left},
		{top, right},
		{bottom, right},
		{bottom, left},
		{left, top},
		{right, top},
		{right, bottom},
		{left, bottom},
	}
	stored := image.Pt(30, 20)
	for i, tt := range tests {
		o := Orientation(i + 1)
		t.Run(fmt.Sprint(int(o)), func(t *testing.T) {
			// The stored pixel 0,0 is where the two sides meet.
			size := o.Upright(stored)
			want := image.Point{}
			for _, side := range []string{tt.row, tt.col} {
				switch side {
				case right:
					want.X = size.X - 1
				case bottom:
					want.Y = size.Y - 1
				}
			}
			mediatest.Equal(t, ToDisplay(o, stored, image.Rect(0, 0, 1, 1)).Min, want,
				"the first pixel is shown at")
			// The first row runs along its side.
			row := ToDisplay(o, stored, image.Rect(0, 0, stored.X, 1))
			along := map[string]image.Rectangle{
				top: image.Rect(0, 0, size.X, 1), bottom: image.Rect(0, size.Y-1, size.X, size.Y),
				left: image.Rect(0, 0, 1, size.Y), right: image.Rect(size.X-1, 0, size.X, size.Y),
			}
			mediatest.Equal(t, row, along[tt.row], "the first row is shown at")
		})
	}
}
