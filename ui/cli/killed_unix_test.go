//go:build unix

package cli_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

const bothKey = "private_of_both"

type plainKey string

func (k plainKey) Reveal() string { return string(k) }

// killer runs the program and kills it at a request of its services, before or after the answer.
type killer struct {
	*testing.T
	dir     string
	left    atomic.Int64 // requests until the program is killed; 0 means never
	after   atomic.Bool  // kill after the service has answered
	program atomic.Pointer[os.Process]
}

func (k *killer) kill() {
	if err := k.program.Load().Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		k.Error(err)
	}
}

// serve starts a service and makes it a profile.
func (k *killer) serve(profile string) *api.Client {
	k.Helper()
	library, err := local.Open(k.Context(), local.Options{Dir: k.TempDir(), Key: plainKey(bothKey)})
	must(k, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.UserAgent() == "the test" {
			library.ServeHTTP(w, r)
			return
		}
		last := k.left.Add(-1) == 0
		if last && !k.after.Load() {
			k.kill()
			return
		}
		library.ServeHTTP(w, r)
		if last {
			http.NewResponseController(w).Flush()
			k.kill()
		}
	}))
	client, err := api.NewClient(api.Options{
		UploadURL: server.URL, BaseURL: server.URL, DeliveryURL: server.URL, Key: plainKey(bothKey),
		UserAgent: "the test",
	})
	must(k, err)
	k.Cleanup(func() {
		client.Close()
		server.Close()
		if err := library.Close(); err != nil {
			k.Error(err)
		}
	})
	key := filepath.Join(k.dir, "key")
	must(k, os.WriteFile(key, []byte(bothKey), 0o600))
	if out, code := k.run("profile", "add", profile, "--upload-url", server.URL, "--delivery-url", server.URL, "--key-file", key); code != 0 {
		k.Fatalf("%s", out)
	}
	return client
}

func (k *killer) run(args ...string) (out []byte, code int) {
	k.Helper()
	cmd := exec.Command(uitest.Build(k.T), args...)
	ours := func(variable string) bool { return strings.HasPrefix(variable, "MEDIADESK_") }
	cmd.Env = append(slices.DeleteFunc(os.Environ(), ours), "MEDIADESK_HOME="+filepath.Join(k.dir, "home"),
		"DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+k.dir)
	pipe, err := cmd.StderrPipe()
	must(k, err)
	must(k, cmd.Start())
	k.program.Store(cmd.Process)
	out, _ = io.ReadAll(pipe) // incomplete if the program was killed
	_ = cmd.Wait()            // the exit code is checked by the caller
	return out, cmd.ProcessState.ExitCode()
}

// killed runs the program, and kills it each time within a growing number of requests, until it ends by
// itself. check is called after each run.
func (k *killer) killed(least, requests int, check func(kills int), args ...string) {
	k.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	kills := 0
	for round := 1; ; round++ {
		k.after.Store(rng.IntN(2) == 0)
		k.left.Store(int64(4 + rng.IntN(requests+round)))
		out, code := k.run(args...)
		check(kills)
		if code == 0 {
			break
		}
		if kills++; code != -1 || round > 200 {
			k.Fatalf("run %d: exit code %d\n%s", round, code, out)
		}
	}
	k.left.Store(0)
	if k.Logf("%d kills", kills); kills < least {
		k.Errorf("the program was killed only %d times", kills)
	}
}

// TestTransferKilled kills mediadesk transfer --move at some request of each run. Every file is always
// in one of the accounts. In the end all files are complete in the other account, each once.
func TestTransferKilled(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	const files = 8
	k := &killer{T: t, dir: t.TempDir()}
	from, to := k.serve("from"), k.serve("to")
	dir := k.dir
	content := func(i int) string { return fmt.Sprintf("content %d", i) }
	for i := range files {
		path := filepath.Join(dir, "source")
		must(t, os.WriteFile(path, []byte(content(i)), 0o600))
		u := api.Upload{
			Source: api.Source{Path: path}, FileName: fmt.Sprintf("%d.txt", i), Folder: api.Set("/x/"),
			UseUniqueFileName: api.Set(false),
		}
		_, err := from.Upload(t.Context(), &u, nil)
		must(t, err)
	}
	in := func(c *api.Client) map[string]*api.File {
		found := map[string]*api.File{}
		list, err := c.List(t.Context(), api.Query{Folder: "/x/"})
		must(t, err)
		for i := range list {
			found[list[i].Name] = &list[i]
		}
		return found
	}
	k.killed(3, 8, func(kills int) {
		here, there := in(from), in(to)
		for i := range files {
			if name := fmt.Sprintf("%d.txt", i); here[name] == nil && there[name] == nil {
				t.Fatalf("%s is lost after %d kills", name, kills)
			}
		}
	}, "transfer", "/x/", "--profile", "from", "--to", "to", "--move", "--yes", "--concurrency", "2", "--retry-for", "1m")
	mediatest.Equal(t, len(in(from)), 0, "files that were not moved")
	there := in(to)
	mediatest.Equal(t, len(there), files, "files in the target")
	for i := range files {
		f := there[fmt.Sprintf("%d.txt", i)]
		if f == nil {
			continue
		}
		body, _, err := to.Fetch(context.Background(), f.URL, 0, 1<<20)
		must(t, err)
		text, err := io.ReadAll(body)
		body.Close()
		if err != nil || string(text) != content(i) || f.VersionInfo == nil || f.VersionInfo.ID != f.FileID {
			t.Errorf("%s has %q (%v), %+v", f.Name, text, err, f.VersionInfo)
		}
	}
}

// TestSyncKilled kills mediadesk sync at some request of each run, up and down. In the end both sides
// are equal, each file is stored once, and nothing else is left.
func TestSyncKilled(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	const files = 400
	k := &killer{T: t, dir: t.TempDir()}
	client := k.serve("work")
	up, down := filepath.Join(k.dir, "up"), filepath.Join(k.dir, "down")
	for i := range files {
		path := filepath.Join(up, fmt.Sprintf("%d/%d.txt", i%3, i))
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, fmt.Appendf(nil, "content %d", i), 0o600))
	}
	k.killed(3, files/2, func(int) {}, "sync", up, "/x/", "--profile", "work", "--retry-for", "1m")
	stored := 0
	for f, err := range client.All(t.Context(), api.Query{Type: api.TypeFile}) {
		must(t, err)
		if stored++; f.VersionInfo == nil || f.VersionInfo.ID != f.FileID {
			t.Errorf("%s was stored twice: %+v", f.FilePath, f.VersionInfo)
		}
	}
	mediatest.Equal(t, stored, files, "files are stored")
	k.killed(3, files/2, func(int) {}, "sync", "/x/", down, "--profile", "work")
	if out, err := exec.Command("diff", "-r", up, down).CombinedOutput(); err != nil {
		t.Errorf("the folders differ: %v\n%s", err, out)
	}
	for _, dirs := range [][]string{{up, "/x/"}, {"/x/", down}} {
		if out, code := k.run("sync", dirs[0], dirs[1], "--profile", "work", "--dry-run", "--exit-code", "--checksum"); code != 0 {
			t.Errorf("sync %v still differs:\n%s", dirs, out)
		}
	}
}
