package apitest

import (
	"encoding/json"
	"net/http"
	"testing"
)

// testPublished tests that an unpublished version is not delivered (hosted-service.md §10 and §12).
func testPublished(t *testing.T, s *suite) {
	s.strict(t)
	folder := s.folder + "published/"
	parts := func(more ...part) []part {
		return append(more, field("folder", folder), field("fileName", "p.txt"), field("useUniqueFileName", "false"), field("responseFields", "isPublished"))
	}
	public := func(address string) int {
		return s.do(t, http.MethodGet, address, "", nil, func(r *http.Request) { r.Header.Del("Authorization") }).status
	}
	wantPublic := func(about, address string, status int) {
		t.Helper()
		if got := public(address); got != status {
			t.Errorf("%s: anonymous users get %d, want %d", about, got, status)
		}
	}
	draft := s.store(t, parts(content([]byte("draft")), field("isPublished", "false"))...)
	id, address := text(draft["fileId"]), text(draft["url"])
	want(t, draft, "isPublished", false)
	want(t, s.details(t, id), "isPublished", false)
	wantPublic("a draft", address, http.StatusNotFound)
	wantPublic("its transformation", s.DeliveryURL+"/tr:f-auto"+text(draft["filePath"]), http.StatusNotFound)
	if a := s.do(t, http.MethodGet, address, "", nil, nil); a.status != http.StatusOK || string(a.body) != "draft" {
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
		var versions []map[string]any
		if err := json.Unmarshal(s.call(t, http.StatusOK, http.MethodGet, "/v1/files/"+id+"/versions", "").body, &versions); err != nil {
			t.Fatal(err)
		}
		for _, v := range versions {
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
	s.call(t, http.StatusNoContent, http.MethodPost, "/v1/files/copy", js("sourceFilePath", folder+"p.txt", "destinationPath", folder+"copy/"))
	copied := s.list(t, "path", folder+"copy/")
	wantNames(t, copied, "[p.txt]")
	want(t, copied[0], "isPublished", false)
	wantPublic("a copy", text(copied[0]["url"]), http.StatusNotFound)
	// A restored version keeps its state.
	s.call(t, http.StatusOK, http.MethodPut, "/v1/files/"+id+"/versions/"+id+"/restore", "")
	wantPublic("a draft that is restored", address, http.StatusNotFound)
}
