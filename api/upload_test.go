package api_test

import (
	"encoding/json"
	"slices"
	"testing"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/rule"
)

// fullUpload has every request field of service.md §4.1 set.
func fullUpload(source api.Source) *api.Upload {
	return &api.Upload{
		Source:                  source,
		FileName:                "день 1.jpg",
		UseUniqueFileName:       api.Set(false),
		Tags:                    api.Set([]string{"summer", "am Meer"}),
		Folder:                  api.Set("/a/b/"),
		IsPrivateFile:           api.Set(true),
		CustomCoordinates:       api.Set("10,20,300,200"),
		ResponseFields:          api.Set([]string{"tags", "customMetadata"}),
		Extensions:              api.Set([]api.Extension{{Name: "remove-bg", Options: map[string]json.RawMessage{"add_shadow": json.RawMessage("true")}}, {Name: "google-auto-tagging", MaxTags: api.Set(5), MinConfidence: api.Set(0)}}),
		WebhookURL:              api.Set("https://example.com/hook?a=b&c=d"),
		OverwriteFile:           api.Set(true),
		OverwriteAITags:         api.Set(false),
		OverwriteTags:           api.Set(false),
		OverwriteCustomMetadata: api.Set(false),
		CustomMetadata:          api.Set(map[string]json.RawMessage{"brand": json.RawMessage(`"Acme"`), "year": json.RawMessage("2026")}),
		Other:                   api.Members{"description": []byte(`"two\r\nlines"`), "checks": []byte(`"\"file.size\" < \"2mb\""`)},
		Transformation:          api.Set(api.Transformation{Pre: "w-1600,q-80", Post: []api.PostTransformation{{Type: rule.PostStream, Value: "sr-360_720", Protocol: "hls"}}}),
	}
}

// fullParts are the parts of fullUpload: each field once, booleans as words, lists joined with commas,
// and JSON as text.
var fullParts = []api.Part{
	{Name: "fileName", Value: "день 1.jpg"},
	{Name: "useUniqueFileName", Value: "false"},
	{Name: "folder", Value: "/a/b/"},
	{Name: "isPrivateFile", Value: "true"},
	{Name: "checks", Value: `"file.size" < "2mb"`},
	{Name: "description", Value: "two\r\nlines"},
	{Name: "transformation", Value: `{"pre":"w-1600,q-80","post":[{"type":"abs","value":"sr-360_720","protocol":"hls"}]}`},
	{Name: "tags", Value: "summer,am Meer"},
	{Name: "customCoordinates", Value: "10,20,300,200"},
	{Name: "extensions", Value: `[{"name":"remove-bg","options":{"add_shadow":true}},{"maxTags":5,"minConfidence":0,"name":"google-auto-tagging"}]`},
	{Name: "overwriteFile", Value: "true"},
	{Name: "overwriteTags", Value: "false"},
	{Name: "overwriteAITags", Value: "false"},
	{Name: "overwriteCustomMetadata", Value: "false"},
	{Name: "customMetadata", Value: `{"brand":"Acme","year":2026}`},
	{Name: "responseFields", Value: "tags,customMetadata"},
	{Name: "webhookUrl", Value: "https://example.com/hook?a=b&c=d"},
}

