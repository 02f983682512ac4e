package local_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

// browse requests the page as a browser does.
func browse(l http.Handler, remote, host string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr, r.Host = remote, host
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	l.ServeHTTP(w, r)
	return w
}

// TestPage: a browser on this computer gets the page, and others need the key.
func TestPage(t *testing.T) {
	s := serve(t, local.Options{Emulator: true, Version: "1.2.3", Hosts: []string{"media.test"}})
	upload(t, s.Address, apitest.PNG(8, 8), "fileName", "<b>.png", "useUniqueFileName", "false")
	upload(t, s.Address, []byte("a"), "fileName", "a.txt", "folder", "/x/", "useUniqueFileName", "false")
	w := browse(s.Library, "127.0.0.1:5", "localhost:80")
	body := w.Body.String()
	for _, want := range []string{"1.2.3", "http://localhost:80", "/_b_.png", "/x/a.txt", "n-ik_ml_thumbnail", "/api/v1/files/upload", "List and search files"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if w.Code != http.StatusOK || strings.Contains(body, testKey) || strings.Contains(body, "<script") || !strings.Contains(w.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Errorf("the page answers %d, %v: %s", w.Code, w.Header(), body)
	}
	for _, refused := range []*httptest.ResponseRecorder{
		browse(s.Library, "192.168.1.7:5", "localhost:80"),
		browse(s.Library, "127.0.0.1:5", "media.test"),
		browse(s.Library, "127.0.0.1:5", "localhost:80", "X-Forwarded-For", "10.0.0.1"),
		browse(s.Library, "127.0.0.1:5", "media.test", "Authorization", "Basic d3Jvbmc6"),
	} {
		if refused.Code != http.StatusUnauthorized || refused.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("without the key the page answers %d", refused.Code)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.SetBasicAuth(testKey, "")
	if w := browse(s.Library, "192.168.1.7:5", "media.test", "Authorization", r.Header.Get("Authorization")); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "http://media.test/") {
		t.Errorf("with the key the page answers %d: %s", w.Code, w.Body)
	}
	// The library inside the program has no page.
	if w := browse(serve(t, local.Options{}).Library, "127.0.0.1:5", "localhost:80"); w.Code != http.StatusNotFound {
		t.Errorf("without Emulator it answers %d, want %d", w.Code, http.StatusNotFound)
	}
	if w := ask(s.Library, http.MethodGet, "/"); w.Code != http.StatusNotFound {
		t.Errorf("a program gets %d, want %d", w.Code, http.StatusNotFound)
	}
}

// TestPageInChromium: a real browser shows the page with its thumbnails.
func TestPageInChromium(t *testing.T) {
	requireTool(t, "chromium")
	s := serve(t, local.Options{Emulator: true, Version: "1.2.3"})
	upload(t, s.Address, apitest.PNG(80, 60), "fileName", "a.png", "useUniqueFileName", "false")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	shot := filepath.Join(t.TempDir(), "page.png")
	if to := os.Getenv("MEDIADESK_TEST_SHOT"); to != "" {
		shot = to
	}
	cmd := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(), "--screenshot="+shot, "--window-size=1000,800", "--dump-dom", s.Address+"/")
	cmd.WaitDelay = time.Second
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, dom)
	}
	if !strings.Contains(string(dom), "/a.png</a>") || !strings.Contains(string(dom), "API description") {
		t.Errorf("the page is %s", dom)
	}
	if info, err := os.Stat(shot); err != nil || info.Size() == 0 {
		t.Errorf("there is no picture of the page: %v", err)
	}
	w := ask(s.Library, http.MethodGet, "/_mediadesk/requests")
	if !strings.Contains(w.Body.String(), `"method":"GET","path":"/tr:n-ik_ml_thumbnail/a.png","status":200`) {
		t.Errorf("the requests are %s", w.Body)
	}
}
