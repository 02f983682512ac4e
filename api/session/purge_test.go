package session

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/apitest"
)

// TestPurgeAll: a file is purged with all its transformations. The status is polled until the purge ends.
func TestPurgeAll(t *testing.T) {
	var purged []string
	status := []string{api.JobPending, api.JobPending, api.JobCompleted}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := map[string]string{"requestId": "1", "status": status[0]}
		if r.Method == http.MethodPost {
			var body struct{ URL string }
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			purged = append(purged, body.URL)
			w.WriteHeader(http.StatusCreated)
		} else if len(status) > 1 {
			status = status[1:]
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	client := apitest.Client(t, server.URL, testKey("k"))
	defer client.Close()
	s := &Session{Client: client}
	files := []api.File{{FileID: "1", URL: "https://h/b.jpg?updatedAt=1"}}
	list := s.PurgeAll(t.Context(), files, nil)
	if want := []string{"https://h/b.jpg*"}; len(list) != 1 || list[0].Err != nil ||
		!slices.Equal(purged, want) {
		t.Errorf("purged %v (%+v), want %v", purged, list, want)
	}
	if p, err := s.AwaitPurge(t.Context(), api.Purge{ID: "1"}, time.Hour); err != nil ||
		p.Status != api.JobCompleted {
		t.Errorf("a purge that ended: %+v, %v", p, err)
	}
	status = []string{api.JobPending}
	if p, err := s.AwaitPurge(t.Context(), api.Purge{ID: "1"}, 0); err != nil || p.Status != api.JobPending {
		t.Errorf("a pending purge: %+v, %v", p, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.AwaitPurge(ctx, api.Purge{ID: "1"}, time.Hour); err == nil {
		t.Error("interrupting the wait: got no error")
	}
	if list := s.PurgeAll(t.Context(), []api.File{{FileID: "2"}}, nil); list[0].Err == nil {
		t.Error("a file without a URL was purged")
	}
}

// TestPurgeAFolder: all files of a folder are purged, with one URL if the service takes it.
func TestPurgeAFolder(t *testing.T) {
	var purged []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any = map[string]string{"requestId": "1", "status": api.JobCompleted}
		switch {
		case r.Method == http.MethodPost:
			var body struct{ URL string }
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			purged = append(purged, body.URL)
			w.WriteHeader(http.StatusCreated)
		case r.URL.Path == "/v1/files":
			in := "/" + strings.Trim(strings.TrimPrefix(r.URL.Query().Get("searchQuery"), "path : "), `"/`)
			answer = []map[string]string{
				{"type": "folder", "folderId": "9", "name": "in", "folderPath": in + "/in"},
				{"type": "file", "fileId": "1", "name": "a b.jpg", "filePath": in + "/in/a b.jpg", "url": "https://h" + strings.ReplaceAll(in, " ", "%20") + "/in/a%20b.jpg?updatedAt=1"},
			}
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	client := apitest.Client(t, server.URL, testKey("k"))
	defer client.Close()
	s := &Session{Client: client}
	for folder, want := range map[string]string{"/autumn of the year": "https://h/autumn%20of%20the%20year/*", "/w": "https://h/w/in/a%20b.jpg*"} {
		purged = nil
		list := s.PurgeAll(t.Context(), []api.File{{Type: api.TypeFolder, FolderPath: folder}}, nil)
		if len(list) != 1 || list[0].Err != nil || !slices.Equal(purged, []string{want}) {
			t.Errorf("purged %q (%+v), want %q", purged, list, want)
		}
	}
}
