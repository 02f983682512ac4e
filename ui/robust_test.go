//go:build unix

package ui_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/charmbracelet/x/xpty"

	"mediadesk/ui/uitest"
)

// children returns the ids of the child processes of a process.
func children(t *testing.T, pid string) []string {
	t.Helper()
	threads, err := filepath.Glob("/proc/" + pid + "/task/*/children")
	if err != nil || len(threads) == 0 {
		t.Skip("this system does not list the children of a process")
	}
	var all []string
	for _, name := range threads {
		text, _ := os.ReadFile(name) // a thread may have ended
		all = append(all, strings.Fields(string(text))...)
	}
	return all
}

// TestStopAndGoOn: ctrl+z and a stop signal give the terminal back to the shell as it was. fg
// restores the screens, and they get the keys.
func TestStopAndGoOn(t *testing.T) {
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

	stopped := func(times int) {
		t.Helper()
		m.wait("the shell", func(screen string) bool {
			return strings.Count(screen, "Stopped") == times && strings.HasSuffix(strings.TrimSpace(screen), "ready>")
		})
		if out := strings.TrimSpace(m.run("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}")); out != "0 1 0" {
			t.Errorf("stopped, with alternate screen, cursor, mouse = %s, want \"0 1 0\"", out)
		}
		// The terminal is in its usual mode: it echoes and edits lines.
		m.keys("stty -a | tr ' ;' '\\n\\n' | grep -cx -e icanon -e echo -e isig", "Enter")
		m.wait("stty", func(screen string) bool { return strings.HasSuffix(strings.TrimSpace(screen), "3\nready>") })
	}
	m.keys("C-z")
	stopped(1)
	m.keys("fg", "Enter")
	m.waitFor("mug.jpg")
	m.keys("4")
	m.waitFor("This folder is empty")

	shell := strings.TrimSpace(m.run("display-message", "-p", "#{pane_pid}"))
	guard := children(t, shell)
	if len(guard) != 1 {
		t.Fatalf("the shell runs %v", guard)
	}
	screens := children(t, guard[0])
	if len(screens) != 1 {
		t.Fatalf("the guard runs %v", screens)
	}
	pid, err := strconv.Atoi(screens[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGTSTP); err != nil {
		t.Fatal(err)
	}
	stopped(2)
	m.keys("fg", "Enter")
	m.waitFor("This folder is empty")
	m.keys("1")
	m.waitFor("mug.jpg")
	m.keys("q")
	m.wait("the shell", func(screen string) bool {
		return !strings.Contains(screen, "mug.jpg") && strings.HasSuffix(strings.TrimSpace(screen), "ready>")
	})
}

// TestResizingStorm resizes the terminal 500 times, with keys in between. The screen is right
// afterwards.
func TestResizingStorm(t *testing.T) {
	d := newWorkplace(t)
	term := d.start(120, 36, d.pictures)
	term.WaitFor("Try it here")
	term.Press("enter")
	term.WaitFor("shown turned right")
	for i := range 500 {
		w, h := 1+(i*37)%200, 1+(i*17)%60
		term.Resize(w, h)
		if i%10 == 0 {
			term.Press("tab", "down", strconv.Itoa(1+i/10%5))
		}
	}
	term.Resize(120, 36)
	term.Press("2")
	term.WaitFor("No uploads yet")
	term.Press("1")
	term.WaitFor("harbour.jpg")
	term.WaitFor("? help")
	term.Press("q")
	term.Wait()
	if term.ExitCode() != 0 || term.AltScreen() {
		t.Errorf("exit code %d, alternate screen %v", term.ExitCode(), term.AltScreen())
	}
}

// TestSlowReader uses a terminal that reads few bytes a second. Keys are answered, memory stays
// small, and in the end the screen is complete.
func TestSlowReader(t *testing.T) {
	binary := uitest.Build(t)
	d := newWorkplace(t)
	rate := 16_000 // bytes per second
	if os.Getenv("MEDIADESK_LONG") != "" {
		rate = 1_000
	}
	pty, err := xpty.NewPty(100, 30)
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	defer pty.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*uitest.Deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, d.pictures)
	cmd.Env = append([]string{"TERM=xterm-256color"}, d.env()...)
	if err := pty.Start(cmd); err != nil {
		t.Fatal(err)
	}
	em := vt.NewEmulator(100, 30)
	go io.Copy(pty, em)
	defer func() {
		if c, ok := em.InputPipe().(io.Closer); ok {
			c.Close()
		}
	}()
	const piece = 200
	tick := time.NewTicker(time.Second * piece / time.Duration(rate))
	defer tick.Stop()
	buf := make([]byte, piece)
	// reads reads at the speed of the terminal until ok returns true.
	reads := func(what string, ok func(screen string) bool) {
		t.Helper()
		for !ok(ansi.Strip(em.Render())) {
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Fatalf("waited for %s; screen:\n%s", what, ansi.Strip(em.Render()))
			}
			n, err := pty.Read(buf)
			if err != nil {
				t.Fatalf("waiting for %s: %v", what, err)
			}
			em.Write(buf[:n])
		}
	}
	has := func(text string) func(string) bool {
		return func(screen string) bool { return strings.Contains(screen, text) }
	}
	press := func(keys string) {
		if _, err := io.WriteString(pty, keys); err != nil {
			t.Fatal(err)
		}
	}
	reads("the first screen", has("Try it here"))
	press("\r")
	reads("the picker", has("mug.jpg"))
	// More keys than such a terminal can draw.
	press(strings.Repeat("jk", 100) + "2")
	reads("the uploads", has("No uploads yet"))
	for _, pid := range children(t, strconv.Itoa(cmd.Process.Pid)) {
		status, err := os.ReadFile("/proc/" + pid + "/status")
		if err != nil {
			continue // not available on this system
		}
		_, rest, _ := strings.Cut(string(status), "VmHWM:")
		var kB int
		if _, err := fmt.Sscan(rest, &kB); err != nil || kB > 200_000 {
			t.Errorf("%d kB of memory (%v)", kB, err)
		}
	}
	press("1")
	reads("the picker again", func(screen string) bool {
		return strings.Contains(screen, "harbour.jpg") && strings.Contains(screen, "orbit.gif") && strings.Contains(screen, "? help")
	})
	press("q")
	rest := make(chan error, 1)
	go func() {
		_, err := io.Copy(em, pty)
		rest <- err
	}()
	if err := xpty.WaitProcess(ctx, cmd); err != nil {
		t.Errorf("ended with %v", err)
	}
	pty.Close()
	<-rest
}

