package api_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
)

// answering returns a client of a service that gives every request the same answer.
func answering(t *testing.T, answer http.HandlerFunc) *api.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return mustClient(t, api.Options{UploadURL: server.URL, BaseURL: server.URL, Key: key(testKey)})
}

// flood writes 100 MB unless the client closes the connection.
func flood(w io.Writer) {
	block := []byte(strings.Repeat("<p>é</p>", 8<<10))
	for range 100 << 20 / len(block) {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// TestErrorAnswers: service.md §7: every failure has a code and a message. The names of its fields
// are not shown, and a proxy may answer instead of the service.
func TestErrorAnswers(t *testing.T) {
	for _, test := range []struct {
		about, kind, body string
		status            int
		message, help     string
	}{
		{"of the hosted service", "application/json", `{"message":"A file with the same name already exists.","help":"For support kindly contact us."}`, 400, "A file with the same name already exists.", "For support kindly contact us."},
		{"a URL that cannot be downloaded", "application/json", `{"message":"The URL could not be downloaded."}`, 400, "The URL could not be downloaded.", ""},
		{"reason instead of message", "application/json", `{"reason":"PENDING"}`, 423, "PENDING", ""},
		{"space around", "application/json", " {\"message\":\" no \"} ", 400, "no", ""},
		{"message that is an object", "application/json", `{"message":{"a":1}}`, 400, `{"a":1}`, ""},
		{"message that is null", "application/json", `{"message":null}`, 400, `{"message":null}`, ""},
		{"other names", "application/json", `{"error":"no such field"}`, 400, `{"error":"no such field"}`, ""},
		{"a JSON text", "application/json", `"no"`, 400, "no", ""},
		{"an empty object", "application/json", `{}`, 404, "not found (the service sent no message)", ""},
		{"nothing", "", "", 500, "internal server error (the service sent no message)", ""},
		{"nothing, of no known status", "", "", 599, "no message", ""},
		{"plain text", "text/plain", "too large\n", 413, "too large", ""},
		{"a web page", "text/html", "<!DOCTYPE html>\n<html><head><title>502 Bad\nGateway</title></head><body>nginx</body></html>", 502, "a web page instead of an answer: 502 Bad\nGateway", ""},
		{"a web page without a title", "text/html", "<html><body>nginx</body></html>", 502, "a web page instead of an answer", ""},
		{"a web page that says it is JSON", "application/json", "<html><title>x</title>", 502, "a web page instead of an answer: x", ""},
		{"JSON that is cut", "application/json", `{"message":"no`, 400, `{"message":"no`, ""},
		{"invalid UTF-8", "text/plain", "no\xff\xfe", 400, "no?", ""},
	} {
		t.Run(test.about, func(t *testing.T) {
			c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.kind)
				w.Header().Set("X-Ik-Requestid", "id-1")
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			})
			_, err := c.Upload(context.Background(), upload(writeFile(t, "a", []byte("x"))), nil)
			var answer *api.ServiceError
			if !errors.As(err, &answer) {
				t.Fatalf("got %v", err)
			}
			if answer.Status != test.status || answer.Message != test.message || answer.Help != test.help ||
				answer.RequestID != "id-1" || !answer.Complete {
				t.Errorf("got %+v", answer)
			}
			if !strings.Contains(err.Error(), strconv.Itoa(test.status)) ||
				!strings.Contains(err.Error(), "id-1") {
				t.Errorf("got %q", err)
			}
		})
	}
}

// TestSuccessWithoutRecord: the outcome of a successful answer without a record is unknown.
func TestSuccessWithoutRecord(t *testing.T) {
	for _, test := range []struct {
		about, body, says string
		status            int
	}{
		{"nothing", "", "the answer is empty", 200},
		{"no content", "", "the answer is empty", 204},
		{"a web page", "<html><title>Sign in</title></html>", "a web page instead of an answer: Sign in", 200},
		{"null", "null", "no object: null", 200},
		{"an empty object", "{}", "no file record", 200},
		{"no id", `{"name":"a.jpg"}`, "no file record", 200},
		{"accepted only", `{"message":"We are processing the video."}`, "We are processing the video.", 202},
		{"cut", `{"fileId":"1"`, `{"fileId":"1"`, 200},
		{"two records", `{"fileId":"1"}{"fileId":"2"}`, "fileId", 200},
	} {
		t.Run(test.about, func(t *testing.T) {
			c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			})
			f, err := c.Upload(context.Background(), upload(writeFile(t, "a", []byte("x"))), nil)
			if f != nil || !errors.Is(err, api.ErrNoRecord) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, %v", f, err)
			}
			var accepted *api.AcceptedError
			if errors.As(err, &accepted) != (test.status == http.StatusAccepted) {
				t.Errorf("accepted for later: %v", accepted)
			}
			if job.OutcomeOf(err) != job.Unknown || api.Hint(err) == "" {
				t.Errorf("outcome %s, hint %q", job.OutcomeOf(err), api.Hint(err))
			}
			for about, call := range map[string]func() (*api.File, error){
				"update": func() (*api.File, error) {
					return c.Record(context.Background(), api.ChangeDetails("1", api.Details{}))
				},
				"details": func() (*api.File, error) { return c.Details(context.Background(), "1") },
			} {
				if f, err := call(); f != nil || !errors.Is(err, api.ErrNoRecord) {
					t.Errorf("%s: got %v, %v", about, f, err)
				}
			}
		})
	}
}

