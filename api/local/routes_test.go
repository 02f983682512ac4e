package local_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"mediadesk/api/local"
)

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

// message returns the message of an error answer, which must be a JSON object.
func message(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var answer struct{ Message, Help string }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Message == "" || answer.Help == "" {
		t.Errorf("%d has the body %q", w.Code, w.Body)
	}
	if kind := w.Header().Get("Content-Type"); kind != "application/json; charset=utf-8" {
		t.Errorf("the content type is %q, want \"application/json; charset=utf-8\"", kind)
	}
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
		if r.Summary == "" {
			t.Errorf("%s %s has no summary", r.Method, r.Pattern)
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
			if w := ask(l, method, path); w.Code != http.StatusNotFound || !strings.Contains(message(t, w), "No such operation") {
				t.Errorf("%s %s answers %d: %s", method, path, w.Code, w.Body)
			}
		}
	}
	if w := ask(l, http.MethodHead, "/v1/files/"); w.Code != http.StatusOK {
		t.Errorf("HEAD answers %d, want %d", w.Code, http.StatusOK)
	}
	// This is the status of a purge, not the details of a file called "purge".
	if w := ask(l, http.MethodGet, "/v1/files/purge/details"); w.Code != http.StatusBadRequest || !strings.Contains(message(t, w), "No request found") {
		t.Errorf("a purge answers %d: %s", w.Code, w.Body)
	}
}
