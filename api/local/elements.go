package local

import (
	"maps"
	"slices"

	"mediadesk/api"
	"mediadesk/api/local/extension"
)

// removeOptions are the options of remove-bg: those of service.md §2.2 and of hosted
// services.
var removeOptions = []string{"add_shadow", "bg_color", "bg_colour", "bg_image_url", "semitransparency"}

// readExtensions reads the extensions of a request. Of those that are the
// library's own work, what nobody knows, or has no value that it can have, is
// refused by its name; what the others are told is for a command, or for a
// service that has them.
func (l *Library) readExtensions(text string) ([]api.Extension, error) {
	list, err := api.ParseExtensions(text)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if !l.tools.Knows(e.Name) || !l.tools.Own(e.Name) {
			continue
		}
		options := removeOptions
		if e.Name != api.RemoveBackground {
			options = nil
		}
		for _, name := range slices.Sorted(maps.Keys(e.Rest)) {
			return nil, badRequest("extensions: "+quote(name)+" is no member of "+quote(e.Name)+".", "It takes name, options, maxTags and minConfidence.")
		}
		for _, name := range slices.Sorted(maps.Keys(e.Options)) {
			if !slices.Contains(options, name) {
				return nil, badRequest("extensions: "+quote(name)+" is no option of "+quote(e.Name)+".", "remove-bg takes add_shadow, bg_color or bg_colour, bg_image_url and semitransparency; tagging takes none.")
			}
		}
		if err := extension.CheckOptions(e); err != nil {
			return nil, badRequest("extensions: "+e.Name+": "+err.Error()+".", "Correct the option, or leave it out.")
		}
	}
	return list, nil
}
