package watch

import (
	"cmp"
	"context"
	"slices"

	"mediadesk/api"
)

// maxWaiting is the maximum number of unmatched webhooks noted between two glances. The first ones of a
// flood are enough.
const maxWaiting = 50

// note keeps an unmatched webhook until the next glance, so that unknown senders do not cause a write to
// the journal per webhook.
func (w *Watch) note(post api.UnmatchedPost) {
	w.describe(&post)
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.unmatched, func(p api.UnmatchedPost) bool {
		return p.Hash == post.Hash && p.Reason == post.Reason && string(p.Raw) == string(post.Raw)
	})
	switch {
	case i >= 0:
		w.unmatched[i].Times++
		w.unmatched[i].At = post.At
	case len(w.unmatched) < maxWaiting:
		w.unmatched = append(w.unmatched, post)
	}
}

// describe fills in the content of a webhook and the current time.
func (w *Watch) describe(post *api.UnmatchedPost) {
	if parsed, err := api.ParseHookPost(post.Raw); err == nil {
		post.Extension, post.Status = cmp.Or(parsed.Extension, parsed.Type), parsed.Status
		post.FileID = cmp.Or(post.FileID, parsed.FileID)
	}
	post.At, post.Times = w.o.Now(), 1
}

// keepUnmatched saves the noted webhooks, and retries later on an error.
func (w *Watch) keepUnmatched(ctx context.Context) {
	w.mu.Lock()
	posts := w.unmatched
	w.unmatched = nil
	w.mu.Unlock()
	if len(posts) == 0 {
		return
	}
	if err := w.o.Journal.AddUnmatched(ctx, posts); err != nil {
		w.mu.Lock()
		w.unmatched = append(posts, w.unmatched...)[:min(maxWaiting, len(posts)+len(w.unmatched))]
		w.mu.Unlock()
		return
	}
	w.signal()
}

// Unmatched returns the webhooks that match no run, newest first.
func (w *Watch) Unmatched(ctx context.Context) ([]api.UnmatchedPost, error) {
	return w.o.Journal.Unmatched(ctx, w.o.Profile)
}
