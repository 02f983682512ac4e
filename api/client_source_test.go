package api_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
)

// TestSourceChangesWhileBeingSent: a file that changes during the upload never becomes a complete
// request, and the error is about the file.
func TestSourceChangesWhileBeingSent(t *testing.T) {
	for about, change := range changes {
		path := sparseFile(t, tooLarge)
		got := make(chan int64, 1)
		declared := make(chan int64, 1)
		address := rawServer(t, func(conn rawConn, r *http.Request, in *bufio.Reader) {
			wantBody(conn, r)
			first, _ := io.CopyN(io.Discard, in, 1<<20)
			if err := change(path); err != nil {
				t.Error(err)
			}
			rest, _ := io.Copy(io.Discard, in)
			declared <- r.ContentLength
			got <- first + rest
		})
		c := mustClient(t, api.Options{UploadURL: address, BaseURL: address})
		u := upload(path)
		progress := new(api.Progress)
		_, err := c.Upload(context.Background(), u, progress)
		wantSourceError(t, err, path, "changed while it was being sent")
		if progress.Complete() {
			t.Errorf("%s: the error says that the body was complete", about)
		}
		if n, want := <-got, <-declared; n >= want {
			t.Errorf("%s: all %d bytes arrived", about, n)
		}
	}
}

func TestUploadOfBadSources(t *testing.T) {
	rec := newRecorder(t)
	c := rec.client(t)
	dir := t.TempDir()
	for path, says := range map[string]string{dir: "is a folder", dir + "/missing": "does not exist", writeFile(t, "empty", nil): "is empty"} {
		_, err := c.Upload(context.Background(), upload(path), nil)
		wantSourceError(t, err, path, says)
	}
	mediatest.Equal(t, len(rec.requests), 0, "something was sent")
}

// TestLargeFilesNeedLittleMemory: 100 MB need little memory.
func TestLargeFilesNeedLittleMemory(t *testing.T) {
	const size = 100_000_000
	path := sparseFile(t, size)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, err := io.Copy(io.Discard, r.Body); err != nil || n != r.ContentLength || n <= size {
			t.Errorf("got %d of %d bytes, %v", n, r.ContentLength, err)
		}
		io.WriteString(w, `{"fileId":"1"}`)
	}))
	t.Cleanup(server.Close)
	c := mustClient(t, api.Options{UploadURL: server.URL, BaseURL: server.URL})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := c.Upload(context.Background(), upload(path), nil)
	must(t, err)
	runtime.ReadMemStats(&after)
	// This counts all allocations, also those of the service.
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d MB were allocated", n>>20)
	}
}

// TestCancel: a canceled upload ends at once, and its reader does not count any more.
func TestCancel(t *testing.T) {
	path := sparseFile(t, tooLarge)
	reached := make(chan struct{}, 1)
	address := rawServer(t, func(conn rawConn, r *http.Request, in *bufio.Reader) {
		wantBody(conn, r)
		io.CopyN(io.Discard, in, 1<<20)
		reached <- struct{}{}
		conn.hang()
	})
	c := mustClient(t, api.Options{UploadURL: address, BaseURL: address})
	progress := new(api.Progress)
	for range 5 {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			<-reached
			cancel()
		}()
		_, err := c.Upload(ctx, upload(path), progress)
		wantSendError(t, err, false)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		sent := progress.Sent()
		runtime.Gosched()
		if progress.Sent() != sent || sent >= progress.Total() {
			t.Errorf("%d bytes, then %d of %d", sent, progress.Sent(), progress.Total())
		}
		cancel()
	}
}

func TestCancelAfterTheLastByte(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	address := rawServer(t, func(conn rawConn, r *http.Request, _ *bufio.Reader) {
		io.Copy(io.Discard, r.Body)
		cancel()
		conn.hang()
	})
	c := mustClient(t, api.Options{UploadURL: address, BaseURL: address})
	_, err := c.Upload(ctx, upload(sparseFile(t, 10)), nil)
	wantSendError(t, err, true)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	_, err = c.Upload(ctx, upload(sparseFile(t, 10)), nil)
	if wantSendError(t, err, false); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled before the start: %v", err)
	}
}
