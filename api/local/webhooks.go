package local

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"

	"mediadesk/api/local/store"
)

// post sends a webhook post once, with the faults to inject.
func (l *Library) post(ctx context.Context, p *store.Post) error {
	f := l.o.Fault
	if f.WebhooksLost && l.chance.hits(f.WebhooksChance, "lost", p.ID) {
		return nil
	}
	err := l.sendPost(ctx, p)
	if err == nil && f.WebhooksRepeated && l.chance.hits(f.WebhooksChance, "repeated", p.ID) {
		err = l.sendPost(ctx, p)
	}
	return err
}

func (l *Library) sendPost(ctx context.Context, p *store.Post) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Address, bytes.NewReader(p.Body))
	if err != nil {
		return err
	}
	req.GetBody = nil
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "mediadesk")
	// Lets a receiver recognize a repeated post.
	req.Header.Set("Webhook-Id", strconv.FormatInt(p.ID, 10))
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
