package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// post sends a webhook post once, with the faults to inject.
func (l *Library) post(ctx context.Context, p *store.Post) error {
	f := l.o.Fault
	if f.WebhooksLost && l.chance.hits(f.WebhooksChance, "lost", p.ID) || l.losesPost(p) {
		return nil
	}
	err := l.sendPost(ctx, p)
	if err == nil && f.WebhooksRepeated && l.chance.hits(f.WebhooksChance, "repeated", p.ID) {
		err = l.sendPost(ctx, p)
	}
	return err
}

// SentPost is a webhook post that was sent, as GET /_mediadesk/webhooks lists it.
type SentPost struct {
	ID    string          `json:"id"` // in the header Webhook-Id
	Time  time.Time       `json:"time"`
	Body  json.RawMessage `json:"body"`
	Error string          `json:"error,omitempty"` // of the last attempt

	post store.Post
}

// sentPosts keeps the last posts, so that they can be sent again.
type sentPosts struct {
	mu   sync.Mutex
	list []SentPost
}

const maxSent = 200

func (s *sentPosts) add(one SentPost) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(old SentPost) bool { return old.ID == one.ID })
	s.list = append(s.list[max(0, len(s.list)-maxSent+1):], one)
}

// listPosts lists the last webhook posts of this instance, oldest first.
func (l *Library) listPosts(*http.Request) (any, error) {
	l.sent.mu.Lock()
	defer l.sent.mu.Unlock()
	return append([]SentPost{}, l.sent.list...), nil
}

// resendPost sends one of these posts again, with the same id and body.
func (l *Library) resendPost(r *http.Request) (any, error) {
	l.sent.mu.Lock()
	at := slices.IndexFunc(l.sent.list, func(one SentPost) bool { return one.ID == r.PathValue("postId") })
	var post store.Post
	if at >= 0 {
		post = l.sent.list[at].post
	}
	l.sent.mu.Unlock()
	if at < 0 {
		return nil, refuse(http.StatusNotFound, "There is no such webhook post.", "GET /_mediadesk/webhooks lists the last ones.")
	}
	answer := map[string]string{"id": r.PathValue("postId")}
	if err := l.sendPost(r.Context(), &post); err != nil {
		answer["error"] = err.Error()
	}
	return answer, nil
}

// postID is the id of a post in its header: that of an event, else its number.
func (l *Library) postID(p *store.Post) string {
	var event struct{ ID string }
	if p.Address == l.o.Webhook && json.Unmarshal(p.Body, &event) == nil && event.ID != "" {
		return event.ID
	}
	return strconv.FormatInt(p.ID, 10)
}

// sendPost sends a post and keeps it to be sent again.
func (l *Library) sendPost(ctx context.Context, p *store.Post) error {
	err := l.deliverPost(ctx, p)
	one := SentPost{ID: l.postID(p), Time: l.now(), Body: p.Body, post: *p}
	if err != nil {
		one.Error = err.Error()
	}
	l.sent.add(one)
	return err
}

func (l *Library) deliverPost(ctx context.Context, p *store.Post) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Address, bytes.NewReader(p.Body))
	if err != nil {
		return err
	}
	req.GetBody = nil
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "mediadesk")
	// Lets a receiver recognize a repeated post.
	req.Header.Set("Webhook-Id", l.postID(p))
	if p.Address == l.o.Webhook {
		l.signPost(req, p.Body, l.now())
	}
	res, err := l.guard.posts.Do(req)
	if err != nil {
		return err
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the receiver answered %d, not 200", res.StatusCode)
	}
	return nil
}

// withEvents adds the events about files that an update changes, for the webhook of the account
// (hosted-service.md §16).
func (l *Library) withEvents(update func(store.Tx) error) func(store.Tx) error {
	return func(tx store.Tx) error {
		watched, changes := tx.Watch()
		if err := update(watched); err != nil {
			return err
		}
		seen := map[store.Change]bool{}
		for _, c := range *changes {
			created := c.Kind == store.FileUpdated && seen[store.Change{Kind: store.FileCreated, FileID: c.FileID}]
			if seen[c] || created {
				continue
			}
			seen[c] = true
			data, err := l.eventData(tx, c)
			if err == nil && data != nil {
				err = l.addFileEvent(tx, c.Kind, data)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// eventData returns the member data of an event, nil if a later change made the event pointless.
func (l *Library) eventData(tx store.Tx, c store.Change) (any, error) {
	switch c.Kind {
	case store.FileDeleted:
		return map[string]string{"fileId": c.FileID}, nil
	case store.VersionDeleted:
		return map[string]string{"fileId": c.FileID, "versionId": c.VersionID}, nil
	}
	file, err := store.Get[store.File](tx, c.FileID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	record := l.fullRecord(file)
	if c.Kind == store.VersionCreated {
		record.Type = api.TypeVersion
	}
	return record, nil
}

func (l *Library) addFileEvent(tx store.Tx, kind string, data any) error {
	body, err := json.Marshal(map[string]any{"type": kind, "id": store.NewID(), "created_at": l.now().Format(api.TimeLayout), "data": data})
	if err != nil {
		return err
	}
	return tx.Add(&store.Post{Address: l.o.Webhook, Body: body, Next: l.now(), Created: l.now(), Owner: l.identity})
}
