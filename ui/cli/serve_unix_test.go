//go:build unix

package cli_test

import (
	"bufio"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

// TestServeEnded: if serve --exec gets a signal, the command and all its children end, and the
// temporary folder is removed.
func TestServeEnded(t *testing.T) {
	t.Parallel()
	binary := uitest.Build(t)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			temporary := t.TempDir()
			cmd := exec.Command(binary, "serve", "--exec", "sleep 1000 & echo $! $$; wait")
			cmd.Env = []string{
				"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temporary, "MEDIADESK_HOME=" + t.TempDir(),
			}
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			must(t, err)
			if left, err := fs.Glob(os.DirFS(temporary), "mediadesk-serve-*"); err != nil || len(left) != 1 {
				t.Fatalf("the folders are %v, %v", left, err)
			}
			must(t, syscall.Kill(cmd.Process.Pid, signal))
			_ = cmd.Wait()
			for _, word := range strings.Fields(line) {
				pid, err := strconv.Atoi(word)
				must(t, err)
				waitFor(t, "the end of process "+word, func() bool { return gone(pid) })
			}
			waitFor(t, "an empty folder", func() bool {
				entries, err := os.ReadDir(temporary)
				return err == nil && len(entries) == 0
			})
		})
	}
}

// gone reports whether a process has ended, even if nobody has waited for it.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// TestServeOnTerminal: the banner shows the key only for a temporary library, and its curl command
// works as pasted.
func TestServeOnTerminal(t *testing.T) {
	t.Parallel()
	mediatest.Tool(t, "curl")
	env := []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "MEDIADESK_HOME=" + t.TempDir()}
	run := func(args ...string) (*uitest.Term, string) {
		t.Helper()
		term := uitest.StartBinary(t, uitest.Build(t),
			append([]string{"serve", "--addr", "127.0.0.1:0"}, args...), env, 300, 40)
		term.WaitFor("Press ctrl+c to stop.")
		return term, term.Screen()
	}
	curl := func(screen string) string {
		t.Helper()
		line := regexp.MustCompile(`echo hello \| curl .*`).FindString(screen)
		out, err := exec.Command("sh", "-c", strings.TrimSpace(line)).Output()
		if err != nil || !strings.Contains(string(out), `"name":"hello_`) {
			t.Errorf("%s: %v, %s", line, err, out)
		}
		return line
	}
	term, screen := run("--ephemeral", "--key", "dev")
	uitest.Shows(t, curl(screen), `-u "dev:"`)
	uitest.Shows(t, screen, "key         dev", "(removed at the end)", "public key  public_")
	term.WaitFor("200 POST   /api/v1/files/upload")
	term.Signal(os.Interrupt)
	<-term.Done()
	mediatest.Equal(t, term.ExitCode(), 0, "got exit code")

	data := filepath.Join(t.TempDir(), "my library")
	term, screen = run("--data", data, "--log", "none")
	key, err := os.ReadFile(filepath.Join(data, "key"))
	must(t, err)
	uitest.Lacks(t, screen, strings.TrimSpace(string(key))) // the key is a secret
	curl(screen)
	uitest.Lacks(t, term.Screen(), "POST")
	term.Signal(os.Interrupt)
	<-term.Done()
}