// TestHugeAnswers: 100 MB instead of a message or a record do no harm.
func TestHugeAnswers(t *testing.T) {
	path := writeFile(t, "a", []byte("x"))
	c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(502)
		flood(w)
	})
	_, err := c.Upload(context.Background(), upload(path), nil)
	var answer *api.ServiceError
	if !errors.As(err, &answer) || answer.Status != 502 || len(answer.Message) > 4000 {
		t.Errorf("got %.200v", err)
	}
	c = answering(t, func(w http.ResponseWriter, _ *http.Request) { flood(w) })
	if _, err := c.Upload(context.Background(), upload(path), nil); !errors.Is(err, api.ErrNoRecord) ||
		!strings.Contains(err.Error(), "larger than") {
		t.Errorf("got %.200v", err)
	}
	c = answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(400)
		io.WriteString(w, `{"message":"`+strings.Repeat("é", 30_000)+`"}`)
	})
	_, err = c.Upload(context.Background(), upload(path), nil)
	if !errors.As(err, &answer) || len([]rune(answer.Message)) != 2001 {
		t.Errorf("a long message: %.100v", err)
	}
}

// TestCompressedAnswers: a small answer that decompresses to 100 MB is cut off.
func TestCompressedAnswers(t *testing.T) {
	var block strings.Builder
	z := gzip.NewWriter(&block)
	io.WriteString(z, strings.Repeat(" ", 1<<20))
	z.Close()
	_, err := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, strings.Repeat(block.String(), 100))
	}).Upload(context.Background(), upload(writeFile(t, "a", []byte("x"))), nil)
	if !errors.Is(err, api.ErrNoRecord) || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("got %v", err)
	}
}

// TestAnswerHeaders: the request id and the requested waiting time are read from the header.
func TestAnswerHeaders(t *testing.T) {
	for _, test := range []struct {
		about  string
		header map[string]string
		id     string
		min    time.Duration
		max    time.Duration
	}{
		{"none", nil, "", 0, 0},
		{"the hosted service's id", map[string]string{"x-ik-requestid": "a", "X-Request-Id": "b"}, "a", 0, 0},
		{"seconds", map[string]string{"Retry-After": "3"}, "", 3 * time.Second, 3 * time.Second},
		{"a date", map[string]string{"Retry-After": time.Now().Add(30 * time.Minute).UTC().Format(http.TimeFormat)}, "", 28 * time.Minute, 30 * time.Minute},
		{"a date gone by", map[string]string{"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, "", 0, 0},
		{"the longer of both", map[string]string{"Retry-After": "1", "X-RateLimit-Reset": "1500"}, "", 1500 * time.Millisecond, 1500 * time.Millisecond},
		{"negative", map[string]string{"Retry-After": "-1", "X-RateLimit-Reset": "-5"}, "", 0, 0},
		{"no number", map[string]string{"Retry-After": "soon", "X-RateLimit-Reset": "1.5"}, "", 0, 0},
		{"a day", map[string]string{"Retry-After": "86400"}, "", time.Hour, time.Hour},
		{"beyond a number", map[string]string{"Retry-After": "99999999999999999999"}, "", time.Hour, time.Hour},
	} {
		t.Run(test.about, func(t *testing.T) {
			c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				for name, value := range test.header {
					w.Header().Set(name, value)
				}
				w.WriteHeader(http.StatusTooManyRequests)
			})
			// An upload leaves the waiting to the queue.
			_, err := c.Upload(context.Background(), upload(writeFile(t, "a", []byte("x"))), nil)
			var answer *api.ServiceError
			if !errors.As(err, &answer) || answer.RequestID != test.id || answer.RetryDelay < test.min ||
				answer.RetryDelay > test.max {
				t.Errorf("got %+v", answer)
			}
		})
	}
}

func TestList(t *testing.T) {
	c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `[{"type":"folder","folderId":"f","name":"a","folderPath":"/a"},`+fullRecord+`]`)
	})
	files, err := c.List(context.Background(), api.Query{Folder: "/"})
	if err != nil || len(files) != 2 || !files[0].IsFolder() || files[0].FolderPath != "/a" ||
		files[1].FileID == "" {
		t.Errorf("got %+v, %v", files, err)
	}
	for _, body := range []string{"", "{}", "<html>", "[{}", "[1]"} {
		c := answering(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })
		if _, err := c.List(context.Background(), api.Query{}); err == nil {
			t.Errorf("%q was read as a list", body)
		}
	}
	missing := answering(t, http.NotFound)
	if _, err := missing.List(context.Background(), api.Query{}); !api.Unavailable(err) {
		t.Errorf("got %v", err)
	}
}
