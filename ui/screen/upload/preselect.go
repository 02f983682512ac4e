package upload

import (
	"encoding/json"
	"strconv"

	"mediadesk/api"
	"mediadesk/api/session"
)

// preselect switches on the extensions that the profile begins with. What the
// presets cannot say goes into the row of other extensions, as JSON.
func preselect(v *values, p session.Profile) {
	var others []api.Extension
	for _, e := range p.Extensions {
		switch {
		case e.Name == api.RemoveBackground && v[fieldRemove] == "" && preselectRemove(v, e, p):
		case e.Name == api.GoogleTagging && v[fieldGoogle] == "" && len(e.Options)+len(e.Rest) == 0:
			v[fieldGoogle], v[fieldGoogleTags], v[fieldGoogleSure] = on, number(e.MaxTags), number(e.MinConfidence)
		case e.Name == api.AWSTagging && v[fieldAWS] == "" && len(e.Options)+len(e.Rest) == 0:
			v[fieldAWS], v[fieldAWSTags], v[fieldAWSSure] = on, number(e.MaxTags), number(e.MinConfidence)
		default:
			others = append(others, e)
		}
	}
	if len(others) == 0 {
		return
	}
	if text, err := json.Marshal(others); err == nil {
		v[fieldOtherJSON] = string(text)
	}
}

// preselectRemove takes the options of remove-bg that the form has rows for,
// and reports whether these are all.
func preselectRemove(v *values, e api.Extension, p session.Profile) bool {
	name := p.ColorOption
	if name == "" {
		name = defaultColorOption
	}
	shadow, colour := "", ""
	for option, text := range e.Options {
		var yes bool
		switch {
		case option == "add_shadow" && json.Unmarshal(text, &yes) == nil:
			shadow = off
			if yes {
				shadow = on
			}
		case option == name && json.Unmarshal(text, &colour) == nil:
		default:
			return false
		}
	}
	if len(e.Rest) > 0 || !e.MaxTags.IsZero() || !e.MinConfidence.IsZero() {
		return false
	}
	v[fieldRemove], v[fieldShadow], v[fieldColour] = on, shadow, colour
	return true
}

func number(f api.Field[int]) string {
	if n, ok := f.Get(); ok {
		return strconv.Itoa(n)
	}
	return ""
}
