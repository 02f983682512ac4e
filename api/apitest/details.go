package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mediadesk/api/entry"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

// testDetails tests service.md §4.2.
func testDetails(t *testing.T, s *suite) {
	id := text(s.store(t, field("fileName", "details.png"), content(AlphaPNG(100, 60)), field("tags", "a,b"),
		field("customCoordinates", "1,2,3,4"))["fileId"])
	textID := text(s.store(t, field("fileName", "details.txt"), content([]byte("words")))["fileId"])
	type change struct {
		name, body string
		tags       any
		region     any
	}
	for _, c := range []change{
		{"nothing", `{}`, []string{"a", "b"}, "1,2,3,4"},
		{"percent is for uploads only", `{"tags":["100%"]}`, []string{"100%"}, "1,2,3,4"},
		{"no limit on the length", `{"tags":["` + strings.Repeat("t", 600) + `"]}`, []string{strings.Repeat("t", 600)}, "1,2,3,4"},
		{"both", `{"tags":["q"],"customCoordinates":"0,0,100,60"}`, []string{"q"}, "0,0,100,60"},
		{"empty tags", `{"tags":[]}`, nil, "0,0,100,60"},
		{"both null", `{"tags":null,"customCoordinates":null}`, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.patch(t, id, c.body)
			wantStatus(t, a, http.StatusOK)
			want(t, a.json, "tags", c.tags, "customCoordinates", c.region)
			read := s.details(t, id)
			want(t, read, "tags", c.tags, "customCoordinates", c.region)
		})
	}
	s.runStrict(t, "nothing changes nothing", func(t *testing.T) {
		before := s.details(t, id)
		want(t, s.patch(t, id, `{}`).json, "updatedAt", before["updatedAt"])
		want(t, s.details(t, id), "updatedAt", before["updatedAt"])
		s.patch(t, id, `{"description":"changed"}`)
		if now := s.details(t, id); same(now["updatedAt"], before["updatedAt"]) {
			t.Errorf("updatedAt is %v as before the change", now["updatedAt"])
		}
	})
	t.Run("response", func(t *testing.T) {
		r := s.patch(t, id, `{"tags":["r"]}`).json
		want(t, r, "fileId", id, "type", "file", "isPrivateFile", false, "fileType", "image",
			"mime", "image/png", "width", 100, "height", 60,
			"hasAlpha", true)
		wantText(t, r, "name", "filePath", "url", "thumbnail")
		if !timeForm.MatchString(text(r["createdAt"])) {
			t.Errorf("createdAt is %v", r["createdAt"])
		}
		wantAbsent(t, r, "extensionStatus")
	})
	s.runStrict(t, "trailing slash", func(t *testing.T) {
		a := s.do(t, http.MethodGet, s.detailsAddress(id)+"/", "", nil, nil)
		want(t, a.json, "fileId", id)
	})
	s.runStrict(t, "HEAD", func(t *testing.T) {
		if a := s.do(t, http.MethodHead, s.detailsAddress(id), "", nil, nil); a.status != http.StatusOK ||
			len(a.body) > 0 {
			t.Errorf("answered %d %s", a.status, a.body)
		}
	})
	t.Run("no such file", func(t *testing.T) {
		wantError(t, s.patch(t, "0123456789abcdef01234567", `{"tags":["x"]}`), http.StatusNotFound, "does not exist")
		wantError(t, s.do(t, http.MethodGet, s.detailsAddress("0123456789abcdef01234567"), "", nil, nil),
			http.StatusNotFound, "does not exist")
	})
	s.runStrict(t, "refused", func(t *testing.T) { testRefusedDetails(t, s, id, textID) })
	s.runStrict(t, "metadata of the bytes", func(t *testing.T) {
		photo := s.store(t, field("fileName", "photo.jpg"), content(PhotoJPEG(40, 30, 6)))
		for _, path := range []string{"/v1/files/" + text(photo["fileId"]) + "/metadata", "/v1/metadata?url=" + url.QueryEscape(text(photo["url"]))} {
			a := s.call(t, http.StatusOK, http.MethodGet, path, "")
			want(t, a.json, "format", "jpg", "width", 40, "height", 30, "size", photo["size"],
				"hasTransparency", false)
			want(t, object(object(a.json, "exif"), "image"), "Make", "Pentacon", "Orientation", 6)
		}
		a := s.call(t, http.StatusOK, http.MethodGet, "/v1/files/"+textID+"/metadata", "")
		want(t, a.json, "format", "plain")
		s.fails(t, http.StatusNotFound, http.MethodGet, "/v1/files/0123456789abcdef01234567/metadata", "", "does not exist")
		s.fails(t, http.StatusBadRequest, http.MethodGet, "/v1/metadata?url=http://127.0.0.1:1/photo.jpg", "", "url")
		s.fails(t, http.StatusBadRequest, http.MethodGet, "/v1/metadata", "", "url")
	})
}

