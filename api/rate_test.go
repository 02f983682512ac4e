package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api"
)

// limited is a service that limits the calls of an endpoint in a time window, as hosted services do.
type limited struct {
	allowed int
	window  time.Duration

	mu      sync.Mutex
	began   map[string]time.Time
	n       map[string]int
	refused int
}

func (l *limited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Sub(l.began[r.Method]) > l.window {
		l.began[r.Method], l.n[r.Method] = now, 0
	}
	if l.n[r.Method]++; l.n[r.Method] > l.allowed {
		l.refused++
		w.Header().Set("X-Ratelimit-Reset",
			fmt.Sprint(1+(l.window-now.Sub(l.began[r.Method])).Milliseconds()))
		http.Error(w, `{"message":"slow down"}`, http.StatusTooManyRequests)
		return
	}
	io.WriteString(w, `{"fileId":"1"}`)
}

// TestCallsWaitAsTheServiceAsks: bulk calls of several workers all succeed at a service that limits
// them, and not every worker runs into the limit.
func TestCallsWaitAsTheServiceAsks(t *testing.T) {
	t.Parallel()
	l := &limited{
		allowed: 5, window: 100 * time.Millisecond, began: map[string]time.Time{}, n: map[string]int{},
	}
	c := answering(t, l.ServeHTTP)
	const calls, workers = 30, 6
	var failed atomic.Int64
	var work sync.WaitGroup
	next := make(chan int, calls)
	for i := range calls {
		next <- i
	}
	close(next)
	for range workers {
		work.Go(func() {
			for range next {
				_, err := c.Record(t.Context(),
					api.ChangeDetails("1", api.Details{Tags: api.Set([]string{"a"})}))
				if err != nil {
					failed.Add(1)
				}
			}
		})
	}
	work.Wait()
	if failed.Load() > 0 || l.refused > calls/5*workers || l.refused == 0 {
		t.Errorf("%d of %d failed, %d refusals", failed.Load(), calls, l.refused)
	}
}

// TestWaitingIsTold: a caller learns that calls wait, once for all waiting calls.
func TestWaitingIsTold(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			w.Header().Set("X-Ratelimit-Reset", "1000")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		io.WriteString(w, `{"fileId":"1"}`)
	}))
	defer server.Close()
	notified := make(chan string, 10)
	c, err := api.NewClient(api.Options{
		UploadURL: server.URL, BaseURL: server.URL, Waiting: func(notice string) { notified <- notice },
	})
	must(t, err)
	defer c.Close()
	_, err = c.Record(t.Context(), api.ChangeDetails("1", api.Details{Tags: api.Set([]string{"a"})}))
	must(t, err)
	if notice := <-notified; notice != "the service limits requests; waiting 1 s" || len(notified) > 0 {
		t.Errorf("got %q, and %d more notices", notice, len(notified))
	}
}

// TestOthersDoNotWait: other calls, such as uploads, do not wait for a limited endpoint. A waiting call
// can be canceled.
func TestOthersDoNotWait(t *testing.T) {
	refused := make(chan struct{}, 10)
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodPatch {
			w.Header().Set("Retry-After", "60")
			http.Error(w, `{"message":"slow down"}`, http.StatusTooManyRequests)
			refused <- struct{}{}
			return
		}
		io.WriteString(w, `{"fileId":"1"}`)
	})
	update := func(ctx context.Context) error {
		_, err := c.Record(ctx, api.ChangeDetails("1", api.Details{Tags: api.Set([]string{"a"})}))
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- update(ctx) }()
	<-refused
	if _, err := c.Details(t.Context(), "1"); err != nil {
		t.Error(err)
	}
	if _, err := c.Upload(t.Context(), upload(writeFile(t, "a", []byte("x"))), nil); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// A call does not wait beyond its deadline, or longer than a user would.
	short, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_ = update(short) // the canceled call may have ended before it read the limit
	for len(refused) > 0 {
		<-refused
	}
	if err := update(short); err == nil || !strings.Contains(err.Error(), "this kind of request again in") ||
		len(refused) > 0 {
		t.Error(err)
	}
}

// TestWhatIsNotWaitedFor: a wait that is too long, and a refusal that is not a limit, are reported at once.
func TestWhatIsNotWaitedFor(t *testing.T) {
	for status, header := range map[int]string{429: "600", 503: "", 500: "1", 401: "1"} {
		calls := 0
		c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			calls++
			w.Header().Set("Retry-After", header)
			http.Error(w, `{"message":"no"}`, status)
		})
		_, err := c.Details(t.Context(), "1")
		var answer *api.ServiceError
		if !errors.As(err, &answer) || answer.Status != status || calls != 1 {
			t.Errorf("%d: %v after %d calls", status, err, calls)
		}
	}
}
