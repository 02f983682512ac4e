package uploads

import (
	"mediadesk/api"
	"mediadesk/api/session"
)

// Commands upload the source of the job under the cursor again; without one they continue
// with unfinished uploads.
func (m *Model) Commands() [][]string {
	if r, ok := m.current(); ok {
		naming := r.Job.Naming
		if naming == api.NameHere {
			naming = api.NameExact // its suffix is in the name already
		}
		noWebhook := r.Job.Upload.Extensions.IsSet() && !r.Job.Upload.WebhookURL.IsSet() && !r.Job.OwnWebhook
		return [][]string{session.UploadArgs(r.Job.Upload, naming, m.o.Profile, noWebhook)}
	}
	return [][]string{{"resume"}}
}
