package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// maxHoldDelay is the maximum wait of a call if the service limits the rate. If the service asks
// for a longer wait, the call fails with its answer.
const maxHoldDelay = 2 * time.Minute

// hold delays calls while the service limits their rate, separately for each endpoint, because
// services count them separately. Uploads never wait here: the queue delays them.
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
		delay := time.Until(until)
		if delay <= 0 {
			return nil
		}
		if end, ok := ctx.Deadline(); ok && end.Before(until) {
			return fmt.Errorf("the service accepts this kind of request again in %s", delay.Round(time.Second))
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (h *hold) extend(op string, delay time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if until := time.Now().Add(delay); until.After(h.until[op]) {
		h.until[op] = until
	}
}

const (
	minNoticeDelay = 900 * time.Millisecond
	noticeInterval = 5 * time.Second
)

func (h *hold) noticeDue() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.notified) < noticeInterval {
		return false
	}
	h.notified = time.Now()
	return true
}

func waitNotice(err error, delay time.Duration) string {
	reason := "limits requests"
	if answer, ok := errors.AsType[*ServiceError](err); ok && answer.Status == http.StatusServiceUnavailable {
		reason = "is not available"
	}
	return fmt.Sprintf("the service %s; waiting %.0f s", reason, max(1, delay.Seconds()))
}

// holdRequested returns for how long the service asks, with err, to delay calls of this kind;
// false if the call must not be repeated. The service did nothing if it answered 429, or 503 with
// its own message.
func holdRequested(err error) (time.Duration, bool) {
	answer, ok := errors.AsType[*ServiceError](err)
	switch {
	case ok && answer.Status == http.StatusTooManyRequests && answer.RetryDelay == 0:
		return time.Second, true // the service does not say
	case !ok || answer.RetryDelay == 0:
		return 0, false
	}
	repeat := answer.Status == http.StatusTooManyRequests ||
		answer.Status == http.StatusServiceUnavailable && answer.NotDone()
	return answer.RetryDelay, repeat && answer.RetryDelay <= maxHoldDelay
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
	l.free = slices.MaxFunc([]time.Time{l.free, now}, time.Time.Compare)
	l.free = l.free.Add(time.Duration(float64(n) / float64(l.rate) * float64(time.Second)))
	delay := l.free.Sub(now)
	l.mu.Unlock()
	<-time.After(delay)
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

// Progress counts the bytes of a running upload. It is safe for concurrent use. The zero value is
// ready; functions that take a *Progress accept nil.
type Progress struct {
	total atomic.Int64
	sent  atomic.Int64
	moved atomic.Int64 // time of the last byte, Unix nanoseconds
	hash  atomic.Pointer[string]
}

// Total returns the size of the request body in bytes; 0 if it is not known yet.
func (p *Progress) Total() int64 { return p.total.Load() }

// Sent returns the number of bytes that the connection accepted.
func (p *Progress) Sent() int64 { return p.sent.Load() }

// Complete reports whether the transport read the last byte.
func (p *Progress) Complete() bool { return p.Total() > 0 && p.Sent() >= p.Total() }

// LastMove returns the time when a byte was last sent; zero before the first.
func (p *Progress) LastMove() time.Time {
	n := p.moved.Load()
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

// Hash returns the hash of the sent bytes (see HashContent); empty before all are sent, and for a
// URL.
func (p *Progress) Hash() string {
	if text := p.hash.Load(); text != nil {
		return *text
	}
	return ""
}

func (p *Progress) start(total int64) {
	p.total.Store(total)
	p.sent.Store(0)
	p.moved.Store(0)
	p.hash.Store(nil)
}

func (p *Progress) add(n int) {
	p.sent.Add(int64(n))
	p.moved.Store(time.Now().UnixNano())
}

// watchdog ends a stalled upload. net/http has no such limit: its own starts after the last byte,
// and a limit on the complete request would end large uploads on slow lines.
//
// While the body is sent, bytes must keep moving. After that, the transport's limit on the answer's
// header applies, and then a limit on reading the answer.
type watchdog struct {
	mu           sync.Mutex
	timer        *time.Timer
	stallTimeout time.Duration
	cause        error
	sending      bool // the body is being sent, and no answer has begun
}

type timeoutError string

func (e timeoutError) Error() string { return string(e) }

// Timeout returns true: more time could have helped.
func (timeoutError) Timeout() bool { return true }

// newWatchdog starts the watchdog with the limit for sending. The limit allows for the time to
// connect, which the dialer limits.
func newWatchdog(stallTimeout time.Duration, cancel context.CancelCauseFunc) *watchdog {
	stalled := timeoutError("no byte could be sent for " + stallTimeout.String())
	w := &watchdog{stallTimeout: stallTimeout, sending: true, cause: stalled}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(stallTimeout, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		cancel(w.cause)
	})
	return w
}

func (w *watchdog) moved() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sending {
		w.timer.Reset(w.stallTimeout)
	}
}

// wrote records that the kernel has accepted the complete request, or the transport has it: an
// answer must then begin within the timeout; with 0, the transport has its own limit.
func (w *watchdog) wrote(timeout time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.sending {
		return
	}
	w.sending = false
	if w.timer.Stop(); timeout > 0 {
		w.timer.Reset(timeout)
	}
}

// answered records that an answer has begun, which must end within the timeout.
func (w *watchdog) answered(timeout time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sending = false
	w.cause = timeoutError("the answer was not complete in time")
	w.timer.Reset(timeout)
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sending = false
	w.timer.Stop()
}
