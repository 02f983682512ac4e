package uitest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"mediadesk/api/media/mediatest"
)

var built struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// Build builds the program as a release, once per package, and returns the path of the binary.
// VerifyTestMain removes it.
func Build(t testing.TB) string {
	t.Helper()
	if mediatest.Racing {
		t.Skip("the built program has no race detector: tests without it run this")
	}
	built.once.Do(func() {
		built.dir, built.err = os.MkdirTemp("", "mediadesk-build-")
		if built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "mediadesk")
		if runtime.GOOS == "windows" {
			built.path += ".exe"
		}
		build := exec.Command("go", "build", "-ldflags=-s -w", "-o", built.path, "mediadesk")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as a release
		if out, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatalf("building the program: %v", built.err)
	}
	return built.path
}

func removeBuild() {
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
}
