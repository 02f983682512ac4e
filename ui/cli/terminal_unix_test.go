//go:build unix

package cli_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

// terminalHome returns a new home for commands on a terminal, and a function that runs a command in
// it without a terminal.
func terminalHome(t *testing.T) (env []string, run func(args ...string)) {
	t.Helper()
	home := t.TempDir()
	env = []string{"MEDIADESK_HOME=" + home, "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "DBUS_SESSION_BUS_ADDRESS="}
	return env, func(args ...string) {
		t.Helper()
		cmd := exec.Command(uitest.Build(t), args...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
}

// writeFiles writes small files with these names below a new folder.
func writeFiles(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(name), 0o600))
	}
	return dir
}

// TestFolderQuestions: on a terminal, changes of folders say what the folders contain, and ask.
func TestFolderQuestions(t *testing.T) {
	t.Parallel()
	env, run := terminalHome(t)
	run("upload", writeFiles(t, "a.txt", "b.txt", "in/c.txt"), "--folder", "/summer/", "--unique", "off")
	for _, c := range []struct {
		args     []string
		question string
		answer   string
		code     int
		then     string
	}{
		{[]string{"delete", "/summer/in", "/summer/a.txt"}, "Delete 1 file with all versions and 1 folder with everything in it", "no", 1, "Nothing was changed."},
		{[]string{"delete", "/summer/a.txt"}, "Delete 1 file with all versions from", "y", 1, "Nothing was changed."},
		{[]string{"move", "/summer", "/old/"}, "Move 1 folder with everything in it to /old/", "yes", 0, "/summer/: moved to /old/summer/"},
		{[]string{"copy", "/old/summer/", "/"}, "Copy 1 folder with everything in it to /", "yes", 0, "/old/summer/: copied to /summer/"},
		{[]string{"rename", "/summer/", "winter"}, "Rename 1 folder with everything in it to winter", "yes", 0, "/summer/: renamed to /winter/"},
		{[]string{"delete", "/winter/", "/old"}, "Delete 2 folders with everything in them", "yes", 0, "/old/: deleted"},
	} {
		term := uitest.StartBinary(t, uitest.Build(t), c.args, env, 200, 12)
		term.WaitFor("Type yes, or anything else to stop:")
		uitest.Shows(t, term.Screen(), c.question)
		if c.args[0] == "move" {
			uitest.Shows(t, term.Screen(), "/summer/ (3 files, 1 folder, 18 B)")
		}
		term.Type(c.answer)
		term.Press("enter")
		term.WaitFor(c.then)
		term.Wait()
		mediatest.Equal(t, term.ExitCode(), c.code, "%v: exit code", c.args)
	}
}

// TestOpenServes: on a terminal, open keeps serving a library that no other process serves, until
// ctrl+c.
func TestOpenServes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the tool that opens addresses has another name here")
	}
	env, run := terminalHome(t)
	dir := writeFiles(t, "a.txt")
	run("upload", filepath.Join(dir, "a.txt"), "--unique", "off")
	tools := t.TempDir()
	must(t, os.WriteFile(filepath.Join(tools, "xdg-open"), []byte("#!/bin/sh\n"), 0o755))
	term := uitest.StartBinary(t, uitest.Build(t), []string{"open", "/a.txt"},
		append(env, "PATH="+tools), 100, 6)
	term.WaitFor("The local library is served until you press ctrl+c.")
	address, _, _ := strings.Cut(term.Screen(), "\n")
	res, err := http.Get(strings.TrimSpace(address))
	must(t, err)
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != "a.txt" {
		t.Errorf("%s has %q (%v)", address, body, err)
	}
	http.DefaultClient.CloseIdleConnections()
	term.Press("ctrl+c")
	term.Wait()
	mediatest.Equal(t, term.ExitCode(), 0, "exit code")
}
