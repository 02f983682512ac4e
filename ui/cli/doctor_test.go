package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	mediatest.Equal(t, cmd.ProcessState.ExitCode(), bad, "exit code of\n%s", out)
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

// TestDoctorWebhooks: a webhook URL where nothing answers is a problem, and an answer is reported as it is.
func TestDoctorWebhooks(t *testing.T) {
	service := listen(t, http.NotFoundHandler())
	look := func(webhook string) map[string]diagnosis {
		t.Helper()
		home := t.TempDir()
		settings := fmt.Sprintf("[profiles.lab]\nkind = \"own\"\nupload_url = %[1]q\nbase_url = %[1]q\nwebhook_url = %[2]q\n", service, webhook)
		must(t, os.WriteFile(filepath.Join(home, "config.toml"), []byte(settings), 0o600))
		return runDoctorJSON(t, home, nil, "--profile", "lab")
	}
	expectFinding(t, look(service), "Webhooks URL", "note", "answers 404")
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	expectFinding(t, look(closed.URL), "Webhooks URL", "problem", "refused")
}
