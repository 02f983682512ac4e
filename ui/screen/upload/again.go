package upload

import (
	"encoding/json"
	"regexp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
)

// mend takes jobs that were sent and not stored back into the form, with the
// options that they had and what was said of them. The form is about them
// then: they alone are marked.
func (m *Model) mend(jobs []api.Job) tea.Cmd {
	if m.sending || len(jobs) == 0 {
		return nil
	}
	m.leave()
	m.Overlays().CloseAll()
	m.draw = nil
	for _, s := range m.sources {
		s.marked = false
	}
	for i := range jobs {
		job := &jobs[i]
		at := slices.IndexFunc(m.sources, func(s *source) bool { return s.src == job.Upload.Source })
		if at < 0 {
			m.sources = append(m.sources, &source{src: job.Upload.Source})
			at = len(m.sources) - 1
		}
		s := m.sources[at]
		s.values, s.marked, s.checked, s.known = valuesOf(job, m.o.Profile), true, nil, known{}
		s.failed = nil
		if job.Failure != nil {
			s.failed = job.Failure
		}
		m.list.SetLen(len(m.sources))
		m.list.SetCursor(at)
	}
	m.note()
	m.load()
	m.setFocus(focus{stop: stopItem, field: fieldName})
	return m.lookAtSources()
}

// ourSuffix is what makes a name unique here (see api.UniqueName).
var ourSuffix = regexp.MustCompile(`_[A-Za-z0-9_-]{9}(\.[^.]*)?$`)

// valuesOf are the values of a form that make this job's upload.
func valuesOf(job *api.Job, p session.Profile) values {
	u := &job.Upload
	var v values
	v[fieldName] = u.FileName
	v[fieldNaming] = string(job.Naming)
	v[fieldOverFile] = boolText(u.OverwriteFile)
	if job.Naming == api.NameHere {
		// Both were put there when it was handed over.
		v[fieldName] = ourSuffix.ReplaceAllString(u.FileName, "$1")
		v[fieldOverFile] = ""
	}
	v[fieldFolder] = u.Folder.Or("")
	v[fieldPrivate] = boolText(u.IsPrivateFile)
	v[fieldDescription] = u.Description.Or("")
	v[fieldTags] = api.JoinTags(u.Tags.Or(nil))
	v[fieldRegion] = u.CustomCoordinates.Or("")
	v[fieldOverTags] = boolText(u.OverwriteTags)
	v[fieldOverAITags] = boolText(u.OverwriteAITags)
	v[fieldOverMetadata] = boolText(u.OverwriteCustomMetadata)
	if members := u.CustomMetadata.Or(nil); len(members) > 0 {
		v[fieldMetadata] = metadataText(members)
	}
	for i, f := range answerFields {
		if slices.Contains(u.ResponseFields.Or(nil), api.ResponseFields[i]) {
			v[f] = on
		}
	}
	list := u.Extensions.Or(nil)
	extensionValues(&v, list)
	switch {
	case u.WebhookURL.IsSet():
		v[fieldWebhook], v[fieldAddress] = webhookAddress, u.WebhookURL.Or("")
	case len(list) > 0 && !job.OwnWebhook && p.Receiver != "":
		v[fieldWebhook] = webhookNone
	}
	return v
}

func boolText(f api.Field[bool]) string {
	if b, ok := f.Get(); ok {
		if b {
			return on
		}
		return off
	}
	return ""
}

// extensionValues shares extensions among the presets where they can say all of
// it, and the raw ones.
func extensionValues(v *values, list []api.Extension) {
	var others []api.Extension
	var order []string
	for _, e := range list {
		order = append(order, e.Name)
		if !presetValues(v, e) {
			others = append(others, e)
		}
	}
	if len(others) > 0 {
		// A list of extensions can always be written.
		text, _ := json.Marshal(others)
		v[fieldOtherJSON] = string(text)
	}
	if !slices.Equal(order, extensionNames(v)) {
		v[fieldOrder] = api.JoinTags(order)
	}
}

// extensionNames are the extensions of some values in the order in which they
// go without an order of their own.
func extensionNames(v *values) []string {
	plain := *v
	plain[fieldOrder] = ""
	var names []string
	for _, e := range extensions(&plain, session.Profile{}, func(field, error) {}) {
		names = append(names, e.Name)
	}
	return names
}

// presetValues writes an extension into the fields of its preset, and tells
// whether they can hold all of it.
func presetValues(v *values, e api.Extension) bool {
	if len(e.Rest) > 0 {
		return false
	}
	switch e.Name {
	case api.RemoveBackground:
		var shadow api.Field[bool]
		colour := ""
		for name, text := range e.Options {
			switch name {
			case "add_shadow":
				if json.Unmarshal(text, &shadow) != nil || !shadow.IsSet() {
					return false
				}
			case "bg_colour", "bg_color":
				if json.Unmarshal(text, &colour) != nil || colour == "" {
					return false
				}
			default:
				return false
			}
		}
		if e.MaxTags.IsSet() || e.MinConfidence.IsSet() {
			return false
		}
		v[fieldRemove], v[fieldShadow], v[fieldColour] = on, boolText(shadow), colour
	case api.GoogleTagging, api.AWSTagging:
		if len(e.Options) > 0 {
			return false
		}
		to := [...]field{fieldGoogle, fieldGoogleTags, fieldGoogleSure}
		if e.Name == api.AWSTagging {
			to = [...]field{fieldAWS, fieldAWSTags, fieldAWSSure}
		}
		v[to[0]], v[to[1]], v[to[2]] = on, number(e.MaxTags), number(e.MinConfidence)
	default:
		return false
	}
	return true
}
