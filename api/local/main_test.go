package local_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/local/store/storetest"
	"mediadesk/api/media/mediatest"
)

// childDir is the environment variable with the folder that a child serves.
const childDir = "MEDIADESK_LOCAL_TEST_DIR"

// childModes are the jobs of a child process. Each key is the environment variable that selects
// the job and names its folder.
var childModes = map[string]func(dir string){childDir: beChild}

func TestMain(m *testing.M) {
	for variable, do := range childModes {
		if dir := os.Getenv(variable); dir != "" {
			do(dir)
			os.Exit(0)
		}
	}
	mediatest.TempInMemory()
	flag.Parse()
	flag.Set("test.parallel", "16") // they mostly wait
	goleak.VerifyTestMain(m)
}

// beChild serves a folder, or a database and a storage, until it is killed.
func beChild(dir string) {
	s, err := local.Serve(context.Background(), "127.0.0.1:0", local.Options{
		Dir: dir, Key: key(testKey), Database: os.Getenv("MEDIADESK_DATABASE"), Storage: os.Getenv("MEDIADESK_STORAGE"),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.Address)
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// child is this program running as a separate server.
type child struct {
	address string
	cmd     *exec.Cmd
}

// startChild starts a child. Its address is empty if it cannot serve.
func startChild(t *testing.T, dir string, environment ...string) *child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(append(os.Environ(), childDir+"="+dir), environment...)
	in, err := cmd.StdinPipe() // closing it ends the child
	must(t, err)
	t.Cleanup(func() { in.Close() })
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, _ := bufio.NewReader(out).ReadString('\n')
	return &child{strings.TrimSpace(line), cmd}
}

const testKey = "private_test_key"

type key string

func (k key) Reveal() string { return string(k) }

// serve runs a library on a free port until the test ends. If o names no folder, it gets a new one.
func serve(t *testing.T, o local.Options) *local.Server {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Log == nil && testing.Verbose() {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	if o.Key == nil {
		o.Key = key(testKey)
	}
	s, err := local.Serve(context.Background(), "127.0.0.1:0", o)
	must(t, err)
	t.Cleanup(func() { closeServer(t, s) })
	return s
}

func closeServer(t *testing.T, s *local.Server) {
	t.Helper()
	must(t, s.Close())
}

var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}

// call sends a request with the key and returns the status and the body.
func call(t *testing.T, method, address, contentType string, body io.Reader) (int, map[string]any) {
	t.Helper()
	status, members, _ := callHeader(t, method, address, contentType, body)
	return status, members
}

// callHeader is call that also returns the header. The body may be empty.
func callHeader(t *testing.T, method, address, contentType string,
	body io.Reader,
) (int, map[string]any, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, body)
	must(t, err)
	req.Header.Set("Content-Type", contentType)
	req.SetBasicAuth(testKey, "")
	res, err := client.Do(req)
	must(t, err)
	defer res.Body.Close()
	var members map[string]any
	if err := json.NewDecoder(res.Body).Decode(&members); err != nil &&
		res.StatusCode != http.StatusNoContent {
		t.Fatalf("%s %s answered %d and no object: %v", method, address, res.StatusCode, err)
	}
	return res.StatusCode, members, res.Header
}

// form encodes an upload. The pairs are names and values of text parts.
func form(data []byte, pairs ...string) (contentType string, body *bytes.Buffer) {
	body = new(bytes.Buffer)
	w := multipart.NewWriter(body)
	for i := 0; i < len(pairs); i += 2 {
		w.WriteField(pairs[i], pairs[i+1])
	}
	part, _ := w.CreateFormFile("file", "a")
	part.Write(data)
	w.Close()
	return w.FormDataContentType(), body
}

func upload(t *testing.T, address string, data []byte, pairs ...string) map[string]any {
	t.Helper()
	contentType, body := form(data, pairs...)
	status, record := call(t, http.MethodPost, address+uploadV1, contentType, body)
	if status != http.StatusOK {
		t.Fatalf("upload answered %d: %v, want %d", status, record, http.StatusOK)
	}
	return record
}

