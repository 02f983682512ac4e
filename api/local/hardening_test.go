package local_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

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
	if w := send(l, http.MethodPost, "/api/v1/files/upload", contentType, body); w.Code != http.StatusOK {
		t.Fatalf("the upload answers %d: %s, want %d", w.Code, w.Body, http.StatusOK)
	}
	must(t, os.RemoveAll(filepath.Join(dir, "contents")))
	w := ask(l, http.MethodGet, "/a.txt")
	id := w.Header().Get("X-Ik-Requestid")
	if w.Code != http.StatusInternalServerError || id == "" || !strings.Contains(w.Body.String(), "See its log, request id "+id) {
		t.Errorf("request %s is answered %d: %s", id, w.Code, w.Body)
	}
	if line := regexp.MustCompile("request failed.* request=" + id + " error=.+"); !line.MatchString(log.String()) {
		t.Errorf("the log is %q", log.String())
	}
}

// TestDeletedWhileUploaded deletes each file after it is stored and before the answer, which
// waits for the tagging.
func TestDeletedWhileUploaded(t *testing.T) {
	l := serve(t, local.Options{}.WithHooks()).Library
	deleteAll := func() {
		var files []struct{ FileID string }
		if err := json.Unmarshal(ask(l, http.MethodGet, "/v1/files").Body.Bytes(), &files); err != nil {
			t.Error(err)
		}
		for _, f := range files {
			if w := ask(l, http.MethodDelete, "/v1/files/"+f.FileID); w.Code != http.StatusNoContent {
				t.Errorf("deleting answers %d: %s, want %d", w.Code, w.Body, http.StatusNoContent)
			}
		}
	}
	settled := func() {
		eventually(t, "the end of all runs", func() bool { pending, _ := l.Unfinished(t); return pending == 0 })
	}
	for n := range 5 {
		contentType, body := form(apitest.JPEG(8, 8), "fileName", "a.jpg", "extensions", `[{"name":"google-auto-tagging"},{"name":"remove-bg"}]`)
		l.AfterNextUpdate(deleteAll)
		w := send(l, http.MethodPost, "/api/v1/files/upload", contentType, body)
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "deleted") {
			t.Errorf("upload %d is answered %d: %s", n, w.Code, w.Body)
		}
		settled()
	}
	contentType, body := form(apitest.JPEG(8, 8), "fileName", "a.jpg", "responseFields", "embeddedMetadata,customMetadata")
	l.AfterNextUpdate(deleteAll)
	if w := send(l, http.MethodPost, "/api/v1/files/upload", contentType, body); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "deleted") {
		t.Errorf("an upload without extensions is answered %d: %s", w.Code, w.Body)
	}
	var record struct{ FileID string }
	contentType, body = form(apitest.JPEG(8, 8), "fileName", "a.jpg")
	if err := json.Unmarshal(send(l, http.MethodPost, "/api/v1/files/upload", contentType, body).Body.Bytes(), &record); err != nil {
		t.Fatal(err)
	}
	l.AfterNextUpdate(deleteAll)
	w := send(l, http.MethodPatch, "/v1/files/"+record.FileID+"/details", "application/json", strings.NewReader(`{"extensions":[{"name":"google-auto-tagging"}]}`))
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "deleted") {
		t.Errorf("an update is answered %d: %s", w.Code, w.Body)
	}
}

// TestResetWhileUploaded: an upload whose run was removed by a reset does not wait for it.
func TestResetWhileUploaded(t *testing.T) {
	l := serve(t, local.Options{AllowReset: true}.WithHooks()).Library
	l.WaitForTags(20 * time.Second)
	l.AfterNextUpdate(func() { ask(l, http.MethodPost, "/_mediadesk/reset") })
	contentType, body := form(apitest.JPEG(8, 8), "fileName", "a.jpg", "extensions", `[{"name":"google-auto-tagging"}]`)
	start := time.Now()
	w := send(l, http.MethodPost, "/api/v1/files/upload", contentType, body)
	if took := time.Since(start); w.Code != http.StatusNotFound || took > 10*time.Second {
		t.Errorf("answered %d: %s after %s, want %d", w.Code, w.Body, took, http.StatusNotFound)
	}
}

// TestDeletedWhileRead deletes a file and its content after a request has read its record.
func TestDeletedWhileRead(t *testing.T) {
	dir := t.TempDir()
	l := serve(t, local.Options{Dir: dir}.WithHooks()).Library
	for _, path := range []string{"/a.txt", "/v1/files/ID/metadata"} {
		contentType, body := form([]byte("x"), "fileName", "a.txt", "useUniqueFileName", "false")
		var record struct{ FileID string }
		if err := json.Unmarshal(send(l, http.MethodPost, "/api/v1/files/upload", contentType, body).Body.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		l.AfterNextView(func() {
			if w := ask(l, http.MethodDelete, "/v1/files/"+record.FileID); w.Code != http.StatusNoContent {
				t.Errorf("deleting answers %d: %s, want %d", w.Code, w.Body, http.StatusNoContent)
			}
			contents, _ := filepath.Glob(filepath.Join(dir, "contents", "??", "*"))
			for _, name := range contents {
				if err := os.Remove(name); err != nil {
					t.Error(err)
				}
			}
		})
		if w := ask(l, http.MethodGet, strings.Replace(path, "ID", record.FileID, 1)); w.Code != http.StatusNotFound {
			t.Errorf("%s is answered %d: %s, want %d", path, w.Code, w.Body, http.StatusNotFound)
		}
	}
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
		if w.Code != c.want {
			t.Errorf("%s: answered %d: %s, want %v", c.name, w.Code, w.Body, c.want)
		}
	}
	w := ask(l, http.MethodGet, "/v1/files?tags="+strings.Repeat("t,", 15_000)+"t")
	if w.Code >= http.StatusInternalServerError {
		t.Errorf("15,000 tags: answered %d: %s", w.Code, w.Body)
	}
}
