package edit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/ui/text"
)

// Differences says how two records differ. A field that the first of them does not have is not
// compared.
func Differences(a, b entry.Values) []string {
	to := entry.Values{}
	for name := range a {
		if to[name] = b[name]; b[name] == nil {
			to[name] = json.RawMessage("null")
		}
	}
	for name := range b {
		if _, metadata := entry.MetadataKey(name); metadata {
			to[name] = b[name]
		}
	}
	return Describe(a, to)
}

// Describe says how a change differs from what is saved.
func Describe(saved, to entry.Values) []string {
	var out []string
	for _, name := range to.Names() {
		key, metadata := entry.MetadataKey(name)
		before, after := saved[name], to[name]
		field := entry.FieldByName(name)
		switch {
		case metadata && rule.SameValue(before, after):
			continue
		case metadata:
		case field.Kind == entry.KindList:
			if words := listDifference(before, after); words != "" {
				out = append(out, field.Label+": "+words)
			}
			continue
		default:
			key = field.Label
		}
		if before, after := valueText(name, before), valueText(name, after); before != after {
			out = append(out, key+": "+before+" → "+after)
		}
	}
	return out
}

const maxText = 60

// valueText formats a value for a difference.
func valueText(name string, value json.RawMessage) string {
	words := text.Truncate(strings.Join(strings.Fields(rule.PlainValue(value)), " "), maxText)
	switch {
	case name == rule.FieldRegion && value == nil:
		return "not known"
	case rule.IsNull(value):
		return text.Either(name == rule.FieldRegion, "the whole picture", "not set")
	case name == rule.FieldRegion:
		return DescribeRegion(words)
	case words == "":
		return "none"
	case name == rule.FieldDescription:
		return strconv.Quote(words)
	}
	return words
}

// MaxNamed is how many tags are named.
const MaxNamed = 12

func listDifference(before, after json.RawMessage) string {
	var a, b, parts []string
	_, _ = json.Unmarshal(before, &a), json.Unmarshal(after, &b) // null and missing are empty
	side := func(sign string, from, without []string) {
		has := func(v string) bool { return slices.Contains(without, v) }
		from = slices.DeleteFunc(slices.Clone(from), has)
		for _, value := range from[:min(len(from), MaxNamed)] {
			parts = append(parts, sign+value)
		}
		if n := len(from) - MaxNamed; n > 0 {
			parts = append(parts, fmt.Sprintf("and %s%d more", sign, n))
		}
	}
	side("+", b, a)
	side("-", a, b)
	switch {
	case rule.IsNull(after) && string(before) == "null":
		return ""
	case rule.IsNull(after) && len(a) == 0:
		parts = append(parts, "not set")
	case len(parts) == 0 && !slices.Equal(a, b):
		parts = append(parts, "in another order")
	}
	return strings.Join(parts, ", ")
}
