package upload

import (
	"strings"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// summary describes the content of a section for its folded line.
func (m *Model) summary(s section) string {
	for _, i := range m.items {
		// Names always differ.
		if i.section == s && i.mixed && i.field != fieldName {
			return "mixed: the files differ in " + i.words
		}
	}
	targets := m.targets()
	e := &targets[0].entry
	switch s {
	case sectionFile:
		folder := targets[0].folder()
		if len(targets) > 1 {
			return text.Plural(len(targets), "name") + " in " + folder + ", " + describeNaming(e.Naming)
		}
		return e.FileName + " in " + folder + ", " + describeNaming(e.Naming)
	case sectionTags:
		// A line shows only a few, and more would cost time.
		return orNone(strings.Join(firstTags(e.Tags.Or(nil)), ", "))
	case sectionRegion:
		return orNone(targets[0].region(m))
	case sectionExtensions:
		return orNone(strings.Join(extensionNames(e.Extensions.Or(nil)), ", "))
	case sectionExists:
		return existsSummary(e)
	case sectionMetadata:
		if keys := len(e.CustomMetadata.Or(nil)); keys > 0 {
			return text.Plural(keys, "key")
		}
		return orNone(targets[0].text(m.item(fieldMetadata)))
	case sectionResponse:
		return responseSummary(e)
	case sectionCount:
	}
	return ""
}

// sumUp says in one line what is sent where: "14 files, 872 kB → /greece/ · tags sea · remove-bg · public · 2 warnings".
func (m *Model) sumUp() string {
	e := &m.sources[0].entry
	same := func(key string) bool { return sameText(api.FieldByKey(key), m.sources) }
	parts := []string{text.Plural(len(m.sources), "file")}
	if size := m.totalSize(); size != "" {
		parts[0] += ", " + size
	}
	parts[0] += " → " + m.target(m.sources)
	tags := api.SplitTags(commonTags(m.sources))
	switch {
	case len(tags) > 0:
		parts = append(parts, "tags "+strings.Join(firstTags(tags), ", "))
	case same("tags"):
		parts = append(parts, "no tags")
	}
	if !same("tags") {
		parts = append(parts, "other tags differ")
	}
	if !same("extensions") {
		parts = append(parts, "extensions differ")
	} else if names := extensionNames(e.Extensions.Or(nil)); len(names) > 0 {
		parts = append(parts, strings.Join(names, ", "))
	}
	private := 0
	for _, s := range m.sources {
		if s.entry.IsPrivateFile.Or(false) {
			private++
		}
	}
	switch private {
	case 0:
		parts = append(parts, "public")
	case len(m.sources):
		parts = append(parts, "private")
	default:
		parts = append(parts, text.Count(private)+" private")
	}
	if n := len(m.sum().checks); n > 0 {
		parts = append(parts, text.Plural(n, "warning"))
	}
	return strings.Join(parts, " · ")
}

func orNone(text string) string {
	if strings.TrimSpace(text) == "" {
		return "none"
	}
	return text
}

// firstTags returns as many tags as a line can show.
func firstTags(tags []string) []string { return tags[:min(len(tags), 100)] }

func describeNaming(n api.Naming) string {
	switch n {
	case api.NameService:
		return "unique suffix by the service"
	case api.NameExact:
		return "exact name"
	case api.NameHere:
	}
	return "unique suffix"
}

func existsSummary(e *api.Entry) string {
	var parts []string
	for _, f := range api.UploadFields {
		if f.Group == api.GroupExists && f.IsSet(e) {
			parts = append(parts, f.Words+" "+onOff(f.Text(e)))
		}
	}
	if len(parts) == 0 {
		return "service defaults"
	}
	return strings.Join(parts, ", ")
}

func onOff(text string) string {
	if text == on {
		return "on"
	}
	return "off"
}

func responseSummary(e *api.Entry) string {
	words := "no extra fields"
	if n := len(e.ResponseFields.Or(nil)); n > 0 {
		words = text.Plural(n, "extra field")
	}
	hook := "our webhook"
	switch {
	case e.NoWebhook:
		hook = "no webhook"
	case e.WebhookURL.IsSet():
		hook = "webhook " + e.WebhookURL.Or("")
	}
	return words + ", " + hook
}
