//go:build unix

package local_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

// cancel asks a library to cancel a run.
func cancel(l http.Handler, fileID any, extension string) *httptest.ResponseRecorder {
	body := strings.NewReader(fmt.Sprintf(`{"fileId":%q,"extension":%q}`, fileID, extension))
	return send(l, http.MethodPost, "/api/v1/library/runs/cancel", "application/json", body)
}

// TestCancelRun cancels a run while its command works. The command ends, the picture stays as it
// was, and the worker goes on with the next run.
func TestCancelRun(t *testing.T) {
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	begun := filepath.Join(t.TempDir(), "begun")
	s := serve(t, local.Options{Commands: map[string][]string{
		"remove-bg": {"sh", "-c", "touch " + begun + "; exec sleep 600"},
		"next":      {"cat"},
	}})
	file := upload(t, s.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"},{"name":"next"}]`)
	id := file["fileId"]
	eventually(t, "the work", func() bool { _, err := os.Stat(begun); return err == nil })
	if w := cancel(s.Library, id, "remove-bg"); w.Code != http.StatusNoContent {
		t.Fatalf("canceling answers %d: %s, want %d", w.Code, w.Body, http.StatusNoContent)
	}
	ended := map[any]any{}
	for range 2 {
		post := receive(t, posts)
		ended[post["service"]] = post["status"]
		if post["service"] == "remove-bg" && !strings.Contains(fmt.Sprint(post["error"]), "canceled") {
			t.Errorf("posted %v", post)
		}
	}
	if ended["remove-bg"] != "FAILURE" || ended["next"] != "SUCCESS" {
		t.Errorf("posted %v", ended)
	}
	for extension, want := range map[string]int{"remove-bg": http.StatusConflict, "next": http.StatusConflict, "other": http.StatusNotFound} {
		if w := cancel(s.Library, id, extension); w.Code != want || !strings.Contains(message(t, w), extension) {
			t.Errorf("canceling %s answers %d: %s", extension, w.Code, w.Body)
		}
	}
	eventually(t, "the end of all posts", func() bool { return s.Library.Posts(t) == 0 })
	if len(posts) != 0 {
		t.Error("the end of a run was posted twice")
	}
}

// TestCancelRunThatWaits cancels a run that no worker has started. Canceling needs the key and the
// same site.
func TestCancelRunThatWaits(t *testing.T) {
	s := serve(t, local.Options{Fault: local.Fault{ExtensionsPending: true}})
	id := upload(t, s.Address, apitest.JPEG(60, 40), "fileName", "a.jpg", "extensions", `[{"name":"google-auto-tagging"}]`)["fileId"]
	for name, want := range map[string]int{"": http.StatusUnauthorized, "Sec-Fetch-Site": http.StatusForbidden} {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/api/v1/library/runs/cancel", strings.NewReader(fmt.Sprintf(`{"fileId":%q,"extension":"google-auto-tagging"}`, id)))
		if name != "" {
			r.Header.Set(name, "cross-site")
			r.SetBasicAuth(testKey, "")
		}
		w := httptest.NewRecorder()
		if s.Library.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%q: answered %d: %s, want %v", name, w.Code, w.Body, want)
		}
	}
	if pending, _ := s.Library.Unfinished(t); pending != 1 {
		t.Errorf("%d runs are pending, want 1", pending)
	}
	if w := cancel(s.Library, id, "google-auto-tagging"); w.Code != http.StatusNoContent {
		t.Errorf("canceling answers %d: %s, want %d", w.Code, w.Body, http.StatusNoContent)
	}
	if pending, _ := s.Library.Unfinished(t); pending != 0 {
		t.Errorf("%d runs are pending, want 0", pending)
	}
	if w := cancel(s.Library, id, ""); w.Code != http.StatusNotFound {
		t.Errorf("no extension answers %d: %s, want %d", w.Code, w.Body, http.StatusNotFound)
	}
}
