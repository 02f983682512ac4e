package api_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

// wantSendError fails unless err says that no answer came, and whether the whole body was sent.
func wantSendError(t *testing.T, err error, complete bool) *api.SendError {
	t.Helper()
	var send *api.SendError
	if !errors.As(err, &send) {
		t.Fatalf("got %v (%T), want a *SendError", err, err)
	}
	if send.Complete != complete {
		t.Fatalf("%v: complete is %v, want %v", err, send.Complete, complete)
	}
	want := job.Unsent
	if complete {
		want = job.Unknown
	}
	if got := job.OutcomeOf(err); got != want {
		t.Fatalf("%v: outcome %s, want %s", err, got, want)
	}
	if api.Hint(err) == "" {
		t.Errorf("%v: no hint", err)
	}
	mediatest.Equal(t, strings.Contains(err.Error(), "may have been"), complete,
		"%q claims the wrong thing", err)
	return send
}

func TestConnectionRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := "http://" + l.Addr().String()
	l.Close()
	c := mustClient(t, api.Options{UploadURL: address, BaseURL: address})
	_, err = c.Upload(context.Background(), upload(sparseFile(t, 10)), nil)
	send := wantSendError(t, err, false)
	if !strings.Contains(err.Error(), "connection refused") || send.Host != l.Addr().String() {
		t.Errorf("got %v", err)
	}
	_, err = c.Record(context.Background(), api.ChangeDetails("1", api.Details{Tags: api.Null[[]string]()}))
	wantSendError(t, err, false)
	_, err = c.Details(context.Background(), "1")
	wantSendError(t, err, false)
	_, err = c.List(context.Background(), api.Query{})
	wantSendError(t, err, false)
	_, _, err = c.Fetch(context.Background(), address+"/a.jpg", 0, 10)
	wantSendError(t, err, false)
}

