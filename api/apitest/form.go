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
)

// testForm is the multipart body as clients write it, well and badly.
func testForm(t *testing.T, s *suite) {
	t.Run("any order", func(t *testing.T) {
		file, name, tags := content([]byte("order")), field("fileName", "order"), field("tags", "a")
		for _, parts := range [][]part{{file, name, tags}, {name, file, tags}, {name, tags, file}} {
			s.store(t, parts...)
		}
	})
	t.Run("chunked", func(t *testing.T) {
		body := multipartBody(field("fileName", "chunked"), field("folder", s.folder), content([]byte("chunked")))
		a := s.do(t, http.MethodPost, s.uploadAddress(), "multipart/form-data; boundary="+boundary, io.MultiReader(bytes.NewReader(body)), nil)
		if a.status != http.StatusOK {
			t.Errorf("answered %d: %s", a.status, a.body)
		}
	})
	t.Run("file required", func(t *testing.T) {
		s.refused(t, "file", field("fileName", "nothing"))
		s.refused(t, "file")
	})
	t.Run("hosted parts", func(t *testing.T) {
		s.store(t, field("fileName", "hosted"), content([]byte("x")), field("isPublished", "true"), field("description", "words"))
	})
	t.Run("nothing asked for", func(t *testing.T) {
		r := s.store(t, field("fileName", "nothing"), content([]byte("x")), field("extensions", "[]"), field("customMetadata", "{}"), field("webhookUrl", ""), field("responseFields", ""))
		if _, ok := r["extensionStatus"]; ok {
			t.Error("extensionStatus is there though no extension was asked for")
		}
	})
	t.Run("strict", func(t *testing.T) {
		s.strict(t)
		s.refused(t, "tgas", field("fileName", "unknown"), content([]byte("x")), field("tgas", "a"))
		s.refused(t, "tags", field("fileName", "twice"), content([]byte("x")), field("tags", "a"), field("tags", "b"))
		s.refused(t, "file", field("fileName", "empty"), content(nil))
		s.refused(t, "file[0]", field("fileName", "indexed"), part{name: "file[0]", value: "x", file: true})
		s.refused(t, "extensions", field("fileName", "json"), content([]byte("x")), field("extensions", "[{"))
		s.refused(t, "extensions", field("fileName", "json"), content([]byte("x")), field("extensions", `{"name":"remove-bg"}`))
		s.refused(t, "extensions", field("fileName", "json"), content([]byte("x")), field("extensions", `[{"options":{}}]`))
		s.refused(t, "shadow", field("fileName", "option"), content([]byte("x")), field("extensions", `[{"name":"remove-bg","options":{"add_shadow":true,"shadow":1}}]`))
		s.refused(t, "maxtags", field("fileName", "member"), content([]byte("x")), field("extensions", `[{"name":"google-auto-tagging","maxtags":5}]`))
		for _, name := range []string{"tags", "folder", "description", "extensions", "customMetadata", "webhookUrl"} {
			s.refused(t, name, field("fileName", "bytes"), content([]byte("x")), field(name, "\xff\xfe"))
		}
		for _, nothing := range []string{"null", "undefined"} {
			s.refused(t, "missing file", field("fileName", "absent"), field("file", nothing))
		}
		s.refused(t, "customMetadata", field("fileName", "json"), content([]byte("x")), field("customMetadata", `["a"]`))
		s.refused(t, "twice", field("fileName", "json"), content([]byte("x")), field("customMetadata", `{"a":null,"a":1}`))
		s.refused(t, "webhookUrl", field("fileName", "hook"), content([]byte("x")), field("webhookUrl", "example.com/hook"))
		s.refused(t, "webhookUrl", field("fileName", "hook"), content([]byte("x")), field("webhookUrl", "https://user:word@example.com/hook"))
		var many []part
		for range 40 {
			many = append(many, field("f"+random(), "x"))
		}
		s.refused(t, "", many...)
	})
	t.Run("not multipart", func(t *testing.T) {
		s.strict(t)
		wantError(t, s.do(t, http.MethodPost, s.uploadAddress(), "application/json", strings.NewReader(`{"file":"x"}`), nil), http.StatusBadRequest, "multipart")
		wantError(t, s.do(t, http.MethodPost, s.uploadAddress(), "multipart/form-data", strings.NewReader("x"), nil), http.StatusBadRequest, "multipart")
	})
	t.Run("cut short", func(t *testing.T) { testCutShort(t, s) })
	t.Run("an end that does not come", func(t *testing.T) {
		s.strict(t)
		s.cutShort(t)
	})
}

