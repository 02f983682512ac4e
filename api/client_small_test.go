package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"mediadesk/api"
)

// TestSmallUploadsKeepTheirBytes: simultaneous uploads never get each other's bytes, below and
// above the size of a single write, also if some are refused before their body was read.
func TestSmallUploadsKeepTheirBytes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("User-Agent") == "refused" {
			http.Error(w, `{"message":"no"}`, http.StatusForbidden)
			return
		}
		file, _, err := r.FormFile("file")
		if err != nil {
			t.Error(err)
			return
		}
		text, err := io.ReadAll(file)
		if name := r.FormValue("fileName"); err != nil ||
			!bytes.Equal(text, bytes.Repeat([]byte(name[:1]), len(text))) {
			t.Errorf("%s: %v, or the bytes of another", name, err)
		}
		fmt.Fprintf(w, `{"fileId":"1","size":%d}`, len(text))
	}))
	t.Cleanup(server.Close)
	taken := mustClient(t, api.Options{UploadURL: server.URL, BaseURL: server.URL})
	refused := mustClient(t, api.Options{UploadURL: server.URL, BaseURL: server.URL, UserAgent: "refused"})
	var all sync.WaitGroup
	for i, size := range []int{1, 20_000, api.WholeBody - 600, api.WholeBody, api.WholeBody + 1, 100_000} {
		name := string(rune('a' + i))
		u := &api.Upload{
			Source: api.Source{Path: writeFile(t, name, bytes.Repeat([]byte(name), size))}, FileName: name + ".txt",
		}
		all.Go(func() {
			for range 30 {
				var p api.Progress
				file, err := taken.Upload(context.Background(), u, &p)
				if err != nil || file.Size.Or(0) != int64(size) || !p.Complete() || p.Sent() != p.Total() ||
					p.Hash() == "" {
					t.Errorf("%d bytes: %v, %d of %d", size, err, p.Sent(), p.Total())
				}
				var answer *api.ServiceError
				if _, err := refused.Upload(context.Background(), u, nil); !errors.As(err, &answer) {
					t.Errorf("%d bytes: %v", size, err)
				}
			}
		})
	}
	all.Wait()
}

// brokenConn accepts some writes and fails the next one.
type brokenConn struct {
	net.Conn
	writes *atomic.Int32
	takes  int32
}

func (c brokenConn) Write(p []byte) (int, error) {
	if c.writes.Add(1) > c.takes {
		c.Close()
		return 0, io.ErrClosedPipe
	}
	return c.Conn.Write(p)
}

// TestSmallUploadIsOneWrite: a small upload is one write, and if that fails nothing can have arrived.
func TestSmallUploadIsOneWrite(t *testing.T) {
	for _, takes := range []int32{0, 1} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `{"fileId":"1"}`)
		}))
		t.Cleanup(server.Close)
		c := mustClient(t, api.Options{UploadURL: server.URL, BaseURL: server.URL})
		var writes atomic.Int32
		c.WrapForTest(func(conn net.Conn) net.Conn { return brokenConn{conn, &writes, takes} })
		var p api.Progress
		_, err := c.Upload(t.Context(), upload(writeFile(t, "a", content(20_000))), &p)
		if takes == 0 {
			wantSendError(t, err, false)
			if p.Complete() || p.Sent() != 0 {
				t.Errorf("%d bytes, complete %v", p.Sent(), p.Complete())
			}
		} else if err != nil || writes.Load() != 1 || !p.Complete() {
			t.Errorf("%v after %d writes, complete %v", err, writes.Load(), p.Complete())
		}
	}
}
