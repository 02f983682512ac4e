//go:build unix

package ui_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/ui/uitest"
)

// TestSendingByKeys uses the keys for sending in the built program: checking for stored files,
// writing a manifest, and reordering the queue.
func TestSendingByKeys(t *testing.T) {
	binary := uitest.Build(t)
	d := newWorkplace(t)
	s := startService(t, binary, t.TempDir(), "--fault", "delay=500ms")
	where := []string{"--upload-url", s.address, "--base-url", s.address, "--delivery-url", s.address}
	env := append(d.env(), "MEDIADESK_PRIVATE_KEY="+testKey)
	dir := t.TempDir()
	for i := range 4 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%02d.txt", i)), fmt.Appendf(nil, "this is file %d\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	conf := filepath.Join(d.home, "config.toml")
	if err := os.MkdirAll(filepath.Dir(conf), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(conf, []byte("concurrency = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// One of the files is stored already.
	first := exec.Command(binary, append([]string{"upload", filepath.Join(dir, "file00.txt")}, where...)...)
	first.Env = env
	if out, err := first.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	// The manifest is written into the current folder.
	here := t.TempDir()
	inside := append([]string{"-c", `cd "$1" && shift && exec "$@"`, "sh", here, binary}, where...)
	term := uitest.StartBinary(t, "/bin/sh", append(inside, dir), env, 120, 36)
	term.WaitFor("file03.txt")
	term.Press("ctrl+a")
	term.WaitFor("4 files")
	term.Press("u")
	term.WaitFor("Stored as")
	term.WaitFor("1 of 4 is already stored")
	term.Press("ctrl+r")
	term.WaitFor("write all files as a manifest")
	term.Press("w")
	term.WaitFor("Written:")
	term.Press("esc")
	term.WaitGone("write all files as a manifest")

	// The command accepts the manifest.
	written, err := filepath.Glob(filepath.Join(here, "mediadesk-*.json"))
	if err != nil || len(written) != 1 {
		t.Fatalf("manifests: %q, %v", written, err)
	}
	again := exec.Command(binary, append([]string{"upload", "--dry-run", "--json", "--manifest", written[0]}, where...)...)
	again.Env = env
	if out, err := again.CombinedOutput(); err != nil || strings.Count(string(out), "\n") != 4 {
		t.Errorf("%v\n%s", err, out)
	}

	// Upload one file at a time, so that three wait, and change their order.
	term.Press("ctrl+s")
	term.WaitFor("s Send 4 files")
	term.Press("s")
	term.WaitFor("of 4 stored")
	term.Press("P")
	settled := func(screen string) bool {
		return rows(screen, "= paused") >= 2 && rows(screen, "= paused")+rows(screen, "✓ stored") == 5
	}
	term.WaitUntil(settled)
	next := func(screen string) string {
		for line := range strings.Lines(screen) {
			if at := strings.Index(line, "file0"); at >= 0 && rows(line, "= paused") > 0 {
				return line[at : at+len("file00")]
			}
		}
		return ""
	}
	was := next(term.Screen())
	term.Press("g", "-")
	term.WaitUntil(func(screen string) bool { return settled(screen) && next(screen) != was })
	term.Press("+")
	term.WaitUntil(func(screen string) bool { return settled(screen) && next(screen) == was })
	term.Press("P")
	term.WaitFor("4 of 4 stored")
}
