package queue_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/api/queue"
)

// weather is a service that dies, restarts, limits and stalls.
type weather struct {
	t       *testing.T
	dir     string
	address string

	mu      sync.Mutex
	server  *http.Server
	library *local.Library
	phase   string
	since   time.Time
	changed chan struct{} // closed when the phase ends

	answered atomic.Int64 // uploads that were answered as stored
	calls    atomic.Int64
}

func newWeather(t *testing.T) *weather {
	w := &weather{t: t, dir: filepath.Join(t.TempDir(), "library"), address: "127.0.0.1:0", changed: make(chan struct{})}
	w.startPhase("well")
	t.Cleanup(func() { w.startPhase("dead") })
	return w
}

// startPhase starts a phase. "dead" stops the service and closes its connections. Any other phase starts
// the service if it is dead.
func (w *weather) startPhase(phase string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.phase, w.since = phase, time.Now()
	close(w.changed)
	w.changed = make(chan struct{})
	switch {
	case phase == "dead" && w.server != nil:
		w.server.Close()
		w.library.Close()
		w.server = nil
	case phase != "dead" && w.server == nil:
		listener, err := net.Listen("tcp", w.address)
		if err != nil {
			w.t.Error(err)
			return
		}
		w.address = listener.Addr().String()
		if w.library, err = local.Open(context.Background(), local.Options{Dir: w.dir, Key: testKey, Address: "http://" + w.address}); err != nil {
			w.t.Error(err)
			return
		}
		w.server = &http.Server{Handler: w.handler(w.library)}
		go w.server.Serve(listener)
	}
}

func (w *weather) now() (phase string, since time.Time, changed chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.phase, w.since, w.changed
}

// handler answers uploads as the phase requires, and passes all other requests on.
func (w *weather) handler(library http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			library.ServeHTTP(out, r)
			return
		}
		switch phase, _, changed := w.now(); {
		case phase == "limits" && w.calls.Add(1)%5 > 0:
			io.Copy(io.Discard, r.Body)
			out.Header().Set("X-RateLimit-Reset", "100")
			out.WriteHeader(http.StatusTooManyRequests)
			io.WriteString(out, `{"message":"slow down"}`)
			return
		case phase == "stalls":
			select {
			case <-changed:
			case <-r.Context().Done():
			}
			panic(http.ErrAbortHandler)
		}
		library.ServeHTTP(&countingWriter{out, w}, r)
	})
}

// countingWriter counts uploads when they are answered as stored, before the client gets the answer.
type countingWriter struct {
	http.ResponseWriter
	w *weather
}

func (t *countingWriter) WriteHeader(status int) {
	if status == http.StatusOK {
		t.w.answered.Add(1)
	}
	t.ResponseWriter.WriteHeader(status)
}

func (t *countingWriter) Write(p []byte) (int, error) { return t.ResponseWriter.Write(p) }

func (t *countingWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// TestOutages sends many files to a service that dies, limits, stalls and restarts. It records what
// the screen would show and compares that with the facts. MEDIADESK_LONG=1 sends 2,000 files, and the
// service is dead for 10 minutes once.
func TestOutages(t *testing.T) {
	n, most, longest := 200, 400*time.Millisecond, 2*time.Second
	look, notice := 50*time.Millisecond, time.Minute // a busy machine needs time
	if long {
		n, most, longest, look, notice = 2000, 8*time.Second, 10*time.Minute, time.Second, 4*time.Second
	}
	w := newWeather(t)
	jobs, err := jobsOf(numbered(t, n), "/outages/", n, api.NameHere)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.CreateTemp(t.TempDir(), "screen")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	q := work(t, queue.Options{Journal: openJournal(t), Sender: clientOf(t, "http://"+w.address, "outages"), Profile: "home"})
	added, err := q.Add(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}

	over := make(chan struct{})
	var wrong, seen atomic.Int64
	var all sync.WaitGroup
	all.Go(func() { // records what the screen shows
		ticker := time.NewTicker(look)
		defer ticker.Stop()
		for {
			select {
			case <-over:
				return
			case <-ticker.C:
			}
			s := q.Snapshot()
			phase, since, _ := w.now()
			totals, told := s.Totals, ""
			switch {
			case int64(totals.Stored) > w.answered.Load():
				told = "more is stored than was answered"
			case totals.Refused+totals.Unsent+totals.Unknown+totals.Cancelled+totals.Processing > 0:
				told = "an upload has a wrong outcome"
			case totals.Stored+totals.Waiting+totals.Offline+totals.Sending != n:
				told = "the totals are not of all uploads"
			case phase == "dead" && time.Since(since) > notice && (s.Offline.Since.IsZero() || totals.Rate > 0):
				told = "the service is dead, and nothing says so"
			}
			fmt.Fprintf(log, "%s %s: %+v, offline %+v %s\n", time.Now().Format(time.TimeOnly), phase, totals, s.Offline, told)
			if told != "" {
				wrong.Add(1)
				t.Errorf("%s: %+v, offline since %s, in %s since %s", told, totals, s.Offline.Since, phase, since)
			}
		}
	})
	all.Go(func() { // changes the weather: each phase begins when more files are stored
		random := rand.New(rand.NewPCG(3, 3))
		phases := []string{"limits", "dead", "limits", "dead", "stalls", "dead", "stalls", "dead"}
		ticker := time.NewTicker(look / 10)
		defer ticker.Stop()
		for i, phase := range phases {
			w.startPhase("well")
			for w.answered.Load() < int64(n*(i+1)/(len(phases)+1)) {
				select {
				case <-over:
					return
				case <-ticker.C:
				}
			}
			w.startPhase(phase)
			last := time.Duration(random.Int64N(int64(most)))
			if i == 3 {
				last = longest
			}
			select {
			case <-over:
				return
			case <-time.After(last):
			}
			seen.Add(1)
		}
		w.startPhase("well")
	})
	jobs, err = q.Wait(context.Background(), idsOf(added))
	close(over)
	all.Wait()
	if err != nil {
		t.Fatal(err)
	}
	w.startPhase("dead")
	server, err := local.Serve(context.Background(), w.address, local.Options{Dir: w.dir, Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	got := compare(jobs, countFiles(t, server, "/outages/"))
	unknown := 0
	for _, j := range jobs {
		if j.File == nil {
			unknown++
		}
	}
	t.Logf("%d phases, %d uploads: %d duplicates, %d missing, %d wrongly reported, %d without a record, %d wrong messages; %v; the screen is in %s",
		seen.Load(), n, got.duplicates, got.missing, got.wrong, unknown, wrong.Load(), got.states, log.Name())
	if seen.Load() < 8 {
		t.Errorf("all files were sent before phase %d of 8 had ended", seen.Load()+1)
	}
	if got.duplicates+got.missing+got.wrong+unknown > 0 || got.states[api.Stored] != n {
		t.Errorf("%+v", got)
	}
}
