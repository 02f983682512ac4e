package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

func jsonBody(text string) io.Reader { return strings.NewReader(text) }

func openFuzzed(f *testing.F) *local.Library {
	o := local.Options{Dir: f.TempDir(), Key: key(testKey), MaxSize: 100_000}
	l, err := local.Open(context.Background(), o)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := l.Close(); err != nil {
			f.Error(err)
		}
	})
	return l
}

// FuzzUpload sends random bodies to the upload operation. It answers 200 with a record, or 400
// with a message.
func FuzzUpload(f *testing.F) {
	l := openFuzzed(f)
	const boundary = "b"
	part := func(name, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	name := part("fileName", "a.jpg")
	for _, seed := range []string{
		name + part("file", "aGVsbG8=") + "--b--\r\n",
		name + part("file", "data:text/plain,hello%20there") + part("tags", "a,b") + "--b--\r\n",
		name + part("file", "http://127.0.0.1/") + "--b--\r\n",
		name + "--b\r\nContent-Disposition: form-data; name=file; filename=x\r\n\r\n" + string(apitest.PhotoJPEG(8, 8, 6)) + "\r\n--b--\r\n",
		name + "--b\r\nContent-Disposition: form-data; name=file; filename=x\r\n\r\n" + string(apitest.GIF(8, 8)) + "\r\n--b--\r\n",
		name + "--b\r\nContent-Disposition: form-data; name=file; filename*=UTF-8''x\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=FF=\r\n\r\n--b--\r\n",
		part("fileName", "..") + part("extensions", `[{"name":"remove-bg"}]`) + "--b--",
		part("customMetadata", `{"a":1}`) + part("folder", "//a//") + part("customCoordinates", "1,2,3,4"),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/api/v1/files/upload", bytes.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
		r.SetBasicAuth(testKey, "")
		w := httptest.NewRecorder()
		l.ServeHTTP(w, r)
		var answer map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("answered %d: %q", w.Code, w.Body)
		}
		switch {
		case w.Code == http.StatusOK && answer["fileId"] != "":
		case w.Code == http.StatusBadRequest && answer["message"] != "":
		default:
			t.Fatalf("answered %d: %q", w.Code, w.Body)
		}
	})
}

// FuzzSearch sends random queries to the listing.
func FuzzSearch(f *testing.F) {
	l := openFuzzed(f)
	for _, seed := range []string{
		`name = "a"`, `(name : 'b' OR NOT size > "1mb") AND tags IN ["a","b"]`, `createdAt NOT < "7d"`, `width != 3`, `((((`, `name IN []`, `private = true`,
		`"customMetadata.a" > 5`, `"customMetadata.a" HAS "b c"`, `"embeddedMetadata.Make" IN ["a", 1, true]`, `path : "/a/" AND type IN ["folder","file-version"]`, `AITags EXISTS OR tags : "x"`,
		`width IN [1,2] AND format = "../x"`, `description NOT EXISTS`, `name HAS ""`, `tags NOT HAS "%"`,
		strings.Repeat("(", 400), strings.Repeat("NOT ", 590) + "width = 1", strings.Repeat("width > 1 AND ", 140) + "width > 1", strings.Repeat(`name = "a" OR `, 140) + "width > 1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/files?type=all", nil)
		q := r.URL.Query()
		q.Set("searchQuery", query)
		r.URL.RawQuery = q.Encode()
		r.SetBasicAuth(testKey, "")
		w := httptest.NewRecorder()
		l.ServeHTTP(w, r)
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
			t.Fatalf("%q answered %d: %s", query, w.Code, w.Body)
		}
	})
}

// FuzzManage sends random bodies to the managing calls. Each answers with success, or with a message.
func FuzzManage(f *testing.F) {
	l := openFuzzed(f)
	calls := []string{
		"POST /v1/folder", "DELETE /v1/folder", "POST /v1/files/copy", "POST /v1/files/move", "PUT /v1/files/rename", "POST /v1/files/addTags",
		"POST /v1/files/removeAITags", "POST /v1/files/batch/deleteByFileIds", "POST /v1/customMetadataFields", "PATCH /v1/files/0123456789abcdef01234567/details",
	}
	for i, seed := range []string{
		`{"folderName":"a/b","parentFolderPath":"/c"}`, `{"folderPath":"/a"}`, `{"sourceFilePath":"/a/b","destinationPath":"/c","includeFileVersions":true}`, `{"sourceFilePath":"b","destinationPath":""}`,
		`{"filePath":"/a","newFileName":"b"}`, `{"fileIds":["0123456789abcdef01234567"],"tags":["a"]}`, `{"fileIds":null}`, `[]`, `{"name":"a","label":"b","schema":{"type":"SingleSelect","selectOptions":[1,"a",null]}}`,
		`{"tags":null,"customCoordinates":"1,2,3,4","customMetadata":{"a":{"b":[]}},"removeAITags":"all","extensions":[{"name":"remove-bg"}]}`,
	} {
		f.Add(uint8(i), seed)
	}
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		method, path, _ := strings.Cut(calls[int(which)%len(calls)], " ")
		r := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
		r.SetBasicAuth(testKey, "")
		w := httptest.NewRecorder()
		l.ServeHTTP(w, r)
		var answer map[string]any
		switch {
		case w.Code == http.StatusNoContent && w.Body.Len() == 0:
		case json.Unmarshal(w.Body.Bytes(), &answer) != nil || w.Code >= 500:
			t.Fatalf("%s %s %q answered %d: %q", method, path, body, w.Code, w.Body)
		case w.Code >= 400 && answer["message"] == "":
			t.Fatalf("%s %s %q answered %d without a message", method, path, body, w.Code)
		}
	})
}
