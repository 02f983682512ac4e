package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
)

// asHost sends a GET for the host name host and returns the status and the body.
func asHost(t *testing.T, l http.Handler, host, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = host
	r.SetBasicAuth(testKey, "")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	l.ServeHTTP(w, r)
	return w
}

func TestHosts(t *testing.T) {
	s := serve(t, local.Options{Hosts: []string{"media.test", "Upload.Example.com."}})
	for _, host := range []string{"media.test", "MEDIA.test:7843", "media.test.", "upload.example.com", "localhost:1", "127.0.0.1", "[::1]:80"} {
		wantResponse(t, asHost(t, s.Library, host, "/v1/files"), http.StatusOK, "", "%s", host)
	}
	for _, host := range []string{"", "other.test", "media.test.other.test", "localhost.other.test", "192.168.1.7", "media.test@other.test"} {
		wantResponse(t, asHost(t, s.Library, host, "/v1/files"), http.StatusMisdirectedRequest, "--host", "%s", host)
	}
}

// TestMachineNames: a library that listens beyond loopback accepts the computer's name and the
// name in its listening address.
func TestMachineNames(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	w := asHost(t, serve(t, local.Options{}).Library, name, "/v1/files")
	wantResponse(t, w, http.StatusMisdirectedRequest, "", "on loopback %s", name)
	s, err := local.Serve(t.Context(), "0.0.0.0:0", local.Options{Dir: t.TempDir(), Key: key(testKey)})
	must(t, err)
	defer closeServer(t, s)
	for _, host := range []string{name, strings.ToUpper(name) + ":80", "192.168.1.7:80", "0.0.0.0"} {
		wantResponse(t, asHost(t, s.Library, host, "/v1/files"), http.StatusOK, "", "%s", host)
	}
	if !s.Public() || !strings.HasPrefix(s.Address, "http://127.0.0.1:") {
		t.Errorf("it listens at %s, public %v", s.Address, s.Public())
	}
	wantResponse(t, asHost(t, s.Library, "other.test", "/v1/files"), http.StatusMisdirectedRequest, "", "a foreign name")
}

// TestRecordsFollowTheHost: addresses in records use the host of the request, unless a public URL
// is set.
func TestRecordsFollowTheHost(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir, Hosts: []string{"media.test"}})
	record := upload(t, s.Address, apitest.PNG(8, 8), "fileName", "a.png", "useUniqueFileName", "false")
	if record["url"] != s.Address+"/a.png" ||
		!strings.HasPrefix(record["thumbnailUrl"].(string), s.Address+"/tr:") {
		t.Errorf("the record is %v", record)
	}
	id := record["fileId"].(string)
	for _, path := range []string{"/v1/files", "/v1/files/" + id + "/details", "/v1/files/" + id + "/versions"} {
		answer := asHost(t, s.Library, "media.test:8080", path).Body.String()
		if !strings.Contains(answer, `"http://media.test:8080/a.png"`) || !strings.Contains(answer, `"http://media.test:8080/tr:`) {
			t.Errorf("%s answers %s", path, answer)
		}
	}
	w := asHost(t, s.Library, "media.test", "/v1/files", "X-Forwarded-Proto", "https")
	wantResponse(t, w, http.StatusOK, `"https://media.test/a.png"`, "behind TLS the list")
	for _, at := range []string{s.Address, "http://media.test:8080"} {
		w := asHost(t, s.Library, "media.test:8080", "/v1/metadata?url="+at+"/a.png")
		wantResponse(t, w, http.StatusOK, "", "the metadata at %s", at)
	}
	closeServer(t, s)

	s = serve(t, local.Options{Dir: dir, Address: "https://cdn.test/media/"})
	w = asHost(t, s.Library, "cdn.test", "/v1/files")
	wantResponse(t, w, http.StatusOK, `"https://cdn.test/media/a.png"`, "with a public URL the list")
	if !strings.HasPrefix(s.Address, "http://127.0.0.1:") {
		t.Errorf("it listens at %s", s.Address)
	}
}

