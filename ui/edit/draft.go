package edit

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
)

// Draft is the fields of a file as they are edited: of an upload, or of a stored file. Change it
// only with its methods. Copies are independent.
type Draft struct {
	entry.Entry
	// Saved are the fields of a stored file; nil for an upload.
	Saved *entry.Entry
	// Marked means that changes go to the file.
	Marked bool

	typed   map[string]string // texts that cannot be read, by key of the field
	changes entry.Values      // nil: not computed
}

// Edited returns the draft: a file that embeds one is an [Edited].
func (d *Draft) Edited() *Draft { return d }

// Text returns a field as it is typed.
func (d *Draft) Text(f *entry.Field) string {
	if typed, ok := d.typed[f.Key]; ok {
		return typed
	}
	return f.Text(&d.Entry)
}

// SetText sets a field from text and keeps a text that cannot be read. Empty text is no value.
func (d *Draft) SetText(f *entry.Field, text string) {
	d.Unset(f)
	if text == "" {
		return
	}
	unset := d.Entry
	if f.SetText(&d.Entry, text) != nil {
		d.typed = maps.Clone(d.typed)
		if d.typed == nil {
			d.typed = map[string]string{}
		}
		d.typed[f.Key] = text
	} else if !f.IsSet(&d.Entry) {
		d.Entry = unset
	}
}

// Unset removes the value of a field.
func (d *Draft) Unset(f *entry.Field) {
	if f.Clear(&d.Entry); d.Saved != nil {
		_ = f.SetJSON(&d.Entry, json.RawMessage("null")) // every stored field takes null
	}
	d.typed = maps.Clone(d.typed)
	delete(d.typed, f.Key)
	d.changes = nil
}

// Copy copies a field from another draft.
func (d *Draft) Copy(f *entry.Field, from *Draft) {
	d.Unset(f)
	if typed, ok := from.typed[f.Key]; ok {
		d.SetText(f, typed)
		return
	}
	f.Copy(&d.Entry, &from.Entry)
}

// Drop takes back changes of a stored file that are still as they were.
func (d *Draft) Drop(changes entry.Values) {
	now := d.Changes()
	for name, value := range changes {
		key, metadata := entry.MetadataKey(name)
		switch {
		case !rule.SameValue(now[name], value):
		case metadata:
			d.SetMetadata(key, d.Saved.CustomMetadata.Or(nil)[key])
		default:
			field := entry.FieldByName(name)
			d.Unset(field)
			field.Copy(&d.Entry, d.Saved)
		}
	}
}

func (d *Draft) setJSON(f *entry.Field, value any, empty bool) {
	d.Unset(f)
	if raw, err := json.Marshal(value); err == nil && !empty {
		_ = f.SetJSON(&d.Entry, raw) // the value is of the field
	}
}

// List returns a field that is a list of texts.
func (d *Draft) List(f *entry.Field) (list []string) {
	_ = json.Unmarshal(f.JSON(&d.Entry), &list) // no value is an empty list
	return list
}

// SetList sets a field that is a list of texts.
func (d *Draft) SetList(f *entry.Field, list []string) { d.setJSON(f, list, len(list) == 0) }

// SetExtensions sets the extensions.
func (d *Draft) SetExtensions(list []api.Extension) {
	d.setJSON(entry.FieldByName(rule.FieldExtensions), list, len(list) == 0)
}

// Metadata returns the custom metadata that has values.
func (d *Draft) Metadata() map[string]json.RawMessage {
	values := maps.Clone(d.CustomMetadata.Or(nil))
	maps.DeleteFunc(values, func(_ string, value json.RawMessage) bool { return rule.IsNull(value) })
	return values
}

// SetMetadata sets a value of the custom metadata; null removes it.
func (d *Draft) SetMetadata(key string, value json.RawMessage) {
	values := maps.Clone(d.CustomMetadata.Or(map[string]json.RawMessage{}))
	if values[key] = value; rule.IsNull(value) {
		delete(values, key)
	}
	d.setJSON(entry.FieldByName(rule.FieldMetadata), values, len(values) == 0)
}

// Region returns the region as typed.
func (d *Draft) Region() string { return d.CustomCoordinates.Or("") }

// SetRegion sets the region; empty text removes it.
func (d *Draft) SetRegion(region string) { d.SetText(entry.FieldByName(rule.FieldRegion), region) }

// Changes returns what saving changes in a stored file.
func (d *Draft) Changes() entry.Values {
	if d.changes == nil && d.Saved != nil {
		d.changes = entry.Changes(d.Saved, &d.Entry)
	}
	return d.changes
}

// Changed reports whether a field by its name in [entry.Values] has an unsaved value.
func (d *Draft) Changed(name string) bool { return d.Changes()[name] != nil }

// Rebase puts newer saved fields under the draft, whose changes stay.
func (d *Draft) Rebase(saved entry.Entry) {
	changes := d.Changes()
	d.Entry, d.Saved, d.typed, d.changes = saved, &saved, nil, nil
	for name, value := range changes {
		if key, ok := entry.MetadataKey(name); ok {
			d.SetMetadata(key, value)
		} else {
			d.setJSON(entry.FieldByName(name), value, rule.IsNull(value))
		}
	}
}

// Problem is why a field cannot be sent as it is.
type Problem struct {
	Field string // its key
	Err   error
}

// Problems returns the fields whose text cannot be read.
func (d *Draft) Problems() (found []Problem) {
	for _, key := range slices.Sorted(maps.Keys(d.typed)) {
		e := d.Entry
		found = append(found, Problem{key, entry.FieldByKey(key).SetText(&e, d.typed[key])})
	}
	return found
}

// CleanRegion removes blanks from a typed region.
func CleanRegion(region string) string { return strings.Join(strings.Fields(region), "") }
