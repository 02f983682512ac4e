package upload

import "mediadesk/ui/page"

// Command sends the source under the cursor as the form has it.
func (m *Model) Command() []string {
	s := m.current()
	if s == nil {
		return nil
	}
	u, _ := build(s.src, &s.values, m.opt.Profile)
	return page.UploadArgs(u, s.values.naming())
}
