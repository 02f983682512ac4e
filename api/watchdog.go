package api

import (
	"context"
	"sync"
	"time"
)

// watchdog ends a stalled upload. net/http has no such limit: its own starts after the last byte, and
// a limit on the complete request would end large uploads on slow lines.
//
// While the body is sent, bytes must keep moving. After that, the transport's limit on the answer's
// header applies, and then a limit on reading the answer.
type watchdog struct {
	mu      sync.Mutex
	timer   *time.Timer
	stall   time.Duration
	cause   error
	sent    int64 // bytes sent when the limit last expired
	sending bool  // the body is being sent, and no answer has begun
}

// timeoutError is the error of a stalled request.
type timeoutError string

func (e timeoutError) Error() string { return string(e) }

// Timeout returns true: more time could have helped.
func (timeoutError) Timeout() bool { return true }

// newWatchdog starts the watchdog with the limit for sending. The limit allows for the time to
// connect, which the dialer limits. sent returns the number of bytes sent.
func newWatchdog(stall time.Duration, sent func() int64, cancel context.CancelCauseFunc) *watchdog {
	w := &watchdog{stall: stall, sending: true, cause: timeoutError("no byte could be sent for " + stall.String())}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(stall, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		// The kernel may still be sending data that it accepted long ago.
		if now := sent(); now > w.sent && w.sending {
			w.sent = now
			w.timer.Reset(w.stall)
			return
		}
		cancel(w.cause)
	})
	return w
}

// moved records that the transport read a byte.
func (w *watchdog) moved() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sending {
		w.timer.Reset(w.stall)
	}
}

// wrote records that the kernel has accepted the complete request.
func (w *watchdog) wrote() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sending {
		w.sending = false
		w.timer.Stop()
	}
}

// bodySent records that the transport has the complete request, but may not have written it: an answer
// must begin within limit.
func (w *watchdog) bodySent(limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sending {
		w.sending = false
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

// stop stops the watchdog.
func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sending = false
	w.timer.Stop()
}
