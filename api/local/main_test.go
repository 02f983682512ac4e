package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mediadesk/api/local"
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
	flag.Parse()
	flag.Set("test.parallel", "8") // they mostly wait
	goleak.VerifyTestMain(m)
}

// beChild serves a folder until it is killed.
func beChild(dir string) {
	s, err := local.Serve(context.Background(), "127.0.0.1:0", local.Options{Dir: dir, Key: key(testKey)})
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
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}

// call sends a request with the key and returns the status and the body.
func call(t *testing.T, method, address, contentType string, body io.Reader) (int, map[string]any) {
	t.Helper()
	status, members, _ := callHeader(t, method, address, contentType, body)
	return status, members
}

// callHeader is call that also returns the header. The body may be empty.
func callHeader(t *testing.T, method, address, contentType string, body io.Reader) (int, map[string]any, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, body)
	must(t, err)
	req.Header.Set("Content-Type", contentType)
	req.SetBasicAuth(testKey, "")
	res, err := client.Do(req)
	must(t, err)
	defer res.Body.Close()
	var members map[string]any
	if err := json.NewDecoder(res.Body).Decode(&members); err != nil && res.StatusCode != http.StatusNoContent {
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
	status, record := call(t, http.MethodPost, address+"/api/v1/files/upload", contentType, body)
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

// requireTool skips a test if a program is missing.
func requireTool(t *testing.T, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		if os.Getenv("MEDIADESK_TEST_REQUIRE") == "all" {
			t.Fatalf("there is no %s", tool)
		}
		t.Skipf("there is no %s", tool)
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

// must ends a test at an error.
func must(t interface {
	Helper()
	Fatal(args ...any)
}, err error,
) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