// TestConnectionBroken: if a connection breaks before the transport has the last byte, nothing can
// have been stored. If it breaks afterwards, the outcome is unknown.
func TestConnectionBroken(t *testing.T) {
	large, medium, small := sparseFile(t, tooLarge), sparseFile(t, 2<<20), sparseFile(t, 1000)
	for _, test := range []struct {
		about, path string
		read        int64 // -1 for all
		reset       bool
		answer      string
		complete    bool
	}{
		{"closed after the header", large, 0, false, "", false},
		{"reset after the header", large, 0, true, "", false},
		{"closed in the middle", large, 1 << 20, false, "", false},
		{"reset in the middle", large, 1 << 20, true, "", false},
		{"closed after all of it", medium, -1, false, "", true},
		{"reset after all of it", medium, -1, true, "", true},
		{"small, closed", small, -1, false, "", true},
		{"small, reset", small, -1, true, "", true},
		{"closed within the status line", small, -1, false, "HTTP/1.1 20", true},
		{"closed within the header", small, -1, false, "HTTP/1.1 200 OK\r\nContent-Le", true},
		{"closed within the answer", small, -1, false, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"fileId\":", true},
		{"reset within the answer", small, -1, true, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"fileId\":", true},
		{"closed within a chunk", small, -1, false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{\"fileId\":", true},
		{"another protocol", small, -1, false, "SSH-2.0-OpenSSH_9.2\r\n", true},
		{"nonsense", small, -1, false, "\x15\x03\x01\x00\x02\x02\x16", true},
	} {
		t.Run(test.about, func(t *testing.T) {
			requests := make(chan struct{}, 64)
			address := rawServer(t, func(conn rawConn, r *http.Request, in *bufio.Reader) {
				requests <- struct{}{}
				wantBody(conn, r)
				n := test.read
				if n < 0 {
					n = r.ContentLength
				}
				io.CopyN(io.Discard, in, n)
				write(conn, test.answer)
				if test.reset {
					conn.SetLinger(0)
				}
			})
			c := mustClient(t, api.Options{UploadURL: address, BaseURL: address})
			for range 5 {
				progress := new(api.Progress)
				_, err := c.Upload(context.Background(), upload(test.path), progress)
				wantSendError(t, err, test.complete)
				mediatest.Equal(t, progress.Complete(), test.complete, "the progress")
				if strings.Contains(err.Error(), "EOF") || strings.Contains(err.Error(), "net/http") {
					t.Errorf("%q is no sentence for a person", err)
				}
			}
			mediatest.Equal(t, len(requests), 5, "requests for 5 uploads")
		})
	}
}

// TestNothingIsSentTwice: net/http repeats requests on reused connections. It must not repeat an
// upload or an update.
func TestNothingIsSentTwice(t *testing.T) {
	for _, size := range []int64{10, 512 << 10} { // larger ones use a new connection
		path := sparseFile(t, size)
		requests := make(chan struct{}, 8)
		ok := "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n" + `{"fileId":"1"}`
		address := rawServer(t, func(conn rawConn, r *http.Request, in *bufio.Reader) {
			requests <- struct{}{}
			wantBody(conn, r)
			io.Copy(io.Discard, r.Body)
			write(conn, ok)
			// The second request on this connection is read completely, but gets no answer.
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			requests <- struct{}{}
			wantBody(conn, r)
			io.Copy(io.Discard, r.Body)
		})
		for about, second := range map[string]func(*api.Client) error{
			"upload": func(c *api.Client) error { _, err := c.Upload(context.Background(), upload(path), nil); return err },
			"update": func(c *api.Client) error {
				_, err := c.Record(context.Background(),
					api.ChangeDetails("1", api.Details{Tags: api.Null[[]string]()}))
				return err
			},
		} {
			c := mustClient(t, api.Options{UploadURL: address, BaseURL: address})
			_, err := c.Upload(context.Background(), upload(path), nil)
			must(t, err)
			wantSendError(t, second(c), true)
			mediatest.Equal(t, len(requests), 2, "%s: requests", about)
			for len(requests) > 0 {
				<-requests
			}
		}
	}
}

// TestStall: a service that stops reading ends the attempt, and nothing was stored.
func TestStall(t *testing.T) {
	t.Parallel()
	address := rawServer(t, func(conn rawConn, r *http.Request, in *bufio.Reader) {
		wantBody(conn, r)
		io.CopyN(io.Discard, in, 1<<20)
		conn.hang()
	})
	c := mustClient(t,
		api.Options{UploadURL: address, BaseURL: address, StallTimeout: 300 * time.Millisecond})
	progress := new(api.Progress)
	_, err := c.Upload(context.Background(), upload(sparseFile(t, tooLarge)), progress)
	wantSendError(t, err, false)
	if !strings.Contains(err.Error(), "no byte could be sent for 300ms") {
		t.Errorf("got %v", err)
	}
	// About as much as fits into the buffers, so that the end of the body is in the transport but not in
	// the kernel. Such an attempt ends too.
	for _, less := range []int64{8, 40, 72, 104} {
		c := mustClient(t, api.Options{
			UploadURL: address, BaseURL: address, StallTimeout: 300 * time.Millisecond,
			AnswerTimeout: 300 * time.Millisecond,
		})
		_, err := c.Upload(context.Background(), upload(sparseFile(t, progress.Sent()-less<<10)), nil)
		var send *api.SendError
		if !errors.As(err, &send) {
			t.Fatalf("got %v", err)
		}
	}
}

// TestSlowIsNotStalled: a slow service is not a stalled one, because bytes move.
func TestSlowIsNotStalled(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	const size = 16 << 20
	address := rawServer(t, func(conn rawConn, r *http.Request, in *bufio.Reader) {
		wantBody(conn, r)
		tick := time.NewTicker(60 * time.Millisecond)
		defer tick.Stop()
		for left := r.ContentLength; left > 0; {
			<-tick.C
			n, err := io.CopyN(io.Discard, in, min(left, 512<<10))
			if err != nil {
				return
			}
			left -= n
		}
		write(conn, "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n"+`{"fileId":"1"}`)
	})
	c := mustClient(t,
		api.Options{UploadURL: address, BaseURL: address, StallTimeout: 1500 * time.Millisecond})
	_, err := c.Upload(context.Background(), upload(sparseFile(t, size)), nil)
	must(t, err)
}

// TestAnswerTimesOut: an answer that does not come, or does not end, means an unknown outcome.
func TestAnswerTimesOut(t *testing.T) {
	for about, part := range map[string]string{
		"no answer":        "",
		"within the head":  "HTTP/1.1 200 OK\r\nContent-",
		"after the head":   "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
		"within the body":  "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"fileId\":",
		"only 1xx answers": "HTTP/1.1 102 Processing\r\n\r\n",
	} {
		for _, size := range []int64{10, 1 << 20} {
			t.Run(about, func(t *testing.T) {
				t.Parallel()
				address := rawServer(t, func(conn rawConn, r *http.Request, _ *bufio.Reader) {
					wantBody(conn, r)
					io.Copy(io.Discard, r.Body)
					write(conn, part)
					conn.hang()
				})
				c := mustClient(t, api.Options{
					UploadURL: address, BaseURL: address, AnswerTimeout: 150 * time.Millisecond,
				})
				_, err := c.Upload(context.Background(), upload(sparseFile(t, size)), nil)
				wantSendError(t, err, true)
				if size > 10 {
					return
				}
				_, err = c.Record(context.Background(),
					api.ChangeDetails("1", api.Details{Tags: api.Null[[]string]()}))
				wantSendError(t, err, true)
				_, err = c.Details(context.Background(), "1")
				wantSendError(t, err, false)
			})
		}
	}
}

// TestRefusalThatDoesNotEnd: a refusal whose message does not end is still a refusal.
func TestRefusalThatDoesNotEnd(t *testing.T) {
	address := rawServer(t, func(conn rawConn, r *http.Request, _ *bufio.Reader) {
		io.Copy(io.Discard, r.Body)
		write(conn, "HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\nname taken")
		conn.hang()
	})
	c := mustClient(t,
		api.Options{UploadURL: address, BaseURL: address, AnswerTimeout: 150 * time.Millisecond})
	_, err := c.Upload(context.Background(), upload(sparseFile(t, 10)), nil)
	var answer *api.ServiceError
	if !errors.As(err, &answer) || answer.Status != 400 || answer.Message != "name taken" {
		t.Errorf("got %v", err)
	}
}