func testRefusedDetails(t *testing.T, s *suite, id, textID string) {
	wantError(t, s.patch(t, "nonsense", `{}`), http.StatusBadRequest, "fileId")
	for body, word := range map[string]string{
		`{"tags":"a,b"}`:                     "tags",
		`{"tags":["a",1]}`:                   "tags",
		`{"tags":["a",null]}`:                "tags",
		`{"tags":[""]}`:                      "tags",
		`{"customCoordinates":[1,2,3,4]}`:    "customCoordinates",
		`{"customCoordinates":""}`:           "customCoordinates",
		`{"customCoordinates":"1,2,3"}`:      "customCoordinates",
		`{"customCoordinates":"0,0,101,60"}`: "customCoordinates",
		`{"isPrivateFile":true}`:             "isPrivateFile",
		`{"customMetadata":{"no_such":1}}`:   "no_such",
		`{"extensions":[{}]}`:                "extensions",
		`{"extensions":[{"name":"aws-auto-tagging","minConfidence":-1}]}`: "extensions",
		`{"tags":["a"],"tags":["b"]}`:                                     "tags",
		`{"webhookUrl":"nowhere"}`:                                        "webhookUrl",
		`{"webhookUrl":"https://user:word@example.com/"}`:                 "webhookUrl",
		`{"customMetadata":{"no_such":1,"no_such":2}}`:                    "twice",
		`{"removeAITags":5}`:                                              "removeAITags",
		`[]`:                                                              "object",
		`null`:                                                            "object",
		`{"tags":["a"]`:                                                   "object",
	} {
		wantError(t, s.patch(t, id, body), http.StatusBadRequest, word)
	}
	wantError(t, s.patch(t, textID, `{"customCoordinates":"0,0,1,1"}`), http.StatusBadRequest, "image")
	want(t, s.details(t, id), "tags", []string{"r"})
}

// testStored tests every field of a stored file as the table has them: it is set by an upload, changed and
// removed by a details update, and refused with a value of another type.
func testStored(t *testing.T, s *suite) {
	key := s.metadataField(t, "Text")
	values := map[string][2]string{ // of an upload, and as JSON of an update
		rule.FieldTags:        {"a,b", `["x","y z"]`},
		rule.FieldRegion:      {"1,2,3,4", `"5,6,7,8"`},
		rule.FieldMetadata:    {js(key, "old"), js(key, "new")},
		rule.FieldDescription: {"old words", `"some words"`},
	}
	for _, f := range entry.StoredFields {
		t.Run(f.Name, func(t *testing.T) {
			value, ok := values[f.Name]
			if !ok {
				t.Fatal("the contract has no values for this field")
			}
			r := s.store(t, field("fileName", "stored.png"), content(PNG(30, 30)), field(f.Name, value[0]))
			id := text(r["fileId"])
			before := s.details(t, id)
			if got := before[f.Name]; got == nil || same(got, json.RawMessage(value[1])) {
				t.Errorf("after the upload it is %v, want %s", got, value[0])
			}
			want(t, s.patch(t, id, `{"`+f.Name+`":`+value[1]+`}`).json, f.Name, json.RawMessage(value[1]))
			after := s.details(t, id)
			want(t, after, f.Name, json.RawMessage(value[1]))
			for _, other := range entry.StoredFields {
				if other.Name != f.Name && !same(before[other.Name], after[other.Name]) {
					t.Errorf("the update changed %s to %v", other.Name, after[other.Name])
				}
			}
			wantError(t, s.patch(t, id, `{"`+f.Name+`":5}`), http.StatusBadRequest, f.Name)
			wantStatus(t, s.patch(t, id, `{"`+f.Name+`":null}`), http.StatusOK)
			if got := s.details(t, id)[f.Name]; got != nil && !same(got, map[string]any{}) {
				t.Errorf("null leaves %v", got)
			}
		})
	}
}

