package local

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// fieldRecord is a custom metadata field in an answer.
type fieldRecord struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Label  string          `json:"label"`
	Schema json.RawMessage `json:"schema"`
}

// listFields lists all fields. The parameters by which hosted services choose among
// them change nothing: a field belongs to no folder here, and a deleted one is
// gone.
func (l *Library) listFields(r *http.Request) (any, error) {
	v := r.URL.Query()
	if err := checkParameters(v, "includeDeleted", "folderPath"); err != nil {
		return nil, err
	}
	if text := v.Get("includeDeleted"); text != "" && text != "true" && text != "false" {
		return nil, badRequest("Your request contains invalid includeDeleted parameter: "+quote(text)+".", "It is true or false.")
	}
	return store.View(r.Context(), l.records, func(tx store.Tx) (any, error) {
		fields, err := tx.Fields()
		list := make([]fieldRecord, len(fields))
		for i, f := range fields {
			list[i] = fieldRecord(f)
		}
		return list, err
	})
}

// addField creates a field.
func (l *Library) addField(r *http.Request) (any, error) {
	f := store.Field{ID: store.NewID()}
	if err := readBody(r, 3, member{"name", &f.Name}, member{"label", &f.Label}, member{"schema", &f.Schema}); err != nil {
		return nil, err
	}
	if f.Name == "" || f.Label == "" {
		return nil, badRequest("The name and the label of a custom metadata field cannot be empty.", `Send {"name":…,"label":…,"schema":{"type":"Text"}}.`)
	}
	if err := checkSchema(f.Schema); err != nil {
		return nil, err
	}
	err := l.records.Update(r.Context(), func(tx store.Tx) error { return tx.AddField(&f) })
	if errors.Is(err, store.ErrExists) {
		return nil, badRequest("A custom metadata field with the name "+quote(f.Name)+" already exists.", "Choose another name.")
	}
	return fieldRecord(f), err
}

// checkSchema returns what is wrong with a field's schema.
func checkSchema(text json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	schema := new(api.MetadataSchema)
	err := decoder.Decode(schema)
	if err == nil {
		return schema.Check()
	}
	reason := strings.TrimPrefix(err.Error(), "json: ") // unknown field "x"
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		reason = quote(kind.Field) + " is of the wrong type"
	}
	return badRequest("Your request contains invalid schema parameter: "+reason+".",
		"It takes type, selectOptions, defaultValue, isValueRequired, minValue, maxValue, minLength and maxLength.")
}

var errNoField = refuse(http.StatusNotFound, "No such custom metadata field exists.", "Check the id of the field.")

// updateField changes the label or the schema of a field; its type stays.
func (l *Library) updateField(r *http.Request) (any, error) {
	var label string
	var schema map[string]json.RawMessage
	if err := readBody(r, 0, member{"label", &label}, member{"schema", &schema}); err != nil {
		return nil, err
	}
	if label == "" && schema == nil {
		return nil, badRequest("Your request has neither label nor schema.", "Send at least one of them.")
	}
	return store.Update(r.Context(), l.records, func(tx store.Tx) (any, error) {
		list, err := tx.Fields()
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(list, func(f store.Field) bool { return f.ID == r.PathValue("fieldId") })
		if at < 0 {
			return nil, errNoField
		}
		field := list[at]
		field.Label = cmp.Or(label, field.Label)
		if field.Schema, err = changeSchema(field.Schema, schema); err != nil {
			return nil, err
		}
		return fieldRecord(field), tx.UpdateField(&field)
	})
}

// changeSchema sets members of a schema; one that is null is taken out.
func changeSchema(text json.RawMessage, change map[string]json.RawMessage) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	var before, after string
	_ = json.Unmarshal(members["type"], &before)
	for name, value := range change {
		if name == "type" && (json.Unmarshal(value, &after) != nil || after != before) {
			return nil, badRequest("The type of a custom metadata field cannot be changed.", "It is "+before+". Delete the field and make another.")
		}
		members[name] = value
		if string(value) == "null" {
			delete(members, name)
		}
	}
	changed, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return changed, checkSchema(changed)
}

// deleteField deletes a field and the values that files have under it.
func (l *Library) deleteField(r *http.Request) (any, error) {
	err := l.records.Update(r.Context(), func(tx store.Tx) error { return tx.DeleteField(r.PathValue("fieldId")) })
	if errors.Is(err, store.ErrNotFound) {
		return nil, errNoField
	}
	return nil, err
}

// metadataFields are the custom metadata fields with their schemas read.
func metadataFields(tx store.Tx) ([]api.MetadataField, error) {
	list, err := tx.Fields()
	if err != nil {
		return nil, err
	}
	fields := make([]api.MetadataField, len(list))
	for i, f := range list {
		fields[i] = api.MetadataField{ID: f.ID, Name: f.Name, Label: f.Label}
		if err := json.Unmarshal(f.Schema, &fields[i].Schema); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// checkMetadata returns an error for a key of an upload that is no field, for a value
// that does not fit its field (service.md §2.1: keys must exist before use), and for a
// missing required value beside others.
func checkMetadata(tx store.Tx, values map[string]json.RawMessage) error {
	if len(values) == 0 {
		return nil
	}
	fields, err := metadataFields(tx)
	if err != nil {
		return err
	}
	if err := api.CheckMetadata(fields, values); err != nil {
		return err
	}
	return api.CheckRequiredMetadata(fields, values)
}

// withDefaults adds the defaults of fields without a value to the values of a stored
// file.
func withDefaults(tx store.Tx, values map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	fields, err := metadataFields(tx)
	if err != nil {
		return nil, err
	}
	return api.DefaultMetadata(fields, values), nil
}
