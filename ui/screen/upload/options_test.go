package upload

import (
	"encoding/json"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/session"
)

// partsOf is what would go over the wire, one line each.
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

// TestBuild takes every field of service.md §4.1 untouched, set, set to no, and emptied.
func TestBuild(t *testing.T) {
	for _, c := range []struct {
		name string
		set  map[field]string
		want string // the parts beside fileName; empty: none
	}{
		{"nothing touched", nil, ""},
		{"folder", map[field]string{fieldFolder: "summer//2026"}, "folder=/summer/2026/"},
		{"folder: the root, said so", map[field]string{fieldFolder: "/"}, "folder=/"},
		{"folder emptied", map[field]string{fieldFolder: " "}, ""},
		{"tags", map[field]string{fieldTags: "sea, beach,,sea"}, "tags=sea,beach"},
		{"tags emptied", map[field]string{fieldTags: " , "}, ""},
		{"private", map[field]string{fieldPrivate: on}, "isPrivateFile=true"},
		{"private: an explicit no", map[field]string{fieldPrivate: off}, "isPrivateFile=false"},
		{"region", map[field]string{fieldRegion: " 10, 20,300 ,200 "}, "customCoordinates=10,20,300,200"},
		{"region emptied", map[field]string{fieldRegion: "  "}, ""},
		{"description", map[field]string{fieldDescription: " by the sea "}, "description=by the sea"},
		{"description emptied", map[field]string{fieldDescription: ""}, ""},
		{
			"response fields",
			map[field]string{fieldAnswerTags: on, fieldAnswerRegion: on, fieldAnswerPrivate: on, fieldAnswerEmbedded: on, fieldAnswerMetadata: on},
			"responseFields=tags,customCoordinates,isPrivateFile,embeddedMetadata,customMetadata",
		},
		{"one response field", map[field]string{fieldAnswerEmbedded: on}, "responseFields=embeddedMetadata"},
		{"overwriteFile on", map[field]string{fieldOverFile: on}, "overwriteFile=true"},
		{"overwriteFile off", map[field]string{fieldOverFile: off}, "overwriteFile=false"},
		{"overwriteTags on", map[field]string{fieldOverTags: on}, "overwriteTags=true"},
		{"overwriteTags off", map[field]string{fieldOverTags: off}, "overwriteTags=false"},
		{"overwriteAITags on", map[field]string{fieldOverAITags: on}, "overwriteAITags=true"},
		{"overwriteAITags off", map[field]string{fieldOverAITags: off}, "overwriteAITags=false"},
		{"overwriteCustomMetadata on", map[field]string{fieldOverMetadata: on}, "overwriteCustomMetadata=true"},
		{"overwriteCustomMetadata off", map[field]string{fieldOverMetadata: off}, "overwriteCustomMetadata=false"},
		{"metadata", map[field]string{fieldMetadata: "brand = Acme\nyear: 2026"}, `customMetadata={"brand":"Acme","year":2026}`},
		{"metadata emptied", map[field]string{fieldMetadata: "\n \n"}, ""},
		{"an empty object is none", map[field]string{fieldMetadata: "{}"}, ""},
		{"webhook: an address", map[field]string{fieldWebhook: webhookAddress, fieldAddress: " https://example.com/h "}, "webhookUrl=https://example.com/h"},
		{"webhook: none", map[field]string{fieldWebhook: webhookNone, fieldAddress: "https://example.com/h"}, ""},
		{"webhook: ours is added later", map[field]string{fieldRemove: on}, `extensions=[{"name":"remove-bg"}]`},
		{"remove-bg with all", map[field]string{fieldRemove: on, fieldShadow: on, fieldColour: "green"}, `extensions=[{"name":"remove-bg","options":{"add_shadow":true,"bg_colour":"green"}}]`},
		{"remove-bg: an explicit no", map[field]string{fieldRemove: on, fieldShadow: off}, `extensions=[{"name":"remove-bg","options":{"add_shadow":false}}]`},
		{"options without their extension", map[field]string{fieldShadow: on, fieldColour: "green", fieldGoogleTags: "5"}, ""},
		{"google", map[field]string{fieldGoogle: on, fieldGoogleTags: "10", fieldGoogleSure: "0"}, `extensions=[{"maxTags":10,"minConfidence":0,"name":"google-auto-tagging"}]`},
		{"aws", map[field]string{fieldAWS: on, fieldAWSTags: "0", fieldAWSSure: " 100 "}, `extensions=[{"maxTags":0,"minConfidence":100,"name":"aws-auto-tagging"}]`},
		{"another by its name", map[field]string{fieldOtherName: "ai-auto-description"}, `extensions=[{"name":"ai-auto-description"}]`},
		{"another with options", map[field]string{fieldOtherName: "sharpen", fieldOtherJSON: `{"level": 3}`}, `extensions=[{"name":"sharpen","options":{"level":3}}]`},
		{"whole elements", map[field]string{fieldOtherJSON: `[{"name":"ai-tasks","tasks":[1]},{"name":"x"}]`}, `extensions=[{"name":"ai-tasks","tasks":[1]},{"name":"x"}]`},
		{"presets before others", map[field]string{fieldOtherName: "x", fieldGoogle: on, fieldRemove: on}, `extensions=[{"name":"remove-bg"},{"name":"google-auto-tagging"},{"name":"x"}]`},
	} {
		v := startValues(api.Source{Path: "/p/photo.jpg"}, session.Profile{})
		for f, text := range c.set {
			v[f] = text
		}
		u, problems := build(api.Source{Path: "/p/photo.jpg"}, &v, session.Profile{})
		for _, p := range problems {
			t.Errorf("%s: %v", c.name, p.err)
		}
		want := "fileName=photo.jpg"
		if c.want != "" {
			want += "\n" + c.want
		}
		if got := partsOf(t, u); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

func TestBuildSpellsTheColourAsTheProfileDoes(t *testing.T) {
	p := session.Profile{ColorOption: "bg_color"}
	v := startValues(api.Source{URL: "https://example.com/a.png"}, p)
	v[fieldRemove], v[fieldColour] = on, "<red>"
	u, _ := build(api.Source{URL: "https://example.com/a.png"}, &v, p)
	if got, want := partsOf(t, u), `extensions=[{"name":"remove-bg","options":{"bg_color":"<red>"}}]`; !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(got, `\u003c`, "<"), `\u003e`, ">"), want) {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestStartValuesComeFromTheProfile(t *testing.T) {
	p := session.Profile{Folder: "/shop/", Tags: []string{"new", "2026"}, Naming: api.NameService}
	v := startValues(api.Source{URL: "https://example.com/a/b%20c.png?x=1"}, p)
	u, _ := build(api.Source{}, &v, p)
	if got, want := partsOf(t, u), "fileName=b c.png\ntags=new,2026\nfolder=/shop/"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if v.naming() != api.NameService {
		t.Errorf("naming %q", v.naming())
	}
	if v := startValues(api.Source{}, session.Profile{}); v.naming() != api.NameHere {
		t.Errorf("naming %q where the profile says nothing", v.naming())
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
		{"options are a list", map[field]string{fieldOtherName: "x", fieldOtherJSON: "[1]"}, fieldOtherJSON, "of the kind array"},
		{"options are null", map[field]string{fieldOtherName: "x", fieldOtherJSON: "null"}, fieldOtherJSON, "it is null"},
		{"elements are an object", map[field]string{fieldOtherJSON: `{"name":"x"}`}, fieldOtherJSON, "JSON array"},
		{"metadata is a list", map[field]string{fieldMetadata: "[1]"}, fieldMetadata, "JSON object"},
		{"a webhook without an address", map[field]string{fieldWebhook: webhookAddress}, fieldAddress, "no address"},
	} {
		v := startValues(api.Source{Path: "/p/photo.jpg"}, session.Profile{})
		for f, text := range c.set {
			v[f] = text
		}
		_, problems := build(api.Source{}, &v, session.Profile{})
		if len(problems) != 1 || problems[0].field != c.field || !strings.Contains(problems[0].err.Error(), c.want) {
			t.Errorf("%s: %+v, want one with %q", c.name, problems, c.want)
		}
		if len(problems) == 1 && api.Hint(problems[0].err) == "" {
			t.Errorf("%s: nothing says what helps", c.name)
		}
	}
}

func TestOwnWebhook(t *testing.T) {
	here, away := localProfile(), session.Profile{}
	for _, c := range []struct {
		name string
		p    session.Profile
		set  map[field]string
		want bool
	}{
		{"with an extension", here, map[field]string{fieldRemove: on}, true},
		{"nothing to tell", here, nil, false},
		{"no receiver", away, map[field]string{fieldRemove: on}, false},
		{"none wanted", here, map[field]string{fieldRemove: on, fieldWebhook: webhookNone}, false},
		{"another address", here, map[field]string{fieldRemove: on, fieldWebhook: webhookAddress, fieldAddress: "https://a.example"}, false},
	} {
		v := startValues(api.Source{Path: "/p/a.jpg"}, c.p)
		for f, text := range c.set {
			v[f] = text
		}
		u, _ := build(api.Source{}, &v, c.p)
		if got := ownWebhook(&u, &v, c.p); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestReadMetadata(t *testing.T) {
	for _, c := range []struct{ text, want, problem string }{
		{"", "null", ""},
		{" \n ", "null", ""},
		{"brand = Acme", `{"brand":"Acme"}`, ""},
		{"brand: Acme & Söhne <x>", `{"brand":"Acme & Söhne <x>"}`, ""},
		{"year = 2026\nok = true\nlist = [1, 2]\nquoted = \"2026\"", `{"list":[1,2],"ok":true,"quoted":"2026","year":2026}`, ""},
		{"a = b = c", `{"a":"b = c"}`, ""},
		{"at: 12:30", `{"at":"12:30"}`, ""},
		{"empty =", `{"empty":""}`, ""},
		{"\n  key = 値  \n\n", `{"key":"値"}`, ""},
		{`{"a": {"b": null}}`, `{"a":{"b":null}}`, ""},
		{"just words", "", "row 1 has no ="},
		{"a = 1\n= 2", "", "row 2 has no key"},
		{"a = 1\nb = 2\na = 3", "", `row 3 sets "a" a second time`},
		{`{"a": }`, "", "line 1"},
		{"[1]", "", "JSON object"},
	} {
		members, err := readMetadata(c.text)
		if c.problem != "" {
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%q: %v, want %q", c.text, err, c.problem)
			}
			continue
		}
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(members)
		if got := strings.TrimSpace(b.String()); err != nil || got != c.want {
			t.Errorf("%q: %s (%v), want %s", c.text, got, err, c.want)
		}
	}
}

func FuzzReadMetadata(f *testing.F) {
	for _, s := range []string{"a = 1", `{"a":1}`, "a: \"", "= =", "\x00=\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		members, err := readMetadata(text)
		if err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
		if _, bad := json.Marshal(members); bad != nil {
			t.Errorf("%q was read as what cannot be written: %v", text, bad)
		}
	})
}