// testPublished tests that an unpublished version is not delivered (hosted-service.md §10 and §12).
func testPublished(t *testing.T, s *suite) {
	s.strict(t)
	folder := s.folder + "published/"
	parts := func(more ...part) []part {
		return append(more, field("folder", folder), field("fileName", "p.txt"),
			field("useUniqueFileName", "false"), field("responseFields", "isPublished"))
	}
	wantPublic := func(about, address string, status int) {
		t.Helper()
		mediatest.Equal(t, s.getAnonymous(t, address).status, status, "%s: anonymous users get", about)
	}
	draft := s.store(t, parts(content([]byte("draft")), field("isPublished", "false"))...)
	id, address := text(draft["fileId"]), text(draft["url"])
	want(t, draft, "isPublished", false)
	want(t, s.details(t, id), "isPublished", false)
	wantPublic("a draft", address, http.StatusNotFound)
	wantPublic("its transformation", s.DeliveryURL+"/tr:f-auto"+text(draft["filePath"]), http.StatusNotFound)
	if a := s.do(t, http.MethodGet, address, "", nil, nil); a.status != http.StatusOK ||
		string(a.body) != "draft" {
		t.Errorf("the owner gets %d %s", a.status, a.body)
	}
	wantNames(t, s.list(t, "searchQuery", `published = false AND path = "`+folder+`"`), "[p.txt]")
	wantNames(t, s.list(t, "searchQuery", `published = true AND path = "`+folder+`"`), "[]")

	next := s.store(t, parts(content([]byte("next")))...)
	want(t, next, "isPublished", true)
	wantPublic("the next version", address, http.StatusOK)
	wantPublic("the version before", address+"?ik-obj-version="+id, http.StatusNotFound)
	wantNames(t, s.list(t, "searchQuery", `published = false AND type = "file-version" AND path = "`+folder+`"`), "[p.txt]")

	states := func() (list []any) {
		listed := s.call(t, http.StatusOK, http.MethodGet, "/v1/files/"+id+"/versions", "")
		for _, v := range records(t, listed) {
			list = append(list, v["isPublished"])
		}
		return list
	}
	patch := func(status int, body string) answer {
		return s.call(t, status, http.MethodPatch, "/v1/files/"+id+"/details", body)
	}
	for _, c := range []struct {
		body string
		want []any
	}{
		{`{"publish":{"isPublished":true,"includeFileVersions":true}}`, []any{true, true}},
		{`{"publish":{"isPublished":false}}`, []any{false, true}},
		{`{"publish":{"isPublished":false,"includeFileVersions":true}}`, []any{false, false}},
		{`{"publish":{"isPublished":true,"includeFileVersions":false}}`, []any{true, false}},
	} {
		want(t, patch(http.StatusOK, c.body).json, "isPublished", c.want[0])
		if got := states(); !same(got, c.want) {
			t.Errorf("%s: the versions are published %v, want %v", c.body, got, c.want)
		}
	}
	for _, bad := range []string{`{"publish":1}`, `{"publish":null}`, `{"publish":{}}`, `{"publish":{"isPublished":"no"}}`, `{"publish":{"isPublished":true,"more":1}}`, `{"publish":{"isPublished":true},"tags":["a"]}`} {
		patch(http.StatusBadRequest, bad)
	}
	// A copy keeps the state of its source.
	patch(http.StatusOK, `{"publish":{"isPublished":false}}`)
	s.call(t, http.StatusNoContent, http.MethodPost, "/v1/files/copy",
		js("sourceFilePath", folder+"p.txt", "destinationPath", folder+"copy/"))
	copied := s.list(t, "path", folder+"copy/")
	wantNames(t, copied, "[p.txt]")
	want(t, copied[0], "isPublished", false)
	wantPublic("a copy", text(copied[0]["url"]), http.StatusNotFound)
	// A restored version keeps its state.
	s.call(t, http.StatusOK, http.MethodPut, "/v1/files/"+id+"/versions/"+id+"/restore", "")
	wantPublic("a draft that is restored", address, http.StatusNotFound)
}

