package uploads

import (
	"mediadesk/api"
	"mediadesk/ui/page"
)

// Command sends what the job under the cursor sent; without one it goes on with
// what waits.
func (m *Model) Command() []string {
	if r, ok := m.current(); ok {
		naming := r.Job.Naming
		if naming == api.NameHere {
			naming = api.NameExact // its suffix is in the name already
		}
		return page.UploadArgs(r.Job.Upload, naming)
	}
	return []string{"upload"}
}
