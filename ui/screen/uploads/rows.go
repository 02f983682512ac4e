package uploads

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
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

	earlier []api.Job // sorted by id; the queue may have some of them
	open    int       // unfinished jobs in the journal at the last read
	read    bool      // the journal was read
	gone    map[int64]bool
	removed [][]api.Job // by the user, latest last

	counts  map[string]count // unlisted jobs of earlier runs, by batch
	batches map[string]*batch
	queued  map[int64]bool // by id of an earlier job: whether the queue has it
	all     int            // rows without a filter
	failed  int            // failed rows
	others  int            // rows of another program
}

func newRows() rows { return rows{gone: map[int64]bool{}} }

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

// groups returns the jobs that match the filter, by batch. Batches with failures come first, then unfinished
// ones, each part newest first. Within a batch, failures come first.
func (r *rows) groups(filter string) []kit.Group {
	r.stale = false
	words := strings.Fields(strings.ToLower(filter))
	r.queued = make(map[int64]bool, len(r.earlier))
	for i := range r.earlier {
		r.queued[r.earlier[i].ID] = false
	}
	r.batches = map[string]*batch{}
	r.all, r.others, r.failed = len(r.live), 0, 0
	var last *batch // the next job is usually in the same batch
	of := func(job *api.Job) *batch {
		if key := batchKey(job); last == nil || last.key != key {
			if last = r.batches[key]; last == nil {
				last = newBatch(key, r.counts[key])
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
		b.count.add(job.State, 1)
		if failed(job.State) {
			r.failed++
		}
		if r.live[i].Paused {
			b.paused++
		}
		if matches(row{Row: r.live[i]}, words) {
			b.parts[partOf(job.State)] = append(b.parts[partOf(job.State)], i)
		}
	}
	for i := len(r.earlier) - 1; i >= 0; i-- {
		job := &r.earlier[i]
		b := of(job)
		if !r.listed(len(r.live) + i) {
			continue
		}
		b.count.add(job.State, 1)
		r.all++
		switch {
		case !job.State.Final():
			r.others++
		case failed(job.State):
			r.failed++
		}
		if matches(earlierRow(job), words) {
			b.earlier[partOf(job.State)] = append(b.earlier[partOf(job.State)], len(r.live)+i)
		}
	}
	return order(r.batches)
}

// listed reports whether a row is shown without a filter. An earlier job is hidden if the queue has it or the
// user removed it.
func (r *rows) listed(n int) bool {
	if n < len(r.live) {
		return true
	}
	job := &r.earlier[n-len(r.live)]
	return !r.queued[job.ID] && !r.gone[job.ID] && (!job.Dismissed || !failed(job.State))
}

// stalled reports whether every running upload is stalled.
func (r *rows) stalled() bool {
	left := r.totals.Sending
	for i := 0; i < len(r.live) && left > 0; i++ {
		if r.live[i].Job.State != api.Sending {
			continue
		}
		if left--; !r.live[i].Stalled {
			return false
		}
	}
	return r.totals.Sending > 0
}

// ofOthers returns the number of unfinished jobs of other programs.
func (r *rows) ofOthers() int {
	if r.others > 0 && r.totals.Waiting+r.totals.Offline+r.totals.Sending == 0 {
		return max(r.others, r.open) // the list has only the first of them
	}
	return r.others
}

// row returns row n. The rows of the queue come first.
func (r *rows) row(n int) row {
	if n >= len(r.live) {
		return earlierRow(&r.earlier[n-len(r.live)])
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
		at, found := slices.BinarySearchFunc(r.earlier, job.ID, func(j api.Job, id int64) int { return cmp.Compare(j.ID, id) })
		if !found {
			r.earlier = slices.Insert(r.earlier, at, job)
		}
		r.earlier[at].Dismissed = job.Dismissed
	}
	return jobs
}

// matches reports whether the job's names and state contain all words.
func matches(r row, words []string) bool {
	return len(words) == 0 || text.HasAll(words, name(r.Job), r.Job.Upload.Source.String(), stateWord(r))
}

// name returns the job's stored file name, or the name it will get.
func name(job *api.Job) string {
	if job.File != nil && job.File.Name != "" {
		return job.File.Name
	}
	return job.Upload.FileName
}

// target returns the path where the file is stored or will be stored.
func target(job *api.Job) string {
	if job.File != nil && job.File.FilePath != "" {
		return job.File.FilePath
	}
	return job.Upload.Path()
}
