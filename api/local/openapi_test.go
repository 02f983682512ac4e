package local_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"mediadesk/api/local"
)

// description is a parsed openapi.json for checking answers.
type description struct {
	paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]any `json:"content"`
		} `json:"responses"`
	}
	templates map[string]*regexp.Regexp

	mu   sync.Mutex
	seen map[string]bool // operations that succeeded
}

func describe(t *testing.T, l http.Handler) *description {
	t.Helper()
	w := httptest.NewRecorder()
	l.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/_mediadesk/openapi.json", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("openapi.json answers %d: %s, want %d", w.Code, w.Body, http.StatusOK)
	}
	d := &description{seen: map[string]bool{}, templates: map[string]*regexp.Regexp{}}
	if err := json.Unmarshal(w.Body.Bytes(), &struct {
		Paths any `json:"paths"`
	}{&d.paths}); err != nil {
		t.Fatal(err)
	}
	for path := range d.paths {
		pattern := regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), "[^/]+")
		d.templates[path] = regexp.MustCompile("^" + pattern + "/*$")
	}
	return d
}

// check returns how an answer differs from the description.
func (d *description) check(method, path string, status int, contentType string, body []byte) error {
	best := ""
	for template, pattern := range d.templates {
		if pattern.MatchString(path) && (len(regexp.MustCompile(`\{\w+\}`).ReplaceAllString(template, "")) > len(regexp.MustCompile(`\{\w+\}`).ReplaceAllString(best, "")) || best == "") {
			best = template
		}
	}
	if best == "" || d.paths[best][strings.ToLower(method)].Responses == nil {
		if status >= 400 {
			return nil // there is no such operation
		}
		return fmt.Errorf("the operation is not described")
	}
	code := fmt.Sprint(status)
	if _, ok := d.paths[best][strings.ToLower(method)].Responses[code]; !ok {
		code = "default"
		if status < 400 {
			return fmt.Errorf("the status %d is not described", status)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if status < 300 {
		d.seen[method+" "+best] = true
	}
	if len(d.paths[best][strings.ToLower(method)].Responses[code].Content) == 0 {
		if len(body) > 0 {
			return fmt.Errorf("got a body, want none")
		}
		return nil
	}
	if contentType != "application/json; charset=utf-8" {
		return fmt.Errorf("the content type is %q", contentType)
	}
	if !json.Valid(body) {
		return errors.New("the answer is no JSON")
	}
	return nil
}

// teeWriter keeps a copy of the answer.
type teeWriter struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (w *teeWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *teeWriter) Write(p []byte) (int, error) {
	w.body.Write(p)
	return w.ResponseWriter.Write(p)
}

func (w *teeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// serveDescribed serves a library and compares every answer with openapi.json. The returned function
// fails unless every operation has succeeded at least once.
func serveDescribed(t *testing.T, o local.Options) (address string, allSucceeded func()) {
	var mu sync.Mutex
	var d *description
	var library *local.Library
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tee := &teeWriter{ResponseWriter: w, status: http.StatusOK}
		method, path := r.Method, r.URL.Path
		library.ServeHTTP(tee, r)
		api := regexp.MustCompile("^/(v1|v2|api|_mediadesk)/").MatchString(path)
		if !api || method == http.MethodHead {
			return
		}
		if err := d.check(method, path, tee.status, w.Header().Get("Content-Type"), tee.body.Bytes()); err != nil {
			mu.Lock()
			defer mu.Unlock()
			t.Errorf("%s %s answers %d: %v\n%s", method, path, tee.status, err, tee.body.Bytes())
		}
	}))
	t.Cleanup(server.Close)
	o.Address, o.AllowReset = server.URL, true
	library = serve(t, o).Library
	d = describe(t, library)
	return server.URL, func() {
		for _, operation := range []string{
			"GET /v1/customMetadataFields", "GET /api/v1/library",
		} {
			method, path, _ := strings.Cut(operation, " ")
			ask(server.Config.Handler, method, path)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, r := range local.Routes() {
			if name := r.Method + " " + r.Pattern; !d.seen[name] && r.Summary != "Cancel an extension that works on a file" && !strings.HasPrefix(r.Pattern, "/_mediadesk/") {
				t.Errorf("%s never succeeded", name)
			}
		}
	}
}

// TestTakes sends each operation with a JSON body an unknown member, and then omits each required
// one. The answers name the members that the route describes.
func TestTakes(t *testing.T) {
	l := serve(t, local.Options{AllowReset: true}).Library
	id := upload(t, serve(t, local.Options{}).Address, []byte("a"), "fileName", "a")["fileId"].(string)
	for _, route := range local.Routes() {
		if route.Method == http.MethodGet || strings.HasPrefix(route.Pattern, "/api/v1/files") {
			continue
		}
		path := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(route.Pattern, id)
		w := send(l, route.Method, path, "application/json", strings.NewReader(`{"none":1}`))
		var names []string
		required := map[string]any{}
		for word := range strings.FieldsSeq(route.Takes) {
			name, _, _ := strings.Cut(strings.TrimRight(word, "!?"), ":")
			names = append(names, name)
			if strings.HasSuffix(word, "!") {
				required[name] = nil
			}
		}
		if len(names) == 0 {
			if strings.Contains(w.Body.String(), "It takes") {
				t.Errorf("%s %s takes members: %s", route.Method, route.Pattern, w.Body)
			}
			continue
		}
		if want := "It takes " + strings.Join(names, ", ") + "."; !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s %s answers %s, not %q", route.Method, route.Pattern, w.Body, want)
		}
		w = send(l, route.Method, path, "application/json", strings.NewReader(`{}`))
		missing := strings.Contains(w.Body.String(), "is missing")
		if missing != (len(required) > 0) {
			t.Errorf("%s %s requires %d members, and answers {} with %s", route.Method, route.Pattern, len(required), w.Body)
		}
	}
	for _, path := range []string{"/v1/files", "/v1/customMetadataFields"} {
		w := ask(l, http.MethodGet, path+"?none=1")
		for _, route := range local.Routes() {
			if route.Pattern != path || route.Method != http.MethodGet {
				continue
			}
			var names []string
			for word := range strings.FieldsSeq(route.Takes) {
				name, _, _ := strings.Cut(word, ":")
				names = append(names, name)
			}
			if want := "It takes " + strings.Join(names, ", ") + "."; !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s answers %s, not %q", path, w.Body, want)
			}
		}
	}
}
