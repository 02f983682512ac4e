package session

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"mediadesk/api"
)

// TestDownloadEndsAtTheSizeOfTheRecord: a body without an end is not kept, and no
// more of it is taken than the record says.
func TestDownloadEndsAtTheSizeOfTheRecord(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	client, err := api.NewClient(api.Options{UploadURL: server.URL, BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s, dir, got := &Session{Client: client}, t.TempDir(), int64(0)
	f := api.File{Name: "a.jpg", URL: server.URL + "/a.jpg", Size: api.Set(int64(10))}
	path, err := s.Download(t.Context(), f, dir, func(n int64) { got += n })
	if err == nil || path != "" || got > 10 {
		t.Errorf("%q, %d bytes, %v", path, got, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
