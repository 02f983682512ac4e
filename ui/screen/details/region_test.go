package details

import (
	"image"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/picture"
)

func drawRect(t *rapid.T, size image.Point) image.Rectangle {
	x := rapid.IntRange(0, size.X-1).Draw(t, "x")
	y := rapid.IntRange(0, size.Y-1).Draw(t, "y")
	return image.Rect(x, y, rapid.IntRange(x+1, size.X).Draw(t, "x2"), rapid.IntRange(y+1, size.Y).Draw(t, "y2"))
}

func drawSize(t *rapid.T) image.Point {
	return image.Pt(rapid.IntRange(1, 6000).Draw(t, "width"), rapid.IntRange(1, 6000).Draw(t, "height"))
}

// What is drawn upright is stored turned, and comes back the same.
func TestPlaneTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plane{drawSize(t), media.Orientation(rapid.IntRange(1, 8).Draw(t, "orientation"))}
		rect := drawRect(t, p.upright())
		r := p.region(rect)
		if err := r.CheckWithin(p.size.X, p.size.Y); err != nil {
			t.Fatal(err)
		}
		if back := p.seen(r); back != rect {
			t.Fatalf("%v came back as %v", rect, back)
		}
	})
}

func TestPlaneOfRecordAndPicture(t *testing.T) {
	p := picture.New(image.NewRGBA(image.Rect(0, 0, 40, 30)), 6) // stored 40x30, shown 30x40
	f := func(w, h int) *api.File { return &api.File{Width: api.Set(w), Height: api.Set(h)} }
	for _, c := range []struct {
		name string
		f    *api.File
		p    *picture.Picture
		want plane
		ok   bool
	}{
		{"no picture", f(40, 30), nil, plane{image.Pt(40, 30), 1}, true},
		{"nothing", &api.File{}, nil, plane{image.Point{}, 1}, false},
		{"no size", &api.File{}, p, plane{image.Pt(40, 30), 6}, true},
		{"as stored", f(40, 30), p, plane{image.Pt(40, 30), 6}, true},
		{"as shown", f(30, 40), p, plane{image.Pt(30, 40), 1}, true},
		{"a smaller copy", f(400, 300), p, plane{image.Pt(400, 300), 6}, true},
	} {
		got, ok := planeOf(c.f, c.p)
		if ok != c.ok || got != c.want {
			t.Errorf("%s: %+v %v, want %+v %v", c.name, got, ok, c.want, c.ok)
		}
	}
}
