package apitest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"mediadesk/api/media/mediatest"
)

// list returns a listing; pairs are names and values of the query.
func (s *suite) list(t *testing.T, pairs ...string) []map[string]any {
	t.Helper()
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return records(t, s.call(t, http.StatusOK, http.MethodGet, "/v1/files?"+q.Encode(), ""))
}

func names(list []map[string]any) string {
	var all []string
	for _, r := range list {
		all = append(all, text(r["name"]))
	}
	return fmt.Sprint(all)
}

// wantNames checks the names of a listing.
func wantNames(t *testing.T, list []map[string]any, want string) {
	t.Helper()
	mediatest.Equal(t, names(list), want, "listed")
}

// testList tests the listing of files.
func testList(t *testing.T, s *suite) {
	folder := s.folder + "list-" + random()
	for _, c := range []struct {
		name, tags string
		data       []byte
	}{
		{"b.txt", "red", []byte("bb")},
		{"a.png", "red,blue", PNG(30, 20)},
		{"c.jpg", "", JPEG(20, 40)},
	} {
		s.store(t, exact(c.name, c.data, field("folder", folder), field("tags", c.tags))...)
	}
	s.store(t, exact("deep.txt", []byte("d"), field("folder", folder+"/sub"))...)
	for _, c := range []struct {
		name string
		q    []string
		want string
	}{
		{"one level, oldest first", nil, "[b.txt a.png c.jpg]"},
		{"by name", []string{"sort", "ASC_NAME"}, "[a.png b.txt c.jpg]"},
		{"by name down", []string{"sort", "DESC_NAME"}, "[c.jpg b.txt a.png]"},
		{"by height", []string{"sort", "DESC_HEIGHT"}, "[c.jpg a.png b.txt]"},
		{"by size", []string{"sort", "ASC_SIZE", "limit", "1"}, "[b.txt]"},
		{"page", []string{"sort", "ASC_NAME", "skip", "1", "limit", "1"}, "[b.txt]"},
		{"past the end", []string{"skip", "9"}, "[]"},
		{"images", []string{"fileType", "image"}, "[a.png c.jpg]"},
		{"others", []string{"fileType", "non-image"}, "[b.txt]"},
		{"tags", []string{"tags", "blue,none"}, "[a.png]"},
		{"name", []string{"searchQuery", `name = "a.png"`}, "[a.png]"},
		{"beginning of the name", []string{"searchQuery", `name : "b"`}, "[b.txt]"},
		{"joined", []string{"searchQuery", `(name : "a" OR name : "b") AND tags IN ["red"]`}, "[b.txt a.png]"},
		{"exact name", []string{"name", "a.png"}, "[a.png]"},
		{"name of none", []string{"name", "a.pn"}, "[]"},
		{"size", []string{"searchQuery", `size <= "2b" AND createdAt > "1d"`}, "[b.txt]"},
		{"folders", []string{"type", "folder"}, "[sub]"},
		{"all", []string{"type", "all", "sort", "ASC_NAME"}, "[a.png b.txt c.jpg sub]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantNames(t, s.list(t, append([]string{"path", folder}, c.q...)...), c.want)
		})
	}
	t.Run("folder record", func(t *testing.T) {
		r := s.list(t, "path", folder, "type", "folder")[0]
		want(t, r, "type", "folder")
		wantText(t, r, "folderId", "folderPath")
	})
	s.runStrict(t, "nothing asked for", func(t *testing.T) {
		wantNames(t, s.list(t, "path", folder, "type", "undefined", "sort", "null", "limit", "", "skip", "undefined",
			"searchQuery", "undefined", "fileType", "null", "tags", "null"), "[b.txt a.png c.jpg]")
	})
	s.runStrict(t, "tags in several parameters", func(t *testing.T) {
		a := s.do(t, http.MethodGet, s.BaseURL+"/v1/files?tags=none&tags=blue&path="+url.QueryEscape(folder),
			"", nil, nil)
		if a.status != http.StatusOK || !strings.Contains(string(a.body), "a.png") {
			t.Errorf("answered %d %s", a.status, a.body)
		}
	})
	t.Run("no such folder", func(t *testing.T) {
		wantNames(t, s.list(t, "path", folder+"/nothing"), "[]")
	})
	s.runStrict(t, "trailing slash", func(t *testing.T) {
		for _, path := range []string{"/v1/files/", "//v1/files"} {
			mediatest.Equal(t, s.do(t, http.MethodGet, s.BaseURL+path, "", nil, nil).status, http.StatusOK,
				"%s answered", path)
		}
	})
	s.runStrict(t, "refused", func(t *testing.T) {
		for query, word := range map[string]string{"Limit=1": "Limit", "limit=1&limit=2": "limit", "sort=ASC_NAME&sort=ASC_SIZE": "sort"} {
			s.fails(t, http.StatusBadRequest, http.MethodGet, "/v1/files?"+query, "", word)
		}
		for _, query := range []string{"limit=0", "limit=1001", "limit=x", "skip=-1", "sort=NAME", "type=nothing", "fileType=x", "searchQuery=name", "searchQuery=%28name+%3D+%22a%22", "searchQuery=colour+%3D+1"} {
			s.fails(t, http.StatusBadRequest, http.MethodGet, "/v1/files?"+query, "", "")
		}
	})
}

