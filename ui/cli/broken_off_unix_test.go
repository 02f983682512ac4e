//go:build unix

package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

// TestBrokenOff interrupts the program when it has sent a whole upload but has no answer. The output
// claims only what is known, in the terms of the contract. What had not begun stays queued. The
// next run finds the file.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	binary := uitest.Build(t)
	arrived, quit := make(chan struct{}), make(chan struct{})
	var once sync.Once
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		text, _ := io.ReadAll(r.Body) // part of the body is enough
		first := false
		once.Do(func() { first = true })
		switch {
		case first:
			close(arrived)
			<-quit
		case bytes.Contains(text, []byte("one")):
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"message":"A file with the same name already exists at the exact location."}`)
		default:
			fmt.Fprint(w, `{"fileId":"2","name":"two.txt","filePath":"/two.txt"}`)
		}
	}))
	defer service.Close()
	defer close(quit)

	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		must(t, os.WriteFile(filepath.Join(dir, name+".txt"), []byte(name), 0o600))
	}
	command := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command(binary, append(args, "--json", "--upload-url", service.URL)...)
		out := new(bytes.Buffer)
		cmd.Env = append(os.Environ(), "MEDIADESK_HOME="+filepath.Join(dir, "home"), "MEDIADESK_PRIVATE_KEY=private_x", "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+dir)
		cmd.Dir, cmd.Stdout = dir, out
		return cmd, out
	}

	cmd, out := command("upload", "one.txt", "two.txt", "--concurrency", "1")
	must(t, cmd.Start())
	<-arrived
	must(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait() // the exit code is checked below
	lines := strings.Split(out.String(), "\n")
	if code := cmd.ProcessState.ExitCode(); code != 130 || len(lines) != 3 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	uitest.Shows(t, lines[0], `"source":"one.txt","outcome":null,"open":true`, "it may have been stored")
	uitest.Shows(t, lines[1], `"source":"two.txt","outcome":null,"open":true`)

	cmd, out = command("resume")
	if err := cmd.Run(); err != nil || strings.Count(out.String(), `"outcome":"stored"`) != 2 {
		t.Errorf("resuming: %v\n%s", err, out)
	}
}
