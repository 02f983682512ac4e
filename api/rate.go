package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// longestHold is how long a call waits for a service that wants fewer requests.
// When it asks for more, the call fails with its answer.
const longestHold = 2 * time.Minute

// hold keeps calls back while the service wants no more of their kind: one gate
// for each endpoint, since services count them apart. Uploads have their own, in
// the queue, and never wait here. The zero hold is ready.
type hold struct {
	mu    sync.Mutex
	until map[string]time.Time
	told  time.Time // time of the last notice of a wait
}

// wait waits until calls of a kind may go. It fails when ctx ends, and at once if
// that comes before.
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
			return fmt.Errorf("the service wants no such request for %s", rest.Round(time.Second))
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

// extend keeps calls of a kind back for at least so long.
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

// A wait is worth a word if a call takes so long by it, and again after tellEvery.
const (
	noticed   = 900 * time.Millisecond
	tellEvery = 5 * time.Second
)

// tells reports whether to give notice of a wait now.
func (h *hold) tells() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.told) < tellEvery {
		return false
	}
	h.told = time.Now()
	return true
}

// holdAsked is for how long the service asks, with err, for no call of this kind;
// false if the call is not to be made again. After 429 nothing was done, nor after
// 503 in the service's own words.
func holdAsked(err error) (time.Duration, bool) {
	var answer *ServiceError
	switch {
	case !errors.As(err, &answer):
		return 0, false
	case answer.Status == http.StatusTooManyRequests && answer.Wait == 0:
		return time.Second, true // it does not say
	case answer.Wait == 0:
		return 0, false
	}
	asks := answer.Status == http.StatusTooManyRequests || answer.Status == http.StatusServiceUnavailable && answer.NotDone()
	return answer.Wait, asks && answer.Wait <= longestHold
}
