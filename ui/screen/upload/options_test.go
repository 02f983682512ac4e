package upload

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/session"
)

// partsOf returns the request's parts, one per line.
func partsOf(t *testing.T, u api.Upload) string {
	t.Helper()
	parts, err := u.Parts()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range parts {
		lines = append(lines, p.Name+"="+p.Value)
	}
	return strings.Join(lines, "\n")
}

// TestBuild checks every field of service.md §4.1: untouched, set, switched off and emptied.
func TestBuild(t *testing.T) {
	for _, c := range []struct {
		name string
		set  map[field]string
		want string // parts other than fileName; may be empty
	}{
		{"nothing touched", nil, ""},
		{"folder", map[field]string{fieldFolder: " summer//2026 "}, "folder=/summer/2026/"},
		{"blank texts", map[field]string{fieldFolder: " ", fieldTags: " , ", fieldRegion: "  ", fieldDescription: " ", fieldMetadata: "\n \n"}, ""},
		{"a switch: an explicit no", map[field]string{fieldPrivate: off}, "isPrivateFile=false"},
		{
			"response fields",
			map[field]string{fieldReturnTags: on, fieldReturnRegion: on, fieldReturnPrivate: on, fieldReturnEmbedded: on, fieldReturnMetadata: on},
			"responseFields=tags,customCoordinates,isPrivateFile,embeddedMetadata,customMetadata",
		},
		{"one response field", map[field]string{fieldReturnEmbedded: on}, "responseFields=embeddedMetadata"},
		{"an empty object is none", map[field]string{fieldMetadata: "{}"}, ""},
		{"webhook: an address", map[field]string{fieldWebhook: webhookAddress, fieldAddress: " https://example.com/h "}, "webhookUrl=https://example.com/h"},
		{"webhook: none", map[field]string{fieldWebhook: webhookNone, fieldAddress: "https://example.com/h"}, ""},
		{"webhook: ours is added later", map[field]string{fieldRemove: on}, `extensions=[{"name":"remove-bg"}]`},
		{"remove-bg with all", map[field]string{fieldRemove: on, fieldShadow: on, fieldColor: "green"}, `extensions=[{"name":"remove-bg","options":{"add_shadow":true,"bg_colour":"green"}}]`},
		{"remove-bg: an explicit no", map[field]string{fieldRemove: on, fieldShadow: off}, `extensions=[{"name":"remove-bg","options":{"add_shadow":false}}]`},
		{"options without their extension", map[field]string{fieldShadow: on, fieldColor: "green", fieldGoogleTags: "5"}, ""},
		{"google", map[field]string{fieldGoogle: on, fieldGoogleTags: "10", fieldGoogleSure: "0"}, `extensions=[{"maxTags":10,"minConfidence":0,"name":"google-auto-tagging"}]`},
		{"aws", map[field]string{fieldAWS: on, fieldAWSTags: "0", fieldAWSSure: " 100 "}, `extensions=[{"maxTags":0,"minConfidence":100,"name":"aws-auto-tagging"}]`},
		{"another by its name", map[field]string{fieldOtherName: "ai-auto-description"}, `extensions=[{"name":"ai-auto-description"}]`},
		{"another with options", map[field]string{fieldOtherName: "sharpen", fieldOtherJSON: `{"level": 3}`}, `extensions=[{"name":"sharpen","options":{"level":3}}]`},
		{"whole elements", map[field]string{fieldOtherJSON: `[{"name":"ai-tasks","tasks":[1]},{"name":"x"}]`}, `extensions=[{"name":"ai-tasks","tasks":[1]},{"name":"x"}]`},
		{"presets before others", map[field]string{fieldOtherName: "x", fieldGoogle: on, fieldRemove: on}, `extensions=[{"name":"remove-bg"},{"name":"google-auto-tagging"},{"name":"x"}]`},
	} {
		o, problems := filled(api.Source{Path: "/p/photo.jpg"}, session.Profile{}, c.set)
		for _, p := range problems {
			t.Errorf("%s: %v", c.name, p.err)
		}
		want := "fileName=photo.jpg"
		if c.want != "" {
			want += "\n" + c.want
		}
		if got := partsOf(t, o.upload()); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

func TestBuildSpellsTheColorAsTheProfileDoes(t *testing.T) {
	o, _ := filled(api.Source{URL: "https://example.com/a.png"}, session.Profile{ColorOption: "bg_color"}, map[field]string{fieldRemove: on, fieldColor: "red"})
	if got, want := partsOf(t, o.upload()), `extensions=[{"name":"remove-bg","options":{"bg_color":"red"}}]`; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestStartOptionsComeFromTheProfile(t *testing.T) {
	p := session.Profile{
		Folder: "/shop/", Tags: []string{"new", "2026"}, Naming: api.NameService,
		Extensions: []api.Extension{{Name: "x", Rest: map[string]json.RawMessage{"a": json.RawMessage("1")}}, {Name: "aws-auto-tagging", MaxTags: api.Set(3)}},
	}
	o, _ := filled(api.Source{URL: "https://example.com/a/b%20c.png?x=1"}, p, nil)
	want := "fileName=b c.png\nfolder=/shop/\ntags=new,2026\nextensions=" + `[{"a":1,"name":"x"},{"maxTags":3,"name":"aws-auto-tagging"}]`
	if got := partsOf(t, o.upload()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if o.naming() != api.NameService {
		t.Errorf("naming %q, want %v", o.naming(), api.NameService)
	}
	if o := startOptions(api.Source{}, session.Profile{}); o.naming() != api.NameHere {
		t.Errorf("got the naming %q for a profile without one, want %v", o.naming(), api.NameHere)
	}
}

// TestRowsRoundTrip checks that the row texts reproduce the upload in any order.
func TestRowsRoundTrip(t *testing.T) {
	items := newItems(session.Profile{})
	rapid.Check(t, func(t *rapid.T) {
		from := options{entry: apitest.DrawEntry(t)}
		to := options{}
		for _, i := range rapid.Permutation(items).Draw(t, "order") {
			to.set(items, i, from.text(i))
		}
		if found := to.problems(items); len(found) > 0 {
			t.Fatal(found)
		}
		apitest.SameEntry(t, "rows", &to.entry, &from.entry)
	})
}

// TestRowsDependOnEachOther checks that the options of an extension return when it is switched on
// again, and that options wait for the name.
func TestRowsDependOnEachOther(t *testing.T) {
	items, o := newItems(session.Profile{}), startOptions(api.Source{Path: "a"}, session.Profile{})
	set := func(f field, text string) { o.set(items, itemOf(items, f), text) }
	set(fieldGoogle, on)
	set(fieldGoogleTags, "7")
	set(fieldGoogle, "")
	set(fieldOtherJSON, `{"level":3}`)
	if got := len(o.problems(items)); got != 1 {
		t.Errorf("%d problems, want that of options without a name", got)
	}
	set(fieldOtherName, "sharpen")
	set(fieldOrder, "sharpen,google-auto-tagging")
	set(fieldGoogle, on)
	set(fieldWebhook, webhookAddress)
	set(fieldAddress, "https://a.example/h")
	set(fieldWebhook, webhookNone)
	if o.entry.WebhookURL.IsSet() || !o.entry.NoWebhook {
		t.Errorf("the webhook is %+v", o.entry.WebhookURL)
	}
	set(fieldWebhook, webhookAddress)
	want := "fileName=a\nextensions=" + `[{"name":"sharpen","options":{"level":3}},{"maxTags":7,"name":"google-auto-tagging"}]` + "\nwebhookUrl=https://a.example/h"
	if got := partsOf(t, o.upload()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	set(fieldOtherName, "")
	if text := o.text(itemOf(items, fieldOtherJSON)); text != `{"level":3}` {
		t.Errorf("the options are %q after their name was removed, want %s", text, `{"level":3}`)
	}
}

func TestBuildProblems(t *testing.T) {
	for _, c := range []struct {
		name  string
		set   map[field]string
		field field
		want  string
	}{
		{"maxTags above 30", map[field]string{fieldGoogle: on, fieldGoogleTags: "31"}, fieldGoogleTags, "0 to 30"},
		{"maxTags below 0", map[field]string{fieldAWS: on, fieldAWSTags: "-1"}, fieldAWSTags, "0 to 30"},
		{"minConfidence above 100", map[field]string{fieldAWS: on, fieldAWSSure: "101"}, fieldAWSSure, "0 to 100"},
		{"minConfidence is no number", map[field]string{fieldGoogle: on, fieldGoogleSure: "high"}, fieldGoogleSure, `"high"`},
		{"options are no JSON", map[field]string{fieldOtherName: "x", fieldOtherJSON: "{\"a\":1,\n\"b\":}"}, fieldOtherJSON, "line 2, column 5"},
		{"options are a list", map[field]string{fieldOtherName: "x", fieldOtherJSON: "[1]"}, fieldOtherJSON, "another type: array"},
		{"options are null", map[field]string{fieldOtherName: "x", fieldOtherJSON: "null"}, fieldOtherJSON, "it is null"},
		{"elements are an object", map[field]string{fieldOtherJSON: `{"name":"x"}`}, fieldOtherJSON, "JSON array"},
		{"metadata is a list", map[field]string{fieldMetadata: "[1]"}, fieldMetadata, "JSON object"},
	} {
		_, problems := filled(api.Source{Path: "/p/photo.jpg"}, session.Profile{}, c.set)
		if len(problems) != 1 || problems[0].field != c.field || !strings.Contains(problems[0].err.Error(), c.want) {
			t.Errorf("%s: %+v, want one with %q", c.name, problems, c.want)
		}
		if len(problems) == 1 && api.Hint(problems[0].err) == "" {
			t.Errorf("%s: the error has no help", c.name)
		}
	}
}

// savedStub is a session with a saved extension.
type savedStub struct{ *stub }

func (savedStub) SavedExtensions(context.Context) ([]api.Saved, error) {
	return []api.Saved{{ID: "ext_1", Name: "Seasons"}}, nil
}

// TestAskForMetadata: the menu completes the names of custom metadata fields, and an incomplete task
// gets no hint about JSON.
func TestAskForMetadata(t *testing.T) {
	fields := func(context.Context) ([]api.MetadataField, error) { return []api.MetadataField{{Name: "season"}}, nil }
	m := started(t, Options{Sources: files(t, "a.png", "x"), Profile: localProfile(), Session: savedStub{&stub{fields: fields}}})
	press(t, m, "ctrl+l", "m", "enter")
	write(t, m, "sea")
	press(t, m, "tab", "enter", "enter")
	if got := screen(m, 120, 40); !strings.Contains(got, "instruction of select_metadata") || strings.Contains(got, "JSON array such as") {
		t.Errorf("the error does not fit:\n%s", got)
	}
	press(t, m, "esc", "ctrl+l", "m")
	write(t, m, "Which season?")
	press(t, m, "enter")
	write(t, m, "sea")
	press(t, m, "tab", "enter", "enter")
	got, _, err := api.FieldByName(api.FieldExtensions).Part(&m.current().entry.Upload)
	if want := `"field":"season"`; err != nil || !strings.Contains(got, want) {
		t.Errorf("%s, want %s (%v)", got, want, err)
	}
}

// TestAddAnExtension checks that the menu lists saved extensions, asks for the parts of a task and
// adds the choice.
func TestAddAnExtension(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x"), Profile: localProfile(), Session: savedStub{&stub{}}})
	press(t, m, "ctrl+l")
	if got := screen(m, 120, 40); !strings.Contains(got, "Seasons") {
		t.Fatalf("no saved extension:\n%s", got)
	}
	press(t, m, "t")
	write(t, m, "Which season?")
	press(t, m, "enter")
	write(t, m, "winter, summer")
	press(t, m, "enter")
	press(t, m, "ctrl+l")
	press(t, m, "down", "down", "down", "down", "down", "enter")
	const want = `[{"name":"ai-tasks","tasks":[{"type":"select_tags","instruction":"Which season?","vocabulary":["winter","summer"]}]},{"name":"Seasons"}]`
	got, _, err := api.FieldByName(api.FieldExtensions).Part(&m.current().entry.Upload)
	if err != nil || got != want {
		t.Errorf("%s, want %s (%v)", got, want, err)
	}
}
