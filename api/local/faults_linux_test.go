package local_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
)

// faultDir is the environment variable with the folder in which a child works while its system
// calls fail.
const faultDir = "MEDIADESK_LOCAL_TEST_FAULT_DIR"

func init() { childModes[faultDir] = beFaulted }

const faultRounds = 3

// beFaulted opens a library and stores, replaces and changes files. It prints what was acknowledged.
func beFaulted(dir string) {
	l, err := local.Open(context.Background(), local.Options{Dir: dir, Key: key(testKey)})
	if err != nil {
		fmt.Println("no", err)
		return
	}
	ask := func(method, path, contentType string, body io.Reader) bool {
		r := httptest.NewRequest(method, "http://127.0.0.1"+path, body)
		r.Header.Set("Content-Type", contentType)
		r.SetBasicAuth(testKey, "")
		w := httptest.NewRecorder()
		l.ServeHTTP(w, r)
		return w.Code == http.StatusOK
	}
	store := func(what string, n int, data []byte, pairs ...string) {
		contentType, body := form(data, append(pairs, "useUniqueFileName", "false")...)
		if ask(http.MethodPost, uploadV1, contentType, body) {
			fmt.Println(what, n)
		}
	}
	for n := range faultRounds {
		folder := fmt.Sprint("/", n)
		store("new", n, newContent(n), "fileName", fmt.Sprint("new-", n), "folder", folder)
		store("same", n, fmt.Appendf(nil, "same %d", n), "fileName", "same", "tags", fmt.Sprint(n))
		// A content that is stored already, and several uploads at once.
		store("twice", n, newContent(n), "fileName", fmt.Sprint("twice-", n), "folder", folder)
		var wg sync.WaitGroup
		for beside := range 4 {
			number := n*4 + beside
			wg.Go(func() {
				store("beside", number, fmt.Appendf(nil, "beside %d", number), "fileName",
					fmt.Sprint("beside-", number))
			})
		}
		wg.Wait()
	}
	if err := l.Close(); err != nil {
		fmt.Println("no", err)
	}
}

// newContent returns a small or a large content. A large one is written while it comes in.
func newContent(n int) []byte {
	content := fmt.Sprint("new ", n)
	if n%2 == 1 {
		content = strings.Repeat(content, 20_000)
	}
	return []byte(content)
}

// fault is one system call that fails.
type fault struct {
	call string
	how  string // the value for strace's inject option
	when int
}

func (f fault) String() string { return fmt.Sprintf("%s %s %d", f.call, f.how, f.when) }

// faulted runs the child in dir with a fault. It returns what the child acknowledged, and whether
// the fault happened.
func faulted(t *testing.T, dir string, f fault) (acknowledged []string, happened bool) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "strace")
	cmd := exec.CommandContext(t.Context(), "strace", "-f", "-qq", "-o", log, "-e", "trace="+f.call,
		"-e", fmt.Sprintf("inject=%s:%s:when=%d", f.call, f.how, f.when), os.Args[0])
	cmd.Env = append(os.Environ(), faultDir+"="+dir, "GOMAXPROCS=1")
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		if !strings.HasPrefix(lines.Text(), "no ") {
			acknowledged = append(acknowledged, lines.Text())
		}
	}
	text, err := os.ReadFile(log)
	must(t, err)
	return acknowledged, bytes.Contains(text, []byte("INJECTED")) ||
		bytes.Contains(text, []byte("killed by SIGKILL"))
}

