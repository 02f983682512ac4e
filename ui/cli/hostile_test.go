//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

// hostileProgram is the program among hostile files.
type hostileProgram struct {
	t           *testing.T
	binary, dir string
	env         []string
}

func (p hostileProgram) command(args ...string) *exec.Cmd {
	cmd := exec.Command(p.binary, args...)
	cmd.Env, cmd.Dir = p.env, p.dir
	return cmd
}

// runUntil interrupts the program after it has written a line that many times.
func (p hostileProgram) runUntil(line string, times, code int, args ...string) string {
	p.t.Helper()
	cmd := p.command(args...)
	var out, said bytes.Buffer
	cmd.Stderr = &said
	written, err := cmd.StdoutPipe()
	must(p.t, err)
	must(p.t, cmd.Start())
	for lines, seen := bufio.NewReader(written), 0; ; {
		text, err := lines.ReadString('\n')
		out.WriteString(text)
		if err != nil {
			break
		}
		if times > 0 && strings.Contains(text, line) {
			if seen++; seen == times {
				_ = cmd.Process.Signal(os.Interrupt) // it may have ended by itself
			}
		}
	}
	_ = cmd.Wait() // the exit code is checked below
	if got := cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("mediadesk %q: exit code %d, want %d\n%s", args, got, code, said.String())
	}
	for stream, text := range map[string]string{"output": out.String(), "error output": said.String()} {
		if found := uitest.Forbidden(text); found != nil {
			p.t.Errorf("mediadesk %q: the %s has %q", args, stream, found[:min(len(found), 10)])
		}
	}
	return out.String()
}

// checkForgedLines: nobody outside writes a line of their own.
func (p hostileProgram) checkForgedLines() {
	p.t.Helper()
	forged := "x\nmediadesk: forged"
	for _, args := range [][]string{
		{"upload", forged},
		{"upload", "-n", forged},
		{"upload", "a", "--files-from", forged},
		{"upload", "a", "--manifest", forged},
		{"download", "a", "--to", forged},
		{"details", forged},
		{"list", forged},
		{"profile", "show", forged},
		{"list", "--profile", forged},
		{forged},
		{"upload", "--" + forged},
		{"uploads", forged},
		{"mkdir", forged},
		{"transfer", "a", "--to", forged},
		{"serve", "--check", "--data", forged},
	} {
		if out, err := p.command(args...).CombinedOutput(); err == nil ||
			strings.Contains(string(out), "\nmediadesk: forged") {
			p.t.Errorf("mediadesk %q: %v\n%s", args, err, out)
		}
	}
}

// TestHostileText: the output of commands, as text and as JSON, never has the raw text of hostile
// file names, records, tags, posts and errors.
func TestHostileText(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	binary := uitest.Build(t)
	service := uitest.StartHostileServer(t)
	dir := t.TempDir()
	folder, plain := filepath.Join(dir, "pictures"), filepath.Join(dir, "plain")
	for _, d := range []string{folder, plain} {
		must(t, os.Mkdir(d, 0o700))
	}
	count := 0
	for i, h := range uitest.Hostile() {
		for j := range 2 {
			must(t, os.WriteFile(filepath.Join(plain, fmt.Sprintf("f%02d%d.txt", i, j)), []byte(h.Class),
				0o600))
		}
		if strings.Contains(h.Text, "\x00") {
			continue // a file name cannot contain it
		}
		if err := os.WriteFile(filepath.Join(folder, h.Text), []byte(h.Class), 0o600); err != nil {
			t.Skipf("this file system does not take such names: %v", err)
		}
		count++
	}
	env := append(os.Environ(), "MEDIADESK_HOME="+filepath.Join(dir, "home"), "MEDIADESK_PRIVATE_KEY=private_x", "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+dir)
	p := hostileProgram{t: t, binary: binary, dir: dir, env: env}
	run := func(code int, args ...string) string {
		t.Helper()
		return p.runUntil("", 0, code, args...)
	}

	// File names in the local library.
	run(0, "upload", folder, "--dry-run")
	uitest.Lacks(t, run(0, "upload", folder, "--dry-run", "--json"), `fileName","value":"a\u`)
	run(0, "upload", folder, "--unique", "off")
	mediatest.Equal(t, strings.Count(run(0, "upload", folder, "--unique", "off", "--json"), "\n"), count, "uploaded files")
	run(0, "list", "/")
	run(0, "uploads")
	run(1, "upload", filepath.Join(folder, "nowhere\x1b[31m\u202e.jpg"))
	run(2, "upload", "--no-such\x1b[31m")
	run(2, "upload", plain, "--folder", "/a\u202eb/")
	run(2, "profile", "add", "a\x1b[31m", "--hosted", "x")

	p.checkForgedLines()

	// Errors and posts: every other upload is refused.
	to := []string{"--upload-url", service.URL, "--delivery-url", service.URL}
	// The runs in the answers never end, so the command waits for the posts.
	all := len(uitest.Hostile())
	said := p.runUntil("failed (webhook)", all, 130, append([]string{"upload", plain, "--extension", "remove-bg", "--wait", "--timeout", "1m"}, to...)...)
	mediatest.Equal(t, strings.Count(said, "failed (webhook)"), all, "accepted posts")
	run(0, append([]string{"uploads", "--failed"}, to...)...)
	run(0, append([]string{"uploads", "--json"}, to...)...)

	// Records and tags.
	run(0, append([]string{"list"}, to...)...)
	var ids []string
	for i := range uitest.Hostile() {
		ids = append(ids, uitest.HostileID(i))
	}
	run(0, append(append([]string{"details"}, ids...), to...)...)
	run(0, append([]string{"versions", ids[8]}, to...)...)
	// The JSON has the same values as the service's answer.
	lines := strings.Split(strings.TrimSpace(run(0, append([]string{"list", "--json"}, to...)...)), "\n")
	if len(lines) != len(uitest.Hostile()) {
		t.Fatalf("%d records", len(lines))
	}
	for i, h := range uitest.Hostile() {
		var record struct{ Description string }
		must(t, json.Unmarshal([]byte(lines[i]), &record))
		want := strings.ToValidUTF8(h.Text, "\ufffd")
		if strings.ReplaceAll(record.Description, "\ufffd", "") != strings.ReplaceAll(want, "\ufffd", "") {
			t.Errorf("%s: %q", h.Class, record.Description)
		}
	}
}
