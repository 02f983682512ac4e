package media

import (
	"fmt"
	"image"
	"testing"

	"pgregory.net/rapid"
)

// anyRect draws a rectangle within size, which may be empty.
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
