package api

import (
	"context"
	"errors"
	"fmt"
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
