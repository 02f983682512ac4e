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

// hang blocks without reading or answering until the test ends.
func (c rawConn) hang() { <-c.over }

// rawServer passes each connection to handle, which may misbehave, and closes it afterwards. The header
// of the first request has been read.
func rawServer(t *testing.T, handle func(conn rawConn, r *http.Request, in *bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
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
				// Otherwise the kernel may enlarge the buffer to tens of MB.
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

// write sends text and ignores errors.
func write(conn net.Conn, text string) { conn.Write([]byte(text)) }

// wantBody lets a client send its body if it asked first.
func wantBody(conn net.Conn, r *http.Request) {
	if r.Header.Get("Expect") != "" {
		write(conn, "HTTP/1.1 100 Continue\r\n\r\n")
	}
}

// sparseFile makes a file of that size which needs no disk space.
func sparseFile(t *testing.T, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	must(t, f.Truncate(size))
	return path
}

func upload(path string) *api.Upload {
	return &api.Upload{Source: api.Source{Path: path}, FileName: "a.jpg"}
}

// tooLarge is more than the kernels can buffer between a sender and a receiver that does not read.
const tooLarge = 32 << 20
