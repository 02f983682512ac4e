//go:build unix

package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

// moveIn writes a file beside a folder and moves it in, as programs do that write files safely.
func moveIn(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, []byte(name), 0o600))
	must(t, os.Rename(path, filepath.Join(dir, name)))
}

// TestFollow: in a pipe, each new file is uploaded and gives one line on standard output. Everything
// else goes to standard error, and a signal ends the command with 128 plus its number.
func TestFollow(t *testing.T) {
	t.Parallel()
	env, run := terminalHome(t)
	dir, outside := writeFiles(t, "before.txt"), writeFiles(t, "old.txt")
	must(t, os.Symlink(outside, filepath.Join(dir, "a-link")))
	for signal, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		cmd := exec.Command(uitest.Build(t), "upload", "--follow", dir, "--unique", "off", "--folder", "/shots/", "--copy", "url")
		cmd.Env = env
		stdout, err := cmd.StdoutPipe()
		must(t, err)
		stderr, err := cmd.StderrPipe()
		must(t, err)
		must(t, cmd.Start())
		results, messages := bufio.NewScanner(stdout), bufio.NewScanner(stderr)
		if !messages.Scan() || !strings.Contains(messages.Text(), "not followed, because it leads out of the folder: ") {
			t.Errorf("got the messages %q", messages.Text())
		}
		if !messages.Scan() || !strings.Contains(messages.Text(), "are not uploaded. Press ctrl+c to end.") {
			t.Errorf("got the messages %q", messages.Text())
		}
		moveIn(t, outside, signal.String()+"-secret.txt")
		name := signal.String() + ".txt"
		moveIn(t, dir, name)
		stored := "/shots/" + name
		if !results.Scan() || !strings.Contains(results.Text(), ": stored as "+stored+" (") {
			t.Errorf("got the result %q", results.Text())
		}
		if !messages.Scan() || !strings.Contains(messages.Text(), "Nothing was copied: --copy needs a terminal") {
			t.Errorf("got the messages %q", messages.Text())
		}
		must(t, cmd.Process.Signal(signal))
		for results.Scan() {
			t.Errorf("got an extra result: %q", results.Text())
		}
		for messages.Scan() {
			uitest.Shows(t, messages.Text(), "mediadesk serve")
		}
		_ = cmd.Wait() // the exit code is checked below
		mediatest.Equal(t, cmd.ProcessState.ExitCode(), code, "exit code after %v", signal)
		run("details", stored)
	}
}

// TestFollowOnATerminal: the address of each new file is put on the clipboard.
func TestFollowOnATerminal(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	env, _ := terminalHome(t)
	dir := writeFiles(t, "before.txt")
	term := uitest.StartBinary(t, uitest.Build(t), []string{"upload", "--follow", dir, "--copy", "markdown", "--unique", "off"}, env, 160, 12)
	term.WaitFor("Existing files (1 file) are not uploaded.")
	moveIn(t, dir, "one.txt")
	term.WaitFor("Copied 1 link to the clipboard.")
	moveIn(t, dir, "two.txt")
	term.WaitFor("stored as /two.txt")
	term.WaitRaw(func(raw string) bool { return strings.Count(raw, "\x1b]52;c;") == 2 })
	term.Press("ctrl+c")
	term.Wait()
	mediatest.Equal(t, term.ExitCode(), 130, "exit code")
	uitest.Shows(t, term.Screen(), "2 stored")
}

// TestFollowEndsWithAWrongKey: the command ends if the service refuses the key.
func TestFollowEndsWithAWrongKey(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"message":"Your account cannot be authenticated."}`))
	}))
	defer refusing.Close()
	env, _ := terminalHome(t)
	dir := writeFiles(t, "before.txt")
	term := uitest.StartBinary(t, uitest.Build(t),
		[]string{"upload", "--follow", dir, "--upload-url", refusing.URL, "--base-url", refusing.URL},
		append(env, "MEDIADESK_PRIVATE_KEY=private_wrong"), 120, 12)
	term.WaitFor("are not uploaded.")
	moveIn(t, dir, "one.txt")
	term.Wait()
	mediatest.Equal(t, term.ExitCode(), 3, "exit code")
}

// slowService accepts uploads and answers them after release.
func slowService(t *testing.T) (flags []string, release func()) {
	t.Helper()
	released := make(chan struct{})
	var stored atomic.Int64
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-released:
		case <-r.Context().Done():
		}
		fmt.Fprintf(w, `{"fileId":"66a%021d","name":"a.txt","filePath":"/a.txt","url":"https://example.com/a.txt"}`, stored.Add(1))
	}))
	t.Cleanup(slow.Close)
	return []string{"--upload-url", slow.URL, "--base-url", slow.URL, "--concurrency", "2"}, func() { close(released) }
}

// TestProgressOnATerminal: all uploads have one bar, which names those in progress. At the end only the
// results remain.
func TestProgressOnATerminal(t *testing.T) {
	flags, release := slowService(t)
	env, _ := terminalHome(t)
	dir := writeFiles(t, "first.txt", "second.txt")
	term := uitest.StartBinary(t, uitest.Build(t), append([]string{"upload", dir}, flags...),
		append(env, "MEDIADESK_PRIVATE_KEY=private_k"), 120, 12)
	term.WaitUntil(func(screen string) bool {
		return strings.HasPrefix(screen, "0 of 2 stored  █") && strings.Contains(screen, "first.txt: waiting for the answer · second.txt: waiting for the answer")
	})
	release()
	term.WaitFor("2 stored")
	term.Wait()
	if screen := term.Screen(); strings.Contains(screen, "█") ||
		strings.Count(screen, ": stored as /a.txt") != 2 || term.ExitCode() != 0 {
		t.Errorf("exit code %d\n%s", term.ExitCode(), screen)
	}
}

// TestFollowSaves: an upload that is under way when the user quits stays in the journal.
func TestFollowSaves(t *testing.T) {
	t.Parallel()
	flags, release := slowService(t)
	defer release()
	env, _ := terminalHome(t)
	dir := writeFiles(t, "before.txt")
	env = append(env, "MEDIADESK_PRIVATE_KEY=private_k")
	term := uitest.StartBinary(t, uitest.Build(t), append([]string{"upload", "--follow", dir}, flags...),
		env, 120, 12)
	term.WaitFor("are not uploaded.")
	moveIn(t, dir, "one.txt")
	term.WaitFor("waiting for the answer")
	term.Press("ctrl+c")
	term.Wait()
	mediatest.Equal(t, term.ExitCode(), 130, "exit code")
	uitest.Shows(t, term.Screen(), "one.txt: open:", "Continue with: mediadesk resume")
}
