package local

import (
	"mediadesk/api"
	"mediadesk/api/local/extension"
)

// readExtensions reads the extensions of a request. For those that the library does
// itself, it refuses what they do not take by its name; what the others take is
// the business of a command or of another service.
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
