package uploads

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

type row struct {
	session.Row
	earlier bool // from an earlier run or another program
}

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
	removed [][]job.Job // by the user, latest last

	folders       map[string]*group // by their path
	queued        map[int64]bool    // by id of an earlier job: whether the queue has it
	all           int               // rows without a filter
	failed        int               // failed rows, of which failedEarlier are not in the queue
	others        int               // rows of another program
	failedEarlier int
}

func (r *rows) set(s session.Snapshot, now time.Time) {
	r.live, r.totals, r.hold, r.offline, r.trouble, r.at = s.Rows, s.Totals, s.Hold, s.Offline, s.Err, now
}

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

func partOf(s job.State) int {
	switch s {
	case job.Sending:
		return partSending
	case job.Waiting, job.Offline, job.Processing:
		return partWaiting
	case job.Refused, job.Unsent, job.Unknown:
		return partFailed
	}
	return partDone
}

func failed(s job.State) bool { return partOf(s) == partFailed }

// groups returns the jobs by folder. Folders with failures come first, then those with unfinished
// jobs, then the newest. Within a folder, failures come first; jobs of earlier runs follow those
// of the queue, newest first.
func (r *rows) groups() []kit.Group[int] {
	r.stale = false
	r.queued = make(map[int64]bool, len(r.earlier.jobs))
	for i := range r.earlier.jobs {
		r.queued[r.earlier.jobs[i].ID] = false
	}
	r.folders = map[string]*group{}
	r.all, r.others, r.failed, r.failedEarlier = len(r.live), 0, 0, 0
	add := func(n int, j *job.Job) *group {
		key := folder(j)
		g := r.folders[key]
		if g == nil {
			g = &group{key: key, count: count{}}
			r.folders[key] = g
		}
		g.count[j.State]++
		if j.Created.After(g.at) {
			g.at = j.Created
		}
		part := partOf(j.State)
		g.parts[part] = append(g.parts[part], n)
		if part == partFailed {
			r.failed++
		}
		return g
	}
	for i := range r.live {
		j := r.live[i].Job
		if _, known := r.queued[j.ID]; known {
			r.queued[j.ID] = true
		}
		if g := add(i, j); r.live[i].Paused {
			g.paused++
		}
	}
	for i := len(r.earlier.jobs) - 1; i >= 0; i-- {
		j := &r.earlier.jobs[i]
		if !r.listed(len(r.live) + i) {
			continue
		}
		add(len(r.live)+i, j)
		r.all++
		switch {
		case !j.State.Final():
			r.others++
		case failed(j.State):
			r.failedEarlier++
		}
	}
	var groups []kit.Group[int]
	for _, g := range slices.SortedFunc(maps.Values(r.folders), func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), b.at.Compare(a.at), cmp.Compare(a.key, b.key))
	}) {
		groups = append(groups, kit.Group[int]{Key: g.key, Rows: slices.Concat(g.parts[:]...)})
	}
	return groups
}

// listed reports whether a row is shown without a filter. An earlier job is hidden if the queue
// has it or the user removed it.
func (r *rows) listed(n int) bool {
	if n < len(r.live) {
		return true
	}
	j := &r.earlier.jobs[n-len(r.live)]
	return !r.queued[j.ID] && !r.gone[j.ID] && (!j.Dismissed || !failed(j.State))
}

func (r *rows) stalled() bool {
	left := r.totals.Count[job.Sending]
	for i := 0; i < len(r.live) && left > 0; i++ {
		if r.live[i].Job.State != job.Sending {
			continue
		}
		if left--; !r.live[i].Stalled {
			return false
		}
	}
	return r.totals.Count[job.Sending] > 0
}

func (r *rows) ofOthers() int {
	if r.others > 0 && count(r.totals.Count).open() == 0 {
		return max(r.others, r.earlier.open) // the list has only the first of them
	}
	return r.others
}

func (r *rows) row(n int) row {
	if n >= len(r.live) {
		return earlierRow(&r.earlier.jobs[n-len(r.live)])
	}
	return row{Row: r.live[n]}
}