// testOverwrite tests all combinations of the overwrite switches in service.md §4.1.
func testOverwrite(t *testing.T, s *suite) {
	key := s.metadataField(t, "Text")
	photo := PhotoJPEG(64, 48, 1)
	requested := field("responseFields", "tags,customCoordinates,customMetadata")
	step := mediatest.Rounds(7, 1) // with 7, each switch meets each state of what it is about
	for bits := 0; bits < 1<<6; bits += step {
		has := func(n int) bool { return bits&(1<<n) != 0 }
		onOff := func(n int) string { return fmt.Sprint(has(n)) }
		name := fmt.Sprintf("tags=%t,metadata=%t,region=%t,overwriteTags=%s,overwriteAITags=%s,overwriteCustomMetadata=%s", has(0), has(1), has(2), onOff(3), onOff(4), onOff(5))
		t.Run(name, func(t *testing.T) {
			file := fmt.Sprintf("over-%d-%s.jpg", bits, random())
			first := s.store(t, exact(file, photo, field("tags", "old,older"), field("customCoordinates", "1,2,3,4"),
				field("customMetadata", `{"`+key+`":"old"}`), field("extensions", `[{"name":"google-auto-tagging","maxTags":3}]`))...)
			id := text(first["fileId"])
			found := any(s.tagged(t, id))
			parts := exact(file, photo, requested, field("overwriteTags", onOff(3)),
				field("overwriteAITags", onOff(4)), field("overwriteCustomMetadata", onOff(5)))
			tags, region, metadata := any([]string{"old", "older"}), any(nil),
				any(map[string]string{key: "old"})
			if has(3) {
				tags = nil
			}
			if has(5) {
				metadata = map[string]string{}
			}
			if has(0) {
				parts, tags = append(parts, field("tags", "new")), []string{"new"}
			}
			if has(1) {
				parts, metadata = append(parts, field("customMetadata", `{"`+key+`":"new"}`)),
					map[string]string{key: "new"}
			}
			if has(2) {
				parts, region = append(parts, field("customCoordinates", "5,6,7,8")), "5,6,7,8"
			}
			if has(4) {
				found = nil
			}
			second := s.store(t, parts...)
			want(t, second, "fileId", id, "tags", tags, "AITags", found, "customCoordinates", region,
				"customMetadata", metadata)
		})
	}
	t.Run("defaults remove", func(t *testing.T) {
		file := "defaults-" + random() + ".jpg"
		first := s.store(t, exact(file, photo, field("tags", "old"), field("customCoordinates", "1,2,3,4"),
			field("customMetadata", `{"`+key+`":"old"}`), field("isPrivateFile", "true"))...)
		r := s.store(t, exact(file, photo, requested)...)
		want(t, r, "isPrivateFile", false)
		if s.Strict {
			want(t, r, "createdAt", first["createdAt"]) // service.md §2.1: time of the first upload
		}
		want(t, r, "tags", nil, "customCoordinates", nil, "customMetadata", map[string]string{})
	})
	t.Run("overwriteFile off", func(t *testing.T) {
		file := "never-" + random()
		first := s.store(t, exact(file, []byte("1"), field("overwriteFile", "false"))...)
		s.refused(t, "already exists", exact(file, []byte("2"), field("overwriteFile", "false"))...)
		r := s.details(t, text(first["fileId"]))
		want(t, r, "size", 1, "versionInfo", first["versionInfo"])
		other := s.store(t, field("fileName", file), content([]byte("3")), field("overwriteFile", "false"))
		if other["fileId"] == first["fileId"] {
			t.Error("with a unique name overwriteFile replaced the file")
		}
		inFolder := s.store(t,
			exact(file, []byte("4"), field("overwriteFile", "false"), field("folder", s.folder+"else"))...)
		if inFolder["fileId"] == first["fileId"] {
			t.Error("the same name in another folder replaced the file")
		}
	})
}

