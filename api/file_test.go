package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

const fullRecord = `{
  "fileId": "598821f949c0a938d57563bd", "type": "file", "name": "a.jpg", "filePath": "/a/a.jpg",
  "url": "https://d.example/a/a.jpg", "thumbnailUrl": "https://d.example/tr:n-t/a/a.jpg",
  "thumbnail": "https://d.example/t",
  "fileType": "image", "mime": "image/jpeg", "height": 300, "width": 200, "size": 83622, "hasAlpha": false,
  "tags": ["t-shirt", "round-neck"],
  "AITags": [{"name": "Shirt", "confidence": 90.12, "source": "google-auto-tagging"}],
  "versionInfo": {"id": "598821f949c0a938d57563bd", "name": "Version 1"}, "isPrivateFile": true,
  "customCoordinates": "10,20,30,40",
  "customMetadata": {"brand": "Acme"}, "embeddedMetadata": {"exif": {"Make": "X"}}, "description": "d",
  "createdAt": "2019-08-24T06:14:41.313Z", "updatedAt": "2019-08-24T06:15:41.313Z",
  "extensionStatus": {"remove-bg": "pending", "google-auto-tagging": "success", "aws-auto-tagging": "failed"},
  "folderId": "f1", "folderPath": "/a", "unknown": {"x": 1}
}`

