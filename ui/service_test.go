//go:build unix

package ui_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/xpty"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

const testKey = "private_tmux_test_key"

type tmux struct {
	t      *testing.T
	socket string
}

func startTmux(t *testing.T, w, h int, env []string, dir, shell string) *tmux {
	t.Helper()
	mediatest.Tool(t, "tmux")
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
	out, err := exec.Command("tmux",
		append([]string{"-S", m.socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
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

func startServiceAt(t *testing.T, addr, binary, dir string, flags ...string) *service {
	t.Helper()
	cmd := exec.Command(binary,
		append([]string{"serve", "--addr", addr, "--data", dir, "--json"}, flags...)...)
	cmd.Env = []string{"MEDIADESK_PRIVATE_KEY=" + testKey, "HOME=" + t.TempDir(), "MEDIADESK_HOME=" + t.TempDir()}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
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

func (s *service) account() []string {
	return []string{"--upload-url", s.address, "--base-url", s.address, "--delivery-url", s.address}
}

func (d *workplace) keyed() []string { return append(d.env(), "MEDIADESK_PRIVATE_KEY="+testKey) }

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
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	binary := uitest.Build(t)
	d := newWorkplace(t)
	s := startService(t, binary, t.TempDir(), "--fault", "delay=400ms")
	term := uitest.StartBinary(t, binary, append(s.account(), d.pictures), d.keyed(), 100, 30)
	term.WaitFor("harbour.jpg")
	follow(term, "ctrl+a", "5 files", "u", "Will be stored as", "ctrl+s", "enter send ")
	term.Press("s")
	term.WaitFor("of 5 stored") // the jobs are in the journal
	term.Signal(syscall.SIGKILL)
	<-term.Done()

	// Start the same session again: the journal knows what was under way.
	term = uitest.StartBinary(t, binary, append(s.account(), d.pictures), d.keyed(), 100, 30)
	term.WaitFor("1 Pick")
	term.Press("2")
	term.WaitUntil(func(screen string) bool { return strings.Count(screen, "  ✓ ") == 6 }) // rows and pane
	term.Press("q")
	stored := s.names()
	slices.Sort(stored)
	if want := []string{"harbour.jpg", "logo.png", "mug.jpg", "orbit.gif", "день_1___naïve__final_.txt"}; !slices.Equal(stored, want) {
		t.Errorf("stored: %q, want %q", stored, want)
	}
}

// TestKilledWhileRunning kills the program while extensions are pending. The next program and two
// watch commands get the results from posts to the address, which the settings name, or by polling.
func TestKilledWhileRunning(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	binary := uitest.Build(t)
	for _, tt := range []struct {
		name, fault, word string
		code              int
	}{
		{"the service does its work", "", "success", 0},
		{"the service fails", "extensions=fail", "failed", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const n = 4
			d, library := newWorkplace(t), t.TempDir()
			settings := fmt.Sprintf("[webhook]\nlisten = %q\n", "127.0.0.1:"+freePort(t))
			must(t, errors.Join(os.MkdirAll(d.home, 0o700),
				os.WriteFile(filepath.Join(d.home, "config.toml"), []byte(settings), 0o600)))
			s := startService(t, binary, library, "--fault", "extensions=pending")
			env := d.keyed()
			account := s.account()
			command := func(args ...string) *exec.Cmd {
				cmd := exec.Command(binary, append(args, account...)...)
				cmd.Env = env
				return cmd
			}

			if out, err := command("upload", d.pictures, "--exclude", "*.txt", "--extension", "remove-bg").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			board := func() *uitest.Term {
				term := uitest.StartBinary(t, binary, account, env, 120, 36)
				term.WaitFor("1 Pick")
				term.Press("3")
				return term
			}
			term := board()
			term.WaitFor("4 pending")
			term.Signal(syscall.SIGKILL)
			<-term.Done()

			// Start another program, and two watch commands beside it.
			term = board()
			term.WaitFor("4 pending")
			var watches [2]*watchCommand
			for i := range watches {
				watches[i] = startWatch(t, command("watch", "--timeout", "2m", "--json"), n)
			}
			s.end()
			flags := []string{}
			if tt.fault != "" {
				flags = []string{"--fault", tt.fault}
			}
			startServiceAt(t, strings.TrimPrefix(s.address, "http://"), binary, library, flags...)
			waitForRuns(term)
			uitest.Shows(t, term.Screen(), "4 "+strings.Replace(tt.word, "success", "done", 1))
			term.Press("q")
			<-term.Done()
			for _, w := range watches {
				w.check(t, tt.code, tt.word, n)
			}
			// The service agrees with the reports.
			out, err := command("list", "--json").Output()
			must(t, err)
			done := strings.Count(string(out), `"name":"Version 2"`)
			if done != map[string]int{"success": n}[tt.word] {
				t.Errorf("%d files have a new version:\n%s", done, out)
			}
		})
	}
}

// watchCommand is a watch command and what it wrote.
type watchCommand struct {
	*exec.Cmd
	lines *bufio.Scanner
	said  strings.Builder
}

// startWatch starts a watch command and waits for its first n lines.
func startWatch(t *testing.T, cmd *exec.Cmd, n int) *watchCommand {
	t.Helper()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	w := &watchCommand{Cmd: cmd, lines: bufio.NewScanner(out)}
	// The command knows all runs before the first one can end.
	for range n {
		w.lines.Scan()
		w.said.WriteString(w.lines.Text() + "\n")
	}
	return w
}

// check waits for the end of the command and compares its exit code and how many ends it reported.
func (w *watchCommand) check(t *testing.T, code int, word string, n int) {
	t.Helper()
	for w.lines.Scan() {
		w.said.WriteString(w.lines.Text() + "\n")
	}
	w.Wait()
	if got := w.ProcessState.ExitCode(); got != code {
		t.Errorf("watch: got exit code %d, want %d\n%s", got, code, &w.said)
	}
	if got := strings.Count(w.said.String(), `"status":"`+word+`"`); got != n {
		t.Errorf("watch reported %d ends, want %d:\n%s", got, n, &w.said)
	}
}

// TestLeavingSaysWhatItWaitsFor: if an answer is missing, leaving says what it waits for, and
// ctrl+c ends the wait.
func TestLeavingSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	binary := uitest.Build(t)
	d := newWorkplace(t)
	s := startService(t, binary, t.TempDir(), "--fault", "delay=1h")
	file := filepath.Join(t.TempDir(), "file.txt")
	must(t, os.WriteFile(file, []byte("a file"), 0o600))
	env := d.keyed()
	term := uitest.StartBinary(t, binary, append(s.account(), file), env, 120, 36)
	term.WaitFor("To upload: 1 file")
	follow(term, "u", "Will be stored as", "ctrl+s", "no answer")
	term.Press("q")
	term.WaitFor("enter leave") // in the line of hints: the dialog takes keys now
	term.Press("l")
	term.WaitFor("ctrl+c leaves now")
	term.Press("ctrl+c")
	term.Wait()
}

// TestLookingOnceMore checks an upload whose answer was lost. L asks the service again, sends
// nothing, and finds the file.
func TestLookingOnceMore(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	binary := uitest.Build(t)
	d := newWorkplace(t)
	s := startService(t, binary, t.TempDir())
	to, err := url.Parse(s.address)
	must(t, err)
	var blind atomic.Bool
	var uploads atomic.Int64
	blind.Store(true)
	forward := httputil.NewSingleHostReverseProxy(to)
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			uploads.Add(1)
			forward.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler) // stored, but the answer is lost
		case blind.Load():
			http.NotFound(w, r)
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	defer between.Close()

	conf := filepath.Join(d.home, "config.toml")
	text := fmt.Sprintf("profile = \"lossy\"\n[profiles.lossy]\nkind = \"own\"\nupload_url = %q\nbase_url = %q\ndelivery_url = %q\nnaming = \"service\"\n", between.URL, between.URL, s.address)
	must(t, os.WriteFile(conf, []byte(text), 0o600))
	source := filepath.Join(t.TempDir(), "lost.txt")
	must(t, os.WriteFile(source, []byte("it arrives\n"), 0o600))
	term := uitest.StartBinary(t, binary, []string{source}, d.keyed(), 120, 36)
	term.WaitFor("lost.txt")
	follow(term, "u", "Will be stored as", "ctrl+s", "? unknown")

	blind.Store(false)
	term.Press("L")
	term.WaitFor("✓ stored")
	if n := uploads.Load(); n != 1 {
		t.Errorf("the file was sent %d times, want 1", n)
	}
}

// TestFaultsLeaveTheHeader: the header names the faults of another process that serves the library
// until that process ends and this program serves it.
func TestFaultsLeaveTheHeader(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	d := newWorkplace(t)
	serve := exec.Command(uitest.Build(t), "serve", "--addr", "127.0.0.1:0", "--json", "--fault", "rate=500/s")
	serve.Env = d.env()
	out, err := serve.StdoutPipe()
	must(t, err)
	must(t, serve.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	must(t, err)
	term := d.start(120, 36, "--profile", "local", d.pictures)
	term.WaitFor("faults on: rate=500/s")
	must(t, serve.Process.Signal(syscall.SIGTERM))
	_ = serve.Wait()
	term.WaitGone("faults on")
	term.Quit()
}

// TestWrongKeyIsRefused: a key is tried before its account is saved.
func TestWrongKeyIsRefused(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	d := newWorkplace(t)
	s := startService(t, uitest.Build(t), t.TempDir())
	term := d.start(120, 36, "--profile", "local", d.pictures)
	term.WaitFor("127.0.0.1:")
	follow(term, "5", "Parallel uploads", "a", "Connect an account · step 1")
	term.Press("right", "down")
	term.Type(s.address)
	follow(term, "ctrl+s", "Use it for this run only", "o", "Private key")
	term.Type("private_wrong")
	term.Press("enter")
	term.WaitFor("The service refuses this key")
	uitest.Lacks(t, term.Screen(), "mediadesk key set") // the key can be typed here
	paths := uitest.Paths(d.home)
	if text, err := os.ReadFile(paths.StateFile()); err == nil && strings.Contains(string(text), s.address) {
		t.Error("the account is saved")
	}
	term.Press("ctrl+u")
	term.Type(testKey)
	term.Press("enter")
	term.WaitFor("accepts the key")
	term.Quit()
}

// TestMessagesLeaveWithTheirScreen: a message about one screen does not stay over the next one.
func TestMessagesLeaveWithTheirScreen(t *testing.T) {
	t.Parallel()
	d := newWorkplace(t)
	term := d.start(120, 36, "--profile", "local", d.pictures)
	term.WaitFor("127.0.0.1:")
	follow(term, "4", "This folder is empty", "d", "to delete here")
	term.Press("5")
	term.WaitFor("a add an account") // in the last line, which is drawn after the message's
	uitest.Lacks(t, term.Screen(), "never deletes")
	// It leaves for what opens over its screen, too.
	follow(term, "d", "cannot be removed", "a", "Connect an account · step 1")
	term.WaitGone("cannot be removed")
	term.Press("esc")
	term.Quit()
}

// TestOneSendsAnotherWatches runs two programs on one journal. The screens show what mediadesk
// upload sends. When the command is killed, resume sends the rest. Every file is stored once.
func TestOneSendsAnotherWatches(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	const n = 12
	binary := uitest.Build(t)
	d := newWorkplace(t)
	s := startService(t, binary, t.TempDir())
	// No answer comes to the fourth upload, so the command cannot end before it is killed.
	target, err := url.Parse(s.address)
	must(t, err)
	killed := make(chan struct{})
	var uploads atomic.Int64
	forward := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && uploads.Add(1) == 4 {
			<-killed
			return
		}
		r.Host = target.Host
		forward.ServeHTTP(w, r)
	}))
	defer front.Close()
	release := sync.OnceFunc(func() { close(killed) })
	defer release()
	dir := t.TempDir()
	for i := range n {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%02d.txt", i)),
			fmt.Appendf(nil, "this is file %d\n", i), 0o600))
	}
	env := d.keyed()
	where := []string{"--upload-url", front.URL, "--base-url", front.URL, "--delivery-url", front.URL}

	watcher := uitest.StartBinary(t, binary, where, env, 120, 36)
	watcher.WaitFor("1 Pick")
	watcher.Press("2")
	watcher.WaitFor("No uploads yet")

	sender := exec.Command(binary, append([]string{"upload", "--concurrency", "1", dir}, where...)...)
	sender.Env = env
	must(t, sender.Start())
	// The watcher shows what the other program has stored and what waits.
	watcher.WaitUntil(func(screen string) bool {
		return rows(screen, "B  ✓") >= 2 && strings.Contains(screen, "waiting")
	})
	must(t, sender.Process.Signal(syscall.SIGKILL))
	sender.Wait()
	release()
	if got := len(s.names()); got != 3 {
		t.Fatalf("%d files were stored before the kill, want 3", got)
	}
	// The next resume sends the rest.
	resume := exec.Command(binary, append([]string{"resume"}, where...)...)
	resume.Env = env
	if out, err := resume.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	watcher.WaitUntil(func(screen string) bool {
		return rows(screen, "B  ✓") == n
	})
	seen := map[string]int{}
	for _, name := range s.names() {
		seen[name[:len("file00")]]++
	}
	for i := range n {
		if stem := fmt.Sprintf("file%02d", i); seen[stem] != 1 {
			t.Errorf("%s is stored %d times, want 1", stem, seen[stem])
		}
	}
}

