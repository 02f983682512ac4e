package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
)

// recorder is a service that accepts every upload and records it.
type recorder struct {
	*httptest.Server
	requests chan recorded
}

type recorded struct {
	method, path, query, auth, agent, accept, contentType string
	length                                                int64
	encoding                                              []string
	expect                                                string
	cookies                                               int
	parts                                                 []api.Part // text parts and the file, in order
	fileName                                              string
	body                                                  []byte // if the request is not multipart
}

func newRecorder(t *testing.T) *recorder {
	t.Helper()
	rec := &recorder{requests: make(chan recorded, 16)}
	rec.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := recorded{
			method: r.Method, path: r.URL.EscapedPath(), query: r.URL.RawQuery, auth: r.Header.Get("Authorization"), agent: r.UserAgent(), accept: r.Header.Get("Accept"),
			contentType: r.Header.Get("Content-Type"), length: r.ContentLength, encoding: r.TransferEncoding, expect: r.Header.Get("Expect"), cookies: len(r.Cookies()),
		}
		if multi, err := r.MultipartReader(); err == nil {
			for {
				part, err := multi.NextRawPart()
				if err == io.EOF {
					break
				}
				if err != nil {
					http.Error(w, err.Error(), http.StatusBadRequest)
					return
				}
				text, err := io.ReadAll(part)
				if err != nil {
					http.Error(w, err.Error(), http.StatusBadRequest)
					return
				}
				got.parts = append(got.parts, api.Part{Name: part.FormName(), Value: string(text)})
				if part.FileName() != "" {
					got.fileName = part.FileName()
				}
			}
		} else {
			got.body, _ = io.ReadAll(r.Body)
		}
		rec.requests <- got
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"fileId":"598821f949c0a938d57563bd","name":"stored.jpg"}`)
	}))
	t.Cleanup(rec.Close)
	return rec
}

func (r *recorder) client(t *testing.T) *api.Client {
	t.Helper()
	return mustClient(t, api.Options{UploadURL: r.URL, BaseURL: r.URL, Key: key(testKey)})
}

// last returns the only recorded request.
func (r *recorder) last(t *testing.T) recorded {
	t.Helper()
	select {
	case got := <-r.requests:
		if len(r.requests) > 0 {
			t.Fatal("got more than one request")
		}
		return got
	default:
		t.Fatal("got no request")
		return recorded{}
	}
}

// testKey has characters that encodings change.
const testKey = "private_t3st+Key/=&%20"

// key can be printed, so that a leak is visible.
type key string

func (k key) Reveal() string { return string(k) }

func mustClient(t *testing.T, o api.Options) *api.Client {
	t.Helper()
	c, err := api.NewClient(o)
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

var must = mediatest.Must