// anonymous takes the key out of a request.
func anonymous(req *http.Request) { req.Header.Del("Authorization") }

// getAnonymous requests an address without the key; pairs are names and values of headers.
func (s *suite) getAnonymous(t *testing.T, address string, pairs ...string) answer {
	t.Helper()
	return s.do(t, http.MethodGet, address, "", nil, func(req *http.Request) {
		anonymous(req)
		for i := 0; i < len(pairs); i += 2 {
			req.Header.Set(pairs[i], pairs[i+1])
		}
	})
}

// deliveredSize returns the width and height of the picture at an address.
func (s *suite) deliveredSize(t *testing.T, address string) (int, int) {
	t.Helper()
	a := s.getAnonymous(t, address)
	config, _, err := image.DecodeConfig(bytes.NewReader(a.body))
	if a.status != http.StatusOK || err != nil {
		t.Fatalf("answered %d: %v, want %d", a.status, err, http.StatusOK)
	}
	return config.Width, config.Height
}

// testDelivery tests that url and thumbnailUrl deliver the file (service.md §2.1).
func testDelivery(t *testing.T, s *suite) {
	s.delivers(t)
	data := PhotoJPEG(800, 600, 6)
	r := s.store(t, field("fileName", "Übersicht 1.jpg"), content(data), field("folder", s.folder+"写真"),
		field("customCoordinates", "0,0,200,100"))
	t.Run("original", func(t *testing.T) {
		a := s.getAnonymous(t, text(r["url"]))
		if a.status != http.StatusOK || !bytes.Equal(a.body, data) {
			t.Errorf("answered %d with %d bytes, want the %d that were sent", a.status, len(a.body), len(data))
		}
		mediatest.Equal(t, a.header.Get("Content-Type"), "image/jpeg", "Content-Type is")
	})
	t.Run("range and tag", func(t *testing.T) {
		a := s.getAnonymous(t, text(r["url"]), "Range", "bytes=10-19")
		if a.status != http.StatusPartialContent || !bytes.Equal(a.body, data[10:20]) {
			t.Errorf("answered %d with %d bytes", a.status, len(a.body))
		}
		tag := a.header.Get("ETag")
		a = s.getAnonymous(t, text(r["url"]), "If-None-Match", tag)
		if tag == "" || a.status != http.StatusNotModified {
			t.Errorf("answered %d to the tag %q", a.status, tag)
		}
	})
	s.runStrict(t, "ranges", func(t *testing.T) { testRanges(t, s, text(r["url"]), data) })
	t.Run("thumbnail is small and upright", func(t *testing.T) {
		if w, h := s.deliveredSize(t, text(r["thumbnailUrl"])); w >= h || h > 400 {
			t.Errorf("the thumbnail has %d by %d pixels", w, h)
		}
	})
	t.Run("HEAD", func(t *testing.T) {
		for _, address := range []string{text(r["url"]), text(r["thumbnailUrl"])} {
			full, head := s.getAnonymous(t, address), s.do(t, http.MethodHead, address, "", nil, anonymous)
			if head.status != http.StatusOK || len(head.body) != 0 ||
				head.header.Get("ETag") != full.header.Get("ETag") ||
				head.header.Get("Content-Length") != fmt.Sprint(len(full.body)) {
				t.Errorf("%s answered %d, %v", address, head.status, head.header)
			}
		}
	})
	s.runStrict(t, "headers", func(t *testing.T) { testDeliveredHeaders(t, s, text(r["url"])) })
	t.Run("tag of a transformation", func(t *testing.T) { testTransformedTag(t, s, r) })
	s.runStrict(t, "another region is another picture", func(t *testing.T) {
		r := s.store(t, field("fileName", "region.png"), content(PNG(60, 40)),
			field("customCoordinates", "0,0,10,10"))
		address := s.DeliveryURL + "/tr:fo-custom" + text(r["filePath"])
		tag := s.getAnonymous(t, address).header.Get("ETag")
		s.patch(t, text(r["fileId"]), `{"customCoordinates":"0,0,20,30"}`)
		a := s.getAnonymous(t, address, "If-None-Match", tag)
		if a.status != http.StatusOK || a.header.Get("ETag") == tag {
			t.Errorf("answered %d to the tag of the crop before", a.status)
		}
	})
	s.runStrict(t, "transformations", func(t *testing.T) { testTransformations(t, s, escapedPath(r), data) })
	t.Run("a new version comes at once", func(t *testing.T) {
		name := "fresh-" + random()
		first := s.store(t, exact(name, []byte("old"))...)
		s.store(t, exact(name, []byte("new"))...)
		if a := s.getAnonymous(t, text(first["url"])); string(a.body) != "new" {
			t.Errorf("served %q", a.body)
		}
	})
	s.runStrict(t, "folders named like operations", func(t *testing.T) {
		for _, folder := range []string{"/v1/files", "/api/v1/files"} {
			r := s.store(t, field("fileName", "upload"), content([]byte("here")), field("folder", folder))
			if a := s.getAnonymous(t, text(r["url"])); string(a.body) != "here" {
				t.Errorf("%v answered %d %q", r["url"], a.status, a.body)
			}
		}
	})
	t.Run("no such file", func(t *testing.T) {
		a := s.getAnonymous(t, s.DeliveryURL+s.folder+"nothing.jpg")
		mediatest.Equal(t, a.status, http.StatusNotFound, "answered")
	})
}

