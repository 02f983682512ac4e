package local_test

import (
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
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var line struct{ Address string }
	if err := json.NewDecoder(out).Decode(&line); err != nil {
		t.Fatal("an instance did not start: ", err)
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

// sendPicture uploads a picture with one extension and returns the status of the answer, or 0 if
// none came. The name is exact, so the library refuses it a second time.
func sendPicture(t *testing.T, address, name, webhook string) int {
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
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

// TestInstancesAreKilled kills instances at random moments during uploads. Each file is sent to
// random instances until one stores it. Every file is stored once, every run ends, and every end
// is posted.
func TestInstancesAreKilled(t *testing.T) {
	kills, senders := 4, 4
	if os.Getenv("MEDIADESK_LONG") != "" {
		kills = 200
	}
	posted := sync.Map{} // by file id
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { posted.Store(r.URL.Path, true) }))
	t.Cleanup(receiver.Close)
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
	var stopped atomic.Bool
	var sent atomic.Int64
	var wg sync.WaitGroup
	stored := sync.Map{} // by name
	store := func(name string) bool {
		status := sendPicture(t, group.any().address, name, receiver.URL+"/"+name)
		return status == http.StatusOK || status == http.StatusBadRequest // it exists: an earlier attempt stored it
	}
	for sender := range senders {
		wg.Go(func() {
			for n := 0; !stopped.Load(); n++ {
				name := fmt.Sprintf("%d-%d.png", sender, n)
				for !store(name) {
				}
				stored.Store(name, true)
				sent.Add(1)
			}
		})
	}
	for n := range kills {
		before := sent.Load() + rand.Int64N(8)
		eventually(t, "another upload", func() bool { return sent.Load() > before })
		group.replace(t, n%len(group.running))
	}
	stopped.Store(true)
	wg.Wait()
	address := group.running[0].address
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
	stored.Range(func(name, _ any) bool {
		if files[name.(string)] != 1 {
			t.Errorf("%s is stored %d times, want once", name, files[name.(string)])
		}
		return true
	})
	if len(files) != int(sent.Load()) {
		t.Errorf("got %d files, want %d", len(files), sent.Load())
	}
	stored.Range(func(name, _ any) bool {
		eventually(t, "the post for "+name.(string), func() bool { _, ok := posted.Load("/" + name.(string)); return ok })
		return true
	})
	if out, err := group.command(t, "serve", "--check").CombinedOutput(); err != nil {
		t.Errorf("the check ended with %v: %s", err, out)
	}
}

// listNames returns the names of up to 1000 files.
func listNames(t *testing.T, address string, skip int) (names []string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s/v1/files?limit=1000&skip=%d", address, skip), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(testKey, "")
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var list []struct{ Name string }
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, file := range list {
		names = append(names, file.Name)
	}
	return names
}
