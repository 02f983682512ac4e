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
	"sync/atomic"
	"testing"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/ui/uitest"
)

const moveKey = "private_of_both"

type plainKey string

func (k plainKey) Reveal() string { return string(k) }

// TestMoveKilled kills mediadesk transfer --move at some request of each run, before or after the
// service answers it. Every file is always in one of the accounts. In the end all files are complete
// in the other account, each once.
func TestMoveKilled(t *testing.T) {
	binary := uitest.Build(t)
	const files = 8
	var left atomic.Int64 // requests until the program is killed; 0 means never
	var after atomic.Bool // kill after the service has answered
	var program atomic.Pointer[os.Process]
	kill := func() {
		if err := program.Load().Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
	}
	serve := func() (*api.Client, string) {
		library, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Key: plainKey(moveKey)})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.UserAgent() == "the test" {
				library.ServeHTTP(w, r)
				return
			}
			last := left.Add(-1) == 0
			if last && !after.Load() {
				kill()
				return
			}
			library.ServeHTTP(w, r)
			if last {
				kill()
			}
		}))
		client, err := api.NewClient(api.Options{UploadURL: server.URL, BaseURL: server.URL, DeliveryURL: server.URL, Key: plainKey(moveKey), UserAgent: "the test"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			client.Close()
			server.Close()
			if err := library.Close(); err != nil {
				t.Error(err)
			}
		})
		return client, server.URL
	}
	from, fromURL := serve()
	to, toURL := serve()
	dir := t.TempDir()
	content := func(i int) string { return fmt.Sprintf("content %d", i) }
	for i := range files {
		path := filepath.Join(dir, "source")
		if err := os.WriteFile(path, []byte(content(i)), 0o600); err != nil {
			t.Fatal(err)
		}
		u := api.Upload{Source: api.Source{Path: path}, FileName: fmt.Sprintf("%d.txt", i), Folder: api.Set("/x/"), UseUniqueFileName: api.Set(false)}
		if _, err := from.Upload(t.Context(), &u, nil); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (out []byte, code int) {
		cmd := exec.Command(binary, args...)
		cmd.Env = append(os.Environ(), "MEDIADESK_HOME="+filepath.Join(dir, "home"), "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+dir)
		pipe, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		program.Store(cmd.Process)
		out, _ = io.ReadAll(pipe) // incomplete if the program was killed
		_ = cmd.Wait()            // the exit code is checked below
		return out, cmd.ProcessState.ExitCode()
	}
	key := filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte(moveKey), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, address := range map[string]string{"from": fromURL, "to": toURL} {
		if out, code := run("profile", "add", name, "--upload-url", address, "--delivery-url", address, "--key-file", key); code != 0 {
			t.Fatalf("%s", out)
		}
	}
	in := func(c *api.Client) map[string]*api.File {
		found := map[string]*api.File{}
		list, err := c.List(t.Context(), api.Query{Folder: "/x/"})
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			found[list[i].Name] = &list[i]
		}
		return found
	}
	rng := rand.New(rand.NewPCG(1, 2))
	kills := 0
	for round := 1; ; round++ {
		after.Store(rng.IntN(2) == 0)
		left.Store(int64(4 + rng.IntN(8+round)))
		out, code := run("transfer", "/x/", "--profile", "from", "--to", "to", "--move", "--yes", "--concurrency", "2", "--retry-for", "1m")
		here, there := in(from), in(to)
		for i := range files {
			if name := fmt.Sprintf("%d.txt", i); here[name] == nil && there[name] == nil {
				t.Fatalf("%s is lost after %d kills", name, kills)
			}
		}
		if code == 0 {
			break
		}
		if kills++; code != -1 || round > 200 {
			t.Fatalf("run %d: exit code %d\n%s", round, code, out)
		}
	}
	if kills < 3 {
		t.Errorf("the program was killed only %d times", kills)
	}
	t.Logf("%d kills", kills)
	if here := in(from); len(here) > 0 {
		t.Errorf("%d files were not moved", len(here))
	}
	there := in(to)
	if len(there) != files {
		t.Errorf("the target has %d files, want %v", len(there), files)
	}
	for i := range files {
		f := there[fmt.Sprintf("%d.txt", i)]
		if f == nil {
			continue
		}
		body, _, err := to.Fetch(context.Background(), f.URL, 0, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(body)
		body.Close()
		if err != nil || string(text) != content(i) || f.VersionInfo == nil || f.VersionInfo.ID != f.FileID {
			t.Errorf("%s has %q (%v), %+v", f.Name, text, err, f.VersionInfo)
		}
	}
}
