package uploads

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// count is the number of jobs by state.
type count map[api.State]int

func (c count) add(s api.State, n int) { c[s] += n }

func (c count) total() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

func (c count) failed() int { return c[api.Refused] + c[api.Unsent] + c[api.Unknown] }

// unstored returns the number of jobs that ended without being stored.
func (c count) unstored() int { return c.failed() + c[api.Cancelled] }

func (c count) open() int { return c[api.Waiting] + c[api.Offline] + c[api.Sending] }

// batch is a group of files that the user sent together.
type batch struct {
	key    string
	count  count
	paused int
	at     time.Time // when it was sent
	folder string    // common parent folder of all jobs, such as "/a/b/"
	raw    string    // folder of the last job, as entered
	below  bool      // some jobs are in subfolders

	parts, earlier [partCount][]int
}

// batchKey returns the key of the job's batch. For a job without a batch, which an older version may have sent,
// it is the creation time.
func batchKey(job *api.Job) string {
	if job.Batch != "" {
		return job.Batch
	}
	return job.Created.UTC().Format(time.RFC3339Nano)
}

// newBatch returns a batch that already counts the jobs outside the list.
func newBatch(key string, others count) *batch {
	b := &batch{key: key, count: maps.Clone(others)}
	if b.count == nil {
		b.count = count{}
	}
	return b
}

// learn updates the time and the folder of the batch from a job.
func (b *batch) learn(job *api.Job) {
	if b.at.IsZero() || job.Created.Before(b.at) {
		b.at = job.Created
	}
	raw := job.Upload.Folder.Or("/")
	if b.folder != "" && raw == b.raw {
		return
	}
	b.raw = raw
	folder, _ := api.CleanFolder(raw)
	b.folder = cmp.Or(b.folder, folder)
	for !strings.HasPrefix(folder, b.folder) {
		b.folder = b.folder[:strings.LastIndex(strings.TrimSuffix(b.folder, "/"), "/")+1]
		b.below = true
	}
	b.below = b.below || folder != b.folder
}

// title returns the batch title, such as "42 to /2026/greece · 22 Nov 2026 08:07".
func (b *batch) title() string {
	folder := cmp.Or(strings.TrimSuffix(b.folder, "/"), "/")
	if b.below {
		folder = b.folder + "…"
	}
	return text.Count(b.count.total()) + " to " + folder + " · " + text.Date(b.at)
}

// summary describes the state of the batch's jobs. It is green only if all are stored.
func (b *batch) summary(th *theme.Theme) string {
	return strings.Join(summary(b.count, b.paused, th), th.Muted.Render(" · "))
}

// summary returns the number of stored jobs, then the other states. It inserts between after the failures.
func summary(c count, paused int, th *theme.Theme, between ...string) []string {
	total, style := c.total(), th.Strong
	if c[api.Stored] == total {
		style = th.Good
	}
	parts := []string{style.Render(text.Count(c[api.Stored]) + " of " + text.Count(total) + " stored")}
	add := func(n int, word string, style lipgloss.Style) {
		if n > 0 {
			parts = append(parts, style.Render(text.Count(n)+" "+word))
		}
	}
	add(c[api.Refused], "refused", th.Bad)
	add(c[api.Unsent], "unsent", th.Bad)
	add(c[api.Unknown], "unknown", th.Warn)
	if c.failed() > 0 {
		parts[len(parts)-1] += th.Muted.Render(" (R)")
	}
	parts = append(parts, between...)
	add(c[api.Cancelled], "cancelled", th.Muted)
	add(paused, "paused", th.Muted)
	add(c[api.Sending], "sending", th.Text)
	add(c[api.Offline], "offline", th.Warn)
	add(c[api.Processing], "processing", th.Warn)
	add(c[api.Waiting]-paused, "waiting", th.Muted)
	return parts
}

// order sorts batches for display.
func order(batches map[string]*batch) []kit.Group {
	rank := func(b *batch) int {
		switch {
		case b.count.failed() > 0:
			return 0
		case b.count.open() > 0:
			return 1
		}
		return 2
	}
	all := slices.SortedFunc(maps.Values(batches), func(a, b *batch) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), b.at.Compare(a.at), cmp.Compare(b.key, a.key))
	})
	var groups []kit.Group
	for _, b := range all {
		var found []int
		for part := range partCount {
			slices.Reverse(b.earlier[part]) // they were read newest first
			found = append(append(found, b.parts[part]...), b.earlier[part]...)
		}
		if len(found) > 0 {
			groups = append(groups, kit.Group{Key: b.key, Rows: found})
		}
	}
	return groups
}
