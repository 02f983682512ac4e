package apitest

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"mediadesk/api/media/mediatest"
)

// testForm tests valid and invalid multipart bodies.
func testForm(t *testing.T, s *suite) {
	t.Run("any order", func(t *testing.T) {
		file, name, tags := content([]byte("order")), field("fileName", "order"), field("tags", "a")
		for _, parts := range [][]part{{file, name, tags}, {name, file, tags}, {name, tags, file}} {
			s.store(t, parts...)
		}
	})
	t.Run("chunked", func(t *testing.T) {
		body := multipartBody(field("fileName", "chunked"), field("folder", s.folder),
			content([]byte("chunked")))
		a := s.do(t, http.MethodPost, s.uploadAddress(), formType, io.MultiReader(bytes.NewReader(body)), nil)
		wantStatus(t, a, http.StatusOK)
	})
	s.runStrict(t, "second address", func(t *testing.T) {
		a := s.sendSecond(t, field("fileName", "second"), field("folder", s.folder), content([]byte("second")))
		wantStatus(t, a, http.StatusOK)
	})
	t.Run("file required", func(t *testing.T) {
		s.refused(t, "file", field("fileName", "nothing"))
		s.refused(t, "file")
	})
	t.Run("hosted parts", func(t *testing.T) {
		s.store(t, small("hosted", field("isPublished", "true"), field("description", "words"))...)
	})
	t.Run("nothing asked for", func(t *testing.T) {
		r := s.store(t, small("nothing", field("extensions", "[]"),
			field("customMetadata", "{}"), field("webhookUrl", ""), field("responseFields", ""))...)
		wantAbsent(t, r, "extensionStatus")
	})
	s.runStrict(t, "strict", func(t *testing.T) { testStrictForm(t, s) })
	s.runStrict(t, "not multipart", func(t *testing.T) {
		wantError(t, s.do(t, http.MethodPost, s.uploadAddress(), "application/json",
			strings.NewReader(`{"file":"x"}`), nil), http.StatusBadRequest, "multipart")
		unbounded := s.do(t, http.MethodPost, s.uploadAddress(), "multipart/form-data",
			strings.NewReader("x"), nil)
		wantError(t, unbounded, http.StatusBadRequest, "multipart")
	})
	s.runStrict(t, "cut short", func(t *testing.T) {
		parts := exact("cut-"+random(), []byte(strings.Repeat("content ", 50)), field("folder", s.folder),
			field("tags", "a"))
		for cut, length := 1, len(multipartBody(parts...)); cut < length; cut += 37 {
			s.cutShort(t, cut, length, parts)
		}
	})
	s.runStrict(t, "an end that does not come", func(t *testing.T) {
		parts := append(exact(random()+".txt", []byte("x")), field("folder", s.folder))
		length := len(multipartBody(parts...))
		s.cutShort(t, length, length+10, parts)
	})
}

func testStrictForm(t *testing.T, s *suite) {
	s.refused(t, "tgas", small("unknown", field("tgas", "a"))...)
	s.refused(t, "tags", small("twice", field("tags", "a"), field("tags", "b"))...)
	s.refused(t, "file", field("fileName", "empty"), content(nil))
	s.refused(t, "file[0]", field("fileName", "indexed"), part{name: "file[0]", value: "x", file: true})
	s.refused(t, "extensions", small("json", field("extensions", "[{"))...)
	s.refused(t, "extensions", small("json", field("extensions", `{"name":"remove-bg"}`))...)
	s.refused(t, "extensions", small("json", field("extensions", `[{"options":{}}]`))...)
	s.refused(t, "shadow", small("option", field("extensions", `[{"name":"remove-bg","options":{"add_shadow":true,"shadow":1}}]`))...)
	s.refused(t, "maxtags", small("member", field("extensions", `[{"name":"google-auto-tagging","maxtags":5}]`))...)
	for _, name := range []string{"tags", "folder", "description", "extensions", "customMetadata", "webhookUrl"} {
		s.refused(t, name, small("bytes", field(name, "\xff\xfe"))...)
	}
	for _, nothing := range []string{"null", "undefined"} {
		s.refused(t, "missing file", field("fileName", "absent"), field("file", nothing))
	}
	s.refused(t, "customMetadata", small("json", field("customMetadata", `["a"]`))...)
	s.refused(t, "twice", small("json", field("customMetadata", `{"a":null,"a":1}`))...)
	s.refused(t, "webhookUrl", small("hook", field("webhookUrl", "example.com/hook"))...)
	s.refused(t, "webhookUrl", small("hook", field("webhookUrl", "https://user:word@example.com/hook"))...)
	var many []part
	for range 40 {
		many = append(many, field("f"+random(), "x"))
	}
	s.refused(t, "", many...)
}

