package apitest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// testDetails tests service.md §4.2.
func testDetails(t *testing.T, s *suite) {
	id := text(s.store(t, field("fileName", "details.png"), content(AlphaPNG(100, 60)), field("tags", "a,b"), field("customCoordinates", "1,2,3,4"))["fileId"])
	textID := text(s.store(t, field("fileName", "details.txt"), content([]byte("words")))["fileId"])
	type change struct {
		name, body string
		tags       any
		region     any
	}
	for _, c := range []change{
		{"nothing", `{}`, []string{"a", "b"}, "1,2,3,4"},
		{"tags", `{"tags":["x","y z"]}`, []string{"x", "y z"}, "1,2,3,4"},
		{"region", `{"customCoordinates":"5,6,7,8"}`, []string{"x", "y z"}, "5,6,7,8"},
		{"percent is for uploads only", `{"tags":["100%"]}`, []string{"100%"}, "5,6,7,8"},
		{"no limit on the length", `{"tags":["` + strings.Repeat("t", 600) + `"]}`, []string{strings.Repeat("t", 600)}, "5,6,7,8"},
		{"null tags", `{"tags":null}`, nil, "5,6,7,8"},
		{"null region", `{"customCoordinates":null}`, nil, nil},
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
		want(t, r, "fileId", id, "type", "file", "isPrivateFile", false, "fileType", "image", "mime", "image/png", "width", 100, "height", 60,
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
		if a := s.do(t, http.MethodHead, s.detailsAddress(id), "", nil, nil); a.status != http.StatusOK || len(a.body) > 0 {
			t.Errorf("answered %d %s", a.status, a.body)
		}
	})
	t.Run("no such file", func(t *testing.T) {
		wantError(t, s.patch(t, "0123456789abcdef01234567", `{"tags":["x"]}`), http.StatusNotFound, "does not exist")
		wantError(t, s.do(t, http.MethodGet, s.detailsAddress("0123456789abcdef01234567"), "", nil, nil), http.StatusNotFound, "does not exist")
	})
	s.runStrict(t, "refused", func(t *testing.T) {
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
	})
	s.runStrict(t, "metadata of the bytes", func(t *testing.T) {
		photo := s.store(t, field("fileName", "photo.jpg"), content(PhotoJPEG(40, 30, 6)))
		for _, path := range []string{"/v1/files/" + text(photo["fileId"]) + "/metadata", "/v1/metadata?url=" + url.QueryEscape(text(photo["url"]))} {
			a := s.call(t, http.StatusOK, http.MethodGet, path, "")
			want(t, a.json, "format", "jpg", "width", 40, "height", 30, "size", photo["size"], "hasTransparency", false)
			exif, _ := a.json["exif"].(map[string]any)
			image, _ := exif["image"].(map[string]any)
			want(t, image, "Make", "Pentacon", "Orientation", 6)
		}
		a := s.call(t, http.StatusOK, http.MethodGet, "/v1/files/"+textID+"/metadata", "")
		want(t, a.json, "format", "plain")
		wantError(t, s.call(t, http.StatusNotFound, http.MethodGet, "/v1/files/0123456789abcdef01234567/metadata", ""), http.StatusNotFound, "does not exist")
		wantError(t, s.call(t, http.StatusBadRequest, http.MethodGet, "/v1/metadata?url=http://127.0.0.1:1/photo.jpg", ""), http.StatusBadRequest, "url")
		wantError(t, s.call(t, http.StatusBadRequest, http.MethodGet, "/v1/metadata", ""), http.StatusBadRequest, "url")
	})
	s.runStrict(t, "hosted members", func(t *testing.T) {
		a := s.patch(t, id, `{"description":"some words"}`)
		want(t, a.json, "description", "some words")
		wantAbsent(t, s.patch(t, id, `{"description":null}`).json, "description")
	})
}