func rows(screen, text string) int {
	count := 0
	for line := range strings.Lines(screen) {
		if list, _, _ := strings.Cut(strings.TrimPrefix(line, "│"), "│"); strings.Contains(list, text) {
			count++
		}
	}
	return count
}

// TestStopAndGoOn: ctrl+z and the end give the terminal back to the shell of tmux as it was. fg
// restores the screens, and they get the keys and the new sizes.
func TestStopAndGoOn(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed, and other shells report stopped jobs differently")
	}
	binary := uitest.Build(t)
	d := newWorkplace(t)
	// The history would be written while the folder is removed.
	m := startTmux(t, 100, 30, d.env(), d.pictures, "env PS1='ready> ' HISTFILE= bash --norc --noprofile -i")
	m.waitFor("ready>")
	m.keys(binary, "Enter")
	m.waitFor("Try it here")
	m.keys("Enter")
	m.waitFor("mug.jpg")

	restored := func() {
		t.Helper()
		if out := strings.TrimSpace(m.run("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}")); out != "0 1 0" {
			t.Errorf("alternate screen, cursor, mouse are %s, want \"0 1 0\"", out)
		}
	}
	stopped := func(times int) {
		t.Helper()
		m.wait("the shell", func(screen string) bool {
			return strings.Count(screen, "Stopped") == times &&
				strings.HasSuffix(strings.TrimSpace(screen), "ready>")
		})
		restored()
		// The terminal is in its usual mode: it echoes and edits lines.
		m.keys("stty -a | tr ' ;' '\\n\\n' | grep -cx -e icanon -e echo -e isig", "Enter")
		m.wait("stty",
			func(screen string) bool { return strings.HasSuffix(strings.TrimSpace(screen), "3\nready>") })
	}
	m.keys("C-z")
	stopped(1)
	m.keys("fg", "Enter")
	m.waitFor("mug.jpg")
	m.keys("4")
	m.waitFor("This folder is empty")

	m.keys("C-z")
	stopped(2)
	m.keys("fg", "Enter")
	m.waitFor("This folder is empty")
	m.run("resize-window", "-x", "30", "-y", "5")
	m.waitFor("40x12")
	m.run("resize-window", "-x", "100", "-y", "30")
	m.waitFor("Settings")
	m.keys("1")
	m.waitFor("mug.jpg")
	m.keys("q")
	m.wait("the shell", func(screen string) bool {
		return !strings.Contains(screen, "mug.jpg") && strings.HasSuffix(strings.TrimSpace(screen), "ready>")
	})
	restored()
}

