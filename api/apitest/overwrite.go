package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// testOverwrite tests all combinations of the overwrite switches in service.md §4.1.
func testOverwrite(t *testing.T, s *suite) {
	key := s.metadataField(t, "Text")
	photo := PhotoJPEG(64, 48, 1)
	asked := field("responseFields", "tags,customCoordinates,customMetadata")
	for bits := range 1 << 6 {
		has := func(n int) bool { return bits&(1<<n) != 0 }
		onOff := func(n int) string { return fmt.Sprint(has(n)) }
		name := fmt.Sprintf("tags=%t,metadata=%t,region=%t,overwriteTags=%s,overwriteAITags=%s,overwriteCustomMetadata=%s", has(0), has(1), has(2), onOff(3), onOff(4), onOff(5))
		t.Run(name, func(t *testing.T) {
			file := fmt.Sprintf("over-%d-%s.jpg", bits, random())
			first := s.store(t, exact(file, photo, field("tags", "old,older"), field("customCoordinates", "1,2,3,4"),
				field("customMetadata", `{"`+key+`":"old"}`), field("extensions", `[{"name":"google-auto-tagging","maxTags":3}]`))...)
			id := text(first["fileId"])
			found := any(s.tagged(t, id))
			parts := exact(file, photo, asked, field("overwriteTags", onOff(3)), field("overwriteAITags", onOff(4)), field("overwriteCustomMetadata", onOff(5)))
			tags, region, metadata := any([]string{"old", "older"}), any(nil), any(map[string]string{key: "old"})
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
				parts, metadata = append(parts, field("customMetadata", `{"`+key+`":"new"}`)), map[string]string{key: "new"}
			}
			if has(2) {
				parts, region = append(parts, field("customCoordinates", "5,6,7,8")), "5,6,7,8"
			}
			if has(4) {
				found = nil
			}
			second := s.store(t, parts...)
			want(t, second, "fileId", id, "tags", tags, "AITags", found, "customCoordinates", region, "customMetadata", metadata)
		})
	}
	t.Run("defaults remove", func(t *testing.T) {
		file := "defaults-" + random() + ".jpg"
		first := s.store(t, exact(file, photo, field("tags", "old"), field("customCoordinates", "1,2,3,4"), field("customMetadata", `{"`+key+`":"old"}`), field("isPrivateFile", "true"))...)
		r := s.store(t, exact(file, photo, asked)...)
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
		inFolder := s.store(t, exact(file, []byte("4"), field("overwriteFile", "false"), field("folder", s.folder+"else"))...)
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
	version, _ := second["versionInfo"].(map[string]any)
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
		want(t, r["versionInfo"].(map[string]any), "name", "Version 100")
	})
}

// metadataField creates a custom metadata field and returns its name.
func (s *suite) metadataField(t *testing.T, kind string) string {
	t.Helper()
	name := "field_" + random()
	body := fmt.Sprintf(`{"name":%q,"label":%[1]q,"schema":{"type":%[2]q,"selectOptions":["one","two",3]}}`, name, kind)
	a := s.do(t, http.MethodPost, s.BaseURL+"/v1/customMetadataFields", "application/json", strings.NewReader(body), nil)
	wantStatus(t, a, http.StatusCreated)
	return name
}

// testMetadata tests that keys must exist as fields before use (service.md §2.1, §4.1).
func testMetadata(t *testing.T, s *suite) {
	s.refused(t, "no_such_key", field("fileName", "meta"), content([]byte("x")), field("customMetadata", `{"no_such_key":1}`))
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
			r := s.store(t, field("fileName", "meta"), content([]byte("x")), field("customMetadata", `{"`+key+`":`+c.good+`}`), field("responseFields", "customMetadata"))
			want(t, r, "customMetadata", map[string]json.RawMessage{key: json.RawMessage(c.good)})
			id := text(r["fileId"])
			s.runStrict(t, "misfit", func(t *testing.T) {
				s.refused(t, key, field("fileName", "meta"), content([]byte("x")), field("customMetadata", `{"`+key+`":`+c.bad+`}`))
				wantError(t, s.patch(t, id, `{"customMetadata":{"`+key+`":`+c.bad+`}}`), http.StatusBadRequest, key)
			})
			a := s.patch(t, id, `{"customMetadata":{"`+key+`":null}}`)
			wantStatus(t, a, http.StatusOK)
			want(t, s.details(t, id), "customMetadata", map[string]string{})
		})
	}
}
