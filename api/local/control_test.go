package local_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

func TestHealth(t *testing.T) {
	dir := t.TempDir()
	fault, err := local.ParseFault([]string{"refuse=503"})
	must(t, err)
	l := serve(t, local.Options{Dir: dir, Version: "1.2.3", Fault: fault}).Library
	check := func(want int) string {
		t.Helper()
		w := httptest.NewRecorder()
		l.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/_mediadesk/health", nil))
		if w.Code != want {
			t.Errorf("health answers %d: %s, want %v", w.Code, w.Body, want)
		}
		return w.Body.String()
	}
	if body := check(http.StatusOK); body != `{"status":"ok","version":"1.2.3"}` {
		t.Errorf("health is %s, want status ok and version 1.2.3", body)
	}
	must(t, os.RemoveAll(filepath.Join(dir, "contents")))
	check(http.StatusServiceUnavailable)
}

// TestReset empties the library, and only where resetting is allowed.
func TestReset(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir})
	upload(t, s.Address, apitest.PNG(8, 8), "fileName", "a.png")
	if w := ask(s.Library, http.MethodPost, "/_mediadesk/reset"); w.Code != http.StatusForbidden || !strings.Contains(message(t, w), "cannot be reset") {
		t.Errorf("reset answers %d: %s", w.Code, w.Body)
	}
	closeServer(t, s)

	pending, err := local.ParseFault([]string{"extensions=pending"})
	must(t, err)
	s = serve(t, local.Options{Dir: dir, AllowReset: true, Fault: pending})
	field := strings.NewReader(`{"name":"price","label":"Price","schema":{"type":"Number"}}`)
	if w := send(s.Library, http.MethodPost, "/v1/customMetadataFields", "application/json", field); w.Code != http.StatusCreated {
		t.Fatalf("the field answers %d: %s, want %d", w.Code, w.Body, http.StatusCreated)
	}
	upload(t, s.Address, apitest.PNG(9, 9), "fileName", "b.png", "folder", "/x/", "customMetadata", `{"price":1}`, "extensions", `[{"name":"remove-bg"}]`)
	w := httptest.NewRecorder()
	s.Library.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://127.0.0.1/_mediadesk/reset", nil))
	if w.Code != http.StatusUnauthorized {
		t.Errorf("without the key, reset answers %d, want %d", w.Code, http.StatusUnauthorized)
	}
	if w := ask(s.Library, http.MethodPost, "/_mediadesk/reset"); w.Code != http.StatusNoContent {
		t.Fatalf("reset answers %d: %s, want %d", w.Code, w.Body, http.StatusNoContent)
	}
	for path, want := range map[string]string{
		"/v1/files": "[]", "/v1/files?path=/x": "[]", "/v1/files?type=all": "[]", "/v1/customMetadataFields": "[]", "/_mediadesk/requests": "[]",
	} {
		if path == "/_mediadesk/requests" {
			ask(s.Library, http.MethodPost, "/_mediadesk/reset")
		}
		if w := ask(s.Library, http.MethodGet, path); w.Body.String() != want {
			t.Errorf("%s is %s", path, w.Body)
		}
	}
	if pending, _ := s.Library.Unfinished(t); pending != 0 {
		t.Errorf("%d runs are pending, want 0", pending)
	}
	s.Library.Sweep()
	err = filepath.WalkDir(filepath.Join(dir, "contents"), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			t.Errorf("%s still exists", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	upload(t, s.Address, apitest.PNG(8, 8), "fileName", "a.png")
	closeServer(t, s)
	serve(t, local.Options{Dir: dir}) // opening does not report lost records
}

// TestRequests: the list has the last 1,000 requests and no secrets.
func TestRequests(t *testing.T) {
	var mu sync.Mutex
	var observed []local.Request
	s := serve(t, local.Options{Observe: func(r local.Request) {
		mu.Lock()
		defer mu.Unlock()
		observed = append(observed, r)
	}})
	list := func() (list []local.Request) {
		t.Helper()
		w := ask(s.Library, http.MethodGet, "/_mediadesk/requests")
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK {
			t.Fatalf("requests answers %d: %s, want %d", w.Code, w.Body, http.StatusOK)
		}
		if bytes.Contains(w.Body.Bytes(), []byte(testKey)) || bytes.Contains(w.Body.Bytes(), []byte("0123abc")) {
			t.Errorf("a secret is in %s", w.Body)
		}
		return list
	}
	upload(t, s.Address, apitest.PNG(8, 8), "fileName", "a.png", "useUniqueFileName", "false")
	deleted := ask(s.Library, http.MethodDelete, "/v1/files/"+strings.Repeat("0", 24)).Header().Get("X-Ik-Requestid")
	picture := ask(s.Library, http.MethodGet, "/a.png?ik-s=0123abc&a=b")
	ask(s.Library, http.MethodGet, "/"+testKey)
	ask(s.Library, http.MethodGet, "/_mediadesk/health")
	got := list()
	var lines []string
	for _, r := range got {
		lines = append(lines, fmt.Sprintf("%s %s %d", r.Method, r.Path, r.Status))
		if r.Time.IsZero() || r.Millis <= 0 || r.ID == "" {
			t.Errorf("a request is %+v", r)
		}
	}
	want := fmt.Sprintf("POST /api/v1/files/upload 200,DELETE /v1/files/%s/ 404,GET /a.png 200,GET /*** 404", strings.Repeat("0", 24))
	if text := strings.Replace(strings.Join(lines, ","), "0 404", "0/ 404", 1); text != want {
		t.Errorf("the requests are %s, want %v", text, want)
	}
	if got[1].ID != deleted || got[2].Size != int64(picture.Body.Len()) {
		t.Errorf("the requests are %+v", got)
	}
	mu.Lock()
	if len(observed) != 4 || observed[2].Query != "a=b&ik-s=%2A%2A%2A" {
		t.Errorf("observed %+v", observed)
	}
	mu.Unlock()
	for range 2100 { // twice the list and more
		ask(s.Library, http.MethodGet, "/none")
	}
	if n := len(list()); n != 1000 {
		t.Errorf("%d requests are listed, want 1000", n)
	}
}

// TestFolderNamedAsControl: files in a folder of that name are still served.
func TestFolderNamedAsControl(t *testing.T) {
	s := serve(t, local.Options{})
	record := upload(t, s.Address, []byte("hello"), "fileName", "health", "folder", "/_mediadesk/", "useUniqueFileName", "false")
	if got := fetch(t, record["url"].(string)); got != "hello" {
		t.Errorf("%v reads %q, want \"hello\"", record["url"], got)
	}
}
