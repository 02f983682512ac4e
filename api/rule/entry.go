package rule

import (
	"slices"
	"strings"

	"mediadesk/api"
)

// extensionArguments formats extensions for flags: as names if they have no options.
func ExtensionArguments(list []api.Extension) []string {
	args := make([]string, 0, len(list))
	for _, e := range list {
		text, err := ReadableJSON(e)
		if err != nil {
			continue
		}
		if isName(e) {
			text = []byte(e.Name)
		}
		args = append(args, string(text))
	}
	return args
}

func isName(e api.Extension) bool {
	return e.Name != "" && e.Name == strings.TrimSpace(e.Name) && !strings.ContainsAny(e.Name, ",[{") &&
		e.Options == nil && e.MaxTags.IsZero() && e.MinConfidence.IsZero() && len(e.Rest) == 0
}

// extensionsText returns a comma-separated list of names, or a JSON array.
func ExtensionsText(list []api.Extension) string {
	if len(list) > 0 && !slices.ContainsFunc(list, func(e api.Extension) bool { return !isName(e) }) {
		return strings.Join(ExtensionArguments(list), ",")
	}
	text, _ := ReadableJSON(api.Set(list)) // values read from JSON can be encoded
	return string(text)
}

// ParseExtensionList parses extensions in flags and settings: each value is a comma-separated list
// of names, a JSON object, or a JSON array of those. The error is a *api.RuleError.
func ParseExtensionList(values []string) ([]api.Extension, error) {
	var list []api.Extension
	for _, text := range values {
		text = strings.TrimSpace(text)
		if strings.HasPrefix(text, "{") {
			text = "[" + text + "]"
		}
		if strings.HasPrefix(text, "[") {
			more, err := ParseExtensions(text)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
			continue
		}
		for name := range strings.SplitSeq(text, ",") {
			list = append(list, api.Extension{Name: strings.TrimSpace(name)})
		}
	}
	return list, CheckExtensions(list)
}
