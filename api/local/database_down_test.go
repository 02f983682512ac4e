package local_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/local/store/pgtest"
)

// TestDatabaseIsDown: while PostgreSQL does not answer, requests are refused with Retry-After and
// name the part that fails. Afterwards nothing is missing, and refused uploads can be repeated.
func TestDatabaseIsDown(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t)
	l, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Database: server.Address("postgres"), Key: key(testKey)})
	must(t, err)
	defer l.Close()
	store := func(name string) int {
		contentType, body := form([]byte(name), "fileName", name, "useUniqueFileName", "false", "overwriteFile", "false")
		return send(l, http.MethodPost, "/api/v1/files/upload", contentType, body).Code
	}
	if status := store("before.txt"); status != http.StatusOK {
		t.Fatalf("the upload was answered %d, want %d", status, http.StatusOK)
	}
	must(t, server.Stop())
	contentType, body := form([]byte("meanwhile"), "fileName", "meanwhile.txt", "useUniqueFileName", "false", "overwriteFile", "false")
	refused := send(l, http.MethodPost, "/api/v1/files/upload", contentType, body)
	for what, w := range map[string]*httptest.ResponseRecorder{
		"an upload": refused, "a list": ask(l, http.MethodGet, "/v1/files"), "a file": ask(l, http.MethodGet, "/before.txt"), "health": ask(l, http.MethodGet, "/_mediadesk/health"),
	} {
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s was answered %d without Retry-After: %s", what, w.Code, w.Body)
		}
	}
	if !strings.Contains(message(t, refused), "database") {
		t.Errorf("the upload was answered %d %s", refused.Code, refused.Body)
	}
	must(t, server.Start(t.Context()))
	if w := ask(l, http.MethodGet, "/before.txt"); w.Body.String() != "before.txt" {
		t.Errorf("what was stored reads %q", w.Body)
	}
	if status := store("meanwhile.txt"); status != http.StatusOK {
		t.Errorf("sent again, it was answered %d, want %d", status, http.StatusOK)
	}
}
