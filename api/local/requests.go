package local

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Request describes an answered request. It contains no keys or signatures.
type Request struct {
	Time   time.Time `json:"time"` // of arrival
	Method string    `json:"method"`
	Path   string    `json:"path"`
	Status int       `json:"status"` // 0 if the connection broke without an answer
	Millis float64   `json:"ms"`     // until the last byte of the answer
	Size   int64     `json:"size"`   // body bytes of the answer
	ID     string    `json:"id"`     // request id in the answer's header

	Fields map[string]string `json:"fields,omitempty"` // text parts of an upload, without what signs it
	Body   json.RawMessage   `json:"body,omitempty"`   // the JSON body, up to 16 kB

	Query string `json:"-"` // without signatures
	Agent string `json:"-"` // the User-Agent header
}

// sentKey is the context key of what a request sent, a *Request that readForm and readBody fill in.
type sentKey struct{}

// noteFields records the text parts of an upload.
func noteFields(r *http.Request, fields map[string]string) {
	if sent, ok := r.Context().Value(sentKey{}).(*Request); ok {
		sent.Fields = maps.Clone(fields)
		for _, name := range signedParts {
			delete(sent.Fields, name)
		}
	}
}

// noteBody records a JSON body.
func noteBody(r *http.Request, text []byte) {
	if sent, ok := r.Context().Value(sentKey{}).(*Request); ok && len(text) <= 16<<10 && json.Valid(text) {
		sent.Body = bytes.Clone(text)
	}
}

// maxRequests is the number of requests kept.
const maxRequests = 1000

// secretLength is the length from which a key is masked. A shorter one, such as dev, is not secret
// and may be part of a word.
const secretLength = 8

// requestLog keeps the last requests, oldest first. The zero value is ready to use.
type requestLog struct {
	mu   sync.Mutex
	list []Request
}

func (g *requestLog) add(r Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.list) == 2*maxRequests {
		g.list = append([]Request(nil), g.list[maxRequests:]...)
	}
	g.list = append(g.list, r)
}

// observe records a request that came at start. It must be deferred, since a deliberately lost
// answer panics.
func (l *Library) observe(r *http.Request, w *timedWriter, start time.Time) {
	if isControl(path.Clean("/" + r.URL.Path)) {
		return
	}
	if !isAPI(path.Clean("/" + r.URL.Path)) {
		l.traffic.add(start, w.size)
	}
	query := r.URL.Query()
	if query.Has("ik-s") {
		query.Set("ik-s", "***")
	}
	masked := func(text string) string {
		if key := l.o.Key.Reveal(); len(key) >= secretLength {
			return strings.ReplaceAll(text, key, "***")
		}
		return text
	}
	sent := r.Context().Value(sentKey{}).(*Request)
	request := Request{
		Fields: sent.Fields, Body: json.RawMessage(masked(string(sent.Body))),
		Time: start.UTC(), Method: r.Method, Path: masked(r.URL.Path), Status: w.status,
		Millis: float64(time.Since(start).Microseconds()) / 1000, Size: w.size, ID: w.Header().Get(requestIDHeader),
		Query: masked(query.Encode()), Agent: masked(r.UserAgent()),
	}
	l.requests.add(request)
	if l.o.Observe != nil {
		l.o.Observe(request)
	}
}

// listRequests lists the last requests that the parameters select, oldest first.
func (l *Library) listRequests(r *http.Request) (any, error) {
	v := r.URL.Query()
	if err := checkParameters(v, "method", "path", "status", "since"); err != nil {
		return nil, err
	}
	status, err := strconv.Atoi(cmp.Or(v.Get("status"), "0"))
	since, wrong := time.Parse(time.RFC3339, cmp.Or(v.Get("since"), "0001-01-01T00:00:00Z"))
	if err != nil || wrong != nil {
		return nil, badRequest("Your request contains invalid status or since parameter.", "status is a number such as 200, since a time such as 2026-01-31T12:00:00Z.")
	}
	prefix, open := strings.CutSuffix(v.Get("path"), "*")
	l.requests.mu.Lock()
	defer l.requests.mu.Unlock()
	list := l.requests.list[max(0, len(l.requests.list)-maxRequests):]
	return slices.DeleteFunc(append([]Request{}, list...), func(one Request) bool {
		return v.Get("method") != "" && one.Method != v.Get("method") || status != 0 && one.Status != status || one.Time.Before(since) ||
			prefix != "" && one.Path != prefix && (!open || !strings.HasPrefix(one.Path, prefix))
	}), nil
}
