package entry

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// Fact is a member of a record as shown to users.
type Fact struct{ Group, Label, Value string }

// Name returns the label with its group.
func (f Fact) Name() string {
	if f.Group != "" {
		return f.Group + " " + f.Label
	}
	return strings.ToLower(f.Label)
}

// hostedFacts lists members of hosted services' records (hosted-service.md §12) that File lacks, and
// isPublished. With a group, the member is an object whose members are facts.
var hostedFacts = []struct{ name, label, group, unit string }{
	{"isPublished", "Published", "", ""},
	{"duration", "Duration", "", " s"},
	{"bitRate", "Bit rate", "", " kbps"},
	{"videoCodec", "Video codec", "", ""},
	{"audioCodec", "Audio codec", "", ""},
	{"checks", "Condition", "", ""},
	{"metadata", "Metadata", "metadata", ""},
	{"selectedFieldsSchema", "Fields", "field", ""},
}

// HostedFacts returns the facts that only records of hosted services have, in reading order.
func HostedFacts(f *api.File) []Fact {
	var members map[string]json.RawMessage
	if json.Unmarshal(f.Raw, &members) != nil {
		return nil
	}
	var facts []Fact
	for _, h := range hostedFacts {
		value, inner := members[h.name], map[string]json.RawMessage(nil)
		if rule.IsNull(value) {
			continue
		}
		if h.group == "" || json.Unmarshal(value, &inner) != nil {
			text := api.JSONText(value)
			switch {
			case json.Unmarshal(value, new(float64)) == nil:
				text += h.unit
			case string(value) == "true":
				text = "yes"
			case string(value) == "false":
				text = "no"
			}
			facts = append(facts, Fact{Label: h.label, Value: text})
		}
		for _, name := range slices.Sorted(maps.Keys(inner)) {
			facts = append(facts, Fact{h.group, name, api.JSONText(inner[name])})
		}
	}
	return facts
}

// OtherFacts returns the members that neither File nor HostedFacts has, by name.
func OtherFacts(f *api.File) []Fact {
	var facts []Fact
	for _, name := range slices.Sorted(maps.Keys(f.Other)) {
		known := FieldByName(name) != nil
		for _, h := range hostedFacts {
			known = known || h.name == name
		}
		if !known {
			facts = append(facts, Fact{"other", name, api.JSONText(f.Other[name])})
		}
	}
	return facts
}
