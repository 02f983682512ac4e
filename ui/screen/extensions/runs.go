package extensions

import (
	"slices"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/ui/kit"
)

type status uint8

const (
	every status = iota
	pending
	failed
	statusCount
)

var statusNames = [statusCount]string{"all", "pending", "failed"}

// statusOf returns the filter that shows a run with few others. Unknown statuses count as pending.
func statusOf(run *job.Run) status {
	switch {
	case run.Status == api.StatusFailed:
		return failed
	case !run.Status.Final():
		return pending
	}
	return every
}

type runs struct {
	all    []job.Run // newest last
	read   bool
	status status

	pending, success, failed int
}

func (r *runs) set(all []job.Run) {
	r.all, r.read = all, true
	r.pending, r.success, r.failed = 0, 0, 0
	for i := range all {
		switch statusOf(&all[i]) {
		case failed:
			r.failed++
		case pending:
			r.pending++
		default:
			r.success++
		}
	}
}

// rows returns the runs that the filter shows: the failed ones first, then the pending ones, each
// newest first.
func (m *Model) rows() []kit.Group[int] {
	var parts [statusCount][]int
	for i := range slices.Backward(m.runs.all) {
		is := statusOf(&m.runs.all[i])
		parts[is] = append(parts[is], i)
	}
	rows := parts[m.runs.status]
	if m.runs.status == every {
		rows = slices.Concat(parts[failed], parts[pending], parts[every])
	}
	if len(rows) == 0 {
		return nil
	}
	return []kit.Group[int]{{Rows: rows}}
}

// next returns the next status of the cycle that some run has.
func (r *runs) next() status {
	for is := (r.status + 1) % statusCount; ; is = (is + 1) % statusCount {
		if [statusCount]int{1, r.pending, r.failed}[is] > 0 {
			return is
		}
	}
}

// quietAfter is how long a pending run can be without news.
const quietAfter = 5 * time.Minute