func testDeliveredHeaders(t *testing.T, s *suite, address string) {
	a := s.getAnonymous(t, address)
	for name, want := range map[string]string{"Accept-Ranges": "bytes", "X-Content-Type-Options": "nosniff"} {
		mediatest.Equal(t, a.header.Get(name), want, "%s is", name)
	}
	for _, name := range []string{"Cache-Control", "Last-Modified", "ETag"} {
		if a.header.Get(name) == "" {
			t.Errorf("%s is missing", name)
		}
	}
	if policy := a.header.Get("Content-Security-Policy"); !strings.Contains(policy, "sandbox") {
		t.Errorf("the policy lets stored content run: %q", policy)
	}
}

// testTransformedTag tests that a transformation has a tag that differs from the original's.
func testTransformedTag(t *testing.T, s *suite, r map[string]any) {
	address := text(r["thumbnailUrl"])
	tag := s.getAnonymous(t, address).header.Get("ETag")
	a := s.getAnonymous(t, address, "If-None-Match", tag)
	if tag == "" || a.status != http.StatusNotModified {
		t.Errorf("answered %d to the tag %q", a.status, tag)
	}
	if tag == s.getAnonymous(t, text(r["url"])).header.Get("ETag") {
		t.Error("the transformation has the tag of the original")
	}
	a = s.getAnonymous(t, address, "Range", "bytes=0-9")
	if a.status != http.StatusPartialContent || len(a.body) != 10 {
		t.Errorf("a range of the transformation answered %d with %d bytes", a.status, len(a.body))
	}
}

// testTransformations tests the sizes of a picture of 600 by 800 pixels after transformations.
func testTransformations(t *testing.T, s *suite, path string, data []byte) {
	for step, want := range map[string][2]int{
		"tr:w-150": {150, 200}, "tr:h-100": {75, 100}, "tr:w-50,h-50": {50, 50}, "tr:fo-custom": {100, 200}, "tr:w-50,fo-custom": {50, 100},
		"tr:w-0.5": {300, 400}, "tr:w-300:h-100": {75, 100}, "tr:fo-custom:w-20": {20, 40}, "tr:fo-customtransformation,w-10,h-10": {10, 10},
	} {
		if w, h := s.deliveredSize(t, s.DeliveryURL+"/"+step+path); [2]int{w, h} != want {
			t.Errorf("%s has %d by %d pixels, want %v", step, w, h, want)
		}
		query := "?tr=" + url.QueryEscape(strings.TrimPrefix(step, "tr:"))
		if w, h := s.deliveredSize(t, s.DeliveryURL+path+query); [2]int{w, h} != want {
			t.Errorf("%s has %d by %d pixels, want %v", query, w, h, want)
		}
	}
	if a := s.getAnonymous(t, s.DeliveryURL+"/tr:orig-true"+path); !bytes.Equal(a.body, data) {
		t.Error("tr:orig-true is not the original")
	}
	for _, steps := range []string{"x-9", "w-10,w-20", "fo-custom,fo-custom", "w-0", "h-4001", "w-1.5", "n-nothing", "w-9,ar-1-500,cm-pad_resize"} {
		a := s.getAnonymous(t, s.DeliveryURL+"/tr:"+steps+path)
		mediatest.Equal(t, a.status, http.StatusBadRequest, "%s answered", steps)
	}
}

