package picture

import (
	"fmt"
	"image"
	"testing"

	"pgregory.net/rapid"
)

// anyRect draws a rectangle, which may be empty, inside of size.
func anyRect(t *rapid.T, size image.Point) image.Rectangle {
	x := rapid.IntRange(0, size.X).Draw(t, "x")
	y := rapid.IntRange(0, size.Y).Draw(t, "y")
	w := rapid.IntRange(0, size.X-x).Draw(t, "w")
	h := rapid.IntRange(0, size.Y-y).Draw(t, "h")
	return image.Rectangle{Min: image.Pt(x, y), Max: image.Pt(x+w, y+h)}
}

func TestOrientationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Orientation(rapid.IntRange(0, 9).Draw(t, "orientation"))
		stored := image.Pt(rapid.IntRange(1, 9000).Draw(t, "W"), rapid.IntRange(1, 9000).Draw(t, "H"))
		shown := anyRect(t, o.Upright(stored))
		s := ToStored(o, stored, shown)
		if s.Min.X < 0 || s.Min.Y < 0 || s.Max.X > stored.X || s.Max.Y > stored.Y {
			t.Fatalf("%v leaves the stored picture of %v", s, stored)
		}
		if s.Dx()*s.Dy() != shown.Dx()*shown.Dy() {
			t.Fatalf("%v became %v: another area", shown, s)
		}
		if back := ToDisplay(o, stored, s); back != shown {
			t.Fatalf("%v became %v, and that %v", shown, s, back)
		}
	})
}

// TestOrientationCorners takes the meaning of each value from the words of the
// EXIF standard: which side of the picture the first row and column are.
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
			// The stored pixel 0,0 lies where the two sides meet.
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
			if got := ToDisplay(o, stored, image.Rect(0, 0, 1, 1)).Min; got != want {
				t.Errorf("the first pixel is shown at %v, want %v", got, want)
			}
			// The first row runs along its side.
			row := ToDisplay(o, stored, image.Rect(0, 0, stored.X, 1))
			along := map[string]image.Rectangle{
				top: image.Rect(0, 0, size.X, 1), bottom: image.Rect(0, size.Y-1, size.X, size.Y),
				left: image.Rect(0, 0, 1, size.Y), right: image.Rect(size.X-1, 0, size.X, size.Y),
			}
			if row != along[tt.row] {
				t.Errorf("the first row is shown at %v, want %v", row, along[tt.row])
			}
		})
	}
}

func TestOrientationWords(t *testing.T) {
	words := map[string]bool{}
	for o := Normal; o <= 8; o++ {
		words[o.String()] = true
	}
	if len(words) != 8 || Orientation(0).String() != Normal.String() || Orientation(9).Turned() {
		t.Errorf("%d different words", len(words))
	}
}

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
		if got := Fit(tt.size, tt.cols, tt.rows, tt.aspect); got != tt.want {
			t.Errorf("Fit(%v, %d, %d, %v) = %v, want %v", tt.size, tt.cols, tt.rows, tt.aspect, got, tt.want)
		}
	}
}
