package run

import (
	"context"
	"errors"
	"net/url"
	"time"

	"mediadesk/api/local/store"
)

const (
	postTimeout = 30 * time.Second // for the receiver to answer 200
	maxPosts    = 18               // attempts, spread over a day by RetryDelay, before a post is dropped
	postsAtOnce = 8

	maxRecordDelay = time.Minute // between attempts to record what became of a post
)

// RetryDelay returns the delay after a number of attempts to send a post.
func RetryDelay(attempts int) time.Duration {
	delays := []time.Duration{
		5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute,
		30 * time.Minute, time.Hour, 2 * time.Hour,
	}
	return delays[min(max(attempts, 1), len(delays))-1]
}

// outbox delivers webhook posts (service.md §6). A post stays in the records until the receiver
// accepts it, so it survives a restart and is delivered at least once.
type outbox struct {
	added    chan struct{}
	slots    chan struct{}  // one for each post under way
	finished chan int64     // ids of posts whose attempt has ended
	sending  map[int64]bool // used by sendPosts only
}

// PostsAdded makes the outbox check for posts that are due.
func (w *Work) PostsAdded() { Wake(w.outbox.added) }

func (w *Work) sendPosts() {
	o := &w.outbox
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		delay, err := w.sendDue()
		if err != nil {
			w.Report("webhook posts could not be read", err)
			delay = time.Minute
		}
		timer.Reset(delay)
		select {
		case <-o.added:
		case <-timer.C:
		case post := <-o.finished:
			delete(o.sending, post)
		case <-w.ctx.Done():
			return
		}
	}
}

// sendDue starts sending the posts that are due and returns the time until the next one. Of a long
// list it reads as many as can be sent, besides those under way.
func (w *Work) sendDue() (time.Duration, error) {
	o := &w.outbox
	posts, err := store.View(w.ctx, w.o.Records, func(tx store.Tx) ([]store.Post, error) {
		return tx.Instances.Posts(w.o.Instance, len(o.sending)+postsAtOnce)
	})
	if err != nil {
		return 0, err
	}
	delay := time.Hour
	for _, p := range posts {
		if o.sending[p.ID] {
			continue
		}
		if until := p.Next.Sub(w.o.Now()); until > 0 {
			delay = min(delay, until)
			continue
		}
		select {
		case o.slots <- struct{}{}:
		default:
			return delay, nil // the end of a post wakes sendPosts again
		}
		o.sending[p.ID] = true
		w.workers.Go(func() {
			w.send(p)
			<-o.slots
			select {
			case o.finished <- p.ID:
			case <-w.ctx.Done():
			}
		})
	}
	return delay, nil
}

// send sends a post once and records the result. A result that cannot be recorded is recorded later, so
// that a delivered post is not sent again.
func (w *Work) send(p store.Post) {
	ctx, cancel := context.WithTimeout(w.ctx, postTimeout)
	defer cancel()
	err := w.o.Post(ctx, &p)
	if w.ctx.Err() != nil {
		return // sent again at the next start
	}
	p.Attempts++
	p.Next = w.o.Now().Add(w.o.Delay(p.Attempts))
	done := err == nil || p.Attempts >= maxPosts
	if err != nil {
		// The address is a secret, so the log has its host only.
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err
		}
		host := ""
		if u, err := url.Parse(p.Address); err == nil {
			host = u.Host
		}
		w.o.Log.Warn("webhook post failed", "host", host, "attempt", p.Attempts, "dropped", done, "error", err)
	}
	for failures := 1; ; failures++ {
		err = w.o.Records.Update(w.ctx, func(tx store.Tx) error {
			if done {
				return tx.Remove(&store.Post{ID: p.ID})
			}
			return tx.Save(&p)
		})
		if err == nil || w.ctx.Err() != nil {
			return
		}
		w.o.Log.Error("webhook post could not be recorded", "post", p.ID, "error", err)
		select {
		case <-time.After(min(w.o.Delay(failures), maxRecordDelay)):
		case <-w.ctx.Done():
		}
	}
}
