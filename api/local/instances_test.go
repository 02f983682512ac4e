package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/media/mediatest"
)

// TestStoreOfOneLibrary: a store belongs to the library that opened it first, even while it is
// empty. Another library can neither open it nor copy to it.
func TestStoreOfOneLibrary(t *testing.T) {
	t.Parallel()
	mediatest.SkipRacing(t)
	onEngines(t, recordEngines[1], contentEngines[2], func(t *testing.T, o local.Options) {
		first := serve(t, o)
		serve(t, o) // another instance of the same library
		closeServer(t, first)
		other := local.Options{Dir: t.TempDir(), Key: key(testKey), Storage: o.Storage}
		l, err := local.Open(t.Context(), other)
		if err == nil {
			l.Close()
		}
		if !errors.Is(err, local.ErrNotOwner) || !strings.Contains(err.Error(),
			"does not belong to this library") || api.Hint(err) == "" || strings.Contains(api.Hint(err), "--repair") {
			t.Errorf("another library opens the store: got error %v", err)
		}
		to := other.Storage
		other.Storage = ""
		closeServer(t, serve(t, other)) // creates its records
		_, err = local.CopyContents(context.Background(), other, to, func(local.Problem) error { return nil })
		if !errors.Is(err, local.ErrNotOwner) {
			t.Errorf("another library copies to the store: got error %v", err)
		}
		s := serve(t, o)
		upload(t, s.Address, []byte("a"), "fileName", "a.txt", "useUniqueFileName", "false")
		mediatest.Equal(t, fetch(t, s.Address+"/a.txt"), "a", "the owner")
	})
}

// TestOneStoreOfALibrary: a library in PostgreSQL with files opens no store without owner, except a
// copy of its contents.
func TestOneStoreOfALibrary(t *testing.T) {
	t.Parallel()
	mediatest.SkipRacing(t)
	for _, kind := range contentEngines[:2] {
		t.Run(kind.name, func(t *testing.T) {
			first := local.Options{Dir: t.TempDir(), Key: key(testKey), Database: pgtest.Database(t)}
			second := local.Options{Dir: t.TempDir(), Key: first.Key, Database: first.Database}
			kind.use(t, &first)
			contentEngines[1].use(t, &second)
			refuses := func(o local.Options, reason string) {
				t.Helper()
				l, err := local.Open(t.Context(), o)
				if err == nil {
					l.Close()
				}
				if !errors.Is(err, local.ErrNotOwner) || api.Hint(err) == "" {
					t.Errorf("%s: %v", reason, err)
				}
			}
			s := serve(t, first)
			upload(t, s.Address, []byte("a"), "fileName", "a.txt", "useUniqueFileName", "false")
			refuses(second, "another store while the first is used")
			for range 2 { // what comes meanwhile is copied by the second call
				_, err := local.CopyContents(t.Context(), first, second.Storage,
					func(local.Problem) error { return nil })
				must(t, err)
				upload(t, s.Address, []byte("b"), "fileName", "b.txt", "useUniqueFileName", "false")
			}
			closeServer(t, s)
			s = serve(t, second)
			for name, want := range map[string]string{"a": "a", "b": "b"} {
				mediatest.Equal(t, fetch(t, s.Address+"/"+name+".txt"), want, "in the copy the file %s", name)
			}
		})
	}
}

// TestSixtyFourWriters lets 64 clients write one name at once. Without overwriting one of them
// succeeds. With overwriting each makes a version, and the current version is one that was sent.
func TestSixtyFourWriters(t *testing.T) {
	const writers = 64
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir})
	write := func(overwrite string) (names []string, refused int) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for n := range writers {
			wg.Go(func() {
				contentType, body := form(fmt.Appendf(nil, "content %d", n), "fileName", "one", "useUniqueFileName", "false", "overwriteFile", overwrite)
				status, answer := call(t, http.MethodPost, s.Address+uploadV1, contentType, body)
				mu.Lock()
				defer mu.Unlock()
				switch status {
				case http.StatusOK:
					names = append(names, fmt.Sprint(answer["versionInfo"].(map[string]any)["name"]))
				case http.StatusBadRequest:
					refused++
				default:
					t.Errorf("answered %d: %v", status, answer)
				}
			})
		}
		wg.Wait()
		return names, refused
	}
	if names, refused := write("false"); len(names) != 1 || refused != writers-1 {
		t.Errorf("%d were stored, %d refused", len(names), refused)
	}
	names, refused := write("true")
	distinct := map[string]bool{}
	for _, name := range names {
		distinct[name] = true
	}
	if refused != 0 || len(distinct) != writers {
		t.Errorf("%d versions, %d refused", len(distinct), refused)
	}
	if got := fetch(t, s.Address+"/one"); !strings.HasPrefix(got, "content ") {
		t.Errorf("the file is %q", got)
	}
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != 1 ||
		sum.Versions != writers+1 {
		t.Errorf("found %v, %+v", kinds, sum)
	}
}

