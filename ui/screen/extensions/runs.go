package extensions

import (
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
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
	all       []api.Run // newest last
	read      bool
	seen      map[int64]string    // what the details showed at the end of a run
	next      map[int64]time.Time // when a pending run is looked at next
	looked    map[int64]looked    // and was looked at last
	unmatched []webhook           // those that match no run, the newest first
	lost      []string            // where somebody else gets posts that are for us
	status    status
	grouping

	tally
	latest time.Time        // when something was last learnt
	heads  map[string]tally // of the groups that are shown
}

func newRuns() runs {
	return runs{seen: map[int64]string{}, next: map[int64]time.Time{}, looked: map[int64]looked{}}
}

// looked is the last look of the poller at a run.
type looked struct {
	at  time.Time // zero: there was none yet
	err error     // why it failed
}

func lookedAt(at time.Time, err error) looked { return looked{at, err} }

// set takes the runs that were read.
func (r *runs) set(all []api.Run, seen map[int64]string) {
	r.all, r.read = all, true
	r.tally, r.latest = tally{}, time.Time{}
	for id, words := range seen {
		r.seen[id] = words
	}
	for i := range all {
		run := &all[i]
		r.add(run)
		if run.At.After(r.latest) {
			r.latest = run.At
		}
	}
}

// rows are the runs as they are listed, the newest first.
type rows struct{ *Model }

// ID is that of the run, or of the webhook: those count down.
func (r rows) ID(row int) int64 {
	if w := r.webhook(row); w != nil {
		return w.id
	}
	return r.runs.all[row].ID
}

// Len is the number of runs and of webhooks that match none.
func (r rows) Len() int { return len(r.runs.all) + len(r.runs.unmatched) }

// Groups are the runs of the status that is shown, with all words of the filter in
// extension, path, status or source of knowledge.
func (r rows) Groups(filter string) []kit.Group {
	words, now := strings.Fields(strings.ToLower(filter)), r.o.Now()
	var found []int
	for i := len(r.runs.all) - 1; i >= 0; i-- {
		if run := &r.runs.all[i]; r.runs.status.holds(run, now) && matches(run, words) {
			found = append(found, i)
		}
	}
	return append(r.runs.gather(found), r.unmatched(words)...)
}

func matches(run *api.Run, words []string) bool {
	return text.HasAll(words, run.Extension, run.FilePath, string(run.Status), run.From, run.FileID)
}
