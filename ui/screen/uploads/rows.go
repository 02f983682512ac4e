package uploads

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// row is a job in the list.
type row struct {
	session.Row
	earlier bool // from an earlier run or another program
}

// rows holds the jobs of the queue and of earlier runs in display order.
type rows struct {
	live    []session.Row
	totals  session.Totals
	hold    time.Time
	offline session.Offline
	trouble error
	at      time.Time // when the queue was read
	stale   bool      // a job changed after the last sort

	earlier earlier // the queue may have some of them
	read    bool    // the journal was read
	gone    map[int64]bool
	removed [][]api.Job // by the user, latest last

	batches map[string]*batch
	queued  map[int64]bool // by id of an earlier job: whether the queue has it
	all     int            // rows without a filter
	failed  int            // failed rows
	others  int            // rows of another program
}

// set stores a snapshot.
func (r *rows) set(s session.Snapshot, now time.Time) {
	r.live, r.totals, r.hold, r.offline, r.trouble, r.at = s.Rows, s.Totals, s.Hold, s.Offline, s.Err, now
}

// refresh stores a snapshot and reports whether the order is still right.
func (r *rows) refresh(s session.Snapshot, now time.Time) bool {
	same := !r.stale && len(s.Rows) == len(r.live)
	for i := 0; same && i < len(s.Rows); i++ {
		same = s.Rows[i].Job.ID == r.live[i].Job.ID && s.Rows[i].Job.State == r.live[i].Job.State
	}
	r.set(s, now)
	return same
}

// Parts of a batch, in display order.
const (
	partFailed = iota
	partSending
	partWaiting
	partDone
	partCount
)

func partOf(s api.State) int {
	switch s {
	case api.Sending:
		return partSending
	case api.Waiting, api.Offline, api.Processing:
		return partWaiting
	case api.Refused, api.Unsent, api.Unknown:
		return partFailed
	}
	return partDone
}

// failed reports whether a job in state s needs attention.
func failed(s api.State) bool { return partOf(s) == partFailed }

// groups returns the jobs by batch. Batches with failures come first, then unfinished
// ones, each part newest first. Within a batch, failures come first.
func (r *rows) groups() []kit.Group[int] {
	r.stale = false
	r.queued = make(map[int64]bool, len(r.earlier.jobs))
	for i := range r.earlier.jobs {
		r.queued[r.earlier.jobs[i].ID] = false
	}
	r.batches = map[string]*batch{}
	r.all, r.others, r.failed = len(r.live), 0, 0
	var last *batch // the next job is usually in the same batch
	of := func(job *api.Job) *batch {
		if key := batchKey(job); last == nil || last.key != key {
			if last = r.batches[key]; last == nil {
				last = &batch{key: key, count: count{}}
				maps.Copy(last.count, r.earlier.counts[key])
				r.batches[key] = last
			}
		}
		last.learn(job)
		return last
	}
	for i := range r.live {
		job := r.live[i].Job
		if _, known := r.queued[job.ID]; known {
			r.queued[job.ID] = true
		}
		b := of(job)
		b.count[job.State]++
		if failed(job.State) {
			r.failed++
		}
		if r.live[i].Paused {
			b.paused++
		}
		b.parts[partOf(job.State)] = append(b.parts[partOf(job.State)], i)
	}
	for i := len(r.earlier.jobs) - 1; i >= 0; i-- {
		job := &r.earlier.jobs[i]
		b := of(job)
		if !r.listed(len(r.live) + i) {
			continue
		}
		b.count[job.State]++
		r.all++
		switch {
		case !job.State.Final():
			r.others++
		case failed(job.State):
			r.failed++
		}
		b.earlier[partOf(job.State)] = append(b.earlier[partOf(job.State)], len(r.live)+i)
	}
	return order(r.batches)
}

// listed reports whether a row is shown without a filter. An earlier job is hidden if the queue has it or the
// user removed it.
func (r *rows) listed(n int) bool {
	if n < len(r.live) {
		return true
	}
	job := &r.earlier.jobs[n-len(r.live)]
	return !r.queued[job.ID] && !r.gone[job.ID] && (!job.Dismissed || !failed(job.State))
}

// stalled reports whether every running upload is stalled.
func (r *rows) stalled() bool {
	left := r.totals.Count[api.Sending]
	for i := 0; i < len(r.live) && left > 0; i++ {
		if r.live[i].Job.State != api.Sending {
			continue
		}
		if left--; !r.live[i].Stalled {
			return false
		}
	}
	return r.totals.Count[api.Sending] > 0
}

// ofOthers returns the number of unfinished jobs of other programs.
func (r *rows) ofOthers() int {
	if r.others > 0 && count(r.totals.Count).open() == 0 {
		return max(r.others, r.earlier.open) // the list has only the first of them
	}
	return r.others
}

// row returns row n. The rows of the queue come first.
func (r *rows) row(n int) row {
	if n >= len(r.live) {
		return earlierRow(&r.earlier.jobs[n-len(r.live)])
	}
	return row{Row: r.live[n]}
}

func earlierRow(job *api.Job) row {
	out := row{Row: session.Row{Job: job, Total: job.Identity.Size}, earlier: true}
	if job.State == api.Stored {
		out.Sent = out.Total
	}
	return out
}

// remove takes jobs off the list as one step.
func (r *rows) remove(jobs []api.Job) {
	for i := range jobs {
		r.gone[jobs[i].ID] = true
	}
	if len(jobs) > 0 {
		r.removed = append(r.removed, jobs)
	}
}

// restore returns the jobs removed last to the list. They count as earlier jobs, because the queue has dropped
// them. It panics if no jobs were removed.
func (r *rows) restore() []api.Job {
	jobs := r.removed[len(r.removed)-1]
	r.removed = r.removed[:len(r.removed)-1]
	for _, job := range jobs {
		delete(r.gone, job.ID)
		at, found := slices.BinarySearchFunc(r.earlier.jobs, job.ID, func(j api.Job, id int64) int { return cmp.Compare(j.ID, id) })
		if !found {
			r.earlier.jobs = slices.Insert(r.earlier.jobs, at, job)
		}
		r.earlier.jobs[at].Dismissed = job.Dismissed
	}
	return jobs
}

// name returns the job's stored file name, or the name it will get.
func name(job *api.Job) string {
	if job.File != nil && job.File.Name != "" {
		return job.File.Name
	}
	return job.Upload.FileName
}

// folder returns the folder where the file is stored or will be stored.
func folder(job *api.Job) string { return path.Dir(target(job)) }

// target returns the path where the file is stored or will be stored.
func target(job *api.Job) string {
	if job.File != nil && job.File.FilePath != "" {
		return job.File.FilePath
	}
	return job.Upload.Path()
}

// count is the number of jobs by state.
type count map[api.State]int

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

// title returns the batch title, such as "/2026/greece/ · 22 Nov 2026 08:07".
func (b *batch) title() string {
	return b.folder + text.If(b.below, "…") + " · " + text.Date(b.at)
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
func order(batches map[string]*batch) []kit.Group[int] {
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
	var groups []kit.Group[int]
	for _, b := range all {
		var found []int
		for part := range partCount {
			slices.Reverse(b.earlier[part]) // they were read newest first
			found = append(append(found, b.parts[part]...), b.earlier[part]...)
		}
		if len(found) > 0 {
			groups = append(groups, kit.Group[int]{Key: b.key, Rows: found})
		}
	}
	return groups
}
