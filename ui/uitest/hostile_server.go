package uitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// HostileServer is a server with hostile text in every response and webhook post. It
// rejects every second upload with such text; for the others it posts to the webhook
// address.
type HostileServer struct {
	URL string

	mu     sync.Mutex
	n      int
	posts  sync.WaitGroup
	posted map[int]bool
}

// StartHostileServer starts a hostile server that stops with the test.
func StartHostileServer(t testing.TB) *HostileServer {
	s := &HostileServer{posted: map[int]bool{}}
	server := httptest.NewServer(s)
	t.Cleanup(func() { s.posts.Wait(); server.Close() })
	s.URL = server.URL
	return s
}

// Posted waits for all posts and returns the number of records with posts.
func (s *HostileServer) Posted() int {
	s.posts.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.posted)
}

// HostileID returns the file ID of the record with hostile text i.
func HostileID(i int) string { return fmt.Sprintf("%024x", i+1) }

func (s *HostileServer) record(i int) map[string]any {
	text := Hostile()[i].Text
	return map[string]any{
		"fileId": HostileID(i), "type": "file", "name": text + ".jpg", "filePath": "/" + text + ".jpg",
		"url": s.URL + "/" + text, "fileType": "image", "mime": "image/" + text, "size": 1234, "height": 10, "width": 20,
		"tags": []string{text, "plain"}, "AITags": []map[string]any{{"name": text, "confidence": 50, "source": text}},
		"customCoordinates": "1,2,3," + text, "isPrivateFile": false, "description": text,
		"versionInfo":    map[string]string{"id": HostileID(i), "name": text},
		"customMetadata": map[string]any{"brand" + text: text}, "embeddedMetadata": map[string]any{text: text},
		"extensionStatus": map[string]string{"remove-bg": "pending", text: text},
		"createdAt":       "2026-08-14T20:41:07.000Z", "updatedAt": "2026-08-14T20:41:07.000Z" + text,
	}
}

func (s *HostileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		// Include invalid UTF-8, which an encoder would replace.
		text, _ := json.Marshal(v)
		io.WriteString(w, strings.ReplaceAll(string(text), `\ufffd`, "\xff"))
	}
	switch path := strings.TrimSuffix(r.URL.Path, "/"); {
	case r.Method == http.MethodPost:
		s.upload(r, answer)
	case path == "/v1/files":
		var list []map[string]any
		if r.URL.Query().Get("skip") == "" || r.URL.Query().Get("skip") == "0" {
			for i := range Hostile() {
				list = append(list, s.record(i))
			}
		}
		answer(http.StatusOK, list)
	default:
		var n int // as in HostileID
		fmt.Sscanf(path, "/v1/files/%24x", &n)
		switch {
		case n < 1 || n > len(hostile):
			answer(http.StatusNotFound, s.refusal(0))
		case strings.HasSuffix(path, "/versions"):
			answer(http.StatusOK, []any{s.record(n - 1)})
		default:
			answer(http.StatusOK, s.record(n-1))
		}
	}
}

func (s *HostileServer) refusal(i int) map[string]string {
	text := Hostile()[i].Text
	return map[string]string{"message": "refused " + text, "help": "help " + text, "requestId": text}
}

// upload rejects every second upload, starting with the first.
func (s *HostileServer) upload(r *http.Request, answer func(int, any)) {
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		answer(http.StatusBadRequest, s.refusal(0))
		return
	}
	s.mu.Lock()
	n := s.n
	s.n++
	s.mu.Unlock()
	i := n / 2 % len(Hostile())
	if n%2 == 0 {
		answer(http.StatusBadRequest, s.refusal(i))
		return
	}
	s.posts.Add(1) // before the client knows
	defer s.posts.Done()
	answer(http.StatusOK, s.record(i))
	address, text := r.FormValue("webhookUrl"), Hostile()[i].Text
	if address == "" {
		return
	}
	s.posts.Go(func() {
		for _, status := range []string{text, "FAILED"} {
			body, _ := json.Marshal(map[string]any{
				"type": text, "id": text, "fileId": HostileID(i), "extension": "remove-bg", "service": "remove-bg", "status": status, "error": text, "message": text, "data": map[string]any{text: text},
			})
			res, err := http.Post(address, "application/json", strings.NewReader(string(body)))
			if err != nil {
				return
			}
			res.Body.Close()
		}
		s.mu.Lock()
		s.posted[i] = true
		s.mu.Unlock()
	})
}
