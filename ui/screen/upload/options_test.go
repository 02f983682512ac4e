package upload

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/uitest"
)

// partsOf returns the request's parts, one per line.
func partsOf(t *testing.T, u api.Upload) string {
	t.Helper()
	parts, err := u.Parts()
	must(t, err)
	var lines []string
	for _, p := range parts {
		lines = append(lines, p.Name+"="+p.Value)
	}
	return strings.Join(lines, "\n")
}

func TestStartOptionsComeFromTheProfile(t *testing.T) {
	p := session.Profile{
		Folder: "/shop/", Tags: []string{"new", "2026"}, FormNaming: job.NameService,
		Extensions: []api.Extension{{Name: "x", Rest: map[string]json.RawMessage{"a": json.RawMessage("1")}}, {Name: "aws-auto-tagging", MaxTags: api.Set(3)}},
	}
	o, _ := filled(api.Source{URL: "https://example.com/a/b%20c.png?x=1"}, p, nil)
	want := "fileName=b c.png\nfolder=/shop/\ntags=new,2026\nextensions=" + `[{"name":"x","a":1},{"maxTags":3,"name":"aws-auto-tagging"}]`
	if got := partsOf(t, o.upload()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	mediatest.Equal(t, o.Naming, job.NameService, "naming")
	if o, _ := filled(api.Source{}, session.Profile{}, nil); o.Naming != job.NameExact {
		t.Errorf("got the naming %q for a profile without one, want %v", o.Naming, job.NameExact)
	}
}

// TestRowsRoundTrip checks that the row texts reproduce the upload in any order.
func TestRowsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := edit.Draft{Entry: apitest.DrawEntry(t)}
		to := edit.Draft{}
		for _, f := range rapid.Permutation(entry.Fields).Draw(t, "order") {
			to.SetText(f, from.Text(f))
		}
		if found := to.Problems(); len(found) > 0 {
			t.Fatal(found)
		}
		apitest.SameEntry(t, "rows", &to.Entry, &from.Entry)
	})
}

// savedStub is a session with a saved extension.
type savedStub struct{ *stub }

func (savedStub) SavedExtensions(context.Context) ([]api.SavedExtension, error) {
	return []api.SavedExtension{{ID: "ext_1", Name: "Seasons"}}, nil
}

// TestAddAnExtension checks that the menu lists saved extensions and adds the choice, and that typing goes on
// in the field of before.
func TestAddAnExtension(t *testing.T) {
	m := started(t, localOptions(files(t, "a.png", "x"), savedStub{&stub{}}))
	goTo(t, m, "folder")
	write(t, m, "/s")
	press(t, m, "ctrl+l")
	if got := screen(m, 120, 40); !strings.Contains(got, "Seasons") {
		t.Fatalf("no saved extension:\n%s", got)
	}
	press(t, m, "r", "ctrl+l", "down", "down", "down", "down", "down", "enter")
	const want = `extensions=[{"name":"remove-bg"},{"name":"saved-extension","id":"ext_1"}]`
	write(t, m, "ea")
	uitest.Shows(t, partsOf(t, current(m).Upload), want, "folder=/sea")
}
