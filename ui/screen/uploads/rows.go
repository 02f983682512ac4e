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

// row is a job as it is shown.
type row struct {
	session.Row
	earlier bool // of a former run of the program, or of another
}

// rows are the jobs of the queue and those of former runs, and the order in
// which they are shown.
type rows struct {
	live    []session.Row
	totals  session.Totals
	hold    time.Time
	offline session.Offline
	trouble error
	at      time.Time // when the queue was read
	stale   bool      // some job has changed since the order was made

	earlier []api.Job // in the order of their ids; some may be in the queue
	open    int       // jobs without an outcome in the journal, when it was read
	read    bool      // the journal was read
	gone    map[int64]bool
	removed [][]api.Job // by the user, the latest last

	counts  map[string]count // by batch, of jobs of earlier runs that are not listed
	batches map[string]*batch
	queued  map[int64]bool // the earlier ones, and whether they are in the queue
	all     int            // rows without a filter
	failed  int            // of them
	others  int            // of them in the hands of another program
}

func newRows() rows { return rows{gone: map[int64]bool{}} }

// set reads a snapshot.
func (r *rows) set(s session.Snapshot, now time.Time) {
	r.live, r.totals, r.hold, r.offline, r.trouble, r.at = s.Rows, s.Totals, s.Hold, s.Offline, s.Err, now
}

// refresh reads a snapshot and reports whether the order still holds.
func (r *rows) refresh(s session.Snapshot, now time.Time) bool {
	same := !r.stale && len(s.Rows) == len(r.live)
	for i := 0; same && i < len(s.Rows); i++ {
		same = s.Rows[i].Job.ID == r.live[i].Job.ID && s.Rows[i].Job.State == r.live[i].Job.State
	}
	r.set(s, now)
	return same
}

// The parts of a batch, in order.
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

// failed reports whether the state is an outcome to be looked at.
func failed(s api.State) bool { return partOf(s) == partFailed }

// groups are the jobs that the filter finds, by batch: batches with failures
// first, then those under way, then the others; the newest first. Within a batch
// failures come first, too.
func (r *rows) groups(filter string) []kit.Group {
	r.stale = false
	words := strings.Fields(strings.ToLower(filter))
	r.queued = make(map[int64]bool, len(r.earlier))
	for i := range r.earlier {
		r.queued[r.earlier[i].ID] = false
	}
	r.batches = map[string]*batch{}
	r.all, r.others, r.failed = len(r.live), 0, 0
	var last *batch // most jobs are of the batch of the one before
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

// listed reports whether a row is shown without a filter: an earlier job is not
// where the queue has it or the user removed it.
func (r *rows) listed(n int) bool {
	if n < len(r.live) {
		return true
	}
	job := &r.earlier[n-len(r.live)]
	return !r.queued[job.ID] && !r.gone[job.ID] && (!job.Dismissed || !failed(job.State))
}

// stalled reports whether everything that is being sent is.
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

// ofOthers is how many jobs another program has under way.
func (r *rows) ofOthers() int {
	if r.others > 0 && r.totals.Waiting+r.totals.Offline+r.totals.Sending == 0 {
		return max(r.others, r.open) // the list has the first of them only
	}
	return r.others
}

// row is the row of a number: those of the queue come before the earlier ones.
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

// remove takes jobs off the list, together.
func (r *rows) remove(jobs []api.Job) {
	for i := range jobs {
		r.gone[jobs[i].ID] = true
	}
	if len(jobs) > 0 {
		r.removed = append(r.removed, jobs)
	}
}

// restore brings the jobs back that were removed last; there are some. The queue
// has let go of them: they stand among those of earlier runs.
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

// matches reports whether all words are in the names of the job or in the
// word for its state.
func matches(r row, words []string) bool {
	return len(words) == 0 || text.HasAll(words, name(r.Job), r.Job.Upload.Source.String(), stateWord(r))
}

// name is what a job is called: as its file is stored, or is going to be.
func name(job *api.Job) string {
	if job.File != nil && job.File.Name != "" {
		return job.File.Name
	}
	return job.Upload.FileName
}

// target is where the file of a job is stored, or is going to be.
func target(job *api.Job) string {
	if job.File != nil && job.File.FilePath != "" {
		return job.File.FilePath
	}
	return job.Upload.Path()
}
