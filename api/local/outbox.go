package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"mediadesk/api/local/store"
)

const (
	postTime    = 30 * time.Second // for the receiver to answer 200
	maxPosts    = 18               // attempts, spread over a day by postPause, before a post is dropped
	postsAtOnce = 8

	maxRecordPause = time.Minute // between attempts to record what became of a post
)

// postPause returns the wait after a number of attempts.
func postPause(attempts int) time.Duration {
	pauses := []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour}
	return pauses[min(max(attempts, 1), len(pauses))-1]
}

// pauseAfter is postPause; tests wait less.
var pauseAfter = postPause

// outbox delivers webhook posts (service.md §6). A post stays in the records until the receiver
// accepts it, so it survives a restart and is delivered at least once.
type outbox struct {
	library  *Library
	notice   chan struct{}
	pause    func(attempts int) time.Duration
	slots    chan struct{} // one for each post under way
	finished chan attempt

	// Used by work only.
	sending map[int64]bool
	due     map[int64]time.Time // time of the next attempt; posts of an earlier process have none and are sent at once
	latest  int64               // highest id of a sent post
}

// attempt is the result of one attempt to send a post.
type attempt struct {
	post int64
	due  time.Time // of the next attempt; zero if there is none
}

func newOutbox(l *Library) *outbox {
	o := &outbox{
		library: l, notice: make(chan struct{}, 1), pause: pauseAfter,
		slots: make(chan struct{}, postsAtOnce), finished: make(chan attempt, postsAtOnce),
		sending: map[int64]bool{}, due: map[int64]time.Time{},
	}
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
		case a := <-o.finished:
			delete(o.sending, a.post)
			o.latest = max(o.latest, a.post)
			if o.due[a.post] = a.due; a.due.IsZero() {
				delete(o.due, a.post)
			}
		case <-o.library.ctx.Done():
			return
		}
	}
}

// sendDue starts sending the posts that are due and returns the time until the next one.
func (o *outbox) sendDue() (time.Duration, error) {
	posts, err := store.View(o.library.ctx, o.library.records, func(tx store.Tx) ([]store.Post, error) {
		return store.All[store.Post](tx, store.Filter{"owner": o.library.identity})
	})
	if err != nil {
		return 0, err
	}
	now, next := o.library.now(), time.Hour
	for _, p := range posts {
		if o.sending[p.ID] {
			continue
		}
		if wait := max(time.Until(o.due[p.ID]), o.held(&p, now)); wait > 0 {
			next = min(next, wait)
			continue
		}
		select {
		case o.slots <- struct{}{}:
		default:
			return next, nil // the end of a post wakes work again
		}
		o.sending[p.ID] = true
		o.library.workers.Go(func() {
			due := o.send(p)
			<-o.slots
			select {
			case o.finished <- attempt{p.ID, due}:
			case <-o.library.ctx.Done():
			}
		})
	}
	return next, nil
}

// send sends a post once, records the result and returns the time of the next attempt. A result that
// cannot be recorded is recorded later, so that a delivered post is not sent again.
func (o *outbox) send(p store.Post) (due time.Time) {
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
		return due // sent again at the next start
	}
	p.Attempts++
	pause := o.pause(p.Attempts)
	p.Next = l.now().Add(pause) // to show; the clock may be set
	done := err == nil || p.Attempts >= maxPosts
	if !done {
		due = time.Now().Add(pause)
	}
	if err != nil {
		// The address is a secret, so the log has its host only.
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err
		}
		host := ""
		if u, err := url.Parse(p.Address); err == nil {
			host = u.Host
		}
		l.log.Warn("webhook post failed", "host", host, "attempt", p.Attempts, "dropped", done, "error", err)
	}
	for failures := 1; ; failures++ {
		err = l.records.Update(l.ctx, func(tx store.Tx) error {
			if done {
				return tx.Remove(&store.Post{ID: p.ID})
			}
			return tx.Save(&p)
		})
		if err == nil || l.ctx.Err() != nil {
			return due
		}
		l.log.Error("webhook post could not be recorded", "post", p.ID, "error", err)
		select {
		case <-time.After(min(o.pause(failures), maxRecordPause)):
		case <-l.ctx.Done():
		}
	}
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
	// Lets a receiver recognize a repeated post.
	req.Header.Set("Webhook-Id", strconv.FormatInt(p.ID, 10))
	if p.Address == o.library.o.Webhook {
		o.library.signPost(req, p.Body, o.library.now())
	}
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