// TestEndingSignals: a signal ends the screens like a key does: the terminal is restored, the
// library is closed, and the exit code names the signal.
func TestEndingSignals(t *testing.T) {
	t.Parallel()
	for _, sent := range []syscall.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGABRT,
	}[:mediatest.Rounds(1, 5)] {
		d := newWorkplace(t)
		term := d.start(100, 30, d.pictures)
		term.WaitFor("Try it here")
		term.Press("enter")
		term.WaitFor("mug.jpg")
		term.Signal(sent)
		term.Wait()
		if code := term.ExitCode(); code != 128+int(sent) || term.AltScreen() {
			t.Errorf("%v: exit code %d, alternate screen %v\n%s", sent, code, term.AltScreen(), term.Screen())
		}
		for _, mode := range []string{"1003", "1004", "2004"} {
			raw := term.Raw()
			if strings.LastIndex(raw, "\x1b[?"+mode+"l") < strings.LastIndex(raw, "\x1b[?"+mode+"h") {
				t.Errorf("%v: mode %s is still on", sent, mode)
			}
		}
		if _, err := os.Stat(filepath.Join(d.home, "data", "library", "owner.json")); !os.IsNotExist(err) {
			t.Errorf("%v: the library was not closed: %v", sent, err)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// TestInputEnds: if the terminal goes away without a SIGHUP, because it is not the controlling
// terminal, the program ends as with a SIGHUP.
func TestInputEnds(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	d := newWorkplace(t)
	pty, err := xpty.NewUnixPty(120, 36)
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	binary := uitest.Build(t)
	ctx, cancel := context.WithTimeout(t.Context(), uitest.Deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "--profile", "local", d.pictures)
	cmd.Env = append(d.env(), "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pty.Slave(), pty.Slave(), pty.Slave()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	must(t, cmd.Start())
	_ = pty.Slave().Close()
	var drawn []byte
	for buf := make([]byte, 4096); !bytes.Contains(drawn, []byte("harbour.jpg")); {
		n, err := pty.Master().Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, drawn)
		}
		drawn = append(drawn, buf[:n]...)
	}
	must(t, pty.Master().Close())
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 128+int(syscall.SIGHUP) {
		t.Errorf("got %v, want the exit code of a SIGHUP", err)
	}
}

// TestEditorHasTheTerminal: an editor that the program starts gets the terminal itself, not a pipe.
func TestEditorHasTheTerminal(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	d := newWorkplace(t)
	editor, found := filepath.Join(d.home, "editor"), filepath.Join(d.home, "found")
	script := "#!/bin/sh\nif test -t 0 && test -t 1; then has=terminal; else has=pipe; fi\necho $has > " + found + "\n"
	must(t, os.WriteFile(editor, []byte(script), 0o700))
	term := d.startWith([]string{"EDITOR=" + editor}, 120, 36, "--profile", "local", d.pictures)
	term.WaitFor("harbour.jpg")
	term.WaitFor("Nothing picked yet")
	term.WaitFor("127.0.0.1:")
	follow(term, "space", "To upload: 1 file", "u", "Will be stored as")
	term.Press("ctrl+o")
	term.WaitUntil(func(string) bool {
		text, err := os.ReadFile(found)
		return err == nil && len(text) > 0
	})
	if text, err := os.ReadFile(found); err != nil || string(text) != "terminal\n" {
		t.Errorf("the editor got %q, %v", text, err)
	}
}
