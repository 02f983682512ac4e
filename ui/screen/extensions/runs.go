package extensions

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// status is a filter of runs.
type status uint8

const (
	every status = iota
	pending
	failed
	statusCount
)

var statusNames = [statusCount]string{"all", "pending", "failed"}

// holds reports whether a run has the status. Unknown statuses count as pending.
func (s status) holds(run *api.Run) bool {
	switch s {
	case pending:
		return !run.Status.Final()
	case failed:
		return run.Status == api.StatusFailed
	}
	return true
}

// runs holds the runs of the profile and the filter.
type runs struct {
	all    []api.Run // newest last
	read   bool
	status status
	grouping

	tally
	latest time.Time // time of the last news
}

// set stores the runs that were read.
func (r *runs) set(all []api.Run) {
	r.all, r.read = all, true
	r.tally, r.latest = tally{}, time.Time{}
	for i := range all {
		run := &all[i]
		r.add(run)
		if run.At.After(r.latest) {
			r.latest = run.At
		}
	}
}

// groups returns the runs of the chosen status, newest first.
func (m *Model) groups() []kit.Group[int] {
	var found []int
	for i := len(m.runs.all) - 1; i >= 0; i-- {
		if m.runs.status.holds(&m.runs.all[i]) {
			found = append(found, i)
		}
	}
	return m.runs.gather(found)
}

func matches(run *api.Run, words []string) bool {
	return text.HasAll(words, run.Extension, run.FilePath, string(run.Status), run.From, run.FileID)
}

// grouping is the key for grouping rows.
type grouping uint8

const (
	byTime grouping = iota
	byFile
	byExtension
	byStatus
	groupings
)

var groupingNames = [groupings]string{"time: failed first, then newest", "file", "extension", "status"}

// key returns the group of a run, or "" without groups.
func (g grouping) key(run *api.Run) string {
	switch g {
	case byFile:
		return folderOf(run)
	case byExtension:
		return run.Extension
	case byStatus:
		return string(run.Status)
	}
	return ""
}

// rank orders runs and groups by status: failed ones come first, then unfinished ones.
func (g grouping) rank(run *api.Run) int {
	switch {
	case g != byStatus && g != byTime:
		return 0
	case run.Status == api.StatusFailed:
		return 0
	case !run.Status.Final():
		return 1
	}
	return 2
}

// gather puts the runs that were found into groups.
func (r *runs) gather(found []int) []kit.Group[int] {
	g := r.grouping
	slices.SortStableFunc(found, func(a, b int) int {
		x, y := &r.all[a], &r.all[b]
		return cmp.Or(cmp.Compare(g.rank(x), g.rank(y)), cmp.Compare(g.key(x), g.key(y)))
	})
	var groups []kit.Group[int]
	for _, i := range found {
		key := g.key(&r.all[i])
		if n := len(groups); n == 0 || groups[n-1].Key != key {
			groups = append(groups, kit.Group[int]{Key: key})
		}
		last := &groups[len(groups)-1]
		last.Rows = append(last.Rows, i)
	}
	return groups
}

// tallyOf counts some of the runs.
func (r *runs) tallyOf(rows []int) (t tally) {
	for _, i := range rows {
		t.add(&r.all[i])
	}
	return t
}

// tally counts runs by status.
type tally struct{ pending, success, failed int }

func (t *tally) add(run *api.Run) {
	switch {
	case !run.Status.Final():
		t.pending++
	case run.Status == api.StatusFailed:
		t.failed++
	default:
		t.success++
	}
}

// String says how the runs of a group stand.
func (t tally) String() string {
	s := text.Plural(t.pending+t.success+t.failed, "run")
	for _, part := range []struct {
		n    int
		word string
	}{{t.pending, "pending"}, {t.success, "success"}, {t.failed, "failed"}} {
		if part.n > 0 {
			s += " · " + text.Count(part.n) + " " + part.word
		}
	}
	return s
}

// quietAfter is how long a pending run can be without news.
const quietAfter = 5 * time.Minute

// quiet reports whether a run has had no news for long.
func quiet(run *api.Run, now time.Time) bool {
	return !run.Status.Final() && now.Sub(lastNews(run)) >= quietAfter
}

// lastNews returns the time of the last news about a run.
func lastNews(run *api.Run) time.Time {
	if run.At.After(run.Started) {
		return run.At
	}
	return run.Started
}

// openGroups offers the groupings.
func (m *Model) openGroups() tea.Cmd {
	rows := make([]kit.MenuRow, groupings)
	for g := range groupings {
		rows[g] = kit.MenuRow{Key: [groupings]string{"t", "f", "x", "s"}[g], Label: groupingNames[g], Current: g == m.runs.grouping, Do: func() tea.Cmd {
			m.runs.grouping = g
			m.list.Arrange()
			return nil
		}}
	}
	m.Overlays().Open(kit.NewMenu("Group by", rows...))
	return nil
}
