//go:build unix

package ui_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	s := startService(t, binary, t.TempDir(), "--fault", "delay=300ms")
	dir := t.TempDir()
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%02d.txt", i)), fmt.Appendf(nil, "this is file %d\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := append(d.env(), "MEDIADESK_PRIVATE_KEY="+testKey)
	where := []string{"--upload-url", s.address, "--base-url", s.address, "--delivery-url", s.address}

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
	if got := len(s.names()); got >= n {
		t.Fatalf("all %d files were stored before the kill", got)
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
