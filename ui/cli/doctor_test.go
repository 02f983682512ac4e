package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mediadesk/ui/uitest"
)

// finding is a line of mediadesk doctor --json.
type diagnosis struct {
	Section, Check, Text, Help string
	Status                     string `json:"verdict"`
}

// runDoctorJSON runs mediadesk doctor with a home and arguments. It returns the findings by section and
// check, such as "URLs upload", and checks that the exit code matches the verdicts.
func runDoctorJSON(t *testing.T, home string, env []string, args ...string) map[string]diagnosis {
	t.Helper()
	cmd := exec.Command(uitest.Build(t), append([]string{"doctor", "--json"}, args...)...)
	cmd.Env = append(os.Environ(), "MEDIADESK_HOME="+home, "MEDIADESK_PRIVATE_KEY=private_x", "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+home)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	found, bad := map[string]diagnosis{}, 0
	for line := range bytes.Lines(out) {
		var f diagnosis
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		found[f.Section+" "+f.Check] = f
		if f.Status == "problem" {
			bad = 1
		}
	}
	if code := cmd.ProcessState.ExitCode(); code != bad {
		t.Errorf("exit code %d, want %d:\n%s", code, bad, out)
	}
	return found
}

// expectFinding checks the verdict of a finding, and that its text and help contain words.
func expectFinding(t *testing.T, found map[string]diagnosis, name, status, words string) {
	t.Helper()
	f := found[name]
	if f.Status != status || !strings.Contains(f.Text+"\n"+f.Help, words) {
		t.Errorf("%s: want %s and %q, got %+v", name, status, words, f)
	}
}

// TestDoctorWebhooks uses a tunnel to the receiver's port and back.
func TestDoctorWebhooks(t *testing.T) {
	// A free port. No other test uses this address.
	host := "127.0.0.1"
	if runtime.GOOS == "linux" {
		host = "127.43.7.9"
	}
	free, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	receiver := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	tunnel := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: receiver})
	tunnel.ErrorLog = log.New(io.Discard, "", 0)
	through := listen(t, tunnel)
	service := listen(t, http.NotFoundHandler())
	stranger := listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))

	look := func(webhook string) map[string]diagnosis {
		t.Helper()
		home := t.TempDir()
		settings := fmt.Sprintf("[webhook]\nlisten = %q\n\n[profiles.lab]\nkind = \"own\"\nupload_url = %[2]q\nbase_url = %[2]q\nwebhook_url = %[3]q\n", receiver, service, webhook)
		if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		return runDoctorJSON(t, home, nil, "--profile", "lab")
	}
	expectFinding(t, look(through), "Webhooks URL", "ok", "leads to the receiver at "+receiver)
	expectFinding(t, look(stranger), "Webhooks URL", "problem", "answers 200, but does not lead to the receiver")
	expectFinding(t, look(stranger), "Webhooks URL", "problem", "Point the tunnel or proxy at "+receiver)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	expectFinding(t, look(closed.URL), "Webhooks URL", "problem", "refused")

	// Another process has the port. A receiver answers 404 to paths that it has not issued.
	busy, err := net.Listen("tcp", receiver)
	if err != nil {
		t.Fatal(err)
	}
	other := &httptest.Server{Listener: busy, Config: &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Minute}}
	other.Start()
	defer other.Close()
	expectFinding(t, look(through), "Webhooks URL", "note", "another process uses "+receiver)
}
