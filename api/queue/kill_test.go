package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mediadesk/api"
)

// library is a service in memory behind HTTP, with the necessary rules on names. Some of its answers
// come late, and some never.
type library struct {
	mu       sync.Mutex
	contents map[string][]byte // by path
	versions map[string]int
	requests int
	moment   func(n int, when string) // called at the beginning of request n, and between storing and answering
	fault    func(n int) bool         // cuts the connection instead of answering
}

func (l *library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		l.mu.Lock()
		content, ok := l.contents[r.URL.Path]
		l.mu.Unlock()
		if !ok { // it delivers files but does not list them
			http.NotFound(w, r)
			return
		}
		w.Write(content)
		return
	}
	l.mu.Lock()
	l.requests++
	n := l.requests
	l.mu.Unlock()
	l.moment(n, "begin")
	fields, content, err := readParts(r)
	if err != nil {
		http.Error(w, `{"message":"the body is cut"}`, http.StatusBadRequest)
		return
	}
	path := fields["folder"] + fields["fileName"]
	l.mu.Lock()
	taken := l.versions[path] > 0
	if !taken {
		l.versions[path]++
		l.contents[path] = content
	}
	l.mu.Unlock()
	if taken {
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"message":"nein"}`)
		return
	}
	l.moment(n, "stored")
	if l.fault(n) {
		panic(http.ErrAbortHandler)
	}
	json.NewEncoder(w).Encode(map[string]any{"fileId": fmt.Sprint("id", n), "filePath": path, "size": len(content)})
}

func readParts(r *http.Request) (map[string]string, []byte, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, nil, err
	}
	fields := map[string]string{"folder": "/"}
	var content []byte
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return fields, content, nil
		}
		if err != nil {
			return nil, nil, err
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, err
		}
		if part.FormName() == "file" {
			content = text
		} else {
			fields[part.FormName()] = string(text)
		}
	}
}

const killFiles = 40

// sendUntilKilled is the program that gets killed. It queues all files at its first start, and later
// resumes what its journal has.
func sendUntilKilled(dir string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	ctx := context.Background()
	n, err := openNotes(filepath.Join(dir, "journal"))
	fail(err)
	address := os.Getenv("QUEUE_TEST_ADDRESS")
	client, err := api.NewClient(api.Options{UploadURL: address, BaseURL: address, DeliveryURL: address})
	fail(err)
	q := New(Options{Journal: n, Sender: client, Profile: "home"})
	fail(q.Start(ctx))
	if len(n.jobs) == 0 {
		var jobs []api.Job
		for i := range killFiles {
			name := filepath.Join(dir, fmt.Sprintf("f%02d.bin", i))
			id, err := api.Identify(name)
			fail(err)
			j := api.Job{Naming: api.NameHere, Identity: id, Upload: api.Upload{Source: api.Source{Path: name}, FileName: filepath.Base(name)}}
			api.ApplyNaming(&j.Upload, api.NameHere)
			jobs = append(jobs, j)
		}
		_, err := q.Add(ctx, jobs)
		fail(err)
	}
	_, err = q.Wait(ctx, nil)
	fail(err)
	fail(q.Close(ctx))
	os.Exit(0)
}

// TestKilledInMidUpload kills the program with SIGKILL again and again, at the beginning of requests
// and between storing and answering. The service also loses answers. In the end every file is stored
// exactly once.
func TestKilledInMidUpload(t *testing.T) {
	dir := t.TempDir()
	content := map[string][]byte{}
	for i := range killFiles {
		name := fmt.Sprintf("f%02d.bin", i)
		content[name] = bytes.Repeat([]byte(name), 20_000)
		if err := os.WriteFile(filepath.Join(dir, name), content[name], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var child struct {
		sync.Mutex
		*os.Process
	}
	kills := 0
	l := &library{contents: map[string][]byte{}, versions: map[string]int{}}
	l.fault = func(n int) bool { return n%6 == 5 }
	l.moment = func(n int, when string) {
		if n%7 == 3 && when == "begin" || n%7 == 6 && when == "stored" {
			child.Lock()
			defer child.Unlock()
			if child.Process != nil {
				child.Kill()
				child.Process = nil
				kills++
			}
		}
	}
	server := httptest.NewServer(l)
	defer server.Close()

	deadline := time.Now().Add(10 * time.Minute) // of dozens of children
	for {
		if time.Now().After(deadline) {
			t.Fatal("the uploads do not end")
		}
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), "QUEUE_TEST_CHILD="+dir, "QUEUE_TEST_ADDRESS="+server.URL)
		var words strings.Builder
		cmd.Stderr = &words
		child.Lock()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		child.Process = cmd.Process
		child.Unlock()
		err := cmd.Wait()
		if err == nil {
			break
		}
		if cmd.ProcessState.ExitCode() == 2 {
			t.Fatalf("the program failed: %s", words.String())
		}
	}
	n, err := openNotes(filepath.Join(dir, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer n.file.Close()
	for _, j := range n.jobs {
		if j.State != api.Stored {
			t.Errorf("%s is %s: %+v, want %v", j.Upload.FileName, j.State, j.Failure, api.Stored)
		}
		if l.versions[j.Upload.Path()] != 1 {
			t.Errorf("%s was stored %d times, want 1", j.Upload.Path(), l.versions[j.Upload.Path()])
		}
		if !bytes.Equal(l.contents[j.Upload.Path()], content[j.Upload.Source.Name()]) {
			t.Errorf("%s has other bytes", j.Upload.Path())
		}
	}
	if len(n.jobs) != killFiles || len(l.versions) != killFiles || kills < 3 {
		t.Errorf("%d jobs, stored at %d places, after %d kills", len(n.jobs), len(l.versions), kills)
	}
	t.Logf("%d kills, %d requests", kills, l.requests)
}
