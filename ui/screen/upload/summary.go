package upload

import (
	"strings"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// summary says in a few words what a section holds, for the line that stands
// for it while it is folded.
func (m *Model) summary(s section) string {
	for _, i := range m.items {
		// Names always differ.
		if i.section == s && i.mixed && i.field != fieldName {
			return "mixed: the files differ in " + i.words()
		}
	}
	targets := m.targets()
	v := &targets[0].values
	switch s {
	case sectionFile:
		folder, _ := api.CleanFolder(v[fieldFolder])
		if len(targets) > 1 {
			return text.Plural(len(targets), "name") + " in " + folder + ", " + namingWords(v.naming())
		}
		return v[fieldName] + " in " + folder + ", " + namingWords(v.naming())
	case sectionTags:
		// A line shows few of them; many would only cost time.
		return orNone(strings.Join(firstTags(v[fieldTags]), ", "))
	case sectionRegion:
		return orNone(v[fieldRegion])
	case sectionExtensions:
		var names []string
		for _, e := range m.verdict(targets[0]).upload.Extensions.Or(nil) {
			names = append(names, e.Name)
		}
		return orNone(strings.Join(names, ", "))
	case sectionExists:
		return existsSummary(v)
	case sectionMetadata:
		if keys := len(m.verdict(targets[0]).upload.CustomMetadata.Or(nil)); keys > 0 {
			return text.Plural(keys, "key")
		}
		return orNone(v[fieldMetadata])
	case sectionAnswer:
		return answerSummary(v)
	case sectionCount:
	}
	return ""
}

func orNone(text string) string {
	if strings.TrimSpace(text) == "" {
		return "none"
	}
	return text
}

// firstTags are as many of the joined tags as a line may show.
func firstTags(joined string) []string {
	const most = 300
	if len(joined) > most {
		joined = joined[:most]
	}
	return api.SplitTags(joined)
}

func namingWords(n api.Naming) string {
	switch n {
	case api.NameService:
		return "made unique by the service"
	case api.NameExact:
		return "exact name"
	case api.NameHere:
	}
	return "made unique here"
}

func existsSummary(v *values) string {
	var parts []string
	for _, f := range []field{fieldOverFile, fieldOverTags, fieldOverAITags, fieldOverMetadata} {
		if v[f] != "" {
			parts = append(parts, fieldWords[f]+" "+v[f])
		}
	}
	if len(parts) == 0 {
		return "service defaults"
	}
	return strings.Join(parts, ", ")
}

func answerSummary(v *values) string {
	n := 0
	for _, f := range answerFields {
		if v[f] == on {
			n++
		}
	}
	words := "no extra fields"
	if n > 0 {
		words = text.Plural(n, "extra field")
	}
	hook := map[string]string{webhookOurs: "our webhook", webhookNone: "no webhook", webhookAddress: "webhook " + v[fieldAddress]}
	return words + ", " + hook[v[fieldWebhook]]
}