func details(t *testing.T, address string, id any) map[string]any {
	t.Helper()
	status, record := call(t, http.MethodGet, fmt.Sprintf("%s/v1/files/%v/details", address, id), "", nil)
	if status != http.StatusOK {
		t.Fatalf("details answered %d: %v, want %d", status, record, http.StatusOK)
	}
	return record
}

// eventually waits until ask returns true.
func eventually(t *testing.T, what string, ask func() bool) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ask() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s did not happen", what)
		}
	}
}

// fetch returns the body of a file, or "" if there is none.
func fetch(t *testing.T, address string) string {
	t.Helper()
	res, err := client.Get(address)
	must(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	must(t, err)
	if res.StatusCode != http.StatusOK {
		return ""
	}
	return string(body)
}

var must = mediatest.Must

// engine stores one part of a library, its records or its contents.
type engine struct {
	name string
	use  func(t *testing.T, o *local.Options)
}

// recordEngines store records, contentEngines store contents.
var (
	recordEngines = []engine{
		{"SQLite", func(*testing.T, *local.Options) {}},
		{"PostgreSQL", func(t *testing.T, o *local.Options) { o.Database = pgtest.Database(t) }},
	}
	contentEngines = []engine{
		{"folder", func(*testing.T, *local.Options) {}},
		{"file", func(t *testing.T, o *local.Options) { o.Storage = "file://" + filepath.ToSlash(t.TempDir()) + "/store" }},
		{"s3", func(t *testing.T, o *local.Options) { o.Storage = storetest.Serve(t).URL }},
	}
)

// onEachEngine runs a test on an empty library with SQLite and a folder, and on one with PostgreSQL
// and an S3 store. With the race detector it runs only on the first: the goroutines of the second
// meet in the tests of several instances.
func onEachEngine(t *testing.T, test func(t *testing.T, o local.Options)) {
	onEngines(t, recordEngines[0], contentEngines[0], test)
	if !mediatest.Racing {
		onEngines(t, recordEngines[1], contentEngines[2], test)
	}
}

func onEngines(t *testing.T, records, contents engine, test func(t *testing.T, o local.Options)) {
	t.Run(records.name+" and "+contents.name, func(t *testing.T) {
		o := local.Options{Dir: t.TempDir(), Key: key(testKey)}
		contents.use(t, &o)
		records.use(t, &o)
		test(t, o)
	})
}

// shared reports whether several instances can serve the library.
func shared(o local.Options) bool { return o.Database != "" && o.Storage != "" }

// splitter sends requests that only read to one instance of a library, and all others to another
// instance.
type splitter struct{ reads, writes http.Handler }

func (s splitter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		s.reads.ServeHTTP(w, r)
		return
	}
	s.writes.ServeHTTP(w, r)
}

// serveAll serves a library, with two instances where that is possible. What one instance has
// changed must be visible at the other one at once.
func serveAll(t *testing.T, o local.Options) (address string, library http.Handler) {
	t.Helper()
	if !shared(o) {
		s := serve(t, o)
		return s.Address, s.Library
	}
	front := httptest.NewUnstartedServer(nil)
	// the addresses in records are the same on both instances
	o.Address = "http://" + front.Listener.Addr().String()
	both := splitter{reads: serve(t, o).Library, writes: serve(t, o).Library}
	front.Config.Handler = both
	front.Start()
	t.Cleanup(front.Close)
	return front.URL, both
}

func TestContract(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o local.Options) {
		t.Parallel()
		sources, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		must(t, err)
		const most = 200_000
		o.MaxSize, o.AllowAddresses = most, []string{sources.Addr().String()}
		address, _ := serveAll(t, o)
		apitest.Run(t, apitest.Target{
			UploadURL: address, BaseURL: address, DeliveryURL: address, Key: testKey,
			MaxSize: most, Sources: sources, Strict: true,
		})
	})
}