// cutShort announces an upload of length bytes, sends the first sent bytes, and closes its
// side of the connection. The server must not store anything.
func (s *suite) cutShort(t *testing.T, sent, length int, parts []part) {
	t.Helper()
	address, err := url.Parse(s.uploadAddress())
	if err != nil || address.Scheme != "http" {
		t.Skip("this needs a connection without TLS")
	}
	conn, err := net.DialTimeout("tcp", address.Host, 5*time.Second)
	mediatest.Must(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	token := base64.StdEncoding.EncodeToString([]byte(s.Key + ":"))
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Basic %s\r\nContent-Type: multipart/form-data; boundary=%s\r\nContent-Length: %d\r\n\r\n%s",
		address.Path, address.Host, token, boundary, length, multipartBody(parts...)[:sent])
	conn.(*net.TCPConn).CloseWrite()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil { // a server may also close the connection
		res.Body.Close()
		mediatest.Equal(t, res.StatusCode, http.StatusBadRequest,
			"%d of %d bytes were answered with", sent, length)
	}
	if found := s.list(t, "path", s.folder, "searchQuery", `name = "`+parts[0].value+`"`); len(found) != 0 {
		t.Errorf("%d of %d bytes left %v", sent, length, found)
	}
}

// testFileAsText tests base64 and data URIs (service.md §4.1, file).
func testFileAsText(t *testing.T, s *suite) {
	data := PNG(30, 20)
	coded := base64.StdEncoding.EncodeToString(data)
	for name, value := range map[string]string{
		"base64":                   coded,
		"with line ends":           wrap(coded, 76),
		"url alphabet":             base64.URLEncoding.EncodeToString(data),
		"data URI":                 "data:image/png;base64," + coded,
		"data URI, upper":          "DATA:image/png;charset=x;BASE64," + coded,
		"data URI, escaped base64": "data:image/png;base64," + url.QueryEscape(coded),
		"data URI, escaped bytes":  "data:image/png," + url.PathEscape(string(data)),
	} {
		t.Run(name, func(t *testing.T) {
			r := s.store(t, field("fileName", "text.png"), field("file", value))
			want(t, r, "size", len(data), "fileType", "image")
		})
	}
	t.Run("a long text as data URI", func(t *testing.T) {
		picture := `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="12"><!--` + strings.Repeat(" 100%", 20_000) + `--></svg>`
		r := s.store(t, field("fileName", "long.svg"), field("file", "data:image/svg+xml;utf8,"+url.PathEscape(picture)))
		want(t, r, "size", len(picture))
	})
	t.Run("bytes without a file name", func(t *testing.T) {
		for _, kind := range []string{"application/octet-stream", "image/png"} {
			file := part{name: "file", value: string(data), kind: kind}
			want(t, s.store(t, field("fileName", "typed"), file), "size", len(data))
		}
		want(t, s.store(t, field("fileName", "typed"), part{name: "file", value: coded, kind: "text/plain; charset=utf-8"}), "size", len(data))
	})
	t.Run("bytes are never decoded", func(t *testing.T) {
		want(t, s.store(t, field("fileName", "b64.txt"), content([]byte(coded))), "size", len(coded))
	})
	s.runStrict(t, "refused", func(t *testing.T) {
		for _, value := range []string{
			"/home/me/photo.jpg", "photo.jpg", "hello", "abcd=efg", "ab=", "====", "data:image/png;base64,***",
			"data:nothing", "data:,", "data:,100%", "data:,100%zz", "data:;base64,YQ%3", coded[:8] + "%2B" + coded[11:], "ftp://example.com/a", "file:///etc/passwd", "",
		} {
			s.refused(t, "file", field("fileName", "text"), field("file", value))
		}
	})
}

