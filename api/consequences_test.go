package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mediadesk/api"
)

var switches = []api.Field[bool]{{}, api.Null[bool](), api.Set(true), api.Set(false)}

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

// TestConsequencesResult: the result of an upload for each useUniqueFileName, overwriteFile and
// state of the path.
func TestConsequencesResult(t *testing.T) {
	places := []struct {
		about string
		at    api.Place
	}{
		{"not known", api.Place{}},
		{"not known, whatever else it says", api.Place{File: rich(), Versions: 100}},
		{"known to be free", api.Place{Known: true}},
		{"known to be taken", api.Place{Known: true, File: rich()}},
		{"99 versions", api.Place{Known: true, File: rich(), Versions: 99}},
		{"100 versions", api.Place{Known: true, File: rich(), Versions: 100}},
		{"101 versions", api.Place{Known: true, File: rich(), Versions: 101}},
	}
	for _, unique := range switches {
		for _, overwrite := range switches {
			for _, place := range places {
				var want api.Result
				taken := place.at.Known && place.at.File != nil
				switch {
				case unique.Or(true):
					want = api.NewFile
				case place.at.Known && !taken:
					want = api.NewFile
				case !taken && overwrite.Or(true):
					want = api.EitherOfBoth
				case !taken:
					want = api.MaybeRefusal
				case !overwrite.Or(true) || place.at.Versions >= 100:
					want = api.Refusal
				default:
					want = api.NewVersion
				}
				u := &api.Upload{FileName: "b c.jpg", Folder: api.Set("a"), UseUniqueFileName: unique, OverwriteFile: overwrite}
				got := api.Consequences(u, place.at)
				if got.Result != want || got.Path != "/a/b_c.jpg" || got.Suffix != unique.Or(true) || got.Reason == "" {
					t.Errorf("unique %+v, overwrite %+v, place %s: got %+v, want %s", unique, overwrite, place.about, got, want)
				}
				changes := want == api.NewVersion || want == api.EitherOfBoth
				if changes && len(got.Changes) != 4 || !changes && got.Changes != nil {
					t.Errorf("unique %+v, overwrite %+v, place %s: changes %+v", unique, overwrite, place.about, got.Changes)
				}
				checkSentences(t, got)
			}
		}
	}
}

// TestConsequencesForAspects: what overwriting does to each of the four aspects, for every switch,
// sent or not, and all knowledge of the existing file.
func TestConsequencesForAspects(t *testing.T) {
	type sending struct {
		about string
		sent  bool
		into  func(*api.Upload)
	}
	none := sending{"absent", false, func(*api.Upload) {}}
	for _, aspect := range []struct {
		aspect   api.Aspect
		field    string
		set      func(*api.Upload, api.Field[bool])
		sendings []sending
	}{
		{api.AspectTags, "overwriteTags", func(u *api.Upload, f api.Field[bool]) { u.OverwriteTags = f }, []sending{
			none,
			{"null", false, func(u *api.Upload) { u.Tags = api.Null[[]string]() }},
			{"empty", false, func(u *api.Upload) { u.Tags = api.Set([]string{}) }},
			{"sent", true, func(u *api.Upload) { u.Tags = api.Set([]string{"n"}) }},
		}},
		{api.AspectAITags, "overwriteAITags", func(u *api.Upload, f api.Field[bool]) { u.OverwriteAITags = f }, []sending{none}},
		{api.AspectMetadata, "overwriteCustomMetadata", func(u *api.Upload, f api.Field[bool]) { u.OverwriteCustomMetadata = f }, []sending{
			none,
			{"null", false, func(u *api.Upload) { u.CustomMetadata = api.Null[map[string]json.RawMessage]() }},
			{"empty", false, func(u *api.Upload) { u.CustomMetadata = api.Set(map[string]json.RawMessage{}) }},
			{"sent", true, func(u *api.Upload) {
				u.CustomMetadata = api.Set(map[string]json.RawMessage{"k": json.RawMessage("1")})
			}},
		}},
		{api.AspectRegion, "", func(u *api.Upload, f api.Field[bool]) {
			u.OverwriteTags, u.OverwriteAITags, u.OverwriteCustomMetadata = f, f, f
		}, []sending{
			none,
			{"null", false, func(u *api.Upload) { u.CustomCoordinates = api.Null[string]() }},
			{"sent", true, func(u *api.Upload) { u.CustomCoordinates = api.Set("1,2,3,4") }},
		}},
	} {
		for _, sw := range switches {
			for _, sending := range aspect.sendings {
				for had, at := range map[string]api.Place{
					"not known": {}, "rich": {Known: true, File: rich()}, "bare": {Known: true, File: bare()}, "silent": {Known: true, File: &api.File{FileID: "1"}},
				} {
					u := &api.Upload{FileName: "a", UseUniqueFileName: api.Set(false)}
					aspect.set(u, sw)
					sending.into(u)
					outlook := api.Consequences(u, at)
					checkSentences(t, outlook)
					got := change(t, outlook, aspect.aspect)
					want, keep := api.Kept, ""
					switch {
					case sending.sent:
						want = api.SetTo
					case aspect.field == "" || sw.Or(true):
						want, keep = api.Removed, aspect.field
					}
					if got.Effect != want || got.Keep != keep || got.Reason == "" {
						t.Errorf("%s, switch %+v, %s, file %s: got %+v, want %s, kept by %q", aspect.aspect, sw, sending.about, had, got, want, keep)
					}
					count := map[string]int{
						"not known": -1, "silent": -1, "bare": 0,
						"rich": map[api.Aspect]int{api.AspectTags: 3, api.AspectAITags: 1, api.AspectRegion: 1, api.AspectMetadata: 2}[aspect.aspect],
					}[had]
					if got.Had != count {
						t.Errorf("%s, file %s: had %d, want %d", aspect.aspect, had, got.Had, count)
					}
				}
			}
		}
	}
}