// sshd is a private SSH server on this computer.
type sshd struct {
	t         *testing.T
	dir, port string
}

// startSSHD runs sshd for this user with new keys.
func startSSHD(t *testing.T) *sshd {
	t.Helper()
	server := "/usr/sbin/sshd"
	for _, tool := range []string{server, "ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("MEDIADESK_TEST_REQUIRE") == "all" {
				t.Fatalf("%s is not installed, and MEDIADESK_TEST_REQUIRE is all", tool)
			}
			t.Skipf("%s is not installed", tool)
		}
	}
	s := &sshd{t: t, dir: t.TempDir(), port: freePort(t)}
	for _, name := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(s.dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	if os.Geteuid() == 0 {
		_ = os.MkdirAll("/run/sshd", 0o755) // sshd needs the folder if it runs as root
	}
	settings := fmt.Sprintf("ListenAddress 127.0.0.1\nPort %s\nHostKey %s/host\nAuthorizedKeysFile %s/user.pub\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPidFile none\nPrintMotd no\nPrintLastLog no\n", s.port, s.dir, s.dir)
	if err := os.WriteFile(filepath.Join(s.dir, "config"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(server, "-D", "-e", "-f", filepath.Join(s.dir, "config"))
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		if t.Failed() {
			t.Logf("sshd said:\n%s", said.String())
		}
	})
	return s
}

// start runs a command line on the server in a terminal. It returns the terminal and the local ssh
// process.
func (s *sshd) start(w, h int, line string) *uitest.Term {
	s.t.Helper()
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		s.t.Fatal(err)
	}
	return uitest.StartBinary(s.t, ssh, []string{
		"-tt", "-q", "-F", "none", "-i", filepath.Join(s.dir, "user"), "-p", s.port, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
		"-o", "ConnectionAttempts=60", "-o", "SetEnv=COLORTERM=truecolor", "-e", "none", "127.0.0.1", line,
	}, []string{"HOME=" + s.dir, "PATH=" + os.Getenv("PATH")}, w, h)
}

// TestOverSSH: over SSH the screens have the right size, copy to the local clipboard, and lose
// nothing when the connection breaks.
func TestOverSSH(t *testing.T) {
	s := startSSHD(t)
	binary := uitest.Build(t)
	d := newWorkplace(t)
	line := "cd '" + d.pictures + "' && exec env -i TERM=\"$TERM\" SSH_TTY=\"$SSH_TTY\" SSH_CONNECTION=\"$SSH_CONNECTION\" '" + strings.Join(d.env(), "' '") + "' '" + binary + "'"
	term := s.start(100, 30, line)
	term.WaitFor("Try it here")
	term.Press("enter")
	term.WaitFor("mug.jpg")
	term.Resize(120, 36)
	term.WaitFor("shown turned right")
	if got := equivalent(t, term); !strings.HasPrefix(got, "mediadesk upload ") {
		t.Errorf("copied %q", got)
	}

	// The connection breaks while a form is filled in.
	term.Press("space", "u")
	term.WaitFor("Stored as")
	term.Type("sea,boat,")
	term.WaitFor("Tags 8/500")
	term.Signal(os.Kill)
	<-term.Done()
	waitGone(t, filepath.Join(d.home, "data", "library", "owner.json"))

	term = s.start(120, 36, line)
	term.WaitUntil(func(screen string) bool {
		return strings.Contains(screen, "Tags 8/500") || strings.Contains(screen, "Tray: 1 file")
	})
	term.Press("1")
	term.WaitFor("Tray: 1 file")
	term.Press("u")
	term.WaitFor("Tags 8/500")
	term.Signal(os.Kill)
	<-term.Done()
	waitGone(t, filepath.Join(d.home, "data", "library", "owner.json"))
}

// freePort returns a port of this computer on which nothing listens.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// waitGone waits until a file is gone.
func waitGone(t *testing.T, name string) {
	t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	limit := time.After(uitest.Deadline)
	for {
		if _, err := os.Stat(name); os.IsNotExist(err) {
			return
		}
		select {
		case <-again.C:
		case <-limit:
			t.Fatalf("%s is still there: the program did not end cleanly", name)
		}
	}
}
