package session

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mediadesk/api"
)

// TestDownloadEndsAtTheSizeOfTheRecord: a body without an end is not kept. The download stops at the
// size in the record.
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
	must(t, err)
	defer client.Close()
	s, dir, got := &Session{Client: client}, t.TempDir(), int64(0)
	f := api.File{Name: "a.jpg", URL: server.URL + "/a.jpg", Size: api.Set(int64(10))}
	path, err := s.Download(t.Context(), f, dir, func(n int64) { got += n })
	if err == nil || path != "" || got > 10 {
		t.Errorf("%q, %d bytes, %v", path, got, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files remain: %v, %v", left, err)
	}
}

// breakingServer serves a content and cuts each answer after some bytes. It records the requested
// ranges, and supports none if ignores is set.
type breakingServer struct {
	content []byte
	after   int
	ignores bool
	ranges  []string
}

func (b *breakingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.ranges = append(b.ranges, r.Header.Get("Range"))
	if b.ignores {
		r.Header.Del("Range")
	}
	http.ServeContent(&breakingWriter{ResponseWriter: w, left: b.after}, r, "", time.Time{},
		bytes.NewReader(b.content))
}

type breakingWriter struct {
	http.ResponseWriter
	left int
}

func (w *breakingWriter) Write(p []byte) (int, error) {
	n, _ := w.ResponseWriter.Write(p[:min(len(p), w.left)])
	if w.left -= n; w.left == 0 {
		w.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

// TestDownloadContinues: the next download continues one that was cut. It starts again if the service
// does not support ranges or has a shorter file.
func TestDownloadContinues(t *testing.T) {
	service := &breakingServer{content: bytes.Repeat([]byte("0123456789"), 1000), after: 4000}
	server := httptest.NewServer(service)
	defer server.Close()
	client, err := api.NewClient(api.Options{UploadURL: server.URL, BaseURL: server.URL})
	must(t, err)
	defer client.Close()
	s, dir := &Session{Client: client}, t.TempDir()
	f := api.File{
		FileID: "1", Name: "a.jpg", URL: server.URL + "/a.jpg", Size: api.Set(int64(len(service.content))),
		UpdatedAt: "2026-07-01T10:00:00.500Z",
	}
	download := func(wantErr bool) string {
		t.Helper()
		path, err := s.Download(t.Context(), f, dir, nil)
		if (err != nil) != wantErr {
			t.Fatalf("%q, %v", path, err)
		}
		if err == nil {
			if got, _ := os.ReadFile(path); !bytes.Equal(got, service.content) {
				t.Errorf("got %d bytes, which differ from the file", len(got))
			}
			if info, _ := os.Stat(path); info.ModTime().UTC().Format(api.TimeLayout) != f.UpdatedAt {
				t.Errorf("its time is %s", info.ModTime())
			}
		}
		return path
	}
	download(true)
	if shown, _ := filepath.Glob(filepath.Join(dir, "[^.]*")); len(shown) > 0 {
		t.Errorf("an incomplete file is visible: %v", shown)
	}
	download(true)
	download(false)
	if want := []string{"", "bytes=4000-", "bytes=8000-"}; len(service.ranges) != 3 ||
		service.ranges[1] != want[1] || service.ranges[2] != want[2] {
		t.Errorf("got requests for the ranges %q", service.ranges)
	}

	download(true)
	service.ignores, service.after = true, 20000
	download(false)

	service.ignores, service.after = false, 4000
	download(true)
	service.content, service.after = service.content[:3000], 20000
	f.Size = api.Set(int64(3500)) // shorter than what arrived, so the download starts again
	if _, err := s.Download(t.Context(), f, dir, nil); err == nil {
		t.Error("a file of another size was kept")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".mediadesk-*")); len(left) > 0 {
		t.Errorf("files remain: %v", left)
	}

	// A link with that name is not followed.
	other := filepath.Join(t.TempDir(), "other.txt")
	must(t, os.WriteFile(other, []byte("kept"), 0o600))
	f.Size = api.Set(int64(3000))
	if err := os.Symlink(other, filepath.Join(dir, partName(&f))); err != nil {
		t.Skip(err)
	}
	download(false)
	if text, _ := os.ReadFile(other); string(text) != "kept" {
		t.Errorf("a link was followed: %q", text)
	}
}