func TestCheckHost(t *testing.T) {
	for text, ok := range map[string]bool{
		"media.test": true, "nas": true, "10.0.0.7": true, "[::1]": true,
		"": false, "http://a": false, "a:80": false, "a/b": false, "a b": false, "a@b": false,
	} {
		mediatest.Equal(t, local.CheckHost(text) == nil, ok, "%q is a host", text)
	}
	for text, ok := range map[string]bool{
		"https://media.test": true, "http://10.0.0.7:80/x/": true,
		"": false, "media.test": false, "https://a@media.test": false, "https://media.test?a": false, "ftp://media.test": false,
	} {
		mediatest.Equal(t, local.CheckPublicURL(text) == nil, ok, "%q is a public URL", text)
	}
}

// TestReadersOfNothing: a connection whose client does not read is closed, whatever the size of
// the answer.
func TestReadersOfNothing(t *testing.T) {
	const connections = 200
	s := serve(t, local.Options{}.WithIdleTimeout(200*time.Millisecond))
	large := upload(t, s.Address, make([]byte, 10_000_000), "fileName", "large.bin")["filePath"]
	small := upload(t, s.Address, []byte("small"), "fileName", "small.txt")["filePath"]
	host := strings.TrimPrefix(s.Address, "http://")
	before := runtime.NumGoroutine()
	for n := range connections {
		c, err := net.Dial("tcp", host)
		must(t, err)
		defer c.Close()
		path := []any{large, small}[n%2]
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host)
	}
	eventually(t, "the end of the connections",
		func() bool { return runtime.NumGoroutine() <= before+connections/50 })
}

// TestSlowReader: a download may take any time while bytes move, here nine times as long as a
// connection may stand still. With the default of one minute this allows 13 KB/s.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system buffers megabytes before a slow reader is noticed")
	}
	const size, patience, perPatience = 7_200_000, 300 * time.Millisecond, 800_000
	s := serve(t, local.Options{}.WithIdleTimeout(patience))
	r := upload(t, s.Address, make([]byte, size), "fileName", "large.bin")
	res, err := http.Get(r["url"].(string))
	must(t, err)
	defer res.Body.Close()
	pace := time.NewTicker(patience / 10)
	defer pace.Stop()
	var got int64
	for {
		n, err := io.CopyN(io.Discard, res.Body, perPatience/10)
		if got += n; err == io.EOF && got == size {
			return
		}
		if err != nil {
			t.Fatalf("the download ended after %d bytes: %v", got, err)
		}
		<-pace.C
	}
}

// buffer is a bytes.Buffer that several goroutines may use.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestFailuresAreLogged: an answer with status 500 names its request id. The log has the reason
// under that id, even if no log was chosen.
func TestFailuresAreLogged(t *testing.T) {
	var log buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	dir := t.TempDir()
	l, err := local.Open(t.Context(), local.Options{Dir: dir, Key: key(testKey)})
	must(t, err)
	defer l.Close()
	contentType, body := form([]byte("x"), "fileName", "a.txt", "useUniqueFileName", "false")
	wantResponse(t, send(l, http.MethodPost, uploadV1, contentType, body), http.StatusOK, "", "the upload")
	must(t, os.RemoveAll(filepath.Join(dir, "contents")))
	w := ask(l, http.MethodGet, "/a.txt")
	id := w.Header().Get("X-Ik-Requestid")
	if w.Code != http.StatusInternalServerError || id == "" ||
		!strings.Contains(w.Body.String(), "See its log, request id "+id) {
		t.Errorf("request %s is answered %d: %s", id, w.Code, w.Body)
	}
	line := regexp.MustCompile("request failed.* request=" + id + " error=.+")
	if !line.MatchString(log.String()) {
		t.Errorf("the log is %q", log.String())
	}
}