// verifyFaulted opens what is left and compares it with what was acknowledged.
func verifyFaulted(t *testing.T, dir string, acknowledged []string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "library.db")); err == nil {
		sum, err := local.Check(t.Context(), dir, local.CheckOptions{}, func(p local.Problem) error {
			// An incomplete database is created at the next start.
			if !strings.Contains(p.Message, "no tables") || len(acknowledged) > 0 {
				t.Errorf("bad state: %s", p)
			}
			return nil
		})
		if err != nil {
			t.Errorf("bad state: %v, %+v", err, sum)
		}
	}
	s := serve(t, local.Options{Dir: dir})
	defer closeServer(t, s)
	last := -1
	for _, line := range acknowledged {
		var what string
		var n int
		if _, err := fmt.Sscan(line, &what, &n); err != nil {
			continue
		}
		path, want := "", ""
		switch what {
		case "same":
			last = n
			continue
		case "beside":
			path, want = fmt.Sprint("/beside-", n), fmt.Sprint("beside ", n)
		default: // new and twice
			path, want = fmt.Sprintf("/%d/%s-%d", n, what, n), string(newContent(n))
		}
		if got := fetch(t, s.Address+path); got != want {
			t.Errorf("bad state: %s was acknowledged and is %.20q (%d bytes), want %.20q (%d bytes)", path, got, len(got), want, len(want))
		}
	}
	got := fetch(t, s.Address+"/same")
	var now int
	if _, err := fmt.Sscanf(got, "same %d", &now); err != nil && last >= 0 || now < last && err == nil {
		t.Errorf("bad state: same %d was acknowledged and is %q", last, got)
	}
	// The library keeps working.
	upload(t, s.Address, []byte("afterwards"), "fileName", "same", "useUniqueFileName", "false")
	mediatest.Equal(t, fetch(t, s.Address+"/same"), "afterwards", "bad state: afterwards same")
}

// TestFailingSystemCalls kills the process at a system call, or makes the call fail. The library
// then has its old state or the new one, with everything that was acknowledged.
func TestFailingSystemCalls(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	mediatest.SkipRacing(t) // it kills processes
	mediatest.Tool(t, "strace")
	happened := 0
	for _, f := range []fault{
		{"fsync", "error=EIO", 6},
		{"fsync", "error=ENOSPC", 11},
		{"fsync", "signal=KILL", 9},
		{"linkat", "signal=KILL", 2},
		{"linkat", "error=ENOSPC", 3},
		{"pwrite64", "error=ENOSPC", 40},
		{"pwrite64", "signal=KILL", 50},
		{"write", "error=ENOSPC", 12},
	} {
		t.Run(f.String(), func(t *testing.T) {
			dir := t.TempDir()
			acknowledged, did := faulted(t, dir, f)
			if did {
				happened++
			}
			verifyFaulted(t, dir, acknowledged)
		})
	}
	if happened < 4 {
		t.Errorf("%d faults happened, want at least 4", happened)
	}
}

// TestFullDisk fills a small disk with uploads. Each upload is stored or refused with 507, and
// uploads work again when there is room.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4M"); err != nil {
		mediatest.Missing(t, "a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(disk, 0)) })
	dir := filepath.Join(disk, "library")
	ballast := filepath.Join(disk, "ballast")
	must(t, os.WriteFile(ballast, make([]byte, 100<<10), 0o600))
	s := serve(t, local.Options{Dir: dir})
	stored := map[string]string{}
	refused := 0
	for n := 0; refused < 10 && n < 1000; n++ {
		data := strings.Repeat(fmt.Sprintf("%05d", n), 2000)
		contentType, body := form([]byte(data), "fileName", fmt.Sprint(n), "useUniqueFileName", "false")
		status, record := call(t, http.MethodPost, s.Address+uploadV1, contentType, body)
		switch status {
		case http.StatusOK:
			stored["/"+fmt.Sprint(n)] = data
		case http.StatusInsufficientStorage:
			refused++
		default:
			t.Fatalf("answered %d: %v", status, record)
		}
	}
	if refused == 0 || len(stored) == 0 {
		t.Fatalf("%d were stored, %d refused", len(stored), refused)
	}
	for path, data := range stored {
		mediatest.Equal(t, fetch(t, s.Address+path) == data, true, "%s is what was stored", path)
	}
	must(t, os.Remove(ballast))
	upload(t, s.Address, []byte("there is room again"), "fileName", "again", "useUniqueFileName", "false")
	closeServer(t, s)
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) > 0 || sum.Files != len(stored)+1 {
		t.Errorf("%d were stored; %v, %+v", len(stored)+1, kinds, sum)
	}
	again := serve(t, local.Options{Dir: dir})
	defer closeServer(t, again)
	for path, data := range stored {
		mediatest.Equal(t, fetch(t, again.Address+path) == data, true, "%s is what was stored, after a restart", path)
	}
}
