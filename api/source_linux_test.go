package api_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
)

// TestPipesAndDevicesAreNoSources: a pipe is refused at once, although opening it would wait for a
// writer. Devices are refused without being opened.
func TestPipesAndDevicesAreNoSources(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		mediatest.Missing(t, "no pipe can be made here: %v", err)
	}
	for path, says := range map[string]string{pipe: "is a pipe", "/dev/null": "is a device", "/dev/zero": "is a device", "/dev": "is a folder"} {
		start := time.Now()
		_, _, err := api.OpenSource(path)
		wantSourceError(t, err, path, says)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: it took %s", path, took)
		}
	}
}

// asNobody runs f on this thread with the file permissions of another user.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(65534); err != nil {
		mediatest.Missing(t, "cannot give up rights: %v", err)
	}
	defer syscall.Setfsuid(0)
	f()
}

func TestUnreadableSources(t *testing.T) {
	dir := t.TempDir()
	unreadable, below := filepath.Join(dir, "a"), filepath.Join(dir, "closed", "b")
	must(t, os.Mkdir(filepath.Dir(below), 0o700))
	for _, path := range []string{unreadable, below} {
		must(t, os.WriteFile(path, []byte("x"), 0))
	}
	must(t, os.Chmod(filepath.Dir(below), 0))
	t.Cleanup(func() { os.Chmod(filepath.Dir(below), 0o700) })
	// Parent folders belong to root, so make them accessible.
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		must(t, os.Chmod(d, 0o755))
	}
	asNobody(t, func() {
		for _, path := range []string{unreadable, below} {
			_, _, err := api.OpenSource(path)
			wantSourceError(t, err, path, "permission denied")
			if api.Hint(err) == "" {
				t.Errorf("%s: no hint", path)
			}
		}
	})
}
