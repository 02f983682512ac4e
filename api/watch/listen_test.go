package watch_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/watch"
)

// programOf starts the parts of a program that belong to a watch, on the journal at path. end stops
// them.
func programOf(t *testing.T, path, listen string) (w *watch.Watch, end func()) {
	t.Helper()
	j, err := journal.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w = watch.New(watch.Options{Journal: j, Profile: "home", Listen: listen})
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := false
	end = func() {
		if ended {
			return
		}
		ended = true
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := w.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(end)
	return w, end
}

// pendingAt begins a run and returns the address for its webhook.
func pendingAt(t *testing.T, w *watch.Watch, file string) string {
	t.Helper()
	address, err := w.FileAddress(t.Context(), "home", file)
	if err != nil {
		t.Fatal(err)
	}
	list := []api.Extension{{Name: api.RemoveBackground}}
	if err := w.Asked(t.Context(), "home", file, list, address, &api.File{FileID: file}); err != nil {
		t.Fatal(err)
	}
	return address
}

// postEnd posts that remove-bg is done, and returns the status of the answer, or 0 if there is none.
func postEnd(t *testing.T, address string) int {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Post(address, "application/json", strings.NewReader(`{"service":"remove-bg","status":"SUCCESS"}`))
	if err != nil {
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

// eventually waits until a state that nothing reports is reached.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for late := time.After(time.Minute); !is(); {
		select {
		case <-again.C:
		case <-late:
			t.Fatalf("waited for %s", what)
		}
	}
}

// TestAddressesOutliveTheProgram: the usual port was in use, so the receiver had another one. A later
// program receives posts there.
func TestAddressesOutliveTheProgram(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	usual, endUsual := programOf(t, path, "127.0.0.1:0")
	first, endFirst := programOf(t, path, usual.Addr())
	if first.Addr() == usual.Addr() {
		t.Fatal("two programs listen at one port")
	}
	address := pendingAt(t, first, "a")
	endFirst()
	if code := postEnd(t, address); code != 0 && code != http.StatusOK {
		t.Fatalf("somebody else answers with %d", code)
	}
	eventually(t, "the program beside it to step in", func() bool { return postEnd(t, address) == http.StatusOK })

	address = pendingAt(t, usual, "b")
	at := usual.Addr()
	endUsual()
	after, _ := programOf(t, path, "127.0.0.1:0")
	eventually(t, "the next program to step in", func() bool { return postEnd(t, address) == http.StatusOK })
	runs, err := after.Runs(t.Context())
	if err != nil || len(runs) != 2 || runs[1].Status != api.StatusSuccess || runs[1].From != api.FromWebhook {
		t.Errorf("%+v, %v", runs, err)
	}
	// Nothing is expected there any more, so the port is released.
	eventually(t, "the place to be given back", func() bool {
		l, err := net.Listen("tcp", at)
		if err == nil {
			l.Close()
		}
		return err == nil
	})
}

// TestPlaceOfAnother: while another program has the port, posts are lost, and the watch reports that.
func TestPlaceOfAnother(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	first, endFirst := programOf(t, path, "127.0.0.1:0")
	address, at := pendingAt(t, first, "a"), first.Addr()
	endFirst()
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	stranger := &http.Server{Handler: http.NotFoundHandler()}
	served := make(chan struct{})
	go func() {
		defer close(served)
		stranger.Serve(l)
	}()
	end := func() { stranger.Close(); <-served }
	defer end()
	beside, _ := programOf(t, path, "127.0.0.1:0")
	eventually(t, "word of the loss", func() bool { return fmt.Sprint(beside.Lost()) == fmt.Sprint([]string{at}) })
	if code := postEnd(t, address); code != http.StatusNotFound {
		t.Errorf("the stranger answers with %d, want %d", code, http.StatusNotFound)
	}
	end()
	eventually(t, "the place to be taken", func() bool { return len(beside.Lost()) == 0 })
	if code := postEnd(t, address); code != http.StatusOK {
		t.Errorf("answered with %d, want %d", code, http.StatusOK)
	}
}
