package picture

import (
	"image"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestShapesStayInside: whatever changes a rectangle, it stays in the picture and has at least one
// pixel. A locked ratio is kept to within a pixel.
func TestShapesStayInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := drawSize(t)
		rect := drawRect(t, size)
		lock := rapid.SampledFrom(append([]Ratio{{}, {size.X, size.Y}, {9, 16}}, Ratios...)).Draw(t, "ratio")
		by := rapid.IntRange(-7000, 7000).Draw(t, "by")
		inside := func(what string, got image.Rectangle) {
			if got.Empty() || !got.In(image.Rectangle{Max: size}) {
				t.Fatalf("%s of %v in %v is %v", what, rect, size, got)
			}
		}
		kept := func(what string, got image.Rectangle) {
			if !lock.Locked() {
				return
			}
			want := float64(lock.W) / float64(lock.H)
			byWidth, byHeight := float64(got.Dx())/want, float64(got.Dy())*want
			if math.Abs(byWidth-float64(got.Dy())) > 1 && math.Abs(byHeight-float64(got.Dx())) > 1 {
				t.Fatalf("%s: %v has not the ratio %v", what, got, lock)
			}
		}
		fitted := lock.Apply(rect, size)
		inside("fit", fitted)
		kept("fit", fitted)
		largest := lock.Largest(size)
		inside("largest", largest)
		kept("largest", largest)
		if lock.Locked() && largest.Dx() < size.X && largest.Dy() < size.Y {
			t.Fatalf("%v is not the largest %v in %v", largest, lock, size)
		}
		inside("grown", Grown(rect, image.Pt(by, by), size, Ratio{}))
		grown := Grown(fitted, image.Pt(by, by), size, lock)
		inside("grown", grown)
		kept("grown", grown)
		from := image.Pt(rapid.IntRange(0, size.X).Draw(t, "from x"),
			rapid.IntRange(0, size.Y).Draw(t, "from y"))
		to := image.Pt(rapid.IntRange(-9, size.X+9).Draw(t, "to x"),
			rapid.IntRange(-9, size.Y+9).Draw(t, "to y"))
		if drawn := lock.Drawn(from, to, size); !drawn.Empty() {
			inside("drawn", drawn)
			kept("drawn", drawn)
		}
		other := image.Pt(rapid.IntRange(1, 9000).Draw(t, "other width"),
			rapid.IntRange(1, 9000).Draw(t, "other height"))
		if got := Scaled(rect, size, other); got.Empty() || !got.In(image.Rectangle{Max: other}) {
			t.Fatalf("scaled: %v of %v is %v of %v", rect, size, got, other)
		}
		if got := Scaled(rect, size, size); got != rect {
			t.Fatalf("scaled by one: %v is %v", rect, got)
		}
	})
}

func TestGrownAndBack(t *testing.T) {
	size, rect := image.Pt(100, 80), image.Rect(40, 30, 60, 50)
	if got := Grown(rect, image.Pt(10, 10), size, Ratio{}); got != image.Rect(35, 25, 65, 55) ||
		Grown(got, image.Pt(-10, -10), size, Ratio{}) != rect {
		t.Errorf("got %v", got)
	}
	if got := Grown(rect, image.Pt(-50, -50), size, Ratio{}); got.Size() != image.Pt(1, 1) {
		t.Errorf("shrunk to %v", got)
	}
}