func earlierRow(j *job.Job) row {
	out := row{Row: session.Row{Job: j, Total: j.Identity.Size}, earlier: true}
	if j.State == job.Stored {
		out.Sent = out.Total
	}
	return out
}

func (r *rows) remove(jobs []job.Job) {
	for i := range jobs {
		r.gone[jobs[i].ID] = true
	}
	if len(jobs) > 0 {
		r.removed = append(r.removed, jobs)
	}
}

// restore returns the jobs removed last to the list. They count as earlier jobs, because the queue
// has dropped them. It panics if no jobs were removed.
func (r *rows) restore() []job.Job {
	jobs := r.removed[len(r.removed)-1]
	r.removed = r.removed[:len(r.removed)-1]
	for _, upload := range jobs {
		delete(r.gone, upload.ID)
		at, found := slices.BinarySearchFunc(r.earlier.jobs, upload.ID, func(j job.Job, id int64) int { return cmp.Compare(j.ID, id) })
		if !found {
			r.earlier.jobs = slices.Insert(r.earlier.jobs, at, upload)
		}
		r.earlier.jobs[at].Dismissed = upload.Dismissed
	}
	return jobs
}

// name returns the job's stored file name, or the name it will get.
func name(j *job.Job) string {
	if j.File != nil && j.File.Name != "" {
		return j.File.Name
	}
	return j.Upload.FileName
}

func folder(j *job.Job) string { return strings.TrimSuffix(path.Dir(target(j)), "/") + "/" }

func target(j *job.Job) string {
	if j.File != nil && j.File.FilePath != "" {
		return j.File.FilePath
	}
	return rule.PathOf(&j.Upload)
}

type count map[job.State]int

func (c count) total() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

func (c count) failed() int { return c[job.Refused] + c[job.Unsent] + c[job.Unknown] }

// unstored returns the number of jobs that ended without being stored.
func (c count) unstored() int { return c.failed() + c[job.Cancelled] }

func (c count) open() int { return c[job.Waiting] + c[job.Offline] + c[job.Sending] }

type group struct {
	key    string // path of the folder
	count  count
	paused int
	at     time.Time // of the newest job
	parts  [partCount][]int
}

// rank orders groups: those with failures first, then unfinished ones.
func (g *group) rank() int {
	switch {
	case g.count.failed() > 0:
		return 0
	case g.count.open() > 0:
		return 1
	}
	return 2
}

// groupBar is the width of the bar of an unfinished folder.
const groupBar = 8

// note returns how many of a folder's files are stored, such as "25 of 25", a bar if not all are,
// and the other states.
func (g *group) note(th *theme.Theme) string {
	parts := summary(g.count, g.paused, th)
	stored, total := g.count[job.Stored], g.count.total()
	if stored < total {
		parts[0] += " " + kit.Progress{Done: int64(stored), Total: int64(total)}.Bar(groupBar, th)
	}
	return strings.Join(parts, th.Muted.Render(" · "))
}

// summary returns the number of stored jobs, green only if all are stored, and then the other
// states.
func summary(c count, paused int, th *theme.Theme) []string {
	total, style := c.total(), th.Strong
	if c[job.Stored] == total {
		style = th.Good
	}
	parts := []string{style.Render(text.Count(c[job.Stored]) + " of " + text.Count(total))}
	for _, state := range []struct {
		n     int
		word  string
		style lipgloss.Style
	}{
		{c[job.Refused], "refused", th.Bad},
		{c[job.Unsent], "unsent", th.Bad},
		{c[job.Unknown], "unknown", th.Warn},
		{c[job.Cancelled], "cancelled", th.Muted},
		{paused, "paused", th.Muted},
		{c[job.Sending], "sending", th.Text},
		{c[job.Offline], "offline", th.Warn},
		{c[job.Processing], "processing", th.Warn},
		{c[job.Waiting] - paused, "waiting", th.Muted},
	} {
		if state.n > 0 {
			parts = append(parts, state.style.Render(text.Count(state.n)+" "+state.word))
		}
	}
	return parts
}