// TestDeletedWhileUploaded deletes each file after it is stored and before the answer, which
// waits for the tagging.
func TestDeletedWhileUploaded(t *testing.T) {
	l := serve(t, local.Options{}.WithHooks()).Library
	deleteAll := func() {
		var files []struct{ FileID string }
		must(t, json.Unmarshal(ask(l, http.MethodGet, "/v1/files").Body.Bytes(), &files))
		for _, f := range files {
			wantResponse(t, ask(l, http.MethodDelete, "/v1/files/"+f.FileID), http.StatusNoContent, "", "deleting")
		}
	}
	settled := func() {
		eventually(t, "the end of all runs",
			func() bool { pending, _ := l.Unfinished(t); return pending == 0 })
	}
	for n := range 5 {
		contentType, body := form(apitest.JPEG(8, 8), "fileName", "a.jpg", "extensions", `[{"name":"google-auto-tagging"},{"name":"remove-bg"}]`)
		l.AfterNextUpdate(deleteAll)
		w := send(l, http.MethodPost, uploadV1, contentType, body)
		wantResponse(t, w, http.StatusNotFound, "deleted", "upload %d", n)
		settled()
	}
	contentType, body := form(apitest.JPEG(8, 8), "fileName", "a.jpg", "responseFields", "embeddedMetadata,customMetadata")
	l.AfterNextUpdate(deleteAll)
	w := send(l, http.MethodPost, uploadV1, contentType, body)
	wantResponse(t, w, http.StatusNotFound, "deleted", "an upload without extensions")
	var record struct{ FileID string }
	contentType, body = form(apitest.JPEG(8, 8), "fileName", "a.jpg")
	must(t, json.Unmarshal(send(l, http.MethodPost, uploadV1, contentType, body).Body.Bytes(), &record))
	l.AfterNextUpdate(deleteAll)
	w = send(l, http.MethodPatch, "/v1/files/"+record.FileID+"/details", "application/json", strings.NewReader(`{"extensions":[{"name":"google-auto-tagging"}]}`))
	wantResponse(t, w, http.StatusNotFound, "deleted", "an update")
}

// TestLongQueries: a query that is too long for the database is refused with a message.
func TestLongQueries(t *testing.T) {
	l := serve(t, local.Options{}).Library
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("w ", n)) }
	for _, c := range []struct {
		name, query string
		want        int
	}{
		{"5,000 words", `description HAS "` + words(5000) + `"`, http.StatusBadRequest},
		{"5,000 words of a tag", `tags HAS "` + words(5000) + `"`, http.StatusBadRequest},
		{"5,000 words of metadata", `"customMetadata.a" HAS "` + words(5000) + `"`, http.StatusBadRequest},
		{"5,000 words in several conditions", strings.Repeat(`name HAS "`+words(100)+`" OR `, 50) + `name HAS "a"`, http.StatusBadRequest},
		{"some words", `name HAS "` + words(50) + `"`, http.StatusOK},
		{"a long list", `name IN [` + strings.TrimSuffix(strings.Repeat(`"a",`, 250), ",") + `]`, http.StatusOK},
		{"a long list of formats", `format IN [` + strings.TrimSuffix(strings.Repeat(`"jpg",`, 250), ",") + `]`, http.StatusOK},
		{"many conditions", strings.Repeat(`name : "a" AND `, 140) + `size > 1`, http.StatusOK},
		{"many negations", strings.Repeat(`name NOT = "a" AND `, 50) + `size > 1`, http.StatusOK},
	} {
		w := ask(l, http.MethodGet, "/v1/files?searchQuery="+url.QueryEscape(c.query))
		wantResponse(t, w, c.want, "", "%s", c.name)
	}
	w := ask(l, http.MethodGet, "/v1/files?tags="+strings.Repeat("t,", 15_000)+"t")
	if w.Code >= http.StatusInternalServerError {
		t.Errorf("15,000 tags: answered %d: %s", w.Code, w.Body)
	}
}

// ask sends a request with the key to a library, without a network.
func ask(l http.Handler, method, target string) *httptest.ResponseRecorder {
	return send(l, method, target, "", nil)
}

