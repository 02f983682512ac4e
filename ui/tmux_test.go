//go:build unix

package ui_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mediadesk/ui/uitest"
)

const testKey = "private_tmux_test_key"

// tmux is a private terminal multiplexer with one window.
type tmux struct {
	t      *testing.T
	socket string
}

// startTmux runs a shell command in a new tmux.
func startTmux(t *testing.T, w, h int, env []string, dir, shell string) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("MEDIADESK_TEST_REQUIRE") == "all" {
			t.Fatal("tmux is not installed, and MEDIADESK_TEST_REQUIRE is all")
		}
		t.Skip("tmux is not installed")
	}
	m := &tmux{t, filepath.Join(t.TempDir(), "tmux")}
	args := []string{"new-session", "-d", "-x", strconv.Itoa(w), "-y", strconv.Itoa(h), "-c", dir}
	for _, v := range env {
		args = append(args, "-e", v)
	}
	m.run(append(args, shell)...)
	t.Cleanup(func() { exec.Command("tmux", "-S", m.socket, "kill-server").Run() })
	m.run("set", "-g", "status", "off")
	return m
}

func (m *tmux) run(args ...string) string {
	m.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", m.socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (m *tmux) keys(keys ...string) {
	m.t.Helper()
	m.run(append([]string{"send-keys"}, keys...)...)
}

func (m *tmux) screen() string { return m.run("capture-pane", "-p") }

// wait polls until the screen is as wanted, because tmux does not report changes.
func (m *tmux) wait(what string, wanted func(screen string) bool) {
	m.t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	deadline := time.After(time.Minute)
	for {
		screen := m.screen()
		if wanted(screen) {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			m.t.Fatalf("waited for %s; screen:\n%s", what, screen)
		}
	}
}

func (m *tmux) waitFor(text string) {
	m.t.Helper()
	m.wait(strconv.Quote(text), func(screen string) bool { return strings.Contains(screen, text) })
}

// service is mediadesk serve as a separate process.
type service struct {
	t       *testing.T
	address string
	binary  string
	end     func() // ends it before the test does
}

func startService(t *testing.T, binary, dir string, flags ...string) *service {
	t.Helper()
	return startServiceAt(t, "127.0.0.1:0", binary, dir, flags...)
}

// startServiceAt runs the service at an address.
func startServiceAt(t *testing.T, addr, binary, dir string, flags ...string) *service {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"serve", "--addr", addr, "--data", dir, "--json"}, flags...)...)
	cmd.Env = []string{"MEDIADESK_PRIVATE_KEY=" + testKey, "HOME=" + t.TempDir(), "MEDIADESK_HOME=" + t.TempDir()}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	t.Cleanup(end)
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatalf("serve printed no line: %v", err)
	}
	var first struct{ Address string }
	if err := json.Unmarshal(line, &first); err != nil || first.Address == "" {
		t.Fatalf("first line of serve: %s", line)
	}
	return &service{t, first.Address, binary, end}
}

// names returns the names of the stored files.
func (s *service) names() []string {
	s.t.Helper()
	cmd := exec.Command(s.binary, "list", "--json", "--base-url", s.address)
	cmd.Env = []string{"MEDIADESK_PRIVATE_KEY=" + testKey, "HOME=" + s.t.TempDir(), "MEDIADESK_HOME=" + s.t.TempDir()}
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("list: %v\n%s", err, out)
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		var record struct{ Name string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			s.t.Fatal(err)
		}
		names = append(names, record.Name)
	}
	return names
}

// TestKilledWhileSending kills the program during uploads and starts it again. Every file is stored
// once.
func TestKilledWhileSending(t *testing.T) {
	binary := uitest.Build(t)
	d := newWorkplace(t)
	s := startService(t, binary, t.TempDir(), "--fault", "delay=400ms")
	shell := fmt.Sprintf("exec %s --upload-url %s --base-url %s --delivery-url %s %s", binary, s.address, s.address, s.address, d.pictures)
	env := append(d.env(), "MEDIADESK_PRIVATE_KEY="+testKey)

	m := startTmux(t, 100, 30, env, d.pictures, "sh -c 'echo pid $$; read go; "+shell+"'")
	m.wait("the process id", func(screen string) bool { return strings.Contains(screen, "pid ") })
	pid, err := strconv.Atoi(strings.Fields(m.screen())[1])
	if err != nil {
		t.Fatal(err)
	}
	m.keys("Enter")
	m.waitFor("harbour.jpg")
	m.keys("C-a")
	m.waitFor("5 files")
	m.keys("u")
	m.waitFor("Stored as")
	m.keys("C-s")
	m.waitFor("s Send 5 files")
	m.keys("s")
	m.waitFor("of 5 stored") // the jobs are in the journal
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}

	// Start the same session again: the journal knows what was under way.
	m = startTmux(t, 100, 30, env, d.pictures, shell)
	m.waitFor("1 Pick")
	m.keys("2")
	m.waitFor("5 of 5 stored")
	m.keys("q")

	seen := map[string]int{}
	for _, name := range s.names() {
		// Compare without the suffix, which is made before the upload.
		stem := name[:strings.LastIndex(strings.TrimSuffix(name, filepath.Ext(name)), "_")]
		if i := len(name) - len(filepath.Ext(name)) - len("_123456789"); i > 0 {
			stem = name[:i]
		}
		seen[stem]++
	}
	for _, stem := range []string{"harbour", "logo", "mug", "orbit", "день_1___naïve__final_"} {
		if seen[stem] != 1 {
			t.Errorf("%s is stored %d times, want 1", stem, seen[stem])
		}
	}
	if len(seen) != 5 {
		t.Errorf("stored: %v", seen)
	}
}

// TestInTmux does the main job in a small terminal of tmux, and checks the state of the terminal
// afterwards.
func TestInTmux(t *testing.T) {
	binary := uitest.Build(t)
	d := newWorkplace(t)
	m := startTmux(t, 80, 24, d.env(), d.pictures, "sh -c '"+binary+"; echo ended with $?; read x; "+binary+"; echo ended again with $?; read x'")
	m.waitFor("Try it here")
	m.keys("Enter")
	m.waitFor("mug.jpg")
	m.keys("j", "j", "Space", "u")
	m.waitFor("Stored as")
	m.keys("C-s")
	m.waitFor("1 of 1 stored")
	m.keys("4")
	m.waitFor("Kind")
	m.keys("Enter")
	m.waitFor("As seen")
	m.keys("Escape")
	m.waitFor("Kind")
	m.run("resize-window", "-x", "40", "-y", "12")
	m.waitFor("mug_")
	m.run("resize-window", "-x", "30", "-y", "5")
	m.waitFor("40x12")
	m.run("resize-window", "-x", "120", "-y", "36")
	m.waitFor("Settings")
	m.keys("q")
	m.waitFor("ended with 0")

	// The terminal still works and finds everything.
	m.keys("Enter")
	m.waitFor("mug.jpg")
	m.keys("2")
	m.waitFor("1 earlier upload")
	m.keys("4")
	m.waitFor("Kind")
	m.waitFor("mug_")
	m.keys("q")
	m.waitFor("ended again with 0")
	if strings.Contains(m.screen(), "Settings") {
		t.Errorf("the screen was not restored:\n%s", m.screen())
	}
	if out := m.run("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}"); strings.TrimSpace(out) != "0 1 0" {
		t.Errorf("terminal left with alternate screen, cursor, mouse = %s", out)
	}
}
