//go:build unix

package ui_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"mediadesk/ui/uitest"
)

// TestLookingOnceMore checks an upload whose answer was lost. L asks the service again, sends
// nothing, and finds the file.
func TestLookingOnceMore(t *testing.T) {
	binary := uitest.Build(t)
	d := newWorkplace(t)
	s := startService(t, binary, t.TempDir())
	to, err := url.Parse(s.address)
	if err != nil {
		t.Fatal(err)
	}
	var blind atomic.Bool
	var uploads atomic.Int64
	blind.Store(true)
	forward := httputil.NewSingleHostReverseProxy(to)
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			uploads.Add(1)
			forward.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler) // stored, but the answer is lost
		case blind.Load():
			http.NotFound(w, r)
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	defer between.Close()

	conf := filepath.Join(d.home, "config.toml")
	text := fmt.Sprintf("profile = \"lossy\"\n[profiles.lossy]\nkind = \"own\"\nupload_url = %q\nbase_url = %q\ndelivery_url = %q\nnaming = \"service\"\n", between.URL, between.URL, s.address)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "lost.txt")
	if err := os.WriteFile(source, []byte("it arrives\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	term := uitest.StartBinary(t, binary, []string{source}, append(d.env(), "MEDIADESK_PRIVATE_KEY="+testKey), 120, 36)
	term.WaitFor("lost.txt")
	term.Press("u")
	term.WaitFor("Stored as")
	term.Press("ctrl+s")
	term.WaitFor("? unknown")

	blind.Store(false)
	term.Press("L")
	term.WaitFor("✓ stored")
	if n := uploads.Load(); n != 1 {
		t.Errorf("the file was sent %d times, want 1", n)
	}
}
