package extensions

import (
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// status is a filter of runs.
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

// holds reports whether a run has the status. Unknown statuses count as pending.
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

// runs holds the runs of the profile and the filter.
type runs struct {
	all       []api.Run // newest last
	read      bool
	seen      map[int64]string    // results as seen in details
	next      map[int64]time.Time // next poll of a pending run
	looked    map[int64]looked    // last poll
	unmatched []webhook           // those that match no run, newest first
	lost      []string            // addresses where another program receives our posts
	status    status
	grouping

	tally
	latest time.Time        // time of the last news
	heads  map[string]tally // of the shown groups
}

func newRuns() runs {
	return runs{seen: map[int64]string{}, next: map[int64]time.Time{}, looked: map[int64]looked{}}
}

// looked is the last poll of a run.
type looked struct {
	at  time.Time // zero if none yet
	err error     // its error
}

func lookedAt(at time.Time, err error) looked { return looked{at, err} }

// set stores the runs that were read.
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

// rows lists the runs, newest first.
type rows struct{ *Model }

// ID returns the id of a run, or a negative one for a webhook.
func (r rows) ID(row int) int64 {
	if w := r.webhook(row); w != nil {
		return w.id
	}
	return r.runs.all[row].ID
}

// Len returns the number of runs and unmatched webhooks.
func (r rows) Len() int { return len(r.runs.all) + len(r.runs.unmatched) }

// Groups returns the runs that match the status and all words of the filter.
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