func wrap(text string, n int) string {
	var b strings.Builder
	for len(text) > n {
		b.WriteString(text[:n] + "\r\n")
		text = text[n:]
	}
	return b.String() + text
}

// testLimits tests the size limit of uploads (service.md §8).
func testLimits(t *testing.T, s *suite) {
	if s.MaxSize == 0 {
		t.Skip("the target names no size limit")
	}
	most := bytes.Repeat([]byte("x"), int(s.MaxSize))
	want(t, s.store(t, field("fileName", "most"), content(most)), "size", s.MaxSize)
	want(t, s.store(t, field("fileName", "most"), field("file", base64.StdEncoding.EncodeToString(most))),
		"size", s.MaxSize)
	more := append(most, 'x')
	s.refused(t, "size exceeds", field("fileName", "more"), content(more))
	s.refused(t, "size exceeds", field("fileName", "more"),
		field("file", base64.StdEncoding.EncodeToString(more)))
	s.runStrict(t, "refused before the end", func(t *testing.T) {
		body, writer := io.Pipe()
		go func() {
			head := multipartBody(field("fileName", "endless"), content(nil))
			writer.Write(bytes.TrimSuffix(head, []byte("\r\n--"+boundary+"--\r\n")))
			for {
				if _, err := writer.Write(most); err != nil {
					return
				}
			}
		}()
		defer body.Close()
		a := s.do(t, http.MethodPost, s.uploadAddress(), formType, body, nil)
		wantError(t, a, http.StatusBadRequest, "size exceeds")
	})
	s.runStrict(t, "declared too large", func(t *testing.T) {
		body, writer := io.Pipe() // never sends data
		defer writer.Close()
		a := s.do(t, http.MethodPost, s.uploadAddress(), formType, body,
			func(r *http.Request) { r.ContentLength = 1 << 40 })
		wantError(t, a, http.StatusBadRequest, "size exceeds")
	})
}

// schemaField creates a custom metadata field with a schema and deletes it when the test
// ends, because a required field would affect all other tests.
func (s *suite) schemaField(t *testing.T, schema string) (name, id string) {
	t.Helper()
	name = "r" + random()
	made := s.call(t, http.StatusCreated, http.MethodPost, "/v1/customMetadataFields", `{"name":"`+name+`","label":"`+name+`","schema":`+schema+`}`)
	id = text(made.json["id"])
	t.Cleanup(func() {
		s.call(t, http.StatusNoContent, http.MethodDelete, "/v1/customMetadataFields/"+id, "")
	})
	return name, id
}

