package api_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"mediadesk/api"
)

// A service that refuses before it asked for the body gets none of it, also
// where it keeps the connection, and however slowly it answers. Counted is what
// comes after the header until the client gives the connection up.
func TestARefusedBodyStaysHere(t *testing.T) {
	path := sparseFile(t, tooLarge)
	const head = "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\n"
	for about, answer := range map[string][]string{
		"at once":          {head + "Content-Length: 17\r\n\r\n" + `{"message":"no!"}`},
		"in pieces":        {head, "Content-Length: 17\r\n\r\n" + `{"messa`, `ge":"no!"}`},
		"chunked":          {head + "Transfer-Encoding: chunked\r\n\r\n11\r\n", `{"message":"no!"}` + "\r\n0\r\n\r\n"},
		"and closes":       {head + "Connection: close\r\n\r\n" + `{"message":"no!"}`},
		"after early hint": {"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", head + "Content-Length: 17\r\n\r\n" + `{"message":"no!"}`},
	} {
		t.Run(about, func(t *testing.T) {
			counted := make(chan int64, 1)
			address := rawServer(t, func(conn rawConn, _ *http.Request, in *bufio.Reader) {
				for _, piece := range answer {
					write(conn, piece)
				}
				conn.CloseWrite() //nolint:errcheck // where the answer ends with the connection
				n, _ := io.Copy(io.Discard, in)
				counted <- n
			})
			for range 5 {
				c := mustClient(t, api.Options{UploadURL: address, BaseURL: address, Key: key(testKey)})
				progress := new(api.Progress)
				_, err := c.Upload(context.Background(), upload(path), progress)
				var refusal *api.ServiceError
				if !errors.As(err, &refusal) || refusal.Status != 401 || refusal.Message != "no!" || refusal.Complete {
					t.Fatalf("got %v, want the refusal", err)
				}
				c.Close()
				if n := <-counted; n != 0 || progress.Sent() != 0 {
					t.Fatalf("%d bytes came, %d are said to have gone", n, progress.Sent())
				}
			}
		})
	}
}

// What is asked for goes, after whatever else the service said before.
func TestABodyThatIsAskedFor(t *testing.T) {
	var got atomic.Int64
	address := rawServer(t, func(conn rawConn, r *http.Request, in *bufio.Reader) {
		write(conn, "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
		wantBody(conn, r)
		n, _ := io.CopyN(io.Discard, in, r.ContentLength)
		got.Store(n)
		write(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 14\r\n\r\n"+`{"fileId":"1"}`)
	})
	c := mustClient(t, api.Options{UploadURL: address, BaseURL: address, Key: key(testKey)})
	f, err := c.Upload(context.Background(), upload(sparseFile(t, 1<<20)), nil)
	if err != nil || f.FileID != "1" || got.Load() < 1<<20 {
		t.Errorf("%+v, %v, %d bytes", f, err, got.Load())
	}
}
