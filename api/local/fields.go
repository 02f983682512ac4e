package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
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
	members, err := rawMembers(r.Body)
	if err != nil {
		return err
	}
	f := store.Field{ID: store.NewID()}
	for name, into := range map[string]*string{"name": &f.Name, "label": &f.Label} {
		if json.Unmarshal(members[name], into) != nil || *into == "" {
			return badRequest(name+" of the custom metadata field is missing.", `Send {"name":…,"label":…,"schema":{"type":"Text"}}.`)
		}
	}
	var schema fieldSchema
	f.Schema = members["schema"]
	if json.Unmarshal(f.Schema, &schema) != nil || !slices.Contains(fieldTypes, schema.Type) {
		return badRequest("schema of the custom metadata field has no type that is known.", fmt.Sprintf("The types are %v.", fieldTypes))
	}
	err = l.records.Update(r.Context(), func(tx store.Tx) error { return tx.AddField(&f) })
	if errors.Is(err, store.ErrExists) {
		return badRequest("A custom metadata field with the name "+quote(f.Name)+" already exists.", "Choose another name.")
	}
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, fieldRecord(f))
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
