package api_test

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mediadesk/api"
)

// rawConn is a connection of a rawServer.
type rawConn struct {
	*net.TCPConn
	over <-chan struct{} // closed when the test ends
}

// hang neither reads nor answers until the test ends.
func (c rawConn) hang() { <-c.over }

// rawServer hands each connection to handle, which may treat it as badly as it
// likes, and closes it afterwards. The first request's header was read.
func rawServer(t *testing.T, handle func(conn rawConn, r *http.Request, in *bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	over := make(chan struct{})
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				// The kernel would else let the buffer grow to tens of MB.
				conn.(*net.TCPConn).SetReadBuffer(256 << 10)
				in := bufio.NewReader(conn)
				r, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				handle(rawConn{conn.(*net.TCPConn), over}, r, in)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		close(over)
		all.Wait()
	})
	return "http://" + l.Addr().String()
}

// write sends text and does not care whether it arrives.
func write(conn net.Conn, text string) { conn.Write([]byte(text)) }

// wantBody lets a client that asks first send its body.
func wantBody(conn net.Conn, r *http.Request) {
	if r.Header.Get("Expect") != "" {
		write(conn, "HTTP/1.1 100 Continue\r\n\r\n")
	}
}

// sparseFile is size bytes that take no room.
func sparseFile(t *testing.T, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	return path
}

func upload(path string) *api.Upload {
	return &api.Upload{Source: api.Source{Path: path}, FileName: "a.jpg"}
}

// tooLarge is more than two kernels hold between a sender and a receiver that
// does not read.
const tooLarge = 32 << 20
