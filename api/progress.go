package api

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Progress counts the bytes of a running upload. It is safe for concurrent use. The zero value is
// ready; functions that take a *Progress accept nil.
type Progress struct {
	total    atomic.Int64
	sent     atomic.Int64
	moved    atomic.Int64 // time of the last byte, Unix nanoseconds
	complete atomic.Bool
	hash     atomic.Pointer[string]
}

// Total returns the size of the request body in bytes; 0 if it is not known yet.
func (p *Progress) Total() int64 { return p.total.Load() }

// Sent returns the number of bytes that the connection accepted.
func (p *Progress) Sent() int64 { return p.sent.Load() }

// Complete reports whether the transport read the last byte.
func (p *Progress) Complete() bool { return p.complete.Load() }

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
	p.complete.Store(false)
	p.hash.Store(nil)
}

// reset discards the count because the bytes were not sent.
func (p *Progress) reset() {
	p.sent.Store(0)
	p.complete.Store(false)
}

func (p *Progress) add(n int) {
	sent := p.sent.Add(int64(n))
	p.moved.Store(time.Now().UnixNano())
	if sent >= p.total.Load() {
		p.complete.Store(true)
	}
}

// watchdog ends a stalled upload. net/http has no such limit: its own starts after the last byte,
// and a limit on the complete request would end large uploads on slow lines.
//
// While the body is sent, bytes must keep moving. After that, the transport's limit on the answer's
// header applies, and then a limit on reading the answer.
type watchdog struct {
	mu      sync.Mutex
	timer   *time.Timer
	stall   time.Duration
	cause   error
	sending bool // the body is being sent, and no answer has begun
}

type timeoutError string

func (e timeoutError) Error() string { return string(e) }

// Timeout returns true: more time could have helped.
func (timeoutError) Timeout() bool { return true }

// newWatchdog starts the watchdog with the limit for sending. The limit allows for the time to
// connect, which the dialer limits.
func newWatchdog(stall time.Duration, cancel context.CancelCauseFunc) *watchdog {
	w := &watchdog{stall: stall, sending: true, cause: timeoutError("no byte could be sent for " + stall.String())}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(stall, func() {
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
		w.timer.Reset(w.stall)
	}
}

// wrote records that the kernel has accepted the complete request, or the transport has it: an
// answer must then begin within limit; with 0, the transport has its own limit.
func (w *watchdog) wrote(limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.sending {
		return
	}
	w.sending = false
	if w.timer.Stop(); limit > 0 {
		w.timer.Reset(limit)
	}
}

// answered records that an answer has begun, which must end within limit.
func (w *watchdog) answered(limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sending = false
	w.cause = timeoutError("the answer was not complete in time")
	w.timer.Reset(limit)
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sending = false
	w.timer.Stop()
}
