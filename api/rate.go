package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// longestHold is the maximum wait of a call if the service limits the rate. If the service asks
// for a longer wait, the call fails with its answer.
const longestHold = 2 * time.Minute

// hold delays calls while the service limits their rate, separately for each endpoint, because
// services count them separately. Uploads never wait here: the queue delays them. The zero value is
// ready.
type hold struct {
	mu       sync.Mutex
	until    map[string]time.Time
	notified time.Time // last notice of a wait
}

// wait waits until calls of a kind may be sent. It fails when ctx ends, and at once if the deadline
// comes first.
func (h *hold) wait(ctx context.Context, op string) error {
	for {
		h.mu.Lock()
		until := h.until[op]
		h.mu.Unlock()
		rest := time.Until(until)
		if rest <= 0 {
			return nil
		}
		if end, ok := ctx.Deadline(); ok && end.Before(until) {
			return fmt.Errorf("the service accepts this kind of request again in %s", rest.Round(time.Second))
		}
		timer := time.NewTimer(rest)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

func (h *hold) extend(op string, wait time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.until == nil {
		h.until = map[string]time.Time{}
	}
	if until := time.Now().Add(wait); until.After(h.until[op]) {
		h.until[op] = until
	}
}

const (
	noticeable = 900 * time.Millisecond
	tellEvery  = 5 * time.Second
)

func (h *hold) tells() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.notified) < tellEvery {
		return false
	}
	h.notified = time.Now()
	return true
}

func waitNotice(err error, wait time.Duration) string {
	reason := "limits requests"
	var answer *ServiceError
	if errors.As(err, &answer) && answer.Status == http.StatusServiceUnavailable {
		reason = "is not available"
	}
	return fmt.Sprintf("the service %s; waiting %.0f s", reason, max(1, wait.Seconds()))
}

// holdRequested returns for how long the service asks, with err, to delay calls of this kind;
// false if the call must not be repeated. The service did nothing if it answered 429, or 503 with
// its own message.
func holdRequested(err error) (time.Duration, bool) {
	var answer *ServiceError
	switch {
	case !errors.As(err, &answer):
		return 0, false
	case answer.Status == http.StatusTooManyRequests && answer.Wait == 0:
		return time.Second, true // the service does not say
	case answer.Wait == 0:
		return 0, false
	}
	asks := answer.Status == http.StatusTooManyRequests ||
		answer.Status == http.StatusServiceUnavailable && answer.NotDone()
	return answer.Wait, asks && answer.Wait <= longestHold
}

type bandwidth struct {
	rate int64
	mu   sync.Mutex
	free time.Time // when the bytes so far have had their time
}

// chunk returns how many bytes are sent or received at a time: those of a twentieth of a second.
func (l *bandwidth) chunk() int { return int(max(1, min(l.rate/20, 32<<10))) }

func (l *bandwidth) spend(n int) {
	l.mu.Lock()
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / float64(l.rate) * float64(time.Second)))
	wait := l.free.Sub(now)
	l.mu.Unlock()
	<-time.After(wait)
}

type limitedConn struct {
	net.Conn
	limit *bandwidth
}

func (c limitedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p[:min(len(p), c.limit.chunk())])
	c.limit.spend(n)
	return n, err
}

func (c limitedConn) Write(p []byte) (written int, err error) {
	for written < len(p) && err == nil {
		end := min(len(p), written+c.limit.chunk())
		var n int
		n, err = c.Conn.Write(p[written:end])
		written += n
		c.limit.spend(n)
	}
	return written, err
}