// testCutShort ends the body at many places: each time nothing is stored.
func testCutShort(t *testing.T, s *suite) {
	s.strict(t)
	name := "cut-" + random()
	body := multipartBody(field("fileName", name), field("useUniqueFileName", "false"), field("folder", s.folder), content([]byte(strings.Repeat("content ", 50))), field("tags", "a"))
	address, err := url.Parse(s.uploadAddress())
	if err != nil {
		t.Fatal(err)
	}
	if address.Scheme != "http" {
		t.Skip("raw requests go over plain http only")
	}
	for cut := 1; cut < len(body); cut += 37 {
		conn, err := net.DialTimeout("tcp", address.Host, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		token := base64.StdEncoding.EncodeToString([]byte(s.Key + ":"))
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Basic %s\r\nContent-Type: multipart/form-data; boundary=%s\r\nContent-Length: %d\r\n\r\n", address.Path, address.Host, token, boundary, len(body))
		conn.Write(body[:cut])
		conn.(*net.TCPConn).CloseWrite()
		res, err := http.ReadResponse(bufio.NewReader(conn), nil) //nolint:bodyclose // the connection is closed below
		if err == nil && res.StatusCode == http.StatusOK {
			t.Errorf("a body cut after %d of %d bytes was stored", cut, len(body))
		}
		conn.Close()
	}
	if found := s.list(t, "searchQuery", `name = "`+name+`"`); len(found) != 0 {
		t.Errorf("cut bodies left %v", found)
	}
}

// testFileAsText: base64 and data URIs (service.md §4.1, file).
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
			want(t, r, "size", len(data))
			want(t, r, "fileType", "image")
		})
	}
	t.Run("a long text as data URI", func(t *testing.T) {
		picture := `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="12"><!--` + strings.Repeat(" 100%", 20_000) + `--></svg>`
		r := s.store(t, field("fileName", "long.svg"), field("file", "data:image/svg+xml;utf8,"+url.PathEscape(picture)))
		want(t, r, "size", len(picture))
	})
	t.Run("bytes without a file name", func(t *testing.T) {
		for _, kind := range []string{"application/octet-stream", "image/png"} {
			want(t, s.store(t, field("fileName", "typed"), part{name: "file", value: string(data), kind: kind}), "size", len(data))
		}
		want(t, s.store(t, field("fileName", "typed"), part{name: "file", value: coded, kind: "text/plain; charset=utf-8"}), "size", len(data))
	})
	t.Run("bytes are never decoded", func(t *testing.T) {
		want(t, s.store(t, field("fileName", "b64.txt"), content([]byte(coded))), "size", len(coded))
	})
	t.Run("refused", func(t *testing.T) {
		s.strict(t)
		for _, value := range []string{"/home/me/photo.jpg", "photo.jpg", "hello", "abcd=efg", "ab=", "====", "data:image/png;base64,***", "data:nothing", "data:,", "data:,100%", "data:,100%zz", "data:;base64,YQ%3", coded[:8] + "%2B" + coded[11:], "ftp://example.com/a", "file:///etc/passwd", ""} {
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

// testLimits is service.md §8: the size of an upload.
func testLimits(t *testing.T, s *suite) {
	if s.MaxSize == 0 {
		t.Skip("the size limit is not to be tried")
	}
	most := bytes.Repeat([]byte("x"), int(s.MaxSize))
	want(t, s.store(t, field("fileName", "most"), content(most)), "size", s.MaxSize)
	want(t, s.store(t, field("fileName", "most"), field("file", base64.StdEncoding.EncodeToString(most))), "size", s.MaxSize)
	more := append(most, 'x')
	s.refused(t, "size exceeds", field("fileName", "more"), content(more))
	s.refused(t, "size exceeds", field("fileName", "more"), field("file", base64.StdEncoding.EncodeToString(more)))
	t.Run("refused before the end", func(t *testing.T) {
		s.strict(t)
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
		a := s.do(t, http.MethodPost, s.uploadAddress(), "multipart/form-data; boundary="+boundary, body, nil)
		wantError(t, a, http.StatusBadRequest, "size exceeds")
	})
	t.Run("declared too large", func(t *testing.T) {
		s.strict(t)
		body, writer := io.Pipe() // nothing of it ever comes
		defer writer.Close()
		a := s.do(t, http.MethodPost, s.uploadAddress(), "multipart/form-data; boundary="+boundary, body, func(r *http.Request) { r.ContentLength = 1 << 40 })
		wantError(t, a, http.StatusBadRequest, "size exceeds")
	})
}

// cutShort sends an upload whose parts are all there, and ends before the
// length that it announced: nothing may be stored.
func (s *suite) cutShort(t *testing.T) {
	t.Helper()
	u, err := url.Parse(s.uploadAddress())
	if err != nil || u.Scheme != "http" {
		t.Skip("this is tried over plain connections only")
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	name := random() + ".txt"
	body := multipartBody(append(exact(name, []byte("x")), field("folder", s.folder))...)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.uploadAddress(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(s.Key, "")
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: multipart/form-data; boundary=%s\r\nContent-Length: %d\r\n\r\n%s",
		u.RequestURI(), u.Host, req.Header.Get("Authorization"), boundary, len(body)+10, body)
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if res, err := http.ReadResponse(bufio.NewReader(conn), req); err == nil { // a server may also just go
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("answered %d", res.StatusCode)
		}
	}
	if list := s.list(t, "path", s.folder, "searchQuery", `name = "`+name+`"`); len(list) != 0 {
		t.Errorf("stored %v", list)
	}
}