func change(t *testing.T, o api.Outlook, aspect api.Aspect) api.Change {
	t.Helper()
	for _, c := range o.Changes {
		if c.Aspect == aspect {
			return c
		}
	}
	t.Fatalf("no change of %s in %+v", aspect, o)
	return api.Change{}
}

// checkSentences checks the rules for any outlook: complete sentences, and no aspect that is known to
// be empty is removed or kept.
func checkSentences(t *testing.T, o api.Outlook) {
	t.Helper()
	lines := o.Sentences()
	if len(lines) == 0 {
		t.Errorf("%+v has no words", o)
	}
	for i, line := range lines {
		if line[0] < 'A' || line[0] > 'Z' || !strings.HasSuffix(line, ".") && (i > 0 || !strings.HasSuffix(line, ":")) || strings.Contains(line, "  ") || strings.Contains(line, "%!") {
			t.Errorf("%q is no good sentence (%+v)", line, o)
		}
	}
}

func TestSentences(t *testing.T) {
	exact := func(change func(*api.Upload)) *api.Upload {
		u := &api.Upload{FileName: "b.jpg", Folder: api.Set("/a/"), UseUniqueFileName: api.Set(false)}
		change(u)
		return u
	}
	one := rich()
	one.Tags = api.Set([]string{"a"})
	for _, test := range []struct {
		about string
		u     *api.Upload
		at    api.Place
		want  []string
	}{
		{"a unique name", &api.Upload{FileName: "b.jpg"}, api.Place{}, []string{
			`A new file, next to whatever is there: the service adds a unique suffix to the name.`,
		}},
		{"a free place", exact(func(*api.Upload) {}), api.Place{Known: true}, []string{`A new file "/a/b.jpg": nothing is at this place.`}},
		{"a taken place, no overwriting", exact(func(u *api.Upload) { u.OverwriteFile = api.Set(false) }), api.Place{Known: true, File: rich()}, []string{
			`The service will refuse it: a file is at this place and overwriteFile is off.`,
		}},
		{"nobody looked, no overwriting", exact(func(u *api.Upload) { u.OverwriteFile = api.Set(false) }), api.Place{}, []string{
			`A new file "/a/b.jpg". If one is there already, the service refuses: overwriteFile is off.`,
		}},
		{"too many versions", exact(func(*api.Upload) {}), api.Place{Known: true, File: rich(), Versions: 100}, []string{
			`The service will refuse it: the file there has 100 versions, which is the limit.`,
		}},
		{"all is lost", exact(func(*api.Upload) {}), api.Place{Known: true, File: rich()}, []string{
			`A new version of "/a/b.jpg": a file with this name is at this place.`,
			`Its 3 tags are removed: overwriteTags is on and you send none.`,
			`Its one AI tag is removed: overwriteAITags is on.`,
			`Its region is removed: you send none, and no switch keeps it.`,
			`Its custom metadata is removed: overwriteCustomMetadata is on and you send none.`,
		}},
		{"one tag", exact(func(u *api.Upload) {
			u.OverwriteAITags, u.OverwriteCustomMetadata, u.CustomCoordinates = api.Set(false), api.Set(false), api.Set("1,2,3,4")
		}), api.Place{Known: true, File: one}, []string{
			`A new version of "/a/b.jpg": a file with this name is at this place.`,
			`Its one tag is removed: overwriteTags is on and you send none.`,
			`Its one AI tag is kept: overwriteAITags is off.`,
			`Its region is replaced: the request has it.`,
			`Its custom metadata is kept: overwriteCustomMetadata is off.`,
		}},
		{"nothing to lose", exact(func(u *api.Upload) { u.Tags = api.Set([]string{"n"}) }), api.Place{Known: true, File: bare()}, []string{
			`A new version of "/a/b.jpg": a file with this name is at this place.`,
			`Its tags are set: the request has them.`,
		}},
		{"nobody looked", exact(func(u *api.Upload) {
			u.CustomMetadata = api.Set(map[string]json.RawMessage{"k": json.RawMessage("1")})
			u.OverwriteTags = api.Set(false)
		}), api.Place{}, []string{
			`A new file "/a/b.jpg". If one is there already, a new version of it:`,
			`Its tags are kept: overwriteTags is off.`,
			`Its AI tags are removed: overwriteAITags is on.`,
			`Its region is removed: you send none, and no switch keeps it.`,
			`Its custom metadata is replaced: the request has some.`,
		}},
	} {
		t.Run(test.about, func(t *testing.T) {
			got := api.Consequences(test.u, test.at).Sentences()
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}
