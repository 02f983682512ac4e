package edit

import (
	"image"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api/media"
	"mediadesk/api/rule"
	"mediadesk/ui/picture"
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

// TestPlaneTurns: upright coordinates convert to stored ones and back.
func TestPlaneTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Plane{drawSize(t), media.Orientation(rapid.IntRange(1, 8).Draw(t, "orientation"))}
		rect := drawRect(t, p.Upright())
		r := p.Region(rect)
		_, err := rule.CheckRegion(r.String(), true, p.Size.X, p.Size.Y)
		must(t, err)
		if back := p.Seen(r); back != rect {
			t.Fatalf("%v was converted back to %v", rect, back)
		}
	})
}

func TestPlaneOf(t *testing.T) {
	p := picture.New(image.NewRGBA(image.Rect(0, 0, 40, 30)), 6) // stored 40x30, shown 30x40
	of := func(w, h int) Subject { return Subject{Size: image.Pt(w, h)} }
	for _, c := range []struct {
		name string
		s    Subject
		p    *picture.Picture
		want Plane
		ok   bool
	}{
		{"no picture", of(40, 30), nil, Plane{image.Pt(40, 30), 1}, true},
		{"no picture yet", Subject{Size: image.Pt(40, 30), Orientation: 6}, nil, Plane{image.Pt(40, 30), 6}, true},
		{"nothing", Subject{}, nil, Plane{image.Point{}, 1}, false},
		{"no size", Subject{}, p, Plane{image.Pt(40, 30), 6}, true},
		{"as stored", of(40, 30), p, Plane{image.Pt(40, 30), 6}, true},
		{"as shown", of(30, 40), p, Plane{image.Pt(30, 40), 1}, true},
		{"a smaller copy", of(400, 300), p, Plane{image.Pt(400, 300), 6}, true},
	} {
		got, ok := PlaneOf(c.s, c.p)
		if ok != c.ok || got != c.want {
			t.Errorf("%s: %+v %v, want %+v %v", c.name, got, ok, c.want, c.ok)
		}
	}
}
