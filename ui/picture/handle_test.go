package picture

import (
	"image"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func drawRect(t *rapid.T, size image.Point) image.Rectangle {
	x := rapid.IntRange(0, size.X-1).Draw(t, "x")
	y := rapid.IntRange(0, size.Y-1).Draw(t, "y")
	return image.Rect(x, y, rapid.IntRange(x+1, size.X).Draw(t, "x2"),
		rapid.IntRange(y+1, size.Y).Draw(t, "y2"))
}

func drawSize(t *rapid.T) image.Point {
	return image.Pt(rapid.IntRange(1, 6000).Draw(t, "width"), rapid.IntRange(1, 6000).Draw(t, "height"))
}

// TestMovedStaysInside: a moved rectangle stays inside and has at least one pixel. Moving all of it
// keeps its size, and moving an edge moves no other edge.
func TestMovedStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := drawSize(t)
		rect := drawRect(t, size)
		g := Handle(rapid.IntRange(0, int(Handles)-1).Draw(t, "handle"))
		d := image.Pt(rapid.IntRange(-7000, 7000).Draw(t, "dx"), rapid.IntRange(-7000, 7000).Draw(t, "dy"))
		var lock Ratio
		if rapid.Bool().Draw(t, "locked") {
			lock = Ratio{rect.Dx(), rect.Dy()}
		}
		got := g.Moved(rect, d, size, lock)
		if got.Empty() || !got.In(image.Rectangle{Max: size}) {
			t.Fatalf("%v moved by %v with %v is %v, outside of %v", rect, d, g, got, size)
		}
		side := g.side()
		if g == 0 && got.Size() != rect.Size() {
			t.Fatalf("moving changed the size of %v to %v", rect, got)
		}
		if side.X < 0 && got.Max.X != rect.Max.X || side.X > 0 && got.Min.X != rect.Min.X ||
			side.Y < 0 && got.Max.Y != rect.Max.Y || side.Y > 0 && got.Min.Y != rect.Min.Y {
			t.Fatalf("%v moved the other side: %v to %v", g, rect, got)
		}
		if lock.Locked() && g != 0 {
			// One of the sides is rounded, or has its smallest length.
			want := float64(lock.W) / float64(lock.H)
			byWidth, byHeight := float64(got.Dx())/want, float64(got.Dy())*want
			if math.Abs(byWidth-float64(got.Dy())) > 1 && math.Abs(byHeight-float64(got.Dx())) > 1 {
				t.Fatalf("the ratio of %v is not that of %v", got, rect)
			}
		}
	})
}
