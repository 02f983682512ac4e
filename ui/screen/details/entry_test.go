package details

import (
	"encoding/json"
	"image"
	"slices"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/ui/edit"
)

// TestChangeOfTags: the request distinguishes no change, a list, an empty list and null.
func TestChangeOfTags(t *testing.T) {
	none, list := api.Null[[]string](), api.Set([]string{"a", "b"})
	for _, c := range []struct {
		name string
		have api.Field[[]string]
		do   func(*prepared)
		want string
	}{
		{"untouched", list, func(*prepared) {}, `{}`},
		{"same again", list, func(e *prepared) { e.SetList(tagField, []string{"a", "b"}) }, `{}`},
		{"added", list, func(e *prepared) { e.SetList(tagField, []string{"a", "b", "c"}) }, `{"tags":["a","b","c"]}`},
		{"all removed", list, func(e *prepared) { e.SetList(tagField, nil) }, `{"tags":null}`},
		{"unset", list, func(e *prepared) { e.Unset(tagField) }, `{"tags":null}`},
		{"unset what is unset", none, func(e *prepared) { e.Unset(tagField) }, `{}`},
		{"unset what is not known", api.Field[[]string]{}, func(e *prepared) { e.Unset(tagField) }, `{"tags":null}`},
		{"none in none", none, func(e *prepared) { e.SetList(tagField, nil) }, `{}`},
		{"first", none, func(e *prepared) { e.SetList(tagField, []string{"x"}) }, `{"tags":["x"]}`},
		{"unset an empty list", api.Set([]string{}), func(e *prepared) { e.Unset(tagField) }, `{"tags":null}`},
	} {
		e := newEntry(api.File{FileID: "f", Tags: c.have})
		c.do(e)
		d, err := e.change()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		got, err := json.Marshal(d)
		must(t, err)
		if string(got) != c.want {
			t.Errorf("%s sends %s, want %s", c.name, got, c.want)
		}
	}
}

func TestChangeOfRegion(t *testing.T) {
	none, some := api.Null[string](), api.Set("1,2,3,4")
	for _, c := range []struct {
		name, text, want string // empty text removes the value
		have             api.Field[string]
		kind             string
		fails            string
	}{
		{"same", "1,2,3,4", `{}`, some, api.KindImage, ""},
		{"same with blanks", " 1, 2, 3, 4 ", `{}`, some, api.KindImage, ""},
		{"other", "1, 2,30,40", `{"customCoordinates":"1,2,30,40"}`, some, api.KindImage, ""},
		{"unset", "", `{"customCoordinates":null}`, some, api.KindImage, ""},
		{"unset twice", "", `{}`, none, api.KindImage, ""},
		{"unset on no image", "", `{"customCoordinates":null}`, some, api.KindNonImage, ""},
		{"three numbers", "1,2,3", "", some, api.KindImage, "four numbers"},
		{"no area", "1,2,0,4", "", some, api.KindImage, "no area"},
		{"outside", "1,2,100,4", "", some, api.KindImage, "outside the picture"},
		{"negative", "-1,2,10,4", "", some, api.KindImage, "whole number"},
		{"on no image", "1,2,10,4", "", some, api.KindNonImage, "images only"},
	} {
		e := newEntry(api.File{
			FileID: "f", FileType: c.kind, CustomCoordinates: c.have, Width: api.Set(100), Height: api.Set(80),
		})
		e.SetRegion(c.text)
		d, err := e.change()
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: error %v, want one about %q", c.name, err, c.fails)
			}
			continue
		}
		got, _ := json.Marshal(d)
		if err != nil || string(got) != c.want {
			t.Errorf("%s sends %s (%v), want %s", c.name, got, err, c.want)
		}
	}
}

// TestMergedKeepsWhatIsLeftOut: fields that an answer lacks keep their values.
func TestMergedKeepsWhatIsLeftOut(t *testing.T) {
	got := merged(record(t, photo), record(t, `{"fileId":"f1","tags":null,"customCoordinates":"1,1,1,1","strange":{"a":1}}`))
	if !got.Tags.IsNull() || got.CustomCoordinates.Or("") != "1,1,1,1" {
		t.Errorf("the newer fields were not used: %+v", got)
	}
	if got.Name != "beach.png" || len(got.AITags.Or(nil)) != 2 || got.VersionInfo == nil ||
		got.Width.Or(0) != 300 {
		t.Errorf("older fields were lost: %+v", got)
	}
	for _, want := range []string{`"strange"`, `"isPublished"`} {
		if !strings.Contains(string(got.Raw), want) {
			t.Errorf("%s is not in %s", want, got.Raw)
		}
	}
	if got := merged(record(t, photo), api.File{FileID: "f1", Name: "new.png"}); got.Name != "new.png" ||
		got.URL == "" {
		t.Errorf("a record that no service sent was not merged: %+v", got)
	}
}

func TestDifferenceInWords(t *testing.T) {
	list := func(tags ...string) api.Field[[]string] { return api.Set(tags) }
	many := strings.Fields(strings.Repeat("x", 1) + " b c d e f g h i j k l m n")
	for _, c := range []struct {
		a, b api.Field[[]string]
		want string
	}{
		{list("a", "b"), list("b", "c"), "Tags: +c, -a"},
		{list("a"), api.Null[[]string](), "Tags: -a"},
		{list("a"), list(), "Tags: -a"},
		{list("a", "b"), list("b", "a"), "Tags: in another order"},
		{list("a"), list("a"), ""},
		{api.Null[[]string](), api.Null[[]string](), ""},
		{api.Field[[]string]{}, api.Null[[]string](), "Tags: not set"},
		{list(), list(many...), "Tags: +x, +b, +c, +d, +e, +f, +g, +h, +i, +j, +k, +l, and +2 more"},
	} {
		f := api.File{Tags: c.a}
		if got := strings.Join(edit.Describe(entry.ValuesOf(&f), entry.ChangesOf(api.Details{Tags: c.b})),
			"|"); got != c.want {
			t.Errorf("%v to %v is %q, want %q", c.a, c.b, got, c.want)
		}
	}
	f := api.File{CustomCoordinates: api.Null[string]()}
	if got := edit.Describe(entry.ValuesOf(&f), entry.ChangesOf(api.Details{
		CustomCoordinates: api.Set("1,2,3,4"),
	})); !slices.Equal(got, []string{"Region: the whole picture → 3 × 4 at 1, 2"}) {
		t.Errorf("got %q", got)
	}
}

func TestFactsHaveEveryField(t *testing.T) {
	f := record(t, photo)
	d := startIn(t, newShelf(t, f).options(f), image.Pt(300, 60))
	d.Press("end", "enter")
	d.Sees(
		"Name beach.png", "Path /summer/beach.png", "Kind image/png (image)", "Pixels 300 × 200",
		"Transparency none",
		"Size 123 kB (123456 bytes)", "Private no", "remove-bg pending", "Version Version 1 f1", "File ID f1", "URL "+f.URL,
		"Thumbnail "+f.Thumbnail, "Model X100", "Published yes", "shop harbour", "price 12",
	)
	d.SeesNot("Changed")
	d = start(t, newShelf(t).options(api.File{FileID: "x", Tags: api.Null[[]string]()}))
	d.Sees("Tags none", "Region not known")
}