// send is ask with a body.
func send(l http.Handler, method, target, contentType string, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1"+target, body)
	r.Header.Set("Content-Type", contentType)
	r.SetBasicAuth(testKey, "")
	w := httptest.NewRecorder()
	l.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), local.RequestKey{}, true)))
	return w
}

// wantResponse checks the status of a response, and that its body contains text. The format names the request.
func wantResponse(t *testing.T, w *httptest.ResponseRecorder, status int, text, format string, args ...any) {
	t.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), text) {
		t.Errorf("%s: answered %d %s, want %d %s", fmt.Sprintf(format, args...), w.Code, w.Body, status, text)
	}
}

// message returns the message of an error answer, which must be a JSON object.
func message(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var answer struct{ Message, Help string }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Message == "" ||
		answer.Help == "" {
		t.Errorf("%d has the body %q", w.Code, w.Body)
	}
	mediatest.Equal(t, w.Header().Get("Content-Type"), "application/json; charset=utf-8",
		"the content type is")
	return answer.Message
}

// TestRoutes requests each path with a method that no route has, and with extra slashes. The
// answer lists the methods that the path allows.
func TestRoutes(t *testing.T) {
	l := serve(t, local.Options{}).Library
	wildcard := regexp.MustCompile(`\{\w+\}`)
	for _, r := range local.Routes() {
		path := wildcard.ReplaceAllString(r.Pattern, strings.Repeat("0", 24))
		for _, spelling := range []string{path, path + "/", "/" + path, strings.ReplaceAll(path, "/", "//")} {
			w := ask(l, "BREW", spelling)
			if w.Code != http.StatusMethodNotAllowed || !strings.Contains(message(t, w), "BREW") {
				t.Errorf("%s answers %d: %s", spelling, w.Code, w.Body)
			}
			allowed := strings.Split(w.Header().Get("Allow"), ", ")
			if !strings.Contains(fmt.Sprint(allowed), r.Method) {
				t.Errorf("%s does not allow %s: %q", spelling, r.Method, allowed)
			}
		}
	}
}

func TestUnknownPaths(t *testing.T) {
	l := serve(t, local.Options{}).Library
	for _, path := range []string{
		"/v1", "/v1/", "/api", "/api/v1/files", "/api/v3/files/upload", "/v1/file", "/v1/files/0/none", "/v1/files/0/versions/1/2",
		"/v1/files/purge/0/1", "/v1/bulkJobs", "/v1/%2e%2e/v1/none", "/v1//none/?a=b",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, "BREW"} {
			if w := ask(l, method, path); w.Code != http.StatusNotFound ||
				!strings.Contains(message(t, w), "No such operation") {
				t.Errorf("%s %s answers %d: %s", method, path, w.Code, w.Body)
			}
		}
	}
	mediatest.Equal(t, ask(l, http.MethodHead, "/v1/files/").Code, http.StatusOK, "HEAD answers")
	// This is the status of a purge, not the details of a file called "purge".
	if w := ask(l, http.MethodGet, "/v1/files/purge/details"); w.Code != http.StatusBadRequest ||
		!strings.Contains(message(t, w), "No request found") {
		t.Errorf("a purge answers %d: %s", w.Code, w.Body)
	}
}

// TestOpenAPI: openapi.json, which needs no key, describes each operation and its success.
func TestOpenAPI(t *testing.T) {
	l := serve(t, local.Options{}).Library
	w := httptest.NewRecorder()
	l.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/_mediadesk/openapi.json", nil))
	var document struct {
		Paths map[string]map[string]struct {
			Summary   string
			Responses map[string]struct{ Content map[string]any }
		}
	}
	must(t, json.Unmarshal(w.Body.Bytes(), &document))
	for _, r := range local.Routes() {
		operation := document.Paths[r.Pattern][strings.ToLower(r.Method)]
		success, described := operation.Responses[strconv.Itoa(r.Status)]
		if operation.Summary != r.Summary || r.Summary == "" || !described ||
			(success.Content == nil) != (r.Status == http.StatusNoContent) {
			t.Errorf("%s %s is described as %+v", r.Method, r.Pattern, operation)
		}
	}
}
