package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mediadesk/api/local/store"
)

// fieldRecord is a custom metadata field as the service tells of it.
type fieldRecord struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Label  string          `json:"label"`
	Schema json.RawMessage `json:"schema"`
}

// fieldSchema is what a field's values must be.
type fieldSchema struct {
	Type      string            `json:"type"`
	Options   []json.RawMessage `json:"selectOptions"`
	MinValue  json.RawMessage   `json:"minValue"`
	MaxValue  json.RawMessage   `json:"maxValue"`
	MinLength *int              `json:"minLength"`
	MaxLength *int              `json:"maxLength"`
}

var fieldTypes = []string{"Text", "Textarea", "Number", "Date", "Boolean", "SingleSelect", "MultiSelect"}

func (l *Library) listFields(w http.ResponseWriter, r *http.Request) error {
	list := []fieldRecord{}
	err := l.records.View(r.Context(), func(tx store.Tx) error {
		fields, err := tx.Fields()
		for _, f := range fields {
			list = append(list, fieldRecord(f))
		}
		return err
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, list)
	return nil
}

func (l *Library) addField(w http.ResponseWriter, r *http.Request) error {
	f := store.Field{ID: store.NewID()}
	if err := readBody(r, 3, member{"name", &f.Name}, member{"label", &f.Label}, member{"schema", &f.Schema}); err != nil {
		return err
	}
	for name, text := range map[string]string{"name": f.Name, "label": f.Label} {
		if text == "" {
			return badRequest(name+" of the custom metadata field is missing.", `Send {"name":…,"label":…,"schema":{"type":"Text"}}.`)
		}
	}
	if err := checkSchema(f.Schema); err != nil {
		return err
	}
	err := l.records.Update(r.Context(), func(tx store.Tx) error { return tx.AddField(&f) })
	if errors.Is(err, store.ErrExists) {
		return badRequest("A custom metadata field with the name "+quote(f.Name)+" already exists.", "Choose another name.")
	}
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, fieldRecord(f))
	return nil
}

// checkSchema says what is wrong with a field's schema.
func checkSchema(text json.RawMessage) error {
	var schema fieldSchema
	if json.Unmarshal(text, &schema) != nil || !slices.Contains(fieldTypes, schema.Type) {
		return badRequest("schema of the custom metadata field has no type that is known.", fmt.Sprintf("The types are %v.", fieldTypes))
	}
	if strings.HasSuffix(schema.Type, "Select") && len(schema.Options) == 0 {
		return badRequest("schema of the custom metadata field has no selectOptions.", "A "+schema.Type+" needs them: an array of values to choose from.")
	}
	return nil
}

var errNoField = refuse(http.StatusNotFound, "No such custom metadata field exists.", "Check the id of the field.")

// updateField changes the label or the schema of a field; its type stays.
func (l *Library) updateField(w http.ResponseWriter, r *http.Request, id string) error {
	var label string
	var schema map[string]json.RawMessage
	if err := readBody(r, 0, member{"label", &label}, member{"schema", &schema}); err != nil {
		return err
	}
	if label == "" && schema == nil {
		return badRequest("Your request has neither label nor schema.", "Send at least one of them.")
	}
	var field store.Field
	err := l.records.Update(r.Context(), func(tx store.Tx) error {
		list, err := tx.Fields()
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(f store.Field) bool { return f.ID == id })
		if at < 0 {
			return errNoField
		}
		field = list[at]
		if label != "" {
			field.Label = label
		}
		if field.Schema, err = changeSchema(field.Schema, schema); err != nil {
			return err
		}
		return tx.UpdateField(&field)
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, fieldRecord(field))
	return nil
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

// deleteField removes a field with the values that files have under it.
func (l *Library) deleteField(w http.ResponseWriter, r *http.Request, id string) error {
	err := l.records.Update(r.Context(), func(tx store.Tx) error { return tx.DeleteField(id) })
	if errors.Is(err, store.ErrNotFound) {
		return errNoField
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// checkMetadata says which key is no field, or which value does not fit its
// field (§2.1: keys must exist before use).
func checkMetadata(tx store.Tx, values map[string]json.RawMessage) error {
	if len(values) == 0 {
		return nil
	}
	fields, err := tx.Fields()
	if err != nil {
		return err
	}
	known := map[string]json.RawMessage{}
	for _, f := range fields {
		known[f.Name] = f.Schema
	}
	for key, value := range values {
		text, ok := known[key]
		if !ok {
			return badRequest("customMetadata has the key "+quote(key)+", which is no custom metadata field.", "Create the field first.")
		}
		if string(value) == "null" {
			continue
		}
		var schema fieldSchema
		if err := json.Unmarshal(text, &schema); err != nil {
			return err
		}
		if why := schema.misfit(value); why != "" {
			return badRequest("customMetadata: the value of "+quote(key)+" "+why+".", "Its field is of the type "+schema.Type+".")
		}
	}
	return nil
}

// misfit says why a value does not fit, as a part of a sentence.
func (s *fieldSchema) misfit(value json.RawMessage) string {
	is := func(into any) bool { return json.Unmarshal(value, into) == nil }
	var text string
	switch s.Type {
	case "Text", "Textarea":
		if !is(&text) {
			return "is no text"
		}
		n := utf8.RuneCountInString(text)
		if s.MinLength != nil && n < *s.MinLength || s.MaxLength != nil && n > *s.MaxLength {
			return "is too short or too long"
		}
	case "Number":
		var n float64
		var least, most *float64
		if !is(&n) {
			return "is no number"
		}
		if json.Unmarshal(s.MinValue, &least) == nil && least != nil && n < *least || json.Unmarshal(s.MaxValue, &most) == nil && most != nil && n > *most {
			return "is out of bounds"
		}
	case "Date":
		if !is(&text) {
			return "is no date"
		}
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			if _, err := time.Parse(time.DateOnly, text); err != nil {
				return "is no date"
			}
		}
	case "Boolean":
		if !is(new(bool)) {
			return "is not true or false"
		}
	case "SingleSelect":
		if !s.offers(value) {
			return "is none of the options"
		}
	case "MultiSelect":
		var list []json.RawMessage
		if !is(&list) {
			return "is no list"
		}
		for _, one := range list {
			if !s.offers(one) {
				return "holds what is none of the options"
			}
		}
	}
	return ""
}

func (s *fieldSchema) offers(value json.RawMessage) bool {
	var wanted any
	if json.Unmarshal(value, &wanted) != nil {
		return false
	}
	return slices.ContainsFunc(s.Options, func(text json.RawMessage) bool {
		var option any
		return json.Unmarshal(text, &option) == nil && isScalar(option) && isScalar(wanted) && option == wanted
	})
}

func isScalar(v any) bool {
	switch v.(type) {
	case string, float64, bool:
		return true
	}
	return false
}