// TestPartsKeepAbsentEmptyAndFalseApart: absent and null fields are not sent; empty and false ones are.
func TestPartsKeepAbsentEmptyAndFalseApart(t *testing.T) {
	for _, test := range []struct {
		about string
		u     api.Upload
		want  []api.Part
	}{
		{"absent", api.Upload{}, nil},
		{"null", api.Upload{
			UseUniqueFileName: api.Null[bool](), Tags: api.Null[[]string](), Folder: api.Null[string](), IsPrivateFile: api.Null[bool](),
			CustomCoordinates: api.Null[string](), ResponseFields: api.Null[[]string](), Extensions: api.Null[[]api.Extension](), WebhookURL: api.Null[string](),
			OverwriteFile: api.Null[bool](), OverwriteAITags: api.Null[bool](), OverwriteTags: api.Null[bool](), OverwriteCustomMetadata: api.Null[bool](),
			CustomMetadata: api.Null[map[string]json.RawMessage](), Other: api.Members{"description": []byte("null")},
		}, nil},
		{"empty", api.Upload{
			Tags: api.Set([]string{}), Folder: api.Set(""), ResponseFields: api.Set([]string{}), Extensions: api.Set([]api.Extension{}),
			CustomMetadata: api.Set(map[string]json.RawMessage{}), Other: api.Members{"description": []byte(`""`)},
		}, []api.Part{{Name: "folder"}, {Name: "description"}, {Name: "tags"}, {Name: "extensions", Value: "[]"}, {Name: "customMetadata", Value: "{}"}, {Name: "responseFields"}}},
		{"nil lists that are set", api.Upload{
			Tags: api.Set([]string(nil)), Extensions: api.Set([]api.Extension(nil)), CustomMetadata: api.Set(map[string]json.RawMessage(nil)),
		}, []api.Part{{Name: "tags"}, {Name: "extensions", Value: "[]"}, {Name: "customMetadata", Value: "{}"}}},
		{"false", api.Upload{
			UseUniqueFileName: api.Set(false), IsPrivateFile: api.Set(false), OverwriteFile: api.Set(false),
			OverwriteAITags: api.Set(false), OverwriteTags: api.Set(false), OverwriteCustomMetadata: api.Set(false),
		}, []api.Part{
			{Name: "useUniqueFileName", Value: "false"},
			{Name: "isPrivateFile", Value: "false"},
			{Name: "overwriteFile", Value: "false"},
			{Name: "overwriteTags", Value: "false"},
			{Name: "overwriteAITags", Value: "false"},
			{Name: "overwriteCustomMetadata", Value: "false"},
		}},
		{"true", api.Upload{UseUniqueFileName: api.Set(true), OverwriteTags: api.Set(true)}, []api.Part{{Name: "useUniqueFileName", Value: "true"}, {Name: "overwriteTags", Value: "true"}}},
	} {
		t.Run(test.about, func(t *testing.T) {
			test.u.FileName = "a.jpg"
			want := append([]api.Part{{Name: "fileName", Value: "a.jpg"}}, test.want...)
			got, err := test.u.Parts()
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("got %q, %v\nwant %q", got, err, want)
			}
			// The journal stores an upload as JSON, which keeps the parts.
			text, err := json.Marshal(test.u)
			must(t, err)
			var back api.Upload
			must(t, json.Unmarshal(text, &back))
			if again, err := back.Parts(); err != nil || !slices.Equal(again, want) {
				t.Errorf("after the journal %q, %v\nwant %q", again, err, want)
			}
			if second, _ := json.Marshal(back); string(second) != string(text) {
				t.Errorf("after the journal %s\nwant %s", second, text)
			}
		})
	}
}

// TestUploadCheck: check finds every broken rule of service.md §4.1, not only the first.
func TestUploadCheck(t *testing.T) {
	if found := entry.CheckUpload(fullUpload(api.Source{Path: "x"})); found != nil {
		t.Errorf("a good upload: %v", found)
	}
	bad := api.Upload{
		Source:            api.Source{URL: "/etc/passwd"},
		Tags:              api.Set([]string{"50%"}),
		Folder:            api.Set("/a b/"),
		CustomCoordinates: api.Set(""),
		ResponseFields:    api.Set([]string{"tags", "size"}),
		Extensions:        api.Set([]api.Extension{{}}),
		WebhookURL:        api.Set("example.com"),
	}
	fields := []string{"fileName", "folder", "tags", "customCoordinates", "extensions", "responseFields", "webhookUrl", "file"}
	found := entry.CheckUpload(&bad)
	if len(found) != len(fields) {
		t.Fatalf("found %d faults %v, want %d", len(found), found, len(fields))
	}
	for i, field := range fields {
		wantRule(t, found[i], field)
	}
	null := api.Upload{
		FileName: "a", Tags: api.Null[[]string](), Folder: api.Null[string](),
		CustomCoordinates: api.Null[string](), WebhookURL: api.Null[string](),
	}
	if found := entry.CheckUpload(&null); found != nil {
		t.Errorf("null fields: %v", found)
	}
}

func TestApplyNaming(t *testing.T) {
	u := api.Upload{FileName: "a.jpg", OverwriteFile: api.Set(true)}
	here := u
	job.ApplyNaming(&here, job.NameHere)
	if here.FileName == "a.jpg" || here.UseUniqueFileName != api.Set(false) ||
		here.OverwriteFile != api.Set(false) {
		t.Errorf("here: %+v; a repeat could store twice", here)
	}
	service := u
	job.ApplyNaming(&service, job.NameService)
	if service.FileName != "a.jpg" || !service.UseUniqueFileName.Or(true) {
		t.Errorf("service: %+v", service)
	}
	exact := u
	job.ApplyNaming(&exact, job.NameExact)
	if exact.FileName != "a.jpg" || exact.UseUniqueFileName != api.Set(false) ||
		exact.OverwriteFile != api.Set(true) {
		t.Errorf("exact: %+v", exact)
	}
}
