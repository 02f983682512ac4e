package watch

import (
	"cmp"
	"context"
	"slices"

	"mediadesk/api"
)

// maxWaiting is how many posts that no run takes are noted between two
// glances. More is a flood, of which the first are enough to see.
const maxWaiting = 50

// note remembers a post that was not taken, to be kept with the next glance:
// strangers are not to make the journal work for every post of theirs.
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

// describe fills in what a post says, and that it came now.
func (w *Watch) describe(post *api.UnmatchedPost) {
	if parsed, err := api.ParseHookPost(post.Raw); err == nil {
		post.Extension, post.Status = cmp.Or(parsed.Extension, parsed.Type), parsed.Status
		post.FileID = cmp.Or(post.FileID, parsed.FileID)
	}
	post.At, post.Times = w.o.Now(), 1
}

// keepUnmatched writes down what was noted. What cannot be written waits.
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

// Unmatched returns the posts that no run has taken, the newest first.
func (w *Watch) Unmatched(ctx context.Context) ([]api.UnmatchedPost, error) {
	return w.o.Journal.Unmatched(ctx, w.o.Profile)
}
