//go:build unix

package extension

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// command runs a line of sh in the place of an extension.
func command(ctx context.Context, line string, most limits) (Output, error) {
	return runCommand(ctx, []string{"sh", "-c", line},
		Input{Content: bytes.NewReader([]byte("picture"))}, most)
}

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		name, line string
		most       limits
		out, word  string // of the picture, and of the error
	}{
		{"takes and gives", "cat; echo complaint >&2", usualLimits, "picture", ""},
		{"as much as may be", "cat", limits{time.Minute, 7}, "picture", ""},
		{"too much", "cat", limits{time.Minute, 6}, "", "more than 6 bytes"},
		{"endless", "yes", limits{time.Minute, 1 << 20}, "", "more than 1048576 bytes"},
		{"endless complaint that ends", "head -c 1000000 /dev/zero >&2; cat", usualLimits, "picture", ""},
		{"too long", "sleep 600", limits{time.Millisecond, 100}, "", "longer than 0.001 seconds"},
		{"does not read", "echo out", usualLimits, "out\n", ""},
		{"fails", "echo why >&2; exit 3", usualLimits, "", "exit status 3: why"},
		{"nothing", "true", usualLimits, "", "no picture"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := command(t.Context(), c.line, c.most)
			if c.word == "" && (err != nil || string(out.Picture) != c.out) {
				t.Errorf("got %q, %v", out.Picture, err)
			}
			if c.word != "" && (err == nil || !strings.Contains(err.Error(), c.word) || out.Picture != nil) {
				t.Errorf("got %d bytes and the error %v, want %q", len(out.Picture), err, c.word)
			}
		})
	}
}

// TestCommandEndsWithWhatItStarted: the child processes of an ended command end, too.
func TestCommandEndsWithWhatItStarted(t *testing.T) {
	left := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := command(ctx, "sleep 600 & echo $! > '"+left+"'; wait", usualLimits)
		ended <- err
	}()
	pid := 0
	eventually(t, func() bool {
		text, _ := os.ReadFile(left)
		var err error
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil && bytes.HasSuffix(text, []byte("\n"))
	})
	cancel()
	if err := <-ended; err == nil {
		t.Error("got no error")
	}
	eventually(t, func() bool {
		// The process that adopts orphans may keep the entry for a while.
		state, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return syscall.Kill(pid, 0) == syscall.ESRCH || err == nil && strings.Contains(string(state), ") Z ")
	})
}

func eventually(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the child did not start")
		}
	}
}