// testRequired tests fields with a default and required fields.
func testRequired(t *testing.T, s *suite) {
	s.strict(t)
	other, _ := s.schemaField(t, `{"type":"Text"}`)
	plain, _ := s.schemaField(t, `{"type":"MultiSelect","selectOptions":["a",2,true],"defaultValue":["a",2]}`)
	before := s.fresh(t)
	must, id := s.schemaField(t, `{"type":"Number","isValueRequired":true,"defaultValue":5,"minValue":1,"maxValue":9}`)
	requested := field("responseFields", "customMetadata")
	simple := small("r.txt", requested)
	set := func(pairs ...any) part { return field("customMetadata", js(pairs...)) }
	name := "required-" + random()

	t.Run("defaults of a new file", func(t *testing.T) {
		want(t, s.store(t, simple...), "customMetadata", map[string]any{plain: []any{"a", 2}, must: 5})
		want(t, s.store(t, append(simple, set(must, 7))...), "customMetadata",
			map[string]any{plain: []any{"a", 2}, must: 7})
		want(t, s.store(t, append(simple, set(must, 7, plain, []any{true}))...), "customMetadata",
			map[string]any{plain: []any{true}, must: 7})
	})
	t.Run("required beside others", func(t *testing.T) {
		s.refused(t, must, append(simple, set(other, "x"))...)
		s.refused(t, must, append(simple, set(other, "x", must, nil))...)
		s.refused(t, must, append(simple, set(other, "x", must, 10))...)
	})
	t.Run("a new version", func(t *testing.T) {
		s.store(t, exact(name, []byte("1"), set(must, 3, other, "x"))...)
		retained := s.store(t,
			exact(name, []byte("2"), requested, field("overwriteCustomMetadata", "false"))...)
		want(t, retained, "customMetadata", map[string]any{plain: []any{"a", 2}, must: 3, other: "x"})
		again := s.store(t, exact(name, []byte("3"), requested)...)
		want(t, again, "customMetadata", map[string]any{plain: []any{"a", 2}, must: 5})
	})
	t.Run("an update", func(t *testing.T) {
		file := text(s.store(t, simple...)["fileId"])
		wantError(t, s.patch(t, file, js("customMetadata", map[string]any{must: nil})), http.StatusBadRequest,
			must)
		wantError(t, s.patch(t, file, `{"customMetadata":null}`), http.StatusBadRequest, must)
		want(t, s.patch(t, file, js("customMetadata", map[string]any{other: "x", plain: nil})).json,
			"customMetadata", map[string]any{other: "x", must: 5})
		wantError(t, s.patch(t, before, js("customMetadata", map[string]any{other: "x"})),
			http.StatusBadRequest, must)
		want(t, s.patch(t, before, js("tags", []string{"x"})).json, "tags", []string{"x"})
	})
	t.Run("not required any more", func(t *testing.T) {
		s.call(t, http.StatusOK, http.MethodPatch, "/v1/customMetadataFields/"+id, `{"schema":{"isValueRequired":false,"defaultValue":null}}`)
		want(t, s.store(t, append(simple, set(other, "x"))...), "customMetadata",
			map[string]any{plain: []any{"a", 2}, other: "x"})
	})
}

