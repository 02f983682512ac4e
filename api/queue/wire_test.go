package queue

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
)

// TestOnTheWire sends a large upload to a service that pauses reading in the middle. It checks the
// snapshot, an interrupted connection, and the next attempt.
func TestOnTheWire(t *testing.T) {
	const size = 40 << 20
	path := filepath.Join(t.TempDir(), "large.bin")
	must(t, os.WriteFile(path, nil, 0o600))
	must(t, os.Truncate(path, size))
	halfway, interrupt, answer := make(chan struct{}), make(chan struct{}), make(chan struct{})
	requests, stored := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		requests++
		if requests == 1 {
			io.CopyN(io.Discard, r.Body, size/4)
			halfway <- struct{}{}
			<-interrupt
			panic(http.ErrAbortHandler) // closes the connection
		}
		if n, err := io.Copy(io.Discard, r.Body); err != nil || n != r.ContentLength {
			t.Errorf("read %d of %d: %v", n, r.ContentLength, err)
		}
		stored++
		halfway <- struct{}{}
		<-answer
		io.WriteString(w, `{"fileId":"f","filePath":"/large.bin"}`)
	}))
	defer server.Close()
	client, err := api.NewClient(api.Options{UploadURL: server.URL, BaseURL: server.URL})
	must(t, err)
	defer client.Close()
	n := newNotes()
	q := start(t, n, client)
	id, err := api.Identify(path)
	must(t, err)
	j := newJob("large.bin", job.NameService)
	j.Upload.Source, j.Identity = api.Source{Path: path}, id
	ids := addAll(t, q, j)

	<-halfway
	if kept := n.job(ids[0]); kept.State != job.Sending || kept.Evidence != job.MaybeStored ||
		kept.Attempts != 1 {
		t.Errorf("the journal has %+v during the attempt", kept)
	}
	row := q.Snapshot().Rows[0]
	if row.Job.State != job.Sending || row.Sent < size/8 || row.Sent >= row.Total || row.Total <= size ||
		row.Answer || row.Stalled {
		t.Errorf("in the middle: %+v", row)
	}
	q.mu.Lock()
	later := q.order[0].row(time.Now().Add(StallTimeout + time.Second))
	q.mu.Unlock()
	if !later.Stalled {
		t.Errorf("after more time without a byte: %+v", later)
	}
	close(interrupt)
	<-halfway
	allOut(q)
	if row := q.Snapshot().Rows[0]; !row.Answer || row.Sent != row.Total || row.Job.State != job.Sending {
		t.Errorf("waiting for the answer: %+v", row)
	}
	close(answer)
	if got := outcome(t, q, ids[0]); got.State != job.Stored || got.Attempts != 2 || stored != 1 {
		t.Errorf("%s after %d attempts, stored %d times", got.State, got.Attempts, stored)
	}
	if s := q.Snapshot(); s.Totals.Sent != size || s.Totals.Total != size || s.Totals.Count[job.Stored] != 1 {
		t.Errorf("totals %+v", s.Totals)
	}
}

// allOut waits until the other side has acknowledged all bytes.
func allOut(q *Queue) {
	for waits := true; waits; {
		q.mu.Lock()
		waits = slices.ContainsFunc(q.order,
			func(e *entry) bool { return e.progress != nil && e.progress.Sent() < e.progress.Total() })
		q.mu.Unlock()
		runtime.Gosched()
	}
}

// TestRateOfSmallFiles: files that end at once have a common rate and time left.
func TestRateOfSmallFiles(t *testing.T) {
	began, answer := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		began <- struct{}{}
		<-answer
		io.WriteString(w, `{"fileId":"f","filePath":"/a.bin"}`)
	}))
	defer server.Close()
	client, err := api.NewClient(api.Options{UploadURL: server.URL, BaseURL: server.URL})
	must(t, err)
	defer client.Close()
	path := filepath.Join(t.TempDir(), "a.bin")
	must(t, os.WriteFile(path, make([]byte, 1000), 0o600))
	id, err := api.Identify(path)
	must(t, err)
	q := start(t, newNotes(), client, oneAtATime)
	var jobs []job.Job
	for range 12 {
		j := newJob("a.bin", job.NameHere)
		j.Upload.Source, j.Identity = api.Source{Path: path}, id
		jobs = append(jobs, j)
	}
	ids := addAll(t, q, jobs...)
	now := time.Now()
	<-began
	allOut(q)
	if s := q.snapshot(now); s.Totals.Rate != 0 {
		t.Errorf("got the rate %f in the first snapshot, want 0", s.Totals.Rate)
	}
	for i := range 2 {
		answer <- struct{}{}
		outcome(t, q, ids[i])
		<-began
	}
	allOut(q)
	s := q.snapshot(now.Add(time.Second))
	if sent := float64(2 * s.Rows[2].Total); s.Totals.Rate != sent || s.Totals.Left <= 0 {
		t.Errorf("%f, not %f a second, and %s left", s.Totals.Rate, sent, s.Totals.Left)
	}
	for _, id := range ids[3:] {
		must(t, q.Cancel(id))
	}
	close(answer)
	_, err = q.Wait(t.Context(), ids)
	must(t, err)
	if s := q.snapshot(now.Add(2 * time.Second)); s.Totals.Rate != 0 || s.Totals.Left != 0 {
		t.Errorf("at the end: %+v", s.Totals)
	}
}
