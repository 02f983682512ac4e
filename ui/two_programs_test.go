//go:build unix

package ui_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"mediadesk/ui/uitest"
)

// TestOneSendsAnotherWatches runs two programs on one journal. The screens show what mediadesk
// upload sends. When the command is killed, they send the rest. Every file is stored once.
func TestOneSendsAnotherWatches(t *testing.T) {
	const n = 12
	binary := uitest.Build(t)
	d := newWorkplace(t)
	s := startService(t, binary, t.TempDir())
	// No answer comes to the fourth upload, so the command cannot end before it is killed.
	target, err := url.Parse(s.address)
	if err != nil {
		t.Fatal(err)
	}
	killed := make(chan struct{})
	var uploads atomic.Int64
	forward := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && uploads.Add(1) == 4 {
			<-killed
			return
		}
		r.Host = target.Host
		forward.ServeHTTP(w, r)
	}))
	defer front.Close()
	release := sync.OnceFunc(func() { close(killed) })
	defer release()
	dir := t.TempDir()
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%02d.txt", i)), fmt.Appendf(nil, "this is file %d\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := append(d.env(), "MEDIADESK_PRIVATE_KEY="+testKey)
	where := []string{"--upload-url", front.URL, "--base-url", front.URL, "--delivery-url", front.URL}

	watcher := uitest.StartBinary(t, binary, where, env, 120, 36)
	watcher.WaitFor("1 Pick")
	watcher.Press("2")
	watcher.WaitFor("No uploads yet")

	sender := exec.Command(binary, append([]string{"upload", "--concurrency", "1", dir}, where...)...)
	sender.Env = env
	if err := sender.Start(); err != nil {
		t.Fatal(err)
	}
	// The watcher shows what the other program has stored and what waits.
	watcher.WaitUntil(func(screen string) bool {
		return rows(screen, "✓ stored") >= 2 && strings.Contains(screen, "waiting")
	})
	if err := sender.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	sender.Wait()
	release()
	if got := len(s.names()); got != 3 {
		t.Fatalf("%d files were stored before the kill, want 3", got)
	}
	// The watcher sends the rest.
	watcher.WaitUntil(func(screen string) bool {
		return rows(screen, "✓ stored") == n
	})
	seen := map[string]int{}
	for _, name := range s.names() {
		seen[name[:len("file00")]]++
	}
	for i := range n {
		if stem := fmt.Sprintf("file%02d", i); seen[stem] != 1 {
			t.Errorf("%s is stored %d times, want 1", stem, seen[stem])
		}
	}
}

// rows returns the number of lines of the list that contain a text.
func rows(screen, text string) int {
	count := 0
	for line := range strings.Lines(screen) {
		if list, _, _ := strings.Cut(strings.TrimPrefix(line, "│"), "│"); strings.Contains(list, text) {
			count++
		}
	}
	return count
}
