package api

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Fact is a member of a record for people.
type Fact struct{ Group, Label, Value string }

// Name is the label in a line of text, with the group before it.
func (f Fact) Name() string {
	if f.Group != "" {
		return f.Group + " " + f.Label
	}
	return strings.ToLower(f.Label)
}

// hostedFacts are members of records of hosted services (hosted-service.md §12) that File
// does not have. One with a group is an object, of which each member is a fact.
var hostedFacts = []struct {
	name, label, group string
	show               func(json.RawMessage) string
}{
	{"isPublished", "Published", "", yesNo},
	{"duration", "Duration", "", unit("s")},
	{"bitRate", "Bit rate", "", unit("kbps")},
	{"videoCodec", "Video codec", "", jsonText},
	{"audioCodec", "Audio codec", "", jsonText},
	{"checks", "Condition", "", jsonText},
	{"metadata", "Metadata", "metadata", jsonText},
	{"selectedFieldsSchema", "Fields", "field", describeSchema},
}

// IsHostedFact reports whether HostedFacts shows the member of that name.
func IsHostedFact(name string) bool {
	for _, h := range hostedFacts {
		if h.name == name {
			return true
		}
	}
	return false
}

// HostedFacts are what only hosted services have in a record, in reading order.
func (f *File) HostedFacts() []Fact {
	var members map[string]json.RawMessage
	if json.Unmarshal(f.Raw, &members) != nil {
		return nil
	}
	var facts []Fact
	for _, h := range hostedFacts {
		value, inner := members[h.name], map[string]json.RawMessage(nil)
		if !hasValue(value) {
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

func yesNo(value json.RawMessage) string {
	switch string(value) {
	case "true":
		return "yes"
	case "false":
		return "no"
	}
	return jsonText(value)
}

// unit shows a number of units.
func unit(name string) func(json.RawMessage) string {
	return func(value json.RawMessage) string {
		if _, err := strconv.ParseFloat(string(value), 64); err != nil {
			return jsonText(value)
		}
		return string(value) + " " + name
	}
}

// describeSchema says what the values of a custom metadata field must be.
func describeSchema(value json.RawMessage) string {
	var schema struct {
		MetadataSchema
		ReadOnly bool
	}
	if json.Unmarshal(value, &schema) != nil || schema.Type == "" {
		return jsonText(value)
	}
	words := schema.Describe()
	if schema.ReadOnly {
		words += ", read-only"
	}
	return words
}
