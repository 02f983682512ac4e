package entry

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// Values are the fields of a stored file that an update changes, as JSON by name. Each key of the
// custom metadata is a field of its own, see [MetadataName]. Null is no value; a missing field is
// unknown or, in an update, unchanged.
type Values map[string]json.RawMessage

// MetadataName returns the name of a custom metadata key in Values.
func MetadataName(key string) string { return rule.FieldMetadata + "." + key }

// MetadataKey returns the custom metadata key of a name, and whether it is one.
func MetadataKey(name string) (key string, ok bool) {
	return strings.CutPrefix(name, rule.FieldMetadata+".")
}

// OfFile returns the stored fields of a record. A field that the record lacks is absent: not known.
func OfFile(f *api.File) Entry {
	var e Entry
	var members map[string]json.RawMessage
	_ = json.Unmarshal(rawJSON(f), &members) // a record can be encoded
	for _, field := range StoredFields {
		if raw := members[field.Name]; raw != nil {
			_ = field.SetJSON(&e, raw) // a value of the wrong type counts as missing
		}
	}
	return e
}

// ValuesOf returns the fields that a record has.
func ValuesOf(f *api.File) Values {
	e := OfFile(f)
	return e.Values()
}

// Values returns the stored fields that are known.
func (e *Entry) Values() Values {
	members := Values{}
	for _, f := range StoredFields {
		if raw := f.JSON(e); raw != nil {
			members[f.Name] = raw
		}
	}
	return members.split()
}

// Changes returns the fields that an update from one state of a file to another changes.
func Changes(from, to *Entry) Values {
	was, is := from.Values(), to.Values()
	for name := range was {
		if is[name] == nil {
			is[name] = json.RawMessage("null")
		}
	}
	maps.DeleteFunc(is, func(name string, value json.RawMessage) bool {
		before, known := was[name]
		_, metadata := MetadataKey(name)
		return string(value) == "[]" && rule.IsNull(before) && !metadata || (known || !rule.IsNull(value)) && rule.SameValue(before, value)
	})
	return is
}

// ChangesOf returns the fields that an update changes. Extensions and the webhook are not among
// them.
func ChangesOf(d api.Details) Values {
	var members Values
	text, _ := json.Marshal(d) // it holds texts, lists and JSON
	_ = json.Unmarshal(text, &members)
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool {
		f := FieldByName(name)
		return f == nil || !f.Stored
	})
	return members.split()
}

// split makes each key of the custom metadata a field of its own.
func (v Values) split() Values {
	var metadata map[string]json.RawMessage
	_ = json.Unmarshal(v[rule.FieldMetadata], &metadata) // an object, null or missing
	delete(v, rule.FieldMetadata)
	for key, value := range metadata {
		v[MetadataName(key)] = value
	}
	return v
}

// Set sets a field.
func (v Values) Set(name string, value any) { v[name] = rawJSON(value) }

// Details returns the update that sets the fields.
func (v Values) Details() api.Details {
	var d api.Details
	members, metadata := Values{}, map[string]json.RawMessage{}
	for name, value := range v {
		if key, ok := MetadataKey(name); ok {
			metadata[key] = value
		} else {
			members[name] = value
		}
	}
	if len(metadata) > 0 {
		members.Set(rule.FieldMetadata, metadata)
	}
	_ = json.Unmarshal(rawJSON(members), &d) // each value was one of its field
	return d
}

// Names returns the names in the order of the form, the custom metadata last.
func (v Values) Names() []string {
	var names []string
	for _, f := range StoredFields {
		if v[f.Name] != nil {
			names = append(names, f.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if _, ok := MetadataKey(name); ok {
			names = append(names, name)
		}
	}
	return names
}
