package uitest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"mediadesk/api/media/mediatest"
)

// Build builds the program as a release and returns the path of the binary.
func Build(t testing.TB) string {
	t.Helper()
	if mediatest.Racing {
		t.Skip("the built program has no race detector: tests without it run this")
	}
	path, err := build()
	if err != nil {
		t.Fatalf("building the program: %v", err)
	}
	return path
}

// build links the program only after a change: unlike go build, go run keeps programs in Go's cache. An
// echo of the path runs instead of the program. The path just after linking ends with the command, so
// the second run has the lasting one.
var build = sync.OnceValues(func() (path string, err error) {
	echo := "echo"
	if runtime.GOOS == "windows" {
		echo = "cmd /c echo"
	}
	for range 2 {
		var problems bytes.Buffer
		cmd := exec.Command("go", "run", "-exec", echo, "mediadesk")
		cmd.Env, cmd.Stderr = append(os.Environ(), "CGO_ENABLED=0"), &problems // as a release
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("%w\n%s", err, &problems)
		}
		path = strings.TrimSpace(string(out))
		if _, err = os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("go run did not keep %s", path)
})
