//go:build unix

package cli_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

// TestRclone: rclone's backend copies 100 files to the library, lists them, finds no differences,
// and copies them back.
func TestRclone(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	rclone := filepath.Join(t.TempDir(), "rclone")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", rclone, ".")
	build.Dir, build.Env = "testdata/rclone", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		mediatest.Missing(t, "rclone cannot be built: %v\n%s", err, out)
	}
	s := serveHosted(t)
	tunnel := httptest.NewServer(connectTo(s.proxy))
	defer tunnel.Close()
	source := t.TempDir()
	for i := range 100 {
		path := filepath.Join(source, fmt.Sprintf("folder-%d", i%4), fmt.Sprintf("file-%02d.txt", i))
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(strings.Repeat("line\n", i+1)), 0o600))
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command(rclone, append(args, "--ca-cert", s.roots, "--config", "")...)
		cmd.Env = []string{
			// --ca-cert does not apply to downloads
			"HOME=" + t.TempDir(), "HTTPS_PROXY=" + tunnel.URL, "SSL_CERT_FILE=" + s.roots,
			"RCLONE_IMAGEKIT_ENDPOINT=https://" + apiHost, "RCLONE_IMAGEKIT_PUBLIC_KEY=" + s.PublicKey, "RCLONE_IMAGEKIT_PRIVATE_KEY=" + clientKey,
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	succeed := func(args ...string) string {
		t.Helper()
		out, err := run(args...)
		if err != nil {
			t.Fatalf("rclone %v: %v\n%s", args, err, out)
		}
		return out
	}
	succeed("copy", source, ":imagekit:backup", "--transfers", "8")
	mediatest.Equal(t, strings.Count(succeed("lsf", "-R", "--files-only", ":imagekit:backup"), "\n"), 100, "files in rclone's list")
	uitest.Shows(t, succeed("check", source, ":imagekit:backup"), "0 differences found")
	uitest.Shows(t, succeed("check", "--download", source, ":imagekit:backup"), "100 matching files")
	must(t, os.WriteFile(filepath.Join(source, "folder-1/file-01.txt"), []byte("other content"), 0o600))
	if out, err := run("check", source, ":imagekit:backup"); err == nil || !strings.Contains(out, "1 differences found") {
		t.Errorf("check of a changed file says %v: %s", err, out)
	}
}

// connectTo answers CONNECT requests with connections to address.
func connectTo(address string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		to, err := net.Dial("tcp", address)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer to.Close()
		w.WriteHeader(http.StatusOK)
		from, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		go func() {
			io.Copy(to, buffered)
			to.(*net.TCPConn).CloseWrite()
		}()
		io.Copy(from, to)
	}
}