func read(t *testing.T, text string) *api.File {
	t.Helper()
	f := new(api.File)
	if err := json.Unmarshal([]byte(text), f); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

// TestFullRecord reads every field of service.md §2.1.
func TestFullRecord(t *testing.T) {
	f := read(t, fullRecord)
	for what, ok := range map[string]bool{
		"fileId":            f.FileID == "598821f949c0a938d57563bd",
		"type":              f.Type == api.TypeFile && !f.IsFolder(),
		"name":              f.Name == "a.jpg",
		"filePath":          f.FilePath == "/a/a.jpg",
		"url":               f.URL == "https://d.example/a/a.jpg",
		"thumbnailUrl":      f.ThumbnailURL == "https://d.example/tr:n-t/a/a.jpg" && api.ThumbURL(f) == f.ThumbnailURL,
		"thumbnail":         f.Thumbnail == "https://d.example/t",
		"fileType":          f.FileType == api.KindImage && f.IsImage(),
		"mime":              f.Mime == "image/jpeg",
		"height":            f.Height == api.Set(300),
		"width":             f.Width == api.Set(200),
		"size":              f.Size == api.Set(int64(83622)),
		"hasAlpha":          f.HasAlpha == api.Set(false),
		"tags":              len(f.Tags.Or(nil)) == 2 && f.Tags.Or(nil)[1] == "round-neck",
		"AITags":            len(f.AITags.Or(nil)) == 1 && f.AITags.Or(nil)[0] == api.AITag{Name: "Shirt", Confidence: 90.12, Source: "google-auto-tagging"},
		"versionInfo":       f.VersionInfo != nil && *f.VersionInfo == api.VersionInfo{ID: "598821f949c0a938d57563bd", Name: "Version 1"},
		"isPrivateFile":     f.IsPrivateFile == api.Set(true),
		"customCoordinates": f.CustomCoordinates == api.Set("10,20,30,40"),
		"customMetadata":    string(f.CustomMetadata["brand"]) == `"Acme"`,
		"embeddedMetadata":  string(f.EmbeddedMetadata["exif"]) == `{"Make": "X"}`,
		"description":       f.Other.Text("description") == "d",
		"createdAt":         rule.Created(f).Equal(time.Date(2019, 8, 24, 6, 14, 41, 313e6, time.UTC)),
		"updatedAt":         rule.Updated(f).Format(api.TimeLayout) == f.UpdatedAt,
		"extensionStatus":   f.ExtensionStatus["remove-bg"] == api.StatusPending && f.ExtensionStatus["google-auto-tagging"] == api.StatusSuccess && f.ExtensionStatus["aws-auto-tagging"] == api.StatusFailed,
		"folder":            f.FolderID == "f1" && f.FolderPath == "/a",
		"raw":               string(f.Raw) == fullRecord,
	} {
		if !ok {
			t.Errorf("%s is wrong in %+v", what, f)
		}
	}
	if w, h, ok := rule.PixelSize(f); w != 200 || h != 300 || !ok {
		t.Errorf("size %d x %d, %v", w, h, ok)
	}
}

// TestRecordWithoutOrWithStrangeFields: a record is read although a field is missing, null, or of
// another type. Its other fields are not affected.
func TestRecordWithoutOrWithStrangeFields(t *testing.T) {
	var members map[string]json.RawMessage
	must(t, json.Unmarshal([]byte(fullRecord), &members))
	for name, good := range members {
		for _, other := range []string{"", `null`, `"x"`, `-1`, `1.5`, `1e300`, `true`, `[]`, `[1,"a",null]`, `{}`, `{"id":1,"name":[]}`, `"` + strings.Repeat("x", 1000) + `"`} {
			if other == "" {
				delete(members, name)
			} else {
				members[name] = json.RawMessage(other)
			}
			text, err := json.Marshal(members)
			must(t, err)
			f := read(t, string(text))
			if name != "fileId" && f.FileID != "598821f949c0a938d57563bd" ||
				name != "size" && f.Size != api.Set(int64(83622)) {
				t.Errorf("%s = %s spoils the rest: %+v", name, other, f)
			}
			// No method panics on it, and it can be stored.
			rule.PixelSize(f)
			api.ThumbURL(f)
			rule.Created(f)
			kept, err := json.Marshal(f)
			if err != nil {
				t.Errorf("%s = %s cannot be written: %v", name, other, err)
			}
			read(t, string(kept))
		}
		members[name] = good
	}
}

func TestRecordDetails(t *testing.T) {
	null := read(t, `{"fileId":"1","tags":null,"AITags":null,"customCoordinates":null}`)
	if !null.Tags.IsNull() || !null.AITags.IsNull() || !null.CustomCoordinates.IsNull() {
		t.Errorf("null is not kept: %+v", null)
	}
	missing := read(t, `{"fileId":"1"}`)
	if !missing.Tags.IsZero() || !missing.AITags.IsZero() || !missing.CustomCoordinates.IsZero() ||
		missing.VersionInfo != nil || missing.ExtensionStatus != nil {
		t.Errorf("missing is not absent: %+v", missing)
	}
	if _, _, ok := rule.PixelSize(missing); ok || !rule.Created(missing).IsZero() ||
		api.ThumbURL(missing) != "" {
		t.Error("an empty record must not claim anything")
	}
	mediatest.Equal(t, api.ThumbURL(read(t, `{"thumbnail":"https://d.example/t"}`)), "https://d.example/t",
		"thumbnail of a details answer is not found")
	if f := read(t, `{"size":9223372036854775807,"width":9223372036854775808}`); f.Size != api.Set(int64(1<<63-1)) || !f.Width.IsZero() {
		t.Errorf("large numbers: %+v", f)
	}
	if f := read(t, `{"tags":["a",1]}`); !f.Tags.IsZero() {
		t.Errorf("half of a list was kept: %+v", f.Tags)
	}
	states := read(t, `{"extensionStatus":{"a":"pending","b":1,"c":null,"d":"odd"}}`).ExtensionStatus
	if len(states) != 2 || states["a"] != "pending" || states["d"] != "odd" {
		t.Errorf("statuses %v", states)
	}
	mediatest.Equal(t, read(t, `{"FILEID":"1","fileid":"2"}`).FileID, "",
		"names of other case are other names")
	for _, text := range []string{`null`, `[]`, `"x"`, `1`, ``, `{`, `{"fileId":"1"}x`} {
		if json.Unmarshal([]byte(text), new(api.File)) == nil {
			t.Errorf("%q was read as a record", text)
		}
	}
}
