package entry

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
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

// hostedFacts lists members of hosted services' records (hosted-service.md §12) that File lacks.
// With a group, the member is an object whose members are facts.
var hostedFacts = []struct {
	name, label, group string
	show               func(json.RawMessage) string
}{
	{"isPublished", "Published", "", yesNo},
	{"duration", "Duration", "", unit("s")},
	{"bitRate", "Bit rate", "", unit("kbps")},
	{"videoCodec", "Video codec", "", api.JSONText},
	{"audioCodec", "Audio codec", "", api.JSONText},
	{"checks", "Condition", "", api.JSONText},
	{"metadata", "Metadata", "metadata", api.JSONText},
	{"selectedFieldsSchema", "Fields", "field", api.JSONText},
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
			facts = append(facts, Fact{Label: h.label, Value: h.show(value)})
		}
		for _, name := range slices.Sorted(maps.Keys(inner)) {
			facts = append(facts, Fact{h.group, name, h.show(inner[name])})
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

func yesNo(value json.RawMessage) string {
	switch string(value) {
	case "true":
		return "yes"
	case "false":
		return "no"
	}
	return api.JSONText(value)
}

func unit(name string) func(json.RawMessage) string {
	return func(value json.RawMessage) string {
		if _, err := strconv.ParseFloat(string(value), 64); err != nil {
			return api.JSONText(value)
		}
		return string(value) + " " + name
	}
}
