package api_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

// TestEarlyRefusal: if a service refuses before it has read the body and closes at once, its
// message is reported, not a broken pipe.
func TestEarlyRefusal(t *testing.T) {
	large := sparseFile(t, tooLarge)
	small := sparseFile(t, 60_000)
	const head = "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nX-Ik-Requestid: r1\r\nConnection: close\r\n"
	long := strings.Repeat("x", 40_000)
	for _, test := range []struct {
		about, path string
		answer      string
		read        int64 // bytes of the body before the answer; -1 if the service does not ask for the body
	}{
		{"instead of 100 Continue", large, head + "Content-Length: 17\r\n\r\n" + `{"message":"no!"}`, -1},
		{"small body, at once", small, head + "Content-Length: 17\r\n\r\n" + `{"message":"no!"}`, 0},
		{"at the first byte", large, head + "Content-Length: 17\r\n\r\n" + `{"message":"no!"}`, 1},
		{"in the middle", large, head + "Content-Length: 17\r\n\r\n" + `{"message":"no!"}`, 5 << 20},
		{"without a length", large, head + "\r\n" + `{"message":"no!"}`, 1 << 20},
		{"long answer", large, head + "\r\n" + `{"message":"no!","help":"` + long + `"}`, 1 << 20},
		{"chunked", large, head + "Transfer-Encoding: chunked\r\n\r\n11\r\n" + `{"message":"no!"}` + "\r\n0\r\n\r\n", 1 << 20},
		{"keeping the connection", large, "HTTP/1.1 401 Unauthorized\r\nX-Ik-Requestid: r1\r\nContent-Length: 17\r\n\r\n" + `{"message":"no!"}`, 1 << 20},
	} {
		t.Run(test.about, func(t *testing.T) {
			address := rawServer(t, func(conn rawConn, r *http.Request, in *bufio.Reader) {
				if test.read >= 0 {
					wantBody(conn, r)
				}
				io.CopyN(io.Discard, in, max(test.read, 0))
				write(conn, test.answer)
			})
			c := mustClient(t, api.Options{UploadURL: address, BaseURL: address, Key: key(testKey)})
			for range 12 {
				progress := new(api.Progress)
				_, err := c.Upload(context.Background(), upload(test.path), progress)
				var answer *api.ServiceError
				if !errors.As(err, &answer) {
					t.Fatalf("got %v (%T), want the refusal", err, err)
				}
				if answer.Status != 401 || answer.Message != "no!" || answer.RequestID != "r1" {
					t.Fatalf("got %+v", answer)
				}
				if test.path == large && (answer.Complete || progress.Complete()) {
					t.Fatal("the error says that the body was complete")
				}
				if job.OutcomeOf(err) != job.Refused {
					t.Fatalf("outcome %s, want %v", job.OutcomeOf(err), job.Refused)
				}
			}
		})
	}
}

// TestARefusedBodyIsNotSent: a service that refuses before it asks for the body gets none of it, in
// 50 of 50 attempts, even if it answers slowly and keeps the connection. The test counts all bytes
// after the header.
func TestARefusedBodyIsNotSent(t *testing.T) {
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
				conn.CloseWrite()
				n, _ := io.Copy(io.Discard, in)
				counted <- n
			})
			for range 10 {
				c := mustClient(t, api.Options{UploadURL: address, BaseURL: address, Key: key(testKey)})
				progress := new(api.Progress)
				_, err := c.Upload(context.Background(), upload(path), progress)
				var refusal *api.ServiceError
				if !errors.As(err, &refusal) || refusal.Status != 401 || refusal.Message != "no!" ||
					refusal.Complete {
					t.Fatalf("got %v, want the refusal", err)
				}
				c.Close()
				if n := <-counted; n != 0 || progress.Sent() != 0 {
					t.Fatalf("got %d bytes, and %d count as sent", n, progress.Sent())
				}
			}
		})
	}
}

// TestARequestedBodyIsSent: the body is sent when the service asks for it, even after other interim answers.
func TestARequestedBodyIsSent(t *testing.T) {
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

// TestEarlySuccess: the success of a service that does not read to the end, or answers early, is accepted.
func TestEarlySuccess(t *testing.T) {
	path := sparseFile(t, tooLarge)
	address := rawServer(t, func(conn rawConn, r *http.Request, in *bufio.Reader) {
		wantBody(conn, r)
		io.CopyN(io.Discard, in, 1<<20)
		write(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 14\r\n\r\n"+`{"fileId":"1"}`)
	})
	c := mustClient(t, api.Options{UploadURL: address, BaseURL: address})
	for range 10 {
		if f, err := c.Upload(context.Background(), upload(path), nil); err != nil || f.FileID != "1" {
			t.Fatalf("got %+v, %v", f, err)
		}
	}
}

// TestRedirectsAreNotFollowed: no redirect is followed, so the file and the key go nowhere else.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other := newRecorder(t)
	small, large := sparseFile(t, 10), sparseFile(t, 1<<20)
	for status := 300; status <= 308; status++ {
		for about, location := range map[string]string{
			"elsewhere": "Location: " + other.URL + "/api/v1/files/upload\r\n", "same host": "Location: /other\r\n",
			"nowhere": "", "no address": "Location: http://%zz\r\n", "with a name": "Location: https://user:pass@other.example/\r\n",
		} {
			t.Run(fmt.Sprintf("%d/%s", status, about), func(t *testing.T) {
				asked := make(chan string, 8)
				address := rawServer(t, func(conn rawConn, r *http.Request, in *bufio.Reader) {
					asked <- r.Method
					if r.Header.Get("Expect") == "" {
						io.CopyN(io.Discard, in, r.ContentLength)
					}
					write(conn, fmt.Sprintf("HTTP/1.1 %d Moved\r\nConnection: close\r\n%s\r\n", status, location))
					if status != 304 {
						write(conn, "<html><title>Moved</title></html>")
					}
				})
				c := mustClient(t, api.Options{UploadURL: address, BaseURL: address, Key: key(testKey)})
				for about, call := range map[string]func() error{
					"small upload": func() error { _, err := c.Upload(context.Background(), upload(small), nil); return err },
					"large upload": func() error { _, err := c.Upload(context.Background(), upload(large), nil); return err },
					"update": func() error {
						_, err := c.Record(context.Background(),
							api.ChangeDetails("1", api.Details{Tags: api.Null[[]string]()}))
						return err
					},
					"details": func() error { _, err := c.Details(context.Background(), "1"); return err },
				} {
					err := call()
					var answer *api.ServiceError
					if !errors.As(err, &answer) || answer.Status != status ||
						!strings.Contains(answer.Message, "not followed") {
						t.Errorf("%s: got %v", about, err)
					}
					if strings.Contains(fmt.Sprint(err), "pass") ||
						!strings.Contains(api.Hint(err), "profile") {
						t.Errorf("%s: got %v, hint %q", about, err, api.Hint(err))
					}
					mediatest.Equal(t, job.OutcomeOf(err), job.Refused, "%s: outcome", about)
				}
				mediatest.Equal(t, len(asked), 4, "requests")
			})
		}
	}
	mediatest.Equal(t, len(other.requests), 0, "a redirect was followed")
}
