package rule_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// rich is a file that has everything; bare is one that is known to have nothing.
func rich() *api.File {
	return &api.File{
		FileID: "1", Tags: api.Set([]string{"a", "b", "c"}), AITags: api.Set([]api.AITag{{Name: "x"}}),
		CustomCoordinates: api.Set("1,2,3,4"), CustomMetadata: map[string]json.RawMessage{"k": json.RawMessage("1"), "l": json.RawMessage("2")},
	}
}

func bare() *api.File {
	return &api.File{
		FileID: "1", Tags: api.Null[[]string](), AITags: api.Null[[]api.AITag](),
		CustomCoordinates: api.Null[string](), CustomMetadata: map[string]json.RawMessage{},
	}
}

func TestSentences(t *testing.T) {
	exact := func(change func(*api.Upload)) *api.Upload {
		u := &api.Upload{FileName: "b.jpg", Folder: api.Set("/a/"), UseUniqueFileName: api.Set(false)}
		change(u)
		return u
	}
	asIs := func(*api.Upload) {}
	keep := func(u *api.Upload) { u.OverwriteFile = api.Set(false) }
	tag := func(u *api.Upload) { u.Tags = api.Set([]string{"n"}) }
	one := rich()
	one.Tags = api.Set([]string{"a"})
	for _, test := range []struct {
		about string
		u     *api.Upload
		at    rule.Place
		want  []string
	}{
		{"a unique name", &api.Upload{FileName: "b.jpg"}, rule.Place{}, []string{
			`A new file, next to whatever is there: the service adds a unique suffix to the name.`,
		}},
		{"a free place", exact(asIs), rule.Place{Known: true}, []string{`A new file "/a/b.jpg": nothing is at this place.`}},
		{"a taken place, no overwriting", exact(keep), rule.Place{Known: true, File: rich()}, []string{
			`The service will refuse it: a file is at this place and overwriteFile is off.`,
		}},
		{"nobody looked, no overwriting", exact(keep), rule.Place{}, []string{
			`A new file "/a/b.jpg". If one is there already, the service refuses: overwriteFile is off.`,
		}},
		{"too many versions", exact(asIs), rule.Place{Known: true, File: rich(), Versions: 100}, []string{
			`The service will refuse it: the file there has 100 versions, which is the limit.`,
		}},
		{"all is lost", exact(asIs), rule.Place{Known: true, File: rich()}, []string{
			`A new version of "/a/b.jpg": a file with this name is at this place.`,
			`Its 3 tags are removed: overwriteTags is on and you send none.`,
			`Its one AI tag is removed: overwriteAITags is on.`,
			`Its region is removed: you send none, and no switch keeps it.`,
			`Its custom metadata is removed: overwriteCustomMetadata is on and you send none.`,
		}},
		{"one tag", exact(func(u *api.Upload) {
			u.OverwriteAITags, u.OverwriteCustomMetadata = api.Set(false), api.Set(false)
			u.CustomCoordinates = api.Set("1,2,3,4")
		}), rule.Place{Known: true, File: one}, []string{
			`A new version of "/a/b.jpg": a file with this name is at this place.`,
			`Its one tag is removed: overwriteTags is on and you send none.`,
			`Its one AI tag is kept: overwriteAITags is off.`,
			`Its region is replaced: the request has it.`,
			`Its custom metadata is kept: overwriteCustomMetadata is off.`,
		}},
		{"nothing to lose", exact(tag), rule.Place{Known: true, File: bare()}, []string{
			`A new version of "/a/b.jpg": a file with this name is at this place.`,
			`Its tags are set: the request has them.`,
		}},
		{"nobody looked", exact(func(u *api.Upload) {
			u.CustomMetadata = api.Set(map[string]json.RawMessage{"k": json.RawMessage("1")})
			u.OverwriteTags = api.Set(false)
		}), rule.Place{}, []string{
			`A new file "/a/b.jpg". If one is there already, a new version of it:`,
			`Its tags are kept: overwriteTags is off.`,
			`Its AI tags are removed: overwriteAITags is on.`,
			`Its region is removed: you send none, and no switch keeps it.`,
			`Its custom metadata is replaced: the request has some.`,
		}},
	} {
		t.Run(test.about, func(t *testing.T) {
			var got []string
			for _, l := range rule.Consequences(test.u, test.at).Lines() {
				got = append(got, l.Text)
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}
