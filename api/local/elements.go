package local

import (
	"mediadesk/api"
	"mediadesk/api/local/extension"
)

// readExtensions reads the extensions of a request. It checks the options of those
// that the library runs itself. The options of the others are for a command or for
// another service.
func (l *Library) readExtensions(text string) ([]api.Extension, error) {
	list, err := api.ParseExtensions(text)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if !l.tools.Knows(e.Name) || !l.tools.Own(e.Name) {
			continue
		}
		if err := extension.CheckElement(e); err != nil {
			return nil, badRequest("extensions: "+e.Name+": "+err.Error()+".", "Correct the option, or leave it out.")
		}
	}
	return list, nil
}
