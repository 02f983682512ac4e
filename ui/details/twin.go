package details

import "mediadesk/ui/page"

// Command makes the change that is drafted, or shows the record.
func (m *Model) Command() []string {
	e := m.current()
	if e == nil {
		return nil
	}
	change, err := e.change()
	if err != nil {
		return nil // what is typed cannot be read yet
	}
	return page.DetailsArgs([]string{e.file.FileID}, change)
}
