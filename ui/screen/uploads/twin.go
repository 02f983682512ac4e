package uploads

import (
	"mediadesk/api"
	"mediadesk/api/session"
)

// Commands returns the command that uploads the selected job's source again, or the command that resumes
// unfinished uploads.
func (m *Model) Commands() [][]string {
	if r, ok := m.current(); ok {
		job := *r.Job
		if job.Naming == api.NameHere {
			job.Naming = api.NameExact // the name already has its suffix
		}
		e := api.EntryOf(&job, true)
		return [][]string{session.UploadArgs(&e, m.o.Profile)}
	}
	return [][]string{{"resume"}}
}
