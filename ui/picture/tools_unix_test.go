//go:build unix

package picture

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// standIn puts a script in the place of a program; the test's own shell runs it.
func standIn(t *testing.T, program, script string) {
	t.Helper()
	sh := tool(t, "sh")
	bin := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bin, program), []byte("#!"+sh+"\n"+script), 0o700)) //nolint:gosec // to be run
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// A program runs behind all others. One that hangs ends with the context, and so does what it started; how it
// is run is seen from inside.
func TestToolIsKilled(t *testing.T) {
	tool(t, "ps")
	dir := t.TempDir()
	ready := filepath.Join(dir, "ready")
	must(t, syscall.Mkfifo(ready, 0o600))
	standIn(t, "rsvg-convert", `while [ $(ps -o ni= -p $$) -lt 10 ]; do :; done; sleep 1000 & echo $$ $! "$@" >`+ready+`; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := DecodeFile(ctx, write(t, "-o x;y.svg", []byte(svgPicture)), Limits{Side: 77})
		done <- err
	}()
	said, err := os.ReadFile(ready)
	must(t, err)
	words := strings.Fields(string(said))
	if len(words) < 3 || !strings.HasSuffix(string(said), "-o x;y.svg\n") || strings.Contains(string(said), " -o ") || !strings.Contains(string(said), "--width 77 ") {
		t.Fatalf("it was run with %q", said)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for _, pid := range words[:2] {
		gone(t, pid)
	}
}

// A program that writes without end is stopped.
func TestToolThatWritesTooMuch(t *testing.T) {
	standIn(t, "rsvg-convert", "exec cat /dev/zero")
	_, err := DecodeFile(t.Context(), write(t, "a.svg", []byte(svgPicture)), Limits{})
	if !errors.Is(err, ErrTruncated) {
		t.Errorf("%v", err)
	}
}

// gone waits until a process has ended.
func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	must(t, err)
	limit := time.Now().Add(time.Minute)
	for time.Now().Before(limit) {
		stat, _ := os.ReadFile("/proc/" + pid + "/stat")
		// One that has ended may still wait for a parent to look at it.
		if errors.Is(syscall.Kill(n, 0), syscall.ESRCH) || strings.Contains(string(stat), ") Z ") {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("process %s still runs", pid)
}