// TestTwoServersOnOneFolder starts two processes on one folder at once. One serves it, and the
// other names the owner. When the owner is killed, the folder is free again.
func TestTwoServersOnOneFolder(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		const processes = 2
		started := make(chan *child, processes)
		for range processes {
			go func() { started <- startChild(t, dir) }()
		}
		serving, commands := 0, []*exec.Cmd(nil)
		for range processes {
			c := <-started
			if commands = append(commands, c.cmd); c.address != "" {
				serving++
				upload(t, c.address, []byte("x"), "fileName", "x")
				_, err := local.Open(t.Context(), local.Options{Dir: dir, Key: key(testKey)})
				if !errors.Is(err, local.ErrInUse) ||
					!strings.Contains(err.Error(), "serves at "+c.address) || api.Hint(err) == "" {
					t.Errorf("a second owner got %v", err)
				}
			}
		}
		mediatest.Equal(t, serving, 1, "processes serve the folder")
		for _, cmd := range commands {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != 3 {
		t.Errorf("found %v, %+v", kinds, sum)
	}
}

// TestSameContentOnTwoInstances stores and deletes the same content on two instances in turn. A
// stored file keeps its content, however soon the other instance deletes its own.
func TestSameContentOnTwoInstances(t *testing.T) {
	t.Parallel()
	onEngines(t, recordEngines[1], contentEngines[2], sameContentOnTwoInstances)
}

func sameContentOnTwoInstances(t *testing.T, o local.Options) {
	a, b := serve(t, o), serve(t, o)
	for round := range 6 {
		text := fmt.Sprint("the same ", round%2)
		for n, pair := range [][2]string{{a.Address, b.Address}, {b.Address, a.Address}} {
			name := fmt.Sprintf("%d-%d.txt", round, n)
			record := upload(t, pair[0], []byte(text), "fileName", name, "useUniqueFileName", "false")
			mediatest.Equal(t, fetch(t, pair[1]+"/"+name), text, "%s on the other instance", name)
			address := fmt.Sprintf("%s/v1/files/%v", pair[1], record["fileId"])
			status, answer, _ := callHeader(t, http.MethodDelete, address, "", nil)
			mediatest.Equal(t, status, http.StatusNoContent, "deleting answered %v with the status", answer)
			must(t, a.Library.RemoveDeleted())
		}
	}
}

// TestStandby: two programs use the library of a third, which ends while a run is pending. One of
// them takes over at the same address. When that one ends too, the other takes over.
func TestStandby(t *testing.T) {
	dir := t.TempDir()
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	owner := serve(t, local.Options{Dir: dir, Fault: local.Fault{{Text: "extensions=pending"}}})
	o := local.Options{Dir: dir, Key: key(testKey)}
	one, other := local.StandBy(owner.Address, o, func(string) {}),
		local.StandBy(owner.Address, o, func(string) {})
	t.Cleanup(func() { leave(t, one); leave(t, other) })
	file := upload(t, owner.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
	served := func() bool {
		address, _, ok := local.Find(dir)
		return ok && address == owner.Address
	}
	closeServer(t, owner)
	mediatest.Equal(t, receive(t, posts)["status"], "SUCCESS", "the posted status")
	eventually(t, "the library at its address", served)
	for _, h := range []*local.Standby{one, other} {
		leave(t, h)
		// If this one was the owner, another program has to take over.
		if h == one {
			eventually(t, "the library at its address", served)
			mediatest.Equal(t, details(t, owner.Address, file["fileId"])["hasAlpha"], true, "hasAlpha in the record afterwards")
		}
	}
	if _, _, ok := local.Find(dir); ok {
		t.Error("the library is served although all programs ended")
	}
}

func leave(t *testing.T, h *local.Standby) {
	t.Helper()
	must(t, h.Close())
}

// TestDatabaseIsDown: while PostgreSQL does not answer, requests are refused with Retry-After and
// name the part that fails. Afterwards nothing is missing, and refused uploads can be repeated.
func TestDatabaseIsDown(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t)
	l, err := local.Open(t.Context(), local.Options{
		Dir: t.TempDir(), Database: server.Address("postgres"), Key: key(testKey),
	})
	must(t, err)
	defer l.Close()
	store := func(name string) int {
		contentType, body := form([]byte(name), "fileName", name, "useUniqueFileName", "false", "overwriteFile", "false")
		return send(l, http.MethodPost, uploadV1, contentType, body).Code
	}
	mediatest.Equal(t, store("before.txt"), http.StatusOK, "the upload was answered")
	must(t, server.Stop())
	contentType, body := form([]byte("meanwhile"), "fileName", "meanwhile.txt", "useUniqueFileName", "false", "overwriteFile", "false")
	refused := send(l, http.MethodPost, uploadV1, contentType, body)
	for what, w := range map[string]*httptest.ResponseRecorder{
		"an upload": refused, "a list": ask(l, http.MethodGet, "/v1/files"), "a file": ask(l, http.MethodGet, "/before.txt"), "health": ask(l, http.MethodGet, "/_mediadesk/health"),
	} {
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s was answered %d without Retry-After: %s", what, w.Code, w.Body)
		}
	}
	if !strings.Contains(message(t, refused), "database") {
		t.Errorf("the upload was answered %d %s", refused.Code, refused.Body)
	}
	must(t, server.Start(t.Context()))
	mediatest.Equal(t, ask(l, http.MethodGet, "/before.txt").Body.String(), "before.txt", "what was stored reads")
	mediatest.Equal(t, store("meanwhile.txt"), http.StatusOK, "sent again, it was answered")
}

