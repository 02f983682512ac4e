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
	silent
	statusCount
)

var statusNames = [statusCount]string{"all", "pending", "success", "failed", "without news"}

// holds reports whether a run is of that sort. A status that nobody knows is
// no end.
func (s status) holds(run *api.Run, now time.Time) bool {
	switch s {
	case silent:
		return quiet(run, now)
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
	looked map[int64]looked    // and was looked at last
	strays int                 // posts that no run took
	lost   []string            // where somebody else gets posts that are for us
	status status
	grouping

	pending, success, failed int
	latest                   time.Time // when something was last learnt
	found                    int       // how many of them are shown

	shown []line // newest first, as far as they do not stand in groups
}

func newRuns() runs {
	return runs{seen: map[int64]string{}, next: map[int64]time.Time{}, looked: map[int64]looked{}}
}

// looked is the last look of the poller at a run.
type looked struct {
	at  time.Time // zero: there was none yet
	err error     // why it failed
}

func look(at time.Time, err error) looked { return looked{at, err} }

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
		case !run.Status.Final():
			r.pending++
		case run.Status == api.StatusSuccess:
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
func (r *runs) arrange(pattern string, now time.Time) {
	words := strings.Fields(strings.ToLower(pattern))
	found := make([]int, 0, len(r.all))
	for i := len(r.all) - 1; i >= 0; i-- {
		if run := &r.all[i]; r.status.holds(run, now) && matches(run, words) {
			found = append(found, i)
		}
	}
	r.found = len(found)
	r.gather(found)
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
	return &r.all[r.shown[i].run], r.shown[i].head == nil
}

// find is the place of a run, -1 where it is not shown.
func (r *runs) find(id int64) int {
	return slices.IndexFunc(r.shown, func(l line) bool { return l.head == nil && r.all[l.run].ID == id })
}
