package journal

import (
	"context"
	"strings"

	"mediadesk/api"
)

// Job returns one job, and false where there is none of that id.
func (j *Journal) Job(ctx context.Context, id int64) (api.Job, bool, error) {
	var job api.Job
	found := false
	err := j.query(ctx, func(scan func(...any) error) error {
		var err error
		job, err = scanJob(scan)
		found = true
		return err
	}, "SELECT id, body, record, updated, priority FROM jobs WHERE id = ?", id)
	return job, found && err == nil, err
}

// askedBy tells runs what their upload asked for.
func askedBy(job *api.Job, runs []api.Run) []api.Run {
	list := job.Upload.Extensions.Or(nil)
	for i := range runs {
		for n := range list {
			if strings.EqualFold(list[n].Name, runs[i].Extension) {
				runs[i].Asked = &list[n]
			}
		}
	}
	return runs
}