// TestSlowTaggingIsPending: if tagging takes longer than the request waits, the answer says
// "pending" and a webhook reports the end.
func TestSlowTaggingIsPending(t *testing.T) {
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	s := serve(t, local.Options{})
	s.Library.WaitForTags(time.Nanosecond)
	pending := 0
	picture := apitest.JPEG(400, 300)
	for range 4 {
		r := upload(t, s.Address, picture, "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"google-auto-tagging"}]`)
		switch status := r["extensionStatus"].(map[string]any)["google-auto-tagging"]; status {
		case "pending":
			pending++
			if post := receive(t, posts); post["status"] != "SUCCESS" || post["service"] != "google-auto-tagging" {
				t.Errorf("posted %v", post)
			}
		case "success": // it was quicker than nothing
		default:
			t.Errorf("the status is %v", status)
		}
	}
	mediatest.Equal(t, pending == 0, false, "no run was pending")
	select {
	case post := <-posts:
		t.Errorf("one post too many: %v", post)
	default:
	}
}

// instances are processes of the program that serve one library.
type instances struct {
	environment []string
	mu          sync.Mutex
	running     []*child
}

func (i *instances) start(t *testing.T) *child {
	t.Helper()
	next := startChild(t, t.TempDir(), i.environment...)
	if next.address == "" {
		t.Fatal("an instance did not start")
	}
	return next
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
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		u.posted.Store(r.URL.Path[1:], true)
	}))
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
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+uploadV1, body)
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
	mediatest.Equal(t, len(files), int(u.sent.Load()), "files")
	for name := range u.stored.Range {
		mediatest.Equal(t, files[name.(string)], 1, "stored files with the name %s", name)
		eventually(t, "the post for "+name.(string), func() bool { _, ok := u.posted.Load(name); return ok })
	}
}

// TestInstancesAreKilled kills instances at random moments during uploads. Each file is sent to
// random instances until one stores it. Every file is stored once, every run ends, and every end
// is posted.
func TestInstancesAreKilled(t *testing.T) {
	t.Parallel()
	mediatest.SkipRacing(t) // it waits for other processes
	mediatest.OnlyWithEverything(t)
	const kills = 2
	check := local.CheckOptions{
		Database: pgtest.Database(t), Storage: "file://" + filepath.ToSlash(t.TempDir()) + "/store",
	}
	group := &instances{environment: []string{"MEDIADESK_DATABASE=" + check.Database, "MEDIADESK_STORAGE=" + check.Storage}}
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
	if kinds, sum := checkFolder(t, "", check); len(kinds) != 0 || sum.Files == 0 {
		t.Errorf("the check found %v, %+v", kinds, sum)
	}
	contents, err := filepath.Glob(strings.TrimPrefix(check.Storage, "file://") + "/contents/??/*")
	must(t, errors.Join(err, os.Remove(contents[0])))
	if kinds, _ := checkFolder(t, "", check); !slices.Contains(kinds, local.ProblemMissing) {
		t.Errorf("without a content the check found %v", kinds)
	}
	check.Repair = true
	if _, err := local.Check(t.Context(), "", check, nil); err == nil {
		t.Error("records in a server were repaired")
	}
}

// listNames returns the names of up to 1000 files.
func listNames(t *testing.T, address string, skip int) (names []string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		fmt.Sprintf("%s/v1/files?limit=1000&skip=%d", address, skip), nil)
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
