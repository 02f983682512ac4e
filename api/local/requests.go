package local

import (
	"net/http"
	"path"
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

	Query string `json:"-"` // without signatures
	Agent string `json:"-"` // the User-Agent header
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
	request := Request{
		Time: start.UTC(), Method: r.Method, Path: masked(r.URL.Path), Status: w.status,
		Millis: float64(time.Since(start).Microseconds()) / 1000, Size: w.size, ID: w.Header().Get(requestIDHeader),
		Query: masked(query.Encode()), Agent: masked(r.UserAgent()),
	}
	l.requests.add(request)
	if l.o.Observe != nil {
		l.o.Observe(request)
	}
}
