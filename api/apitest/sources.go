package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// sources is a server for the target's downloads and webhook posts.
type sources struct {
	address string
	picture []byte
	within  string // port of a local server that must not get a request

	mu      sync.Mutex
	posts   map[string][]map[string]any // by path
	reached []string                    // requests to the internal server
}

func newSources(t *testing.T, listener net.Listener) *sources {
	s := &sources{
		address: "http://" + listener.Addr().String(), picture: JPEG(60, 40), posts: map[string][]map[string]any{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /picture.jpg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-wrong")
		w.Write(s.picture)
	})
	mux.HandleFunc("GET /redirect/{n}", func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscan(r.PathValue("n"), &n)
		to := fmt.Sprintf("/redirect/%d", n-1)
		if n <= 1 {
			to = "/picture.jpg"
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
	mux.HandleFunc("GET /missing", http.NotFound)
	mux.HandleFunc("GET /endless", func(w http.ResponseWriter, r *http.Request) {
		block := make([]byte, 64<<10)
		for r.Context().Err() == nil {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("GET /short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Write([]byte("too little"))
	})
	mux.HandleFunc("GET /empty", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /inside", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:"+s.within+"/redirected", http.StatusFound)
	})
	mux.Handle("GET /loop", http.RedirectHandler("/loop", http.StatusFound))
	mux.HandleFunc("GET /silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	take := func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		var body map[string]any
		if err != nil || json.Unmarshal(text, &body) != nil {
			http.Error(w, "no JSON object", http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.posts[r.URL.Path] = append(s.posts[r.URL.Path], body)
		if len(s.posts[r.URL.Path]) == 1 && r.PathValue("how") == "again" {
			w.WriteHeader(http.StatusNoContent) // only 200 accepts a post
		}
	}
	mux.HandleFunc("POST /hook/{token}", take)
	mux.HandleFunc("POST /hook/{token}/{how}", take)
	server := httptest.NewUnstartedServer(mux)
	server.Listener.Close() // in favor of the one that the target reaches
	server.Listener = listener
	server.Start()
	t.Cleanup(func() { // also what the target has left open
		server.CloseClientConnections()
		server.Close()
	})

	trap := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.reached = append(s.reached, r.Method+" "+r.URL.String())
		s.mu.Unlock()
		w.Write(s.picture)
	}))
	t.Cleanup(trap.Close)
	_, s.within, _ = net.SplitHostPort(trap.Listener.Addr().String())
	return s
}

// posted returns the posts to a path.
func (s *sources) posted(path string) []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]map[string]any(nil), s.posts[path]...)
}

// testFileAsAddress tests URLs in the row file of service.md §4.1, and §7.
func testFileAsAddress(t *testing.T, s *suite) {
	if s.sources == nil {
		t.Skip("the target cannot download from the test")
	}
	for _, path := range []string{"/picture.jpg", "/redirect/1", "/redirect/5"} {
		r := s.store(t, field("fileName", "address.jpg"), field("file", s.sources.address+path))
		want(t, r, "size", len(s.sources.picture), "fileType", "image")
	}
	for _, path := range []string{"/missing", "/redirect/7", "/loop", "/short", "/empty", "/inside"} {
		s.refused(t, "file", field("fileName", "address.jpg"), field("file", s.sources.address+path))
	}
	s.refused(t, "file", field("fileName", "address.jpg"), field("file", "http://127.0.0.1:1/nobody-listens"))
	if s.MaxSize > 0 {
		s.refused(t, "size exceeds", field("fileName", "address.jpg"), field("file", s.sources.address+"/endless"))
	}
	s.runStrict(t, "internal addresses", func(t *testing.T) {
		s.refused(t, "redirects", field("fileName", "address.jpg"), field("file", s.sources.address+"/redirect/6"))
		s.refused(t, "internal", field("fileName", "address.jpg"), field("file", s.sources.address+"/inside"))
		for _, host := range []string{
			"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "127.0.0.2", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
			"[fd00::1]", "[fe80::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
		} {
			s.refused(t, "internal", field("fileName", "address.jpg"),
				field("file", "http://"+host+":"+s.sources.within+"/direct"))
		}
		// names if the system does not parse them as numbers
		for _, host := range []string{"2130706433", "0x7f000001", "0177.0.0.1", "127.1"} {
			s.refused(t, "file", field("fileName", "address.jpg"),
				field("file", "http://"+host+":"+s.sources.within+"/number"))
		}
		s.sources.mu.Lock()
		defer s.sources.mu.Unlock()
		if len(s.sources.reached) > 0 {
			t.Errorf("the target sent %v to an internal server", s.sources.reached)
		}
		s.refused(t, "file", field("fileName", "address.jpg"),
			field("file", "http://user:pass@"+s.sources.address[len("http://"):]+"/picture.jpg"))
	})
	s.runStrict(t, "address as the bytes of anonymous_file", func(t *testing.T) {
		address := s.sources.address + "/picture.jpg"
		r := s.store(t, field("fileName", "address.jpg"),
			part{name: "file", value: address, file: true, filename: "anonymous_file"})
		want(t, r, "fileType", "image")
	})
}

// startAgain uploads with a webhook address that does not accept the first post. It returns
// the test that waits for the retry, so that other tests run meanwhile.
func (s *suite) startAgain(t *testing.T) func(*testing.T, *suite) {
	if s.sources == nil || !s.Strict {
		return func(t *testing.T, _ *suite) {
			t.Skip("the target cannot post to the test, or hosted services differ here")
		}
	}
	path := "/hook/" + random() + "/again"
	s.store(t, field("fileName", "again.jpg"), content(JPEG(60, 40)),
		field("extensions", `[{"name":"remove-bg"}]`), field("webhookUrl", s.sources.address+path))
	return func(t *testing.T, _ *suite) {
		eventually(t, s.AnswerTimeout, "the post after one that was answered with 204", func() bool { return len(s.sources.posted(path)) > 1 })
		if posts := s.sources.posted(path); !same(posts[0], posts[1]) {
			t.Errorf("first came %v, then %v", posts[0], posts[1])
		}
	}
}

// startSlow uploads from an address that never sends headers. It returns the test that
// checks the answer, so that other tests run during the 8 seconds of service.md §8.
func (s *suite) startSlow() func(*testing.T, *suite) {
	type result struct {
		status   int
		body     []byte
		duration time.Duration
		err      error
	}
	if s.sources == nil || testing.Short() {
		return func(t *testing.T, _ *suite) {
			t.Skip("the target cannot download from the test, or -short is set")
		}
	}
	done := make(chan result, 1)
	go func() {
		start := time.Now()
		body := multipartBody(field("fileName", "slow.jpg"), field("folder", s.folder),
			field("file", s.sources.address+"/silent"))
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.uploadAddress(),
			bytes.NewReader(body))
		if err != nil {
			done <- result{err: err}
			return
		}
		req.Header.Set("Content-Type", formType)
		req.SetBasicAuth(s.Key, "")
		res, err := client.Do(req)
		if err != nil {
			done <- result{err: err}
			return
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		done <- result{res.StatusCode, text, time.Since(start), err}
	}()
	return func(t *testing.T, _ *suite) {
		r := <-done
		if r.err != nil || r.status != http.StatusBadRequest || !bytes.Contains(r.body, []byte("message")) {
			t.Fatalf("answered %d %s, %v", r.status, r.body, r.err)
		}
		if r.duration < 7*time.Second || r.duration > 12*time.Second {
			t.Errorf("it took %s, want 8 s", r.duration)
		}
	}
}