// testSchemas tests the schemas of custom metadata fields and how they restrict values.
func testSchemas(t *testing.T, s *suite) {
	s.strict(t)
	for _, schema := range []string{
		`{"type":"Text","isValueRequired":true}`, `{"type":"Text","isValueRequired":true,"defaultValue":null}`, `{"type":"Text","isValueRequired":"yes","defaultValue":"x"}`, `{"type":"Text","defaultValue":1}`,
		`{"type":"Text","minLength":3,"defaultValue":"xx"}`, `{"type":"Text","minLength":3,"maxLength":2}`, `{"type":"Text","minLength":-1}`, `{"type":"Text","minLength":"3"}`, `{"type":"Text","minLength":1.5}`, `{"type":"Number","maxLength":3}`,
		`{"type":"Text","minValue":3}`, `{"type":"Boolean","maxValue":3}`, `{"type":"Number","minValue":"3"}`, `{"type":"Number","minValue":3,"maxValue":2}`, `{"type":"Number","maxValue":3,"defaultValue":4}`,
		`{"type":"Date","minValue":5}`, `{"type":"Date","minValue":"2026-02-01","maxValue":"2026-01-01"}`, `{"type":"Date","minValue":"2026-02-01","defaultValue":"2026-01-31"}`,
		`{"type":"SingleSelect","selectOptions":[]}`, `{"type":"SingleSelect","selectOptions":"a"}`, `{"type":"SingleSelect","selectOptions":[["a"]]}`, `{"type":"MultiSelect","selectOptions":[null]}`, `{"type":"SingleSelect","selectOptions":["a"],"defaultValue":"b"}`,
		`{"type":"MultiSelect","selectOptions":["a"],"defaultValue":"a"}`, `{"type":"Text","pattern":"x"}`, `{"type":"Text","type":"Number"}`, `{"type":"text"}`, `{}`, `[]`, `"Text"`, `null`,
	} {
		body := `{"name":"s` + random() + `","label":"L","schema":` + schema + `}`
		s.fails(t, http.StatusBadRequest, http.MethodPost, "/v1/customMetadataFields", body, "")
	}
	for _, c := range []struct {
		schema    string
		good, bad []string
	}{
		{`{"type":"Text","minLength":2,"maxLength":3}`, []string{`"ab"`, `"äöü"`}, []string{`"a"`, `"abcd"`, `5`, `["ab"]`}},
		{`{"type":"Textarea","maxLength":3}`, []string{`"a\nb"`, `""`}, []string{`"abcd"`, `{}`}},
		{`{"type":"Number","minValue":-1.5,"maxValue":2}`, []string{`-1.5`, `2`, `0`}, []string{`-1.6`, `2.01`, `"1"`, `true`}},
		{`{"type":"Date","minValue":"2026-01-01","maxValue":"2026-12-31T10:00:00.000Z"}`, []string{`"2026-01-01"`, `"2026-12-31T10:00:00Z"`}, []string{`"2025-12-31"`, `"2026-12-31T10:00:01Z"`, `"31.12.2026"`, `20260101`}},
		{`{"type":"Boolean"}`, []string{`true`, `false`}, []string{`"true"`, `1`}},
		{`{"type":"SingleSelect","selectOptions":["a",2,true]}`, []string{`"a"`, `2`, `true`}, []string{`"2"`, `"true"`, `["a"]`, `false`}},
		{`{"type":"MultiSelect","selectOptions":["a",2]}`, []string{`["a"]`, `[2,"a"]`, `[]`}, []string{`"a"`, `["b"]`, `[null]`}},
	} {
		name, _ := s.schemaField(t, c.schema)
		value := func(v string) part { return field("customMetadata", fmt.Sprintf(`{%q:%s}`, name, v)) }
		for _, v := range c.good {
			s.fresh(t, value(v))
		}
		for _, v := range c.bad {
			s.refused(t, name, small("v", value(v))...)
		}
	}
}

// testSecond tests that the paths under /v2/, which rclone calls, work like those under
// /v1/ (hosted-service.md §14).
func testSecond(t *testing.T, s *suite) {
	s.strict(t)
	folder := s.folder + "second-" + random()
	a := s.sendSecond(t, exact("a.txt", []byte("two"), field("folder", folder+"/in"))...)
	wantStatus(t, a, http.StatusOK)
	id := text(a.json["fileId"])
	s.call(t, http.StatusCreated, http.MethodPost, "/v2/folder",
		js("folderName", "to", "parentFolderPath", folder))
	want(t, s.call(t, http.StatusOK, http.MethodGet, "/v2/files/"+id+"/details", "").json,
		"filePath", folder+"/in/a.txt")
	job := s.call(t, http.StatusOK, http.MethodPost, "/v2/bulkJobs/moveFolder",
		js("sourceFolderPath", folder+"/in", "destinationPath", folder+"/to"))
	want(t, s.call(t, http.StatusOK, http.MethodGet, "/v2/bulkJobs/"+text(job.json["jobId"]), "").json,
		"status", "Completed")
	query := "?path=" + folder + "/to/in&skip=0&limit=10&searchQuery=type+%3D+%22file%22"
	if list := s.call(t, http.StatusOK, http.MethodGet, "/v2/files"+query,
		"").body; !strings.Contains(string(list), id) {
		t.Errorf("listed %s", list)
	}
	s.call(t, http.StatusNoContent, http.MethodDelete, "/v2/files/"+id, "")
	if !s.gone(t, id) {
		t.Error("the file is still there")
	}
	s.call(t, http.StatusNoContent, http.MethodDelete, "/v2/folder", js("folderPath", folder))
	s.call(t, http.StatusNotFound, http.MethodGet, "/v2/customMetadataFields", "")
}
