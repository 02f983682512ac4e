package watch

import (
	"context"
	"slices"

	"mediadesk/api"
)

// maxWaiting is how many posts that no run takes are noted between two
// glances. More is a flood, of which the first are enough to see.
const maxWaiting = 50

// note remembers a post that was not taken, to be kept with the next glance:
// strangers are not to make the journal work for every post of theirs.
func (w *Watch) note(post api.StrayPost) {
	if parsed, err := api.ParseHookPost(post.Raw); err == nil {
		post.Extension, post.Status = parsed.Extension, parsed.Status
	}
	post.At, post.Times = w.o.Now(), 1
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.strays, func(p api.StrayPost) bool {
		return p.Hash == post.Hash && p.Why == post.Why && string(p.Raw) == string(post.Raw)
	})
	switch {
	case i >= 0:
		w.strays[i].Times++
		w.strays[i].At = post.At
	case len(w.strays) < maxWaiting:
		w.strays = append(w.strays, post)
	}
}

// keepStrays writes down what was noted. What cannot be written waits.
func (w *Watch) keepStrays(ctx context.Context) {
	w.mu.Lock()
	posts := w.strays
	w.strays = nil
	w.mu.Unlock()
	if len(posts) == 0 {
		return
	}
	if err := w.o.Journal.AddStrays(ctx, posts); err != nil {
		w.mu.Lock()
		w.strays = append(posts, w.strays...)[:min(maxWaiting, len(posts)+len(w.strays))]
		w.mu.Unlock()
		return
	}
	w.signal()
}

// StrayCount is how many posts no run has taken.
func (w *Watch) StrayCount(ctx context.Context) (int, error) {
	return w.o.Journal.StrayCount(ctx, w.o.Profile)
}

// Strays returns the posts that no run has taken, the newest first.
func (w *Watch) Strays(ctx context.Context) ([]api.StrayPost, error) {
	return w.o.Journal.Strays(ctx, w.o.Profile)
}
