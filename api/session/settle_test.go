package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

func TestMain(m *testing.M) {
	if task := os.Getenv("SESSION_TEST_CHILD"); task != "" {
		changeUntilKilled(task, os.Getenv("SESSION_TEST_ADDRESS"), os.Getenv("SESSION_TEST_DIR"))
		return
	}
	mediatest.TempInMemory()
	os.Exit(m.Run())
}

// changeUntilKilled is the program that gets killed: it changes every file of the library.
func changeUntilKilled(task, address, dir string) {
	s, _, err := openProgram(address, dir)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	files, err := s.List(ctx, api.Query{Search: rule.SearchBelow("/"), Limit: 1000})
	if err != nil {
		panic(err)
	}
	files = slices.DeleteFunc(files, func(f api.File) bool { return f.IsFolder() })
	switch task {
	case "add tags":
		tagAll(ctx, s, files, func(have []string) []string { return append(slices.Clone(have), "new") }, nil)
	case "different tags":
		tagAll(ctx, s, files, func(have []string) []string {
			return append(slices.Clone(have),
				rule.NewSuffix())
		}, nil)
	case "move":
		s.MoveAll(ctx, files, "/moved/", nil)
	case "rename":
		names := make([]string, len(files))
		for i := range files {
			names[i] = "renamed " + files[i].Name
		}
		s.RenameAll(ctx, files, names, nil)
	}
}

// tagAll changes the tags of files as retag says.
func tagAll(ctx context.Context, s *Session, files []api.File, retag func(have []string) []string,
	report func(Edited),
) []Edited {
	changes := make([]Change, len(files))
	for i, f := range files {
		changes[i] = Change{FileID: f.FileID, Details: api.Details{Tags: api.Set(retag(f.Tags.Or(nil)))}}
	}
	return s.ChangeAll(ctx, changes, report)
}

// TestUndoAfterAKill kills a program at random requests of a change of many files. One undo in the next
// program takes back what the service made, and nothing else.
func TestUndoAfterAKill(t *testing.T) {
	rounds, n := 1, 40
	if os.Getenv("MEDIADESK_LONG") != "" {
		rounds, n = 40, 120
	}
	address := newLibrary(t)
	to, err := url.Parse(address)
	must(t, err)
	var mu sync.Mutex
	var victim *os.Process
	left := 0 // requests before the kill
	strike := func() {
		mu.Lock()
		defer mu.Unlock()
		if left--; left == 0 {
			victim.Kill()
		}
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	var underWay sync.RWMutex // held by each request
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		underWay.RLock()
		defer underWay.RUnlock()
		if r.Method != http.MethodGet {
			strike() // before the service has it
			// The service finishes what it has, also for a program that is gone.
			ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
			defer cancel()
			r = r.WithContext(ctx)
		}
		proxy.ServeHTTP(w, r)
		if r.Method != http.MethodGet {
			strike() // before the program has the response
		}
	}))
	defer front.Close()

	dir := t.TempDir()
	first, end := program(t, address, dir)
	for i := range n {
		name := fmt.Sprintf("f%03d.txt", i)
		uploadFile(t, first, name, api.Upload{Tags: api.Set([]string{"old"})})
	}
	before := libraryState(t, first)
	end()
	for task, requests := range map[string]int{"add tags": 3, "different tags": n, "move": n, "rename": n} {
		for range rounds {
			mu.Lock()
			left = 1 + rand.IntN(2*requests)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "SESSION_TEST_CHILD="+task, "SESSION_TEST_ADDRESS="+front.URL,
				"SESSION_TEST_DIR="+dir)
			cmd.Stderr = os.Stderr
			at := left
			err := cmd.Start()
			victim = cmd.Process
			mu.Unlock()
			must(t, err)
			_ = cmd.Wait()
			underWay.Lock()
			s, end := program(t, address, dir)
			underWay.Unlock()
			checkUndo(t, s, before, fmt.Sprintf("%s, killed at %d", task, at))
			end()
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// libraryState returns the path, the tags and the version of each file by its ID.
func libraryState(t *testing.T, s *Session) map[string]string {
	t.Helper()
	files, err := s.List(t.Context(), api.Query{Search: rule.SearchBelow("/"), Limit: 1000})
	must(t, err)
	all := map[string]string{}
	for i := range files {
		if files[i].IsFolder() {
			continue
		}
		all[files[i].FileID] = fmt.Sprint(files[i].FilePath, files[i].Tags.Or(nil), files[i].VersionID())
	}
	return all
}

// checkUndo undoes once, and compares the library with its state before the change.
func checkUndo(t *testing.T, s *Session, before map[string]string, when string) {
	t.Helper()
	changed := 0
	for id, was := range libraryState(t, s) {
		if before[id] != was {
			changed++
		}
	}
	done, err := s.Undo(t.Context(), "", Fail)
	if err != nil || len(done) < changed {
		t.Errorf("%s: %d files changed, undone %d, %v", when, changed, len(done), err)
	}
	for _, e := range done {
		if e.Err != nil {
			t.Errorf("%s: %v", when, e.Err)
		}
	}
	for id, now := range libraryState(t, s) {
		mediatest.Equal(t, now, before[id], "%s: after undo", when)
	}
	if again, err := s.Undo(t.Context(), "", Fail); err != nil || len(again) > 0 {
		t.Fatalf("%s: another step can be undone: %d, %v", when, len(again), err)
	}
}

// TestUndoOfAMoveWithoutAnswer: a request whose answer is lost is undone if the service made the change.
func TestUndoOfAMoveWithoutAnswer(t *testing.T) {
	address := newLibrary(t)
	to, err := url.Parse(address)
	must(t, err)
	lose := false
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || !lose {
			proxy.ServeHTTP(w, r)
			return
		}
		proxy.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}))
	defer front.Close()
	s, end := program(t, front.URL, t.TempDir())
	defer end()
	f := uploadFile(t, s, "a.txt", api.Upload{})
	lose = true
	if _, err := s.Move(t.Context(), "", *f, "/b/"); err == nil || errors.Is(err, context.Canceled) {
		t.Fatalf("the answer arrived: %v", err)
	}
	lose = false
	undo(t, s)
	mediatest.Equal(t, paths(t, s), "/a.txt", "the library")
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}
