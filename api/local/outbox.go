package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"mediadesk/api/local/store"
)

const (
	postTime    = 30 * time.Second // for the receiver to answer 200
	postMaxAge  = 24 * time.Hour   // then a post is given up
	postsAtOnce = 8
)

// postPause is how long to wait after so many attempts.
func postPause(attempts int) time.Duration {
	pauses := []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour}
	if attempts < 1 {
		attempts = 1
	}
	return pauses[min(attempts, len(pauses))-1]
}

// pauseAfter is postPause; the tests wait less.
var pauseAfter = postPause

// outbox delivers webhook posts (service.md §6). A post is in the records from the
// moment in which its run ended until somebody took it; so it survives a
// restart, and may come twice rather than never.
type outbox struct {
	library *Library
	notice  chan struct{}
	pause   func(attempts int) time.Duration
	slots   chan struct{}

	mu      sync.Mutex
	sending map[int64]bool
	sent    []int64             // posts that are still in sending: what was read of them may be old
	due     map[int64]time.Time // when a post is tried again; one of an earlier process has none, and is tried at once
	latest  int64               // the highest post that was sent
}

func newOutbox(l *Library) *outbox {
	o := &outbox{library: l, notice: make(chan struct{}, 1), pause: pauseAfter, slots: make(chan struct{}, postsAtOnce), sending: map[int64]bool{}, due: map[int64]time.Time{}}
	l.workers.Go(o.work)
	return o
}

func (o *outbox) work() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		next, err := o.sendDue()
		if err != nil && o.library.ctx.Err() == nil {
			o.library.log.Error("webhook posts could not be read", "error", err)
			next = time.Minute
		}
		timer.Reset(next)
		select {
		case <-o.notice:
		case <-timer.C:
		case <-o.library.ctx.Done():
			return
		}
	}
}

// sendDue sets every post going that is due, and returns how long the next
// one has.
func (o *outbox) sendDue() (time.Duration, error) {
	o.mu.Lock()
	for _, id := range o.sent {
		delete(o.sending, id)
	}
	o.sent = nil
	o.mu.Unlock()
	var posts []store.Post
	err := o.library.records.View(o.library.ctx, func(tx store.Tx) error {
		var err error
		posts, err = tx.Posts()
		return err
	})
	if err != nil {
		return 0, err
	}
	now, next := o.library.now(), time.Hour
	for _, p := range posts {
		o.mu.Lock()
		busy, due := o.sending[p.ID], o.due[p.ID]
		o.mu.Unlock()
		if busy {
			continue
		}
		if wait := max(time.Until(due), o.held(&p, now)); wait > 0 {
			next = min(next, wait)
			continue
		}
		select {
		case o.slots <- struct{}{}:
		default:
			return next, nil // whoever ends gives notice
		}
		o.mu.Lock()
		o.sending[p.ID] = true
		o.mu.Unlock()
		o.library.workers.Go(func() {
			o.send(p)
			o.mu.Lock()
			o.sent = append(o.sent, p.ID)
			o.latest = max(o.latest, p.ID)
			o.mu.Unlock()
			<-o.slots
			wake(o.notice)
		})
	}
	return next, nil
}

// send tries a post once and writes down what came of it.
func (o *outbox) send(p store.Post) {
	l := o.library
	var err error
	f := l.o.Fault
	if !f.WebhooksLost || !l.chance.hits(f.WebhooksChance, "lost", p.ID) {
		err = o.post(p)
		if err == nil && f.WebhooksRepeated && l.chance.hits(f.WebhooksChance, "repeated", p.ID) {
			err = o.post(p)
		}
	}
	if l.ctx.Err() != nil {
		return // it is tried again at the next start
	}
	p.Attempts++
	pause := o.pause(p.Attempts)
	p.Next = l.now().Add(pause)
	done := err == nil || p.Next.Sub(p.Created) > postMaxAge
	o.mu.Lock()
	// By the computer's own time, which nobody can set: p.Next is for people.
	if o.due[p.ID] = time.Now().Add(pause); done {
		delete(o.due, p.ID)
	}
	o.mu.Unlock()
	if err != nil {
		// The address is a secret between the two: only its host is told.
		l.log.Warn("webhook post was not taken", "host", hostOf(p.Address), "attempt", p.Attempts, "given up", done, "error", innermost(err))
	}
	err = l.records.Update(l.ctx, func(tx store.Tx) error {
		if done {
			return tx.DeletePost(p.ID)
		}
		return tx.UpdatePost(&p)
	})
	if err != nil {
		l.log.Error("webhook post could not be kept", "post", p.ID, "error", err)
	}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// innermost takes the address off an error of net/http.
func innermost(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

func (o *outbox) post(p store.Post) error {
	ctx, cancel := context.WithTimeout(o.library.ctx, postTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Address, bytes.NewReader(p.Body))
	if err != nil {
		return err
	}
	req.GetBody = nil
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "mediadesk")
	res, err := o.library.guard.posts.Do(req)
	if err != nil {
		return err
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the receiver answered %d, not 200", res.StatusCode)
	}
	return nil
}