func testRanges(t *testing.T, s *suite, address string, data []byte) {
	for ranges, status := range map[string]int{
		"bytes=0-": 206, "bytes=-5": 206, "bytes=0-0,-1": 206, "bytes=999999999-": 416,
	} {
		a := s.getAnonymous(t, address, "Range", ranges)
		mediatest.Equal(t, a.status, status, "%s answered", ranges)
		if status == http.StatusRequestedRangeNotSatisfiable {
			mediatest.Equal(t, a.header.Get("Content-Range"), fmt.Sprintf("bytes */%d", len(data)),
				"Content-Range is")
		}
	}
	tag := s.getAnonymous(t, address).header.Get("ETag")
	for condition, status := range map[string]int{tag: 206, `"other"`: 200} {
		a := s.getAnonymous(t, address, "Range", "bytes=1-3", "If-Range", condition)
		mediatest.Equal(t, a.status, status, "If-Range %s answered", condition)
	}
	other := s.getAnonymous(t, address, "If-Match", `"other"`)
	mediatest.Equal(t, other.status, http.StatusPreconditionFailed, "If-Match with another tag answered")
}

// testPrivate tests the row isPrivateFile of service.md §4.1.
func testPrivate(t *testing.T, s *suite) {
	s.delivers(t)
	r := s.store(t, field("fileName", "private.jpg"), content(JPEG(80, 60)), field("isPrivateFile", "true"))
	path := escapedPath(r)
	for _, address := range []string{
		text(r["url"]), s.DeliveryURL + path + "?ik-s=00", s.DeliveryURL + "/tr:w-20" + path,
		s.DeliveryURL + "/tr:orig-true" + path, s.DeliveryURL + "/tr:n-ik_ml_thumbnail,w-20" + path,
	} {
		a := s.getAnonymous(t, address)
		if a.status != http.StatusUnauthorized && a.status != http.StatusForbidden {
			t.Errorf("%s answered %d without a signature", address, a.status)
		}
	}
	s.runStrict(t, "signed", func(t *testing.T) {
		soon, past := time.Now().Add(time.Hour).Unix(), time.Now().Add(-time.Hour).Unix()
		for _, c := range []struct {
			path, signed, key string
			until             int64
			status            int
		}{
			{path, path, s.Key, soon, http.StatusOK},
			{path, path, s.Key, 0, http.StatusOK},
			{"/tr:w-20" + path, "/tr:w-20" + path, s.Key, soon, http.StatusOK},
			{path + "?tr=w-20", path + "?tr=w-20", s.Key, soon, http.StatusOK},
			{path, path, s.Key, past, http.StatusUnauthorized},
			{path, path, "another key", soon, http.StatusUnauthorized},
			{path, "/other.jpg", s.Key, soon, http.StatusUnauthorized},
			{"/tr:w-20" + path, path, s.Key, soon, http.StatusUnauthorized},
			{path + "?tr=w-20", path, s.Key, soon, http.StatusUnauthorized},
		} {
			address := s.DeliveryURL + c.path + "?"
			if strings.Contains(c.path, "?") {
				address = s.DeliveryURL + c.path + "&"
			}
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				if a := s.do(t, method, address+sign(c.key, c.signed, c.until), "", nil,
					anonymous); a.status != c.status {
					t.Errorf("%s %s signed for %s until %d answered %d, want %d", method, c.path, c.signed, c.until, a.status, c.status)
				}
			}
		}
		a := s.getAnonymous(t, s.DeliveryURL+path+"?"+sign(s.Key, path, soon))
		if cache := a.header.Get("Cache-Control"); !strings.Contains(cache, "private") {
			t.Errorf("a private file may be cached by anybody: %q", cache)
		}
		// The signature covers the expiry.
		later := strings.Replace(sign(s.Key, path, soon), fmt.Sprint(soon), fmt.Sprint(soon+9999), 1)
		a = s.getAnonymous(t, s.DeliveryURL+path+"?"+later)
		mediatest.Equal(t, a.status, http.StatusUnauthorized, "with a later expiry it answered")
	})
	a := s.getAnonymous(t, text(r["thumbnailUrl"]))
	mediatest.Equal(t, a.status, http.StatusOK, "the named transformation answered")
	t.Run("no name leads to the original", func(t *testing.T) {
		data := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="16" height="12"><rect/></svg>`)
		r := s.store(t, field("fileName", "private.svg"), content(data), field("isPrivateFile", "true"))
		thumb := s.getAnonymous(t, text(r["thumbnailUrl"]))
		if bytes.Equal(thumb.body, data) {
			t.Error("the thumbnail of a private picture is the picture itself")
		}
	})
}

// sign returns the query of a signed address that expires at until in Unix seconds; 0 means never.
func sign(key, path string, until int64) string {
	query, expiry := "", "9999999999"
	if until != 0 {
		expiry = fmt.Sprint(until)
		query = "ik-t=" + expiry + "&"
	}
	h := hmac.New(sha1.New, []byte(key))
	io.WriteString(h, strings.TrimPrefix(path, "/")+expiry)
	return query + "ik-s=" + hex.EncodeToString(h.Sum(nil))
}

// storeSearched stores files with all that searches find. It returns the name of the field of each kind.
func (s *suite) storeSearched(t *testing.T, folder string) map[string]string {
	t.Helper()
	made := map[string]string{}
	for kind, more := range map[string]string{"Text": "", "Number": "", "Date": "", "Boolean": "", "SingleSelect": `,"selectOptions":["red",2,10]`, "MultiSelect": `,"selectOptions":["a","b",3]`} {
		made[kind], _ = s.schemaField(t, `{"type":"`+kind+`"`+more+`}`)
	}
	meta := func(text string) part { return field("customMetadata", text) }
	for _, c := range []struct {
		name string
		data []byte
		more []part
	}{
		{"a.txt", []byte("a"), []part{field("tags", "red,blue"), meta(js(made["Number"], 5, made["Date"], "2026-03-01", made["Boolean"], true, made["SingleSelect"], "red", made["MultiSelect"], []any{"a", 3}))}},
		{"b.png", AlphaPNG(30, 20), []part{field("tags", "red"), meta(js(made["Number"], 10, made["Text"], "Ocean View", made["Date"], "2026-03-01T00:00:00Z", made["Boolean"], false, made["SingleSelect"], 10)), field("isPrivateFile", "true")}},
		{"c.jpg", JPEG(40, 20), []part{meta(js(made["Text"], "ocean", made["Date"], "2026-03-02T10:00:00.000Z", made["MultiSelect"], []any{"b"}))}},
		{"d.gif", GIF(20, 20), nil},
	} {
		s.store(t, exact(c.name, c.data, append(c.more, field("folder", folder))...)...)
	}
	s.store(t, exact("e.txt", []byte("deep"), field("folder", folder+"/sub"))...)
	return made
}

// searches are queries of a folder and what they find; custom returns a condition on a field of a kind.
func searches(folder, id string, custom func(kind, rest string) string) [][2]string {
	return [][2]string{
		{`name = "a.txt"`, "[a.txt]"},
		{`name = "A.txt"`, "[]"},
		{`name NOT = "a.txt"`, "[b.png c.jpg d.gif sub]"},
		{`name IN ["a.txt", 'd.gif']`, "[a.txt d.gif]"},
		{`name NOT IN ["a.txt","d.gif"]`, "[b.png c.jpg sub]"},
		{`name : "b"`, "[b.png]"},
		{`name : "B"`, "[]"},
		{`name HAS "PNG"`, "[b.png]"},
		{`name HAS "png b"`, "[b.png]"},
		{`name HAS "b p"`, "[b.png]"},
		{`name HAS "ng"`, "[]"},
		{`tags IN ["blue"]`, "[a.txt]"},
		{`tags NOT IN ["red"]`, "[c.jpg d.gif sub]"},
		{`tags HAS "BLU"`, "[a.txt]"},
		{`tags EXISTS`, "[a.txt b.png]"},
		{`tags NOT EXISTS`, "[c.jpg d.gif sub]"},
		{`format = "png"`, "[b.png]"},
		{`format IN ["jpg","gif"]`, "[c.jpg d.gif]"},
		{`width = 30`, "[b.png]"},
		{`width IN [30, 40]`, "[b.png c.jpg]"},
		{`height >= 20 AND width < 35`, "[b.png d.gif]"},
		{`width < 35`, "[b.png d.gif]"},
		{`height <= 10`, "[]"},
		{`size = 1`, "[a.txt]"},
		{`size = 1 OR size > "1mb"`, "[a.txt]"},
		{`size < "1kb" AND format = "txt"`, "[a.txt]"},
		{`size <= 1`, "[a.txt]"},
		{`height NOT IN [20]`, "[a.txt sub]"},
		{`height = 20 AND width NOT = 30`, "[c.jpg d.gif]"},
		{`private = true`, "[b.png]"},
		{`published = true`, "[a.txt b.png c.jpg d.gif]"},
		{`published = false AND type = "file"`, "[]"},
		{`createdBy = "jane@example.com"`, "[]"},
		{`id = "` + id + `"`, "[a.txt]"},
		{`id IN ["` + id + `","` + nobody + `"]`, "[a.txt]"},
		{`transparency = true`, "[b.png d.gif]"},
		{`createdAt > "1h"`, "[a.txt b.png c.jpg d.gif sub]"},
		{`createdAt < "1h"`, "[]"},
		{`createdAt >= "2020-01-01" AND updatedAt > "1d"`, "[a.txt b.png c.jpg d.gif sub]"},
		{`createdAt > 2020-01-01 AND createdAt > 7d`, "[a.txt b.png c.jpg d.gif sub]"},
		{`createdAt < "2020-01-01T12:12:12"`, "[]"},
		{`createdAt >= "2020-01-01T12:12:12" AND updatedAt >= "2020-01-01T12:12:12"`, "[a.txt b.png c.jpg d.gif sub]"},
		{`createdAt > "2d" OR createdAt > "3w" OR createdAt > "4m" OR createdAt > "1y"`, "[a.txt b.png c.jpg d.gif sub]"},
		{custom("Number", "= 5"), "[a.txt]"},
		{custom("Number", "> 5"), "[b.png]"},
		{custom("Number", ">= 5"), "[a.txt b.png]"},
		{custom("Number", "IN [1, 10]"), "[b.png]"},
		{custom("Number", "EXISTS"), "[a.txt b.png]"},
		{custom("Number", "NOT EXISTS"), "[c.jpg d.gif sub]"},
		{custom("Number", "NOT = 5") + ` AND type = "file"`, "[b.png c.jpg d.gif]"},
		{custom("Number", "< 6"), "[a.txt]"},
		{custom("Date", `= "2026-03-01"`), "[a.txt b.png]"},
		{custom("Date", `> "2026-03-01"`), "[c.jpg]"},
		{custom("Date", `>= "2026-03-01T00:00:00"`), "[a.txt b.png c.jpg]"},
		{custom("Date", `< "2026-03-02"`), "[a.txt b.png]"},
		{custom("Date", `<= "2026-03-01"`), "[a.txt b.png]"},
		{custom("Date", `IN ["2026-03-01"]`), "[a.txt b.png]"},
		{custom("Boolean", "= true"), "[a.txt]"},
		{custom("Boolean", "= false"), "[b.png]"},
		{custom("SingleSelect", `= "red"`), "[a.txt]"},
		{custom("SingleSelect", `: "re"`), "[a.txt]"},
		{custom("SingleSelect", "> 2"), "[b.png]"},
		{custom("SingleSelect", `IN ["red",10]`), "[a.txt b.png]"},
		{custom("MultiSelect", `IN ["a"]`), "[a.txt]"},
		{custom("MultiSelect", `IN [3,"b"]`), "[a.txt c.jpg]"},
		{custom("MultiSelect", `NOT IN ["a"]`) + ` AND ` + custom("MultiSelect", "EXISTS"), "[c.jpg]"},
		{custom("Text", "NOT EXISTS") + ` AND type = "file"`, "[a.txt d.gif]"},

		{custom("Text", `= "ocean"`), "[c.jpg]"},
		{custom("Text", `: "Ocean"`), "[b.png]"},
		{custom("Text", `HAS "OCEAN"`), "[b.png c.jpg]"},
		{`path = "` + folder + `"`, "[a.txt b.png c.jpg d.gif sub]"},
		{`path : "` + folder + `/"`, "[a.txt b.png c.jpg d.gif sub]"},
		{`name = "a.txt" OR name = "b.png" AND tags IN ["blue"]`, "[a.txt]"},
		{`(name = "a.txt" OR name = "b.png") AND private = true`, "[b.png]"},
		{`type = "folder"`, "[sub]"},
		{`type = "file" AND name : "d"`, "[d.gif]"},
		{`type IN ["file","folder"] AND name IN ["sub","a.txt"]`, "[a.txt sub]"},
	}
}

// testSearch tests the query language of searchQuery.
func testSearch(t *testing.T, s *suite) {
	folder := s.folder + "search-" + random()
	made := s.storeSearched(t, folder)
	custom := func(kind, rest string) string { return `"customMetadata.` + made[kind] + `" ` + rest }
	a := s.list(t, "path", folder, "searchQuery", `name = "a.txt"`)[0]
	for _, c := range searches(folder, text(a["fileId"]), custom) {
		t.Run(c[0], func(t *testing.T) {
			wantNames(t, s.list(t, "path", folder, "sort", "ASC_NAME", "searchQuery", c[0]), c[1])
		})
	}
	t.Run("below a folder", func(t *testing.T) {
		wantNames(t, s.list(t, "sort", "ASC_NAME", "searchQuery", `path : "`+folder+`" AND format = "txt"`),
			"[a.txt e.txt]")
	})
	t.Run("other parameters", func(t *testing.T) {
		query := `name IN ["a.txt","b.png","sub"]`
		wantNames(t, s.list(t, "path", folder, "sort", "ASC_NAME", "searchQuery", query, "type", "folder", "tags", "none", "name", "none"), "[a.txt b.png sub]")
		wantNames(t, s.list(t, "path", folder, "searchQuery", query, "fileType", "image"), "[b.png]")
		wantNames(t, s.list(t, "path", folder, "sort", "DESC_NAME", "searchQuery", query, "limit", "1", "skip", "1"), "[b.png]")
	})
	t.Run("relevance", func(t *testing.T) { testRelevance(t, s, folder) })
	s.runStrict(t, "photographs", func(t *testing.T) { testPhotographSearch(t, s, folder) })
	s.runStrict(t, "refused", func(t *testing.T) { testRefusedSearches(t, s, custom) })
	t.Run("spaces as plus or %20", func(t *testing.T) {
		for _, query := range []string{"name+%3D+%22a.txt%22", "name%20%3D%20%22a.txt%22"} {
			address := s.BaseURL + "/v1/files?path=" + url.QueryEscape(folder) + "&searchQuery=" + query
			a := s.do(t, http.MethodGet, address, "", nil, nil)
			if a.status != http.StatusOK || len(a.body) < 10 {
				t.Errorf("%s answered %d %s", query, a.status, a.body)
			}
		}
	})
}

func testRelevance(t *testing.T, s *suite, folder string) {
	place := folder + "/relevance"
	for _, name := range []string{"boat-in-a-storm.txt", "boat.txt", "boat-at-sea.txt", "sea.txt"} {
		s.store(t, exact(name, []byte("x"), field("folder", place))...)
	}
	wantNames(t, s.list(t, "path", place, "searchQuery", `name HAS "boat"`, "sort", "DESC_RELEVANCE"), "[boat.txt boat-at-sea.txt boat-in-a-storm.txt]")
	wantNames(t, s.list(t, "path", place, "searchQuery", `name HAS "boat"`, "sort", "ASC_RELEVANCE", "limit", "1"), "[boat-in-a-storm.txt]")
	if got := s.list(t, "path", place, "sort", "ASC_RELEVANCE"); len(got) != 4 {
		t.Errorf("listed %s", names(got))
	}
}

// testPhotographSearch tests conditions on what a camera wrote into a file.
func testPhotographSearch(t *testing.T, s *suite, folder string) {
	place := folder + "/photographs"
	s.store(t, exact("photo.jpg", takenJPEG(13), field("folder", place))...)
	s.store(t, exact("plain.jpg", JPEG(20, 20), field("folder", place))...)
	for query, want := range map[string]string{
		`"embeddedMetadata.DateTimeOriginal" = "2024-07-15T10:20:30"`:   "[photo.jpg]",
		`"embeddedMetadata.DateTimeOriginal" > "2024-07-15"`:            "[photo.jpg]",
		`"embeddedMetadata.DateTimeOriginal" < "2024-07-15"`:            "[]",
		`"embeddedMetadata.DateTimeOriginal" >= 2024-07-16`:             "[]",
		`"embeddedMetadata.LocationTaken" = "52.5,13.4 20km"`:           "[photo.jpg]",
		`"embeddedMetadata.LocationTaken" = "51.0,13.4 20km"`:           "[]",
		`"embeddedMetadata.LocationTaken" = "52,13|53,14"`:              "[photo.jpg]",
		`"embeddedMetadata.LocationTaken" = "-53,13|-52,14"`:            "[]",
		`"embeddedMetadata.LocationTaken" = "52,13|52,14|53,14|53,13"`:  "[photo.jpg]",
		`"embeddedMetadata.LocationTaken" = "50,13|50,14|51,14|51,13"`:  "[]",
		`"embeddedMetadata.Keywords" IN ["sea"]`:                        "[]",
		`"embeddedMetadata.Keywords" NOT IN ["sea"] AND format = "jpg"`: "[photo.jpg plain.jpg]",
		`"embeddedMetadata.Keywords" EXISTS`:                            "[]",
	} {
		found := s.list(t, "path", place, "sort", "ASC_NAME", "searchQuery", query)
		mediatest.Equal(t, names(found), want, "%s found", query)
	}
	place = folder + "/meridian"
	s.store(t, exact("east.jpg", takenJPEG(179), field("folder", place))...)
	for area, want := range map[string]string{"52.5,-179.9 100km": "[east.jpg]", "52.5,-178.9 20km": "[]"} {
		query := `"embeddedMetadata.LocationTaken" = "` + area + `"`
		mediatest.Equal(t, names(s.list(t, "path", place, "searchQuery", query)), want, "%s found", query)
	}
}

// testRefusedSearches tests queries with errors; custom returns a condition on a field of a kind.
func testRefusedSearches(t *testing.T, s *suite, custom func(kind, rest string) string) {
	for _, query := range []string{
		"name", `name =`, `name ~ "a"`, `name > "a"`, `size : 1`, `size = "x"`, `width HAS "1"`, `tags IN []`, `tags IN ["a"`, `name IN "a"`, `(name = "a"`, `name = "a")`,
		`name = "a`, `name = "a" AND`, `AND name = "a"`, `name = "a" name = "b"`, `colour = 1`, `"customMetadata" = 1`, `"customMetadata." = 1`, `private = 2`, `createdAt > "soon"`,
		`type = "x"`, `path = "/a?"`, `"name" "=" "a"`, `name.x = "a"`, `tags : "bl"`,
		`fileType = "image"`, `mime = "image/gif"`, `AITags EXISTS`, `description HAS "x"`, `fileId = "` + nobody + `"`, `isPrivateFile = true`, `hasAlpha = true`,
		`duration > 5`, `name != "a"`, `NOT name = "a"`, `NOT (name = "a")`, `width EXISTS`, `name EXISTS`, `name NOT HAS "a"`, `name NOT : "a"`, `tags = "red"`,
		`format NOT = "png"`, `format NOT IN ["png"]`, `format = "x"`, `private NOT = true`, `private IN [true]`, `name = a.txt`,
		`"embeddedMetadata.Make" = "x"`, `embeddedMetadata.Keywords EXISTS`, `"embeddedMetadata.Keywords" = "x"`, `"embeddedMetadata.LocationTaken" = "40"`,
		`"embeddedMetadata.LocationTaken" = "40,100 5mi"`, `"embeddedMetadata.LocationTaken" = "95,100 5km"`,
		`"customMetadata.none` + random() + `" = 1`, custom("Number", `= "5"`), custom("Number", `HAS "5"`), custom("Boolean", "NOT = true"), custom("MultiSelect", `= "a"`),
		custom("SingleSelect", `> "a"`), custom("Text", "> 5"), custom("Text", "= 5"), custom("Date", `: "2026"`), custom("Date", `> "soon"`),
	} {
		address := s.BaseURL + "/v1/files?searchQuery=" + url.QueryEscape(query)
		a := s.do(t, http.MethodGet, address, "", nil, nil)
		if a.status != http.StatusBadRequest || text(a.json["message"]) == "" {
			t.Errorf("%s answered %d %s", query, a.status, a.body)
		}
	}
}