// testVersions tests service.md §9.
func testVersions(t *testing.T, s *suite) {
	file := "versions-" + random()
	first := s.store(t, exact(file, []byte("1"))...)
	second := s.store(t, exact(file, []byte("22"))...)
	want(t, second, "fileId", first["fileId"], "size", 2)
	version := object(second, "versionInfo")
	want(t, version, "name", "Version 2")
	if version["id"] == first["fileId"] {
		t.Error("the second version has the id of the first")
	}
	s.runStrict(t, "at most 100", func(t *testing.T) {
		for n := 3; n <= 100; n++ {
			s.store(t, exact(file, []byte(fmt.Sprint(n)))...)
		}
		s.refused(t, "100 versions", exact(file, []byte("101"))...)
		r := s.details(t, text(first["fileId"]))
		want(t, object(r, "versionInfo"), "name", "Version 100")
	})
}

// metadataField creates a custom metadata field as schemaField does and returns its name.
func (s *suite) metadataField(t *testing.T, kind string) string {
	t.Helper()
	name, _ := s.schemaField(t, js("type", kind, "selectOptions", []any{"one", "two", 3}))
	return name
}

// testMetadata tests that keys must exist as fields before use (service.md §2.1, §4.1).
func testMetadata(t *testing.T, s *suite) {
	s.refused(t, "no_such_key", small("meta", field("customMetadata", `{"no_such_key":1}`))...)
	for _, c := range []struct{ kind, good, bad string }{
		{"Text", `"words"`, `1`},
		{"Textarea", `"words\nand more"`, `true`},
		{"Number", `1.5`, `"1.5"`},
		{"Boolean", `false`, `"false"`},
		{"Date", `"2026-01-31T10:00:00.000Z"`, `"yesterday"`},
		{"SingleSelect", `"one"`, `"four"`},
		{"MultiSelect", `["one",3]`, `["one","four"]`},
	} {
		t.Run(c.kind, func(t *testing.T) {
			key := s.metadataField(t, c.kind)
			r := s.store(t, small("meta", field("customMetadata", `{"`+key+`":`+c.good+`}`), field("responseFields", "customMetadata"))...)
			want(t, r, "customMetadata", map[string]json.RawMessage{key: json.RawMessage(c.good)})
			id := text(r["fileId"])
			s.runStrict(t, "misfit", func(t *testing.T) {
				s.refused(t, key, small("meta", field("customMetadata", `{"`+key+`":`+c.bad+`}`))...)
				wantError(t, s.patch(t, id, `{"customMetadata":{"`+key+`":`+c.bad+`}}`), http.StatusBadRequest, key)
			})
			a := s.patch(t, id, `{"customMetadata":{"`+key+`":null}}`)
			wantStatus(t, a, http.StatusOK)
			want(t, s.details(t, id), "customMetadata", map[string]string{})
		})
	}
}
