package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Values are the fields of a stored file that an update changes, as JSON by name. Each key of the
// custom metadata is a field of its own, see [MetadataName]. Null is no value; a missing field is
// unknown or, in an update, unchanged.
type Values map[string]json.RawMessage

// MetadataName returns the name of a custom metadata key in Values.
func MetadataName(key string) string { return FieldMetadata + "." + key }

// MetadataKey returns the custom metadata key of a name, and whether it is one.
func MetadataKey(name string) (key string, ok bool) {
	return strings.CutPrefix(name, FieldMetadata+".")
}

// Values returns the fields that the record has. A missing description is empty.
func (f *File) Values() Values {
	v := Details{Tags: f.Tags, CustomCoordinates: f.CustomCoordinates, CustomMetadata: Set(f.CustomMetadata)}.Values()
	v.Set(FieldDescription, f.Description)
	return v
}

// Values returns the fields that the update changes. Extensions and the webhook are not among them.
func (d Details) Values() Values {
	v := Values{}
	if !d.Tags.IsZero() {
		v.Set(FieldTags, d.Tags)
	}
	if !d.CustomCoordinates.IsZero() {
		v.Set(FieldRegion, d.CustomCoordinates)
	}
	if !d.Description.IsZero() {
		v.Set(FieldDescription, d.Description)
	}
	for key, value := range d.CustomMetadata.Or(nil) {
		v[MetadataName(key)] = value
	}
	return v
}

// Set sets a field.
func (v Values) Set(name string, value any) {
	v[name], _ = json.Marshal(value) // texts, lists of texts and JSON can be encoded
}

// Details returns the update that sets the fields.
func (v Values) Details() Details {
	var d Details
	text, err := json.Marshal(v.Members())
	if err == nil {
		_ = json.Unmarshal(text, &d) // each value was one of its field
	}
	return d
}

// Members returns the fields as members of a request, the custom metadata together.
func (v Values) Members() Values {
	members, metadata := Values{}, map[string]json.RawMessage{}
	for name, value := range v {
		if key, ok := MetadataKey(name); ok {
			metadata[key] = value
		} else {
			members[name] = value
		}
	}
	if len(metadata) > 0 {
		members.Set(FieldMetadata, metadata)
	}
	return members
}

// Names returns the names in the order of the form, the custom metadata last.
func (v Values) Names() []string {
	names := slices.DeleteFunc([]string{FieldTags, FieldRegion, FieldDescription}, func(name string) bool { return v[name] == nil })
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if _, ok := MetadataKey(name); ok {
			names = append(names, name)
		}
	}
	return names
}

// IsNull reports whether a JSON value is missing or null.
func IsNull(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }

// SameValue reports whether two JSON values are equal. Missing and null are.
func SameValue(a, b json.RawMessage) bool {
	if IsNull(a) || IsNull(b) {
		return IsNull(a) && IsNull(b)
	}
	return PlainValue(a) == PlainValue(b) && a[0] == b[0]
}

// PlainValue formats a JSON value for reading: texts without quotes, anything else compact.
func PlainValue(value json.RawMessage) string {
	var words string
	if json.Unmarshal(value, &words) == nil && string(value) != "null" {
		return words
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}
