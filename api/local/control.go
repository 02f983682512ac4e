package local

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mediadesk/api/local/run"
	"mediadesk/api/local/store"
)

// controlPath begins the paths of the program, which have no injected faults and are not logged.
const (
	controlPath = "/_mediadesk/"
	healthPath  = controlPath + "health"
	openAPIPath = controlPath + "openapi.json"
)

func isControl(path string) bool { return strings.HasPrefix(path+"/", controlPath) }

var noKey = map[string]bool{identityPath: true, healthPath: true, openAPIPath: true}

type identity struct {
	Service  string `json:"service"`
	Identity string `json:"identity"`
	Faults   string `json:"faults"` // in the format of Fault.String
}

func (l *Library) health(r *http.Request) (any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), 3*time.Second)
	defer cancel()
	_, err := store.View(ctx, l.records, func(tx store.Tx) (bool, error) { return tx.Library.Empty() })
	part := "database"
	if err == nil {
		part, err = "storage", l.contents.Answers(ctx)
	}
	if err != nil {
		l.log.Error("the health check failed", "part", part, "error", err)
		return nil, refuse(http.StatusServiceUnavailable, "The "+part+" of the library does not answer.", "The log of mediadesk serve has the reason.").because(part)
	}
	return map[string]string{"status": "ok", "version": l.o.Version}, nil
}

// reset empties the library and loads the seed that is named, else that of the start, or none.
func (l *Library) reset(r *http.Request) (any, error) {
	if !l.o.AllowReset {
		return nil, refuse(http.StatusForbidden, "This library cannot be reset.", "Start mediadesk serve with --ephemeral or --allow-reset.")
	}
	var name string
	if _, err := readBody(r, &name); err != nil {
		return nil, err
	}
	name = cmp.Or(name, r.URL.Query().Get("seed"))
	if _, ok := l.o.Seeds[name]; !ok && name != "" && name != "none" {
		return nil, refuse(http.StatusNotFound, "There is no seed "+quote(name)+".", "The seeds are the folders of --seed, by name.")
	}
	if err := l.Reset(r.Context(), name); err != nil {
		return nil, err
	}
	l.requests.set(nil)
	return nil, nil
}

// Reset empties the library and loads the seed of that name, if there is one. It sends no events.
func (l *Library) Reset(ctx context.Context, seed string) error {
	err := l.records.Records.Update(ctx, func(tx store.Tx) error {
		if err := tx.Library.Clear(); err != nil {
			return err
		}
		return tx.Library.Restore(l.o.Seeds[seed])
	})
	if err != nil {
		return err
	}
	l.work.CancelAll()
	run.Wake(l.records.Written) // contents are to be removed
	return nil
}

// State returns what a reset can bring back.
func (l *Library) State(ctx context.Context) (store.State, error) {
	return store.View(ctx, l.records, func(tx store.Tx) (store.State, error) { return tx.Library.State() })
}

// Request describes an answered request. Signatures, and a key of at least secretLength characters,
// are masked or left out.
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
}

// sentKey is the context key of what a request sent, a *Request that readForm and readBody fill in.
type sentKey struct{}

// secretLength is the length from which a key is masked: a shorter one may be part of a word.
const secretLength = 8

// locked is a list for several goroutines, such as of the last requests, oldest first.
type locked[T any] struct {
	mu   sync.Mutex
	list []T
}

func (r *locked[T]) all() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]T{}, r.list...)
}

func (r *locked[T]) set(list []T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = list
}

// observe records a request that came at start. It is deferred, since a lost answer panics.
func (l *Library) observe(r *http.Request, w *timedWriter, start time.Time) {
	if isControl(path.Clean("/" + r.URL.Path)) {
		return
	}
	if !isAPI(path.Clean("/" + r.URL.Path)) {
		l.traffic.mu.Lock()
		l.traffic.bytes[start.UTC().Format(time.DateOnly)] += w.size
		l.traffic.mu.Unlock()
	}
	masked := func(text string) string {
		if key := l.o.Key.Reveal(); len(key) >= secretLength {
			return strings.ReplaceAll(text, key, "***")
		}
		return text
	}
	query := r.URL.Query()
	for name, values := range query {
		for i := range values {
			values[i] = masked(values[i])
			if name == "ik-s" {
				values[i] = "***"
			}
		}
	}
	sent := r.Context().Value(sentKey{}).(*Request)
	for name, value := range sent.Fields {
		sent.Fields[name] = masked(value)
	}
	request := Request{
		Fields: sent.Fields, Body: json.RawMessage(masked(string(sent.Body))),
		Time: start.UTC(), Method: r.Method, Path: masked(r.URL.Path), Status: w.status,
		Millis: float64(time.Since(start).Microseconds()) / 1000, Size: w.size,
		ID: w.Header().Get(requestIDHeader), Query: query.Encode(),
	}
	l.requests.mu.Lock()
	l.requests.list = append(l.requests.list[max(0, len(l.requests.list)+1-1000):], request)
	l.requests.mu.Unlock()
	if l.o.Observe != nil {
		l.o.Observe(request)
	}
}

func (l *Library) listRequests(r *http.Request) (any, error) {
	v, err := parameters(r)
	if err != nil {
		return nil, err
	}
	status, err := strconv.Atoi(cmp.Or(v.Get("status"), "0"))
	since, wrong := time.Parse(time.RFC3339, cmp.Or(v.Get("since"), "0001-01-01T00:00:00Z"))
	if err != nil || wrong != nil {
		return nil, badRequest("Your request contains invalid status or since parameter.", "status is a number such as 200, since a time such as 2026-01-31T12:00:00Z.")
	}
	prefix, open := strings.CutSuffix(v.Get("path"), "*")
	return slices.DeleteFunc(l.requests.all(), func(sent Request) bool {
		return v.Get("method") != "" && sent.Method != v.Get("method") ||
			status != 0 && sent.Status != status || sent.Time.Before(since) ||
			prefix != "" && sent.Path != prefix && (!open || !strings.HasPrefix(sent.Path, prefix))
	}), nil
}
