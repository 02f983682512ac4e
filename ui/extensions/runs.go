package extensions

import (
	"slices"
	"strings"
	"time"

	"mediadesk/api"
)

// sort of runs that are shown.
type status uint8

const (
	every status = iota
	pending
	success
	failed
	statusCount
)

var statusNames = [statusCount]string{"all", "pending", "success", "failed"}

// holds reports whether a run is of that sort. A status that nobody knows is
// no end.
func (s status) holds(run *api.Run) bool {
	switch s {
	case pending:
		return !run.Status.Final()
	case success:
		return run.Status == api.StatusSuccess
	case failed:
		return run.Status == api.StatusFailed
	}
	return true
}

// runs are those of the profile and which of them are shown.
type runs struct {
	all    []api.Run // newest last
	read   bool
	seen   map[int64]string    // what the details showed at the end of a run
	next   map[int64]time.Time // when a pending run is looked at next
	status status

	pending, success, failed int
	latest                   time.Time // when something was last learnt

	shown []int // in all, newest first
}

func newRuns() runs { return runs{seen: map[int64]string{}, next: map[int64]time.Time{}} }

// take takes the runs that were read.
func (r *runs) take(all []api.Run, seen map[int64]string) {
	r.all, r.read = all, true
	r.pending, r.success, r.failed, r.latest = 0, 0, 0, time.Time{}
	for id, words := range seen {
		r.seen[id] = words
	}
	for i := range all {
		run := &all[i]
		switch {
		case pending.holds(run):
			r.pending++
		case success.holds(run):
			r.success++
		default:
			r.failed++
		}
		if run.At.After(r.latest) {
			r.latest = run.At
		}
	}
}

// arrange chooses the rows: of the status, with all words of the pattern in
// extension, path, status or source of knowledge.
func (r *runs) arrange(pattern string) {
	words := strings.Fields(strings.ToLower(pattern))
	r.shown = r.shown[:0]
	for i := len(r.all) - 1; i >= 0; i-- {
		if run := &r.all[i]; r.status.holds(run) && matches(run, words) {
			r.shown = append(r.shown, i)
		}
	}
}

func matches(run *api.Run, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(strings.Join([]string{run.Extension, run.FilePath, string(run.Status), run.From, run.FileID}, "\n"))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// row is the i-th that is shown; where there is none, a run of nothing.
func (r *runs) row(i int) (*api.Run, bool) {
	if i < 0 || i >= len(r.shown) {
		return &api.Run{}, false
	}
	return &r.all[r.shown[i]], true
}

// find is the place of a run, -1 where it is not shown.
func (r *runs) find(id int64) int {
	return slices.IndexFunc(r.shown, func(i int) bool { return r.all[i].ID == id })
}
