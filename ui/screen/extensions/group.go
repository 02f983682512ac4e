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

// grouping is what the rows stand together by.
type grouping uint8

const (
	byTime grouping = iota
	byFile
	byExtension
	byStatus
	groupings
)

var groupingNames = [groupings]string{"time, the newest first", "file", "extension", "status"}

// key is what a run stands under; empty where there are no groups.
func (g grouping) key(run *api.Run) string {
	switch g {
	case byFile:
		return place(run)
	case byExtension:
		return run.Extension
	case byStatus:
		return string(run.Status)
	}
	return ""
}

// rank orders groups: by status, what is not over comes first.
func (g grouping) rank(run *api.Run) int {
	switch {
	case g != byStatus:
		return 0
	case !run.Status.Final():
		return 0
	case run.Status == api.StatusFailed:
		return 1
	}
	return 2
}

// line is a row of the list: a run, or the head of a group.
type line struct {
	run  int // in all; of a head, the first of its group
	head *group
}

// group is what the head of a group says.
type group struct {
	name                     string
	pending, success, failed int
}

// gather puts the runs that were found into lines.
func (r *runs) gather(found []int) {
	r.shown = r.shown[:0]
	if r.grouping == byTime {
		for _, i := range found {
			r.shown = append(r.shown, line{run: i})
		}
		return
	}
	g := r.grouping
	slices.SortStableFunc(found, func(a, b int) int {
		x, y := &r.all[a], &r.all[b]
		return cmp.Or(cmp.Compare(g.rank(x), g.rank(y)), cmp.Compare(g.key(x), g.key(y)))
	})
	var head *group
	for _, i := range found {
		run := &r.all[i]
		if name := g.key(run); head == nil || head.name != name {
			head = &group{name: name}
			r.shown = append(r.shown, line{run: i, head: head})
		}
		switch {
		case !run.Status.Final():
			head.pending++
		case run.Status == api.StatusFailed:
			head.failed++
		default:
			head.success++
		}
		r.shown = append(r.shown, line{run: i})
	}
}

// words say how the runs of a group stand.
func (g *group) words() string {
	s := text.Plural(g.pending+g.success+g.failed, "run")
	for _, part := range []struct {
		n    int
		word string
	}{{g.pending, "pending"}, {g.success, "success"}, {g.failed, "failed"}} {
		if part.n > 0 {
			s += " · " + text.Count(part.n) + " " + part.word
		}
	}
	return s
}

// settle takes the cursor off a head, on in the direction in which it went, and
// keeps the head of the first group in sight.
func (m *Model) settle(from int) {
	at := m.list.Cursor()
	if at >= len(m.runs.shown) || m.runs.shown[at].head == nil {
		if at == 1 && m.runs.shown[0].head != nil {
			m.list.SetCursor(0)
			m.list.SetCursor(1)
		}
		return
	}
	if at < from && at > 0 {
		m.list.SetCursor(at - 1)
		return
	}
	m.list.SetCursor(at + 1)
}

// quietAfter is how long a run is pending before it counts as one without
// news.
const quietAfter = 5 * time.Minute

// quiet reports whether nothing was heard of a run for long.
func quiet(run *api.Run, now time.Time) bool {
	return !run.Status.Final() && now.Sub(lastNews(run)) >= quietAfter
}

// lastNews is when something was last heard of a run.
func lastNews(run *api.Run) time.Time {
	if run.At.After(run.Started) {
		return run.At
	}
	return run.Started
}

// openGroups offers what the rows can stand together by.
func (m *Model) openGroups() tea.Cmd {
	rows := make([]kit.MenuRow, groupings)
	for g := range groupings {
		rows[g] = kit.MenuRow{Key: [groupings]string{"t", "f", "x", "s"}[g], Label: groupingNames[g], Current: g == m.runs.grouping, Do: func() tea.Cmd {
			m.runs.grouping = g
			m.arrange()
			return nil
		}}
	}
	m.Overlays().Open(kit.NewMenu("Group by", rows...))
	return nil
}
