package rule_test

import (
	"image"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api/rule"
)

func TestRegionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rule.Region{
			X: rapid.IntRange(0, 1<<30).Draw(t, "x"), Y: rapid.IntRange(0, 1<<30).Draw(t, "y"),
			Width: rapid.IntRange(1, 1<<30).Draw(t, "width"), Height: rapid.IntRange(1, 1<<30).Draw(t, "height"),
		}
		if got, err := rule.ParseRegion(r.String()); err != nil || got != r {
			t.Fatalf("%v was parsed back as %v, %v", r, got, err)
		}
		if got := rule.RegionOf(r.Rectangle()); got != r {
			t.Fatalf("the rectangle of %v gives %v", r, got)
		}
	})
	if got, want := rule.RegionOf(image.Rectangle{Min: image.Pt(5, 6), Max: image.Pt(1, 2)}),
		(rule.Region{X: 1, Y: 2, Width: 4, Height: 4}); got != want {
		t.Errorf("of a rectangle drawn backwards: %v, want %v", got, want)
	}
}

// TestParseRegion: service.md §4.1, customCoordinates: "x,y,width,height".
func TestParseRegion(t *testing.T) {
	for text, want := range map[string]rule.Region{
		"10,20,300,200":    {X: 10, Y: 20, Width: 300, Height: 200},
		"007,0,1,1":        {X: 7, Width: 1, Height: 1},
		"1073741824,0,1,1": {X: 1 << 30, Width: 1, Height: 1},
	} {
		got, err := rule.ParseRegion(text)
		if wantRule(t, err, ""); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{
		"", ",,,", "1,2,3", "1,2,3,4,5", "1,2,3,4,", "1;2;3;4", "1 2 3 4", " 1,2,3,4", "1, 2,3,4", "1,2,3,4\n", "-1,2,3,4", "+1,2,3,4", "1.5,2,3,4",
		"1e2,2,3,4", "0x1,2,3,4", "a,2,3,4", "１,2,3,4", "1,2,0,4", "1,2,3,0", "1073741825,0,1,1", "99999999999999999999999,0,1,1",
	} {
		got, err := rule.ParseRegion(text)
		if wantRule(t, err, "customCoordinates"); got != (rule.Region{}) {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// TestCheckRegion: customCoordinates are for images only, and must fit if the size is known.
func TestCheckRegion(t *testing.T) {
	for _, test := range []struct {
		text          string
		image         bool
		width, height int
		field         string
	}{
		{"0,0,100,50", true, 100, 50, ""},
		{"0,0,101,50", true, 100, 50, "customCoordinates"},
		{"99,49,1,1", true, 100, 50, ""},
		{"100,49,1,1", true, 100, 50, "customCoordinates"},
		{"99,50,1,1", true, 100, 50, "customCoordinates"},
		{"1,0,100,50", true, 100, 50, "customCoordinates"},
		{"0,1,100,50", true, 100, 50, "customCoordinates"},
		{"0,0,101,50", true, 100, 0, ""}, // the size is not known
		{"0,0,10,10", false, 0, 0, "customCoordinates"},
		{"0,0,10", true, 100, 50, "customCoordinates"},
	} {
		_, err := rule.CheckRegion(test.text, test.image, test.width, test.height)
		wantRule(t, err, test.field)
	}
}
