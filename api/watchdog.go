package api

import (
	"context"
	"sync"
	"time"
)

// watchdog ends an upload that no longer moves. net/http has no such limit: its
// own begins after the last byte, and a limit on the whole request would end
// large uploads on slow lines.
//
// While the body goes out it
// wants a byte now and then; once the request is handed over the transport's
// own limit on the answer's header holds; while the answer is read it has a
// limit as a whole.
type watchdog struct {
	mu      sync.Mutex
	timer   *time.Timer
	stall   time.Duration
	cause   error
	sent    int64 // bytes, when the limit was last over
	sending bool  // the body is going out and no answer came yet
}

// timeoutError is the end of a request that no longer moved.
type timeoutError string

func (e timeoutError) Error() string { return string(e) }

// Timeout tells SendError that more time could have helped.
func (timeoutError) Timeout() bool { return true }

// newWatchdog starts with the limit for sending: it allows for the time in
// which the connection is made, which the dialer limits. sent tells how many bytes
// went out.
func newWatchdog(stall time.Duration, sent func() int64, cancel context.CancelCauseFunc) *watchdog {
	w := &watchdog{stall: stall, sending: true, cause: timeoutError("no byte could be sent for " + stall.String())}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(stall, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		// The kernel may still send what it took long ago.
		if now := sent(); now > w.sent && w.sending {
			w.sent = now
			w.timer.Reset(w.stall)
			return
		}
		cancel(w.cause)
	})
	return w
}

// moved says that the transport took a byte.
func (w *watchdog) moved() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sending {
		w.timer.Reset(w.stall)
	}
}

// wrote says that the whole request is in the hands of the kernel.
func (w *watchdog) wrote() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sending {
		w.sending = false
		w.timer.Stop()
	}
}

// bodySent says that the transport has the whole request but need not have
// written it: it has limit until an answer begins.
func (w *watchdog) bodySent(limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sending {
		w.sending = false
		w.timer.Reset(limit)
	}
}

// answered says that an answer has begun, which has limit to come to its end.
func (w *watchdog) answered(limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sending = false
	w.cause = timeoutError("the answer was not complete in time")
	w.timer.Reset(limit)
}

// stop ends the watch.
func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sending = false
	w.timer.Stop()
}
