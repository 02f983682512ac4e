package api_test

import (
	"image"
	"math"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
)

// TestParseRegion: service.md §4.1, customCoordinates: "x,y,width,height".
func TestParseRegion(t *testing.T) {
	for _, test := range []struct {
		text string
		want api.Region
		ok   bool
	}{
		{"10,20,300,200", api.Region{X: 10, Y: 20, Width: 300, Height: 200}, true},
		{"0,0,1,1", api.Region{Width: 1, Height: 1}, true},
		{"007,0,1,1", api.Region{X: 7, Width: 1, Height: 1}, true},
		{"1073741824,0,1,1", api.Region{X: 1 << 30, Width: 1, Height: 1}, true},
		{"1073741825,0,1,1", api.Region{}, false},
		{"9223372036854775808,0,1,1", api.Region{}, false},
		{"99999999999999999999999,0,1,1", api.Region{}, false},
		{"", api.Region{}, false},
		{",,,", api.Region{}, false},
		{"1,2,3", api.Region{}, false},
		{"1,2,3,4,5", api.Region{}, false},
		{"1,2,3,4,", api.Region{}, false},
		{"1;2;3;4", api.Region{}, false},
		{"1 2 3 4", api.Region{}, false},
		{" 1,2,3,4", api.Region{}, false},
		{"1, 2,3,4", api.Region{}, false},
		{"1,2,3,4\n", api.Region{}, false},
		{"-1,2,3,4", api.Region{}, false},
		{"+1,2,3,4", api.Region{}, false},
		{"1.5,2,3,4", api.Region{}, false},
		{"1e2,2,3,4", api.Region{}, false},
		{"0x1,2,3,4", api.Region{}, false},
		{"a,2,3,4", api.Region{}, false},
		{"１,2,3,4", api.Region{}, false},
		{"1,2,0,4", api.Region{}, false},
		{"1,2,3,0", api.Region{}, false},
	} {
		t.Run(test.text, func(t *testing.T) {
			got, err := api.ParseRegion(test.text)
			if test.ok {
				wantRule(t, err, "")
			} else {
				wantRule(t, err, "customCoordinates")
			}
			if got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestRegionWithin(t *testing.T) {
	for _, test := range []struct {
		region api.Region
		ok     bool
	}{
		{api.Region{Width: 100, Height: 50}, true},
		{api.Region{X: 99, Y: 49, Width: 1, Height: 1}, true},
		{api.Region{X: 100, Y: 49, Width: 1, Height: 1}, false},
		{api.Region{X: 99, Y: 50, Width: 1, Height: 1}, false},
		{api.Region{X: 1, Width: 100, Height: 50}, false},
		{api.Region{Y: 1, Width: 100, Height: 50}, false},
		{api.Region{X: -1, Width: 10, Height: 10}, false},
		{api.Region{Y: -1, Width: 10, Height: 10}, false},
		{api.Region{X: 1, Width: math.MaxInt, Height: 1}, false},
		{api.Region{X: math.MaxInt, Y: math.MaxInt, Width: math.MaxInt, Height: math.MaxInt}, false},
	} {
		err := test.region.CheckWithin(100, 50)
		if test.ok {
			wantRule(t, err, "")
		} else {
			wantRule(t, err, "customCoordinates")
		}
	}
}

// TestCheckRegion: customCoordinates are for images only, and must fit if the size is known.
func TestCheckRegion(t *testing.T) {
	for _, test := range []struct {
		about, text   string
		image         bool
		width, height int
		ok            bool
	}{
		{"fits", "0,0,100,50", true, 100, 50, true},
		{"too wide", "0,0,101,50", true, 100, 50, false},
		{"size not known", "0,0,101,50", true, 0, 0, true},
		{"only the width known", "0,0,101,50", true, 100, 0, true},
		{"no image", "0,0,10,10", false, 0, 0, false},
		{"bad form", "0,0,10", true, 100, 50, false},
	} {
		t.Run(test.about, func(t *testing.T) {
			_, err := api.CheckRegion(test.text, test.image, test.width, test.height)
			if test.ok {
				wantRule(t, err, "")
			} else {
				wantRule(t, err, "customCoordinates")
			}
		})
	}
}

func TestRegionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := api.Region{
			X: rapid.IntRange(0, 1<<30).Draw(t, "x"), Y: rapid.IntRange(0, 1<<30).Draw(t, "y"),
			Width: rapid.IntRange(1, 1<<30).Draw(t, "width"), Height: rapid.IntRange(1, 1<<30).Draw(t, "height"),
		}
		if got, err := api.ParseRegion(r.String()); err != nil || got != r {
			t.Fatalf("%v was parsed back as %v, %v", r, got, err)
		}
		if got := api.RegionOf(r.Rectangle()); got != r {
			t.Fatalf("the rectangle of %v gives %v", r, got)
		}
	})
	if got, want := api.RegionOf(image.Rectangle{Min: image.Pt(5, 6), Max: image.Pt(1, 2)}), (api.Region{X: 1, Y: 2, Width: 4, Height: 4}); got != want {
		t.Errorf("of a rectangle drawn backwards: %v, want %v", got, want)
	}
}

func FuzzParseRegion(f *testing.F) {
	for _, text := range []string{"10,20,300,200", "0,0,0,0", "1,2,3", "-1,2,3,4", "99999999999999999999,1,1,1", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := api.ParseRegion(text)
		if err != nil {
			wantRule(t, err, "customCoordinates")
			return
		}
		if r.X < 0 || r.Y < 0 || r.Width < 1 || r.Height < 1 {
			t.Fatalf("ParseRegion(%q) = %v", text, r)
		}
		if again, err := api.ParseRegion(r.String()); err != nil || again != r {
			t.Fatalf("%v was parsed back as %v, %v", r, again, err)
		}
	})
}
