package local_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/media/mediatest"
)

// instances are processes of the program that serve one library.
type instances struct {
	program     string
	environment []string
	mu          sync.Mutex
	running     []*child
}

// command prepares the program to run with arguments, for the library.
func (i *instances) command(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), i.program, args...)
	cmd.Env = append(os.Environ(), i.environment...)
	return cmd
}

func (i *instances) start(t *testing.T) *child {
	t.Helper()
	cmd := i.command(t, "serve", "--addr", "127.0.0.1:0", "--json")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	var line struct{ Address string }
	if err := json.NewDecoder(out).Decode(&line); err != nil {
		t.Fatalf("an instance did not start: %v, %v\n%s", err, cmd.Wait(), &problems)
	}
	return &child{address: line.Address, cmd: cmd}
}

// any returns a random instance, which may be dead already.
func (i *instances) any() *child {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.running[rand.IntN(len(i.running))]
}

// replace kills the instance at index n and starts a new one.
func (i *instances) replace(t *testing.T, n int) {
	t.Helper()
	i.running[n].cmd.Process.Kill()
	i.running[n].cmd.Wait() // it returns an error, because the process was killed
	next := i.start(t)
	i.mu.Lock()
	i.running[n] = next
	i.mu.Unlock()
}

// uploads are senders that upload files to instances until each is stored. The names are exact, so
// the library refuses them a second time. Each file has one extension, whose end is posted.
type uploads struct {
	stored, posted sync.Map // by name
	sent, refused  atomic.Int64
	stopped        atomic.Bool
	wg             sync.WaitGroup
}

// startUploads starts four senders to the addresses that any returns.
func startUploads(t *testing.T, any func() string) *uploads {
	u := &uploads{}
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { u.posted.Store(r.URL.Path[1:], true) }))
	t.Cleanup(hook.Close)
	t.Cleanup(u.stop)
	for sender := range 4 {
		u.wg.Go(func() {
			for n := 0; !u.stopped.Load(); n++ {
				name := fmt.Sprintf("%d-%d.png", sender, n)
				for !u.store(t, any(), name, hook.URL+"/"+name) {
					if t.Failed() || t.Context().Err() != nil {
						return
					}
				}
				u.stored.Store(name, true)
				u.sent.Add(1)
			}
		})
	}
	return u
}

// store reports whether a file is stored, by this attempt or an earlier one.
func (u *uploads) store(t *testing.T, address, name, webhook string) bool {
	contentType, body := form(apitest.PNG(16, 16), "fileName", name, "useUniqueFileName", "false", "overwriteFile", "false",
		"extensions", `[{"name":"remove-bg"}]`, "webhookUrl", webhook)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/api/v1/files/upload", body)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", contentType)
	req.SetBasicAuth(testKey, "")
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK, http.StatusBadRequest: // it exists
		return true
	case http.StatusServiceUnavailable:
		u.refused.Add(1)
	default:
		t.Errorf("%s was answered %d", name, res.StatusCode)
	}
	return false
}

func (u *uploads) stop() {
	u.stopped.Store(true)
	u.wg.Wait()
}

// check stops the senders. Every answered upload must be stored once, and its end posted.
func (u *uploads) check(t *testing.T, address string) {
	t.Helper()
	u.stop()
	files := map[string]int{}
	for skip := 0; ; skip += 1000 {
		list := listNames(t, address, skip)
		for _, name := range list {
			files[name]++
		}
		if len(list) < 1000 {
			break
		}
	}
	if len(files) != int(u.sent.Load()) {
		t.Errorf("got %d files, want %d", len(files), u.sent.Load())
	}
	for name := range u.stored.Range {
		if files[name.(string)] != 1 {
			t.Errorf("%s is stored %d times, want once", name, files[name.(string)])
		}
		eventually(t, "the post for "+name.(string), func() bool { _, ok := u.posted.Load(name); return ok })
	}
}

// TestInstancesAreKilled kills instances at random moments during uploads. Each file is sent to
// random instances until one stores it. Every file is stored once, every run ends, and every end
// is posted.
func TestInstancesAreKilled(t *testing.T) {
	t.Parallel()
	mediatest.SkipRacing(t) // its program has no detector
	kills := 2
	if os.Getenv("MEDIADESK_LONG") != "" {
		kills = 200
	}
	group := &instances{program: filepath.Join(t.TempDir(), "mediadesk"), environment: []string{
		"MEDIADESK_HOME=" + t.TempDir(), "MEDIADESK_PRIVATE_KEY=" + testKey,
		"MEDIADESK_DATABASE=" + pgtest.Database(t), "MEDIADESK_STORAGE=file://" + filepath.ToSlash(t.TempDir()) + "/store",
	}}
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", group.program, "../..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as a release
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	for range 3 {
		group.running = append(group.running, group.start(t))
	}
	t.Cleanup(func() {
		for _, i := range group.running {
			i.cmd.Wait() // the context kills it when the test ends
		}
	})
	u := startUploads(t, func() string { return group.any().address })
	for n := range kills {
		before := u.sent.Load() + rand.Int64N(8)
		eventually(t, "another upload", func() bool { return u.sent.Load() > before })
		group.replace(t, n%len(group.running))
	}
	u.check(t, group.running[0].address)
	if out, err := group.command(t, "serve", "--check").CombinedOutput(); err != nil {
		t.Errorf("the check ended with %v: %s", err, out)
	}
}

// listNames returns the names of up to 1000 files.
func listNames(t *testing.T, address string, skip int) (names []string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s/v1/files?limit=1000&skip=%d", address, skip), nil)
	must(t, err)
	req.SetBasicAuth(testKey, "")
	res, err := client.Do(req)
	must(t, err)
	defer res.Body.Close()
	var list []struct{ Name string }
	must(t, json.NewDecoder(res.Body).Decode(&list))
	for _, file := range list {
		names = append(names, file.Name)
	}
	return names
}
