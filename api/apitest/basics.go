package apitest

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// testKey tests Basic authentication with the key as the user name (service.md §5).
func testKey(t *testing.T, s *suite) {
	id := text(s.store(t, field("fileName", "key.txt"), content([]byte("key")))["fileId"])
	for _, op := range []struct{ name, method, address string }{
		{"upload", http.MethodPost, s.uploadAddress()},
		{"update", http.MethodPatch, s.detailsAddress(id)},
		{"details", http.MethodGet, s.detailsAddress(id)},
	} {
		for _, c := range []struct {
			name   string
			change func(*http.Request)
			status int
		}{
			{"no key", func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
			{"empty key", func(r *http.Request) { r.SetBasicAuth("", "") }, http.StatusUnauthorized},
			{"key as password", func(r *http.Request) { r.SetBasicAuth("", s.Key) }, http.StatusUnauthorized},
			{"not Basic", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.Key) }, http.StatusUnauthorized},
			{"broken Basic", func(r *http.Request) { r.Header.Set("Authorization", "Basic %%%") }, http.StatusUnauthorized},
			{"wrong key", func(r *http.Request) { r.SetBasicAuth("private_wrong", "") }, http.StatusForbidden},
			{"beginning of the key", func(r *http.Request) { r.SetBasicAuth(s.Key[:len(s.Key)-1], "") }, http.StatusForbidden},
			{"key and more", func(r *http.Request) { r.SetBasicAuth(s.Key+"x", "") }, http.StatusForbidden},
		} {
			t.Run(op.name+"/"+c.name, func(t *testing.T) {
				a := s.do(t, op.method, op.address, "application/json", strings.NewReader("{}"), c.change)
				wantError(t, a, c.status, "")
			})
		}
	}
	t.Run("password is ignored", func(t *testing.T) {
		a := s.do(t, http.MethodGet, s.detailsAddress(id), "", nil,
			func(r *http.Request) { r.SetBasicAuth(s.Key, "do_not_set") })
		wantStatus(t, a, http.StatusOK)
	})
	s.runStrict(t, "errors name the request", func(t *testing.T) {
		a := s.send(t)
		if a.header.Get("X-Ik-Requestid") == "" {
			t.Error("no X-Ik-Requestid")
		}
		if _, ok := a.json["help"].(string); !ok {
			t.Errorf("no help in %s", a.body)
		}
	})
}

var (
	idForm   = regexp.MustCompile(`^[0-9a-f]{24}$`)
	timeForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
)

// testRecord tests the record of service.md §2.1 and the success response of §4.1.
func testRecord(t *testing.T, s *suite) {
	data := JPEG(120, 80)
	r := s.store(t, field("fileName", "record.jpg"), field("useUniqueFileName", "false"), content(data))
	want(t, r, "name", "record.jpg", "filePath", s.folder+"record.jpg", "size", len(data), "width", 120,
		"height", 80, "fileType", "image", "AITags", nil)
	if !strings.HasSuffix(text(r["url"]), s.folder+"record.jpg") {
		t.Errorf("url is %v", r["url"])
	}
	wantText(t, r, "thumbnailUrl")
	want(t, object(r, "versionInfo"), "id", r["fileId"], "name", "Version 1")
	wantAbsent(t, r, "extensionStatus", "customMetadata", "embeddedMetadata")
	s.runStrict(t, "strict", func(t *testing.T) {
		want(t, r, "type", "file", "mime", "image/jpeg", "hasAlpha", false, "isPrivateFile", false, "tags", nil,
			"customCoordinates", nil)
		if !idForm.MatchString(text(r["fileId"])) {
			t.Errorf("fileId is %v", r["fileId"])
		}
		for _, name := range []string{"createdAt", "updatedAt"} {
			if !timeForm.MatchString(text(r[name])) {
				t.Errorf("%s is %v", name, r[name])
			}
		}
	})
	t.Run("set", func(t *testing.T) {
		r := s.store(t, field("fileName", "set.jpg"), content(data), field("tags", "a,b"),
			field("customCoordinates", "1,2,30,40"),
			field("isPrivateFile", "true"), field("responseFields", "tags,customCoordinates,isPrivateFile"))
		want(t, r, "tags", []string{"a", "b"}, "customCoordinates", "1,2,30,40", "isPrivateFile", true)
	})
	t.Run("non-image", func(t *testing.T) {
		r := s.store(t, field("fileName", "plain.txt"), content([]byte("just words\n")))
		want(t, r, "fileType", "non-image")
		wantAbsent(t, r, "width", "height", "thumbnailUrl")
	})
}

// testKinds tests that the type depends on the content, not on the name.
func testKinds(t *testing.T, s *suite) {
	s.strict(t)
	for _, c := range []struct {
		name, mime, kind string
		data             []byte
		alpha            bool
	}{
		{"a.txt", "image/jpeg", "image", JPEG(16, 12), false},
		{"b.jpg", "image/png", "image", PNG(16, 12), false},
		{"c", "image/png", "image", AlphaPNG(16, 12), true},
		{"d.bin", "image/gif", "image", GIF(16, 12), true},
		{"e.png", "text/plain", "non-image", []byte("no picture at all"), false},
		{"f.jpg", "application/pdf", "non-image", []byte("%PDF-1.4\n%%EOF\n"), false},
		{"g.svg", "image/svg+xml", "image", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="16" height="12"><rect/></svg>`), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.store(t, field("fileName", c.name), content(c.data))
			want(t, r, "mime", c.mime, "fileType", c.kind, "hasAlpha", c.alpha)
			if c.kind == "image" {
				want(t, r, "width", 16, "height", 12)
			}
		})
	}
	t.Run("stored pixels with an orientation", func(t *testing.T) {
		r := s.store(t, field("fileName", "turned.jpg"), content(PhotoJPEG(40, 20, 6)))
		want(t, r, "width", 40, "height", 20)
	})
	t.Run("broken picture is no error", func(t *testing.T) {
		data := PNG(16, 12)
		r := s.store(t, field("fileName", "broken.png"), content(data[:20]))
		want(t, r, "fileType", "non-image")
	})
}
