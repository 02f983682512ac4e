package cli_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/ui/uitest"
)

// TestRenameWhosePurgeFails: the service renames the file and fails to purge (hosted-service.md §10,
// status 207). The command reports both and exits with a failure.
func TestRenameWhosePurgeFails(t *testing.T) {
	const id = "66a000000000000000000001"
	for answer, want := range map[string]struct {
		code int
		said string
	}{
		`{"message":"File renamed, purge failed","reason":"PURGE_FAILED"}`: {1, "run: mediadesk purge 'https://ik.example/demo/a.jpg*'"},
		`{"purgeRequestId":"66a"}`: {4, "status of the cache purge is not known"},
	} {
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/v1/files/rename":
				w.WriteHeader(http.StatusMultiStatus)
				_, _ = w.Write([]byte(answer))
			case strings.HasPrefix(r.URL.Path, "/v1/files/"+id):
				_, _ = w.Write([]byte(`{"type":"file","fileId":"` + id + `","name":"a.jpg","filePath":"/a.jpg","url":"https://ik.example/demo/a.jpg?updatedAt=1"}`))
			default:
				w.WriteHeader(http.StatusNotFound)
			}
		}))
		dir := t.TempDir()
		cmd := exec.Command(uitest.Build(t), "rename", id, "b.jpg", "--purge-cache", "--upload-url", service.URL, "--base-url", service.URL)
		cmd.Env = append(os.Environ(), "MEDIADESK_HOME="+filepath.Join(dir, "home"), "MEDIADESK_PRIVATE_KEY=private_x", "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+dir)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		service.Close()
		exit := new(exec.ExitError)
		if !errors.As(err, &exit) || exit.ExitCode() != want.code || !strings.HasPrefix(stdout.String(), "/a.jpg: renamed to ") || !strings.Contains(stderr.String(), want.said) {
			t.Errorf("%s: %v, want exit code %d\n%s%s", answer, err, want.code, &stdout, &stderr)
		}
	}
}
