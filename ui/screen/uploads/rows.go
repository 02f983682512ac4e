package uploads

import (
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/session"
)

// row is a job as it is shown.
type row struct {
	session.Row
	earlier bool // of a former run of the program, or of another
}

// ref says where a shown row is kept.
type ref struct {
	i       int
	earlier bool
}

// rows are the jobs of the queue and those of former runs, and the order in
// which they are shown.
type rows struct {
	live    []session.Row
	totals  session.Totals
	hold    time.Time
	trouble error
	at      time.Time // when the queue was read
	stale   bool      // some job has changed since the order was made

	earlier []api.Job // newest last; some may be in the queue
	open    int       // jobs without an outcome in the journal, when it was read
	read    bool      // the journal was read
	gone    map[int64]bool
	removed []api.Job // by the person, the latest last

	all    int // rows without a filter
	others int // of them in the hands of another program
	shown  []ref
}

func newRows() rows { return rows{gone: map[int64]bool{}} }

// take reads a snapshot.
func (r *rows) take(s session.Snapshot, now time.Time) {
	r.live, r.totals, r.hold, r.trouble, r.at = s.Rows, s.Totals, s.Hold, s.Err, now
}

// refresh reads a snapshot and reports whether the order still holds.
func (r *rows) refresh(s session.Snapshot, now time.Time) bool {
	same := !r.stale && len(s.Rows) == len(r.live)
	for i := 0; same && i < len(s.Rows); i++ {
		same = s.Rows[i].Job.ID == r.live[i].Job.ID && s.Rows[i].Job.State == r.live[i].Job.State
	}
	r.take(s, now)
	return same
}

// The parts of the list, in order.
const (
	partSending = iota
	partWaiting
	partDone
	partFailed
	partCount
)

func partOf(s api.State) int {
	switch s {
	case api.Sending:
		return partSending
	case api.Waiting:
		return partWaiting
	case api.Refused, api.Unsent, api.Unknown:
		return partFailed
	}
	return partDone
}

// failed reports whether the state is an outcome to be looked at.
func failed(s api.State) bool { return partOf(s) == partFailed }

// arrange puts the rows in order: under way, waiting, done with the newest
// first, failed in the order of the queue, then those of former runs with the
// newest first. What another program has stands below what is ours.
func (r *rows) arrange(pattern string) {
	r.stale = false
	words := strings.Fields(strings.ToLower(pattern))
	queued := make(map[int64]bool, len(r.earlier))
	for i := range r.earlier {
		queued[r.earlier[i].ID] = false
	}
	var parts [partCount][]ref
	r.all = len(r.live)
	for i := range r.live {
		job := r.live[i].Job
		if _, known := queued[job.ID]; known {
			queued[job.ID] = true
		}
		if matches(row{Row: r.live[i]}, words) {
			part := partOf(job.State)
			parts[part] = append(parts[part], ref{i: i})
		}
	}
	r.others = 0
	for i := range r.earlier {
		job := &r.earlier[i]
		if job.State.Final() || queued[job.ID] || r.gone[job.ID] {
			continue
		}
		r.others++
		if matches(earlierRow(job), words) {
			part := partOf(job.State)
			parts[part] = append(parts[part], ref{i: i, earlier: true})
		}
	}
	r.all += r.others
	slices.SortStableFunc(parts[partDone], func(a, b ref) int {
		return r.live[b.i].Job.Updated.Compare(r.live[a.i].Job.Updated)
	})
	r.shown = slices.Concat(parts[:]...)
	count := 0
	for i := len(r.earlier) - 1; i >= 0 && count < maxEarlier; i-- {
		job := &r.earlier[i]
		if !job.State.Final() || queued[job.ID] || r.gone[job.ID] {
			continue
		}
		count++
		if matches(earlierRow(job), words) {
			r.shown = append(r.shown, ref{i: i, earlier: true})
		}
	}
	r.all += count
}

// elsewhere is how many jobs another program has under way.
func (r *rows) elsewhere() int {
	if r.others > 0 && r.totals.Waiting+r.totals.Sending == 0 {
		return max(r.others, r.open) // the list has the first of them only
	}
	return r.others
}

// row is the i-th that is shown.
func (r *rows) row(i int) (row, bool) {
	if i < 0 || i >= len(r.shown) {
		return row{}, false
	}
	if at := r.shown[i]; at.earlier {
		return earlierRow(&r.earlier[at.i]), true
	} else {
		return row{Row: r.live[at.i]}, true
	}
}

func earlierRow(job *api.Job) row {
	out := row{Row: session.Row{Job: job, Total: job.Identity.Size}, earlier: true}
	if job.State == api.Stored {
		out.Sent = out.Total
	}
	return out
}

// find is the place of a job, -1 where it is not shown.
func (r *rows) find(id int64) int {
	return slices.IndexFunc(r.shown, func(at ref) bool {
		if at.earlier {
			return r.earlier[at.i].ID == id
		}
		return r.live[at.i].Job.ID == id
	})
}

// remove takes a job of a former run off the list, or marks one that left the
// queue.
func (r *rows) remove(job api.Job) {
	r.gone[job.ID] = true
	r.removed = append(r.removed, job)
}

// restore brings the job back that was removed last. The queue has let go of
// it: it stands among those of former runs.
func (r *rows) restore() (api.Job, bool) {
	if len(r.removed) == 0 {
		return api.Job{}, false
	}
	job := r.removed[len(r.removed)-1]
	r.removed = r.removed[:len(r.removed)-1]
	delete(r.gone, job.ID)
	if !slices.ContainsFunc(r.earlier, func(j api.Job) bool { return j.ID == job.ID }) {
		at, _ := slices.BinarySearchFunc(r.earlier, job.ID, func(j api.Job, id int64) int { return int(j.ID - id) })
		r.earlier = slices.Insert(r.earlier, at, job)
	}
	return job, true
}

// matches reports whether all words are in the names of the job or in the
// word for its state.
func matches(r row, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(name(r.Job) + "\n" + r.Job.Upload.Source.String() + "\n" + stateWord(r))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// name is what a job is called: as its file is stored, or is going to be.
func name(job *api.Job) string {
	if job.File != nil && job.File.Name != "" {
		return job.File.Name
	}
	return job.Upload.FileName
}

// place is where the file of a job is stored, or is going to be.
func place(job *api.Job) string {
	if job.File != nil && job.File.FilePath != "" {
		return job.File.FilePath
	}
	return job.Upload.Path()
}
