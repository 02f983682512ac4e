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
	"mediadesk/api/queue"
	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

type row struct {
	queue.Row
	earlier bool // from an earlier run or another program
}

type rows struct {
	queue.Snapshot
	stale bool // a job changed after the last sort

	earlier []job.Job // of the journal, sorted by id; the queue may have some of them
	read    bool      // the journal was read
	gone    map[int64]bool
	removed [][]job.Job // by the user, latest last

	folders       map[string]*group // by their path
	newest        string            // batch
	latest        int               // folders with files of that batch
	all           int               // rows without a filter
	failed        int               // failed rows, of which failedEarlier are not in the queue
	failedEarlier int
}

// refresh stores a snapshot and reports whether the order is still right.
func (r *rows) refresh(s queue.Snapshot) bool {
	same := !r.stale && slices.EqualFunc(s.Rows, r.Rows, func(a, b queue.Row) bool {
		return a.Job.ID == b.Job.ID && a.Job.State == b.Job.State
	})
	r.Snapshot = s
	return same
}

func failed(s job.State) bool { return s == job.Refused || s == job.Unsent || s == job.Unknown }

// groups returns the jobs by folder. Folders with failures come first, then those of the newest batch.
// Within a folder, failures come first, then the newest batch. Else nothing moves while jobs are sent.
func (r *rows) groups() []kit.Group[int] {
	r.stale = false
	queued := make(map[int64]bool, len(r.earlier)) // by id of an earlier job: whether the queue has it
	for i := range r.earlier {
		queued[r.earlier[i].ID] = false
	}
	r.folders, r.newest, r.latest = map[string]*group{}, "", 0
	r.all, r.failed, r.failedEarlier = len(r.Rows), 0, 0
	add := func(n int, j *job.Job) {
		key := folder(j)
		g := r.folders[key]
		if g == nil {
			g = &group{key: key, count: count{}}
			r.folders[key] = g
		}
		g.count[j.State]++
		g.size += j.Identity.Size
		g.batch = max(g.batch, j.Batch)
		if j.Updated.After(g.at) {
			g.at = j.Updated
		}
		g.rows = append(g.rows, n)
		if failed(j.State) {
			r.failed++
			g.failed++
		}
	}
	for i := range r.Rows {
		j := r.Rows[i].Job
		if _, known := queued[j.ID]; known {
			queued[j.ID] = true
		}
		add(i, j)
	}
	for i := range r.earlier {
		j := &r.earlier[i]
		// It is hidden if the queue has it or the user removed it.
		if queued[j.ID] || r.gone[j.ID] || j.Dismissed && failed(j.State) {
			continue
		}
		add(len(r.Rows)+i, j)
		if r.all++; failed(j.State) {
			r.failedEarlier++
		}
	}
	var groups []kit.Group[int]
	for _, g := range slices.SortedFunc(maps.Values(r.folders), func(a, b *group) int {
		return cmp.Or(cmp.Compare(min(b.failed, 1), min(a.failed, 1)), cmp.Compare(b.batch, a.batch), cmp.Compare(a.key, b.key))
	}) {
		rank := func(j *job.Job) int { return text.Either(failed(j.State), 0, 1) }
		slices.SortStableFunc(g.rows, func(x, y int) int {
			a, b := r.row(x).Job, r.row(y).Job
			return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Batch, a.Batch))
		})
		groups = append(groups, kit.Group[int]{Key: g.key, Rows: g.rows})
		switch cmp.Compare(g.batch, r.newest) {
		case 1:
			r.newest, r.latest = g.batch, 1
		case 0:
			r.latest++
		}
	}
	return groups
}

// manyUploads is the number of uploads up to which those of finished folders are shown, too.
const manyUploads = 30

// finished reports whether all uploads of a folder are stored, among many in several folders. A single
// folder that was sent last stays open.
func (r *rows) finished(key string) bool {
	g := r.folders[key]
	return r.all > manyUploads && g.count[job.Stored] == len(g.rows) && (g.batch < r.newest || r.latest > 1)
}

// row returns row n. The rows of the queue come first.
func (r *rows) row(n int) row {
	if n < len(r.Rows) {
		return row{Row: r.Rows[n]}
	}
	j := &r.earlier[n-len(r.Rows)]
	out := row{Row: queue.Row{Job: j, Total: j.Identity.Size}, earlier: true}
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
		at, found := slices.BinarySearchFunc(r.earlier, upload.ID,
			func(j job.Job, id int64) int { return cmp.Compare(j.ID, id) })
		if !found {
			r.earlier = slices.Insert(r.earlier, at, upload)
		}
		r.earlier[at].Dismissed = upload.Dismissed
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

// ended returns how many of the parts of [summary] are of jobs that have ended.
func (c count) ended() int {
	return 1 + min(1, c[job.Refused]) + min(1, c[job.Unsent]) + min(1, c[job.Unknown]) + min(1, c[job.Canceled])
}

type group struct {
	key    string // path of the folder
	count  count
	batch  string    // the newest one
	at     time.Time // of the last change
	rows   []int
	failed int
	size   int64 // of all files, in bytes
}

// groupBar is the width of the bar of an unfinished folder, and of all uploads.
const groupBar = 8

// note returns how many of a folder's files are stored, such as "25 of 25", the other states, and a bar
// while it goes on.
func (g *group) note(th *theme.Theme) string {
	parts := summary(g.count, th)
	parts[0] = strings.TrimSuffix(parts[0], th.Muted.Render(" stored"))
	stored, total, c := g.count[job.Stored], g.count.total(), g.count
	bar := ""
	if c[job.Sending]+c[job.Waiting]+c[job.Offline]+c[job.Processing] > 0 {
		parts = parts[:c.ended()] // the rows say the rest
		bar = " " + kit.Progress{Done: int64(stored), Total: int64(total)}.Bar(groupBar, th)
	}
	return strings.Join(parts, th.Muted.Render(" · ")) + bar
}

// summary returns the number of stored jobs, green only if all are stored, and then the other
// states.
func summary(c count, th *theme.Theme) []string {
	total := c.total()
	style := text.Either(c[job.Stored] == total, th.Good, th.Strong)
	parts := []string{style.Render(text.Count(c[job.Stored])+" of "+text.Count(total)) + th.Muted.Render(" stored")}
	for _, state := range []struct {
		n     int
		word  string
		style lipgloss.Style
	}{
		{c[job.Refused], "refused", th.Bad},
		{c[job.Unsent], "unsent", th.Bad},
		{c[job.Unknown], "unknown", th.Warn},
		{c[job.Canceled], "canceled", th.Muted},
		{c[job.Sending], "sending", th.Text},
		{c[job.Offline], "offline", th.Warn},
		{c[job.Processing], "processing", th.Warn},
		{c[job.Waiting], "waiting", th.Muted},
	} {
		if state.n > 0 {
			parts = append(parts, state.style.Render(text.Count(state.n)+" "+state.word))
		}
	}
	return parts
}
