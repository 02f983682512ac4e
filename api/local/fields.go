package local

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// listFields lists the fields. They belong to no folder here, so folderPath is ignored.
func (l *Library) listFields(r *http.Request) (any, error) {
	v, err := parameters(r)
	if err != nil {
		return nil, err
	}
	if text := v.Get("includeDeleted"); text != "" && text != "true" && text != "false" {
		return nil, badRequest("Your request contains invalid includeDeleted parameter: "+quote(text)+".", "Send true or false.")
	}
	return store.View(r.Context(), l.records, func(tx store.Tx) (any, error) {
		filter := store.Filter{"deleted": 0}
		if v.Get("includeDeleted") == "true" {
			filter = nil
		}
		fields, err := store.All[store.Field](tx, filter)
		return append([]store.Field{}, fields...), err
	})
}

func (l *Library) addField(r *http.Request) (any, error) {
	f := store.Field{ID: store.NewID()}
	if _, err := readBody(r, &f.Name, &f.Label, &f.Schema, &f.Description); err != nil {
		return nil, err
	}
	if f.Name == "" || f.Label == "" {
		return nil, badRequest("The name and the label of a custom metadata field cannot be empty.", `Send {"name":…,"label":…,"schema":{"type":"Text"}}.`)
	}
	if err := cmp.Or(checkSchema(f.Schema), checkDescription(f.Description)); err != nil {
		return nil, err
	}
	err := l.records.Update(r.Context(), func(tx store.Tx) error {
		if err := checkLabel(tx, &f); err != nil {
			return err
		}
		return tx.Add(&f)
	})
	taken := badRequest("A custom metadata field with the name "+quote(f.Name)+" already exists.", "Choose another name. Names of deleted fields stay reserved.")
	return f, store.Replaced(err, store.ErrExists, taken)
}

const maxDescription = 500

func checkDescription(text string) error {
	if n := utf8.RuneCountInString(text); n > maxDescription {
		return invalid("description", fmt.Sprintf("it has %d characters; the limit is %d", n, maxDescription), "Shorten it.")
	}
	return nil
}

func checkLabel(tx store.Tx, f *store.Field) error {
	list, err := liveFields(tx)
	if err == nil && slices.ContainsFunc(list, func(other store.Field) bool {
		return other.Label == f.Label && other.ID != f.ID && other.Name != f.Name
	}) {
		err = badRequest("A custom metadata field with the label "+quote(f.Label)+" already exists.", "Choose another label.")
	}
	return err
}

func checkSchema(text json.RawMessage) error {
	schema := new(api.MetadataSchema)
	err := decodeStrict(text, schema)
	if err == nil {
		return rule.CheckSchema(schema)
	}
	return badRequest("Your request contains invalid schema parameter: "+err.Error()+".",
		"It takes type, selectOptions, defaultValue, isValueRequired, minValue, maxValue, minLength and maxLength.")
}

var errNoField = refuse(http.StatusNotFound, "No such custom metadata field exists.", "Check the id of the field.")

// updateField changes the label, description or schema of a field, but not its name or type.
func (l *Library) updateField(r *http.Request) (any, error) {
	var label string
	var description api.Field[string]
	var schema map[string]json.RawMessage
	if _, err := readBody(r, &label, &schema, &description); err != nil {
		return nil, err
	}
	if label == "" && schema == nil && description.IsZero() {
		return nil, badRequest("Either label or schema should be provided.", "Send label, schema or description.")
	}
	if err := checkDescription(description.Or("")); err != nil {
		return nil, err
	}
	return store.Update(r.Context(), l.records, func(tx store.Tx) (any, error) {
		list, err := liveFields(tx)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(list, func(f store.Field) bool { return f.ID == r.PathValue("fieldId") })
		if at < 0 {
			return nil, errNoField
		}
		field := list[at]
		if label != "" && label != field.Label {
			field.Label = label
			if err := checkLabel(tx, &field); err != nil {
				return nil, err
			}
		}
		if !description.IsZero() {
			field.Description = description.Or("")
		}
		if field.Schema, err = changeSchema(field.Schema, schema); err != nil {
			return nil, err
		}
		return field, tx.Save(&field)
	})
}

// changeSchema sets members of a schema, or removes those that are null. The type never changes.
func changeSchema(text json.RawMessage, change map[string]json.RawMessage) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	for name, value := range change {
		switch {
		case name == "type":
		case string(value) == "null":
			delete(members, name)
		default:
			members[name] = value
		}
	}
	changed := encode(members)
	return changed, checkSchema(changed)
}

func (l *Library) deleteField(tx store.Tx, r *http.Request) (any, error) {
	err := tx.Library.DeleteField(r.PathValue("fieldId"), l.now())
	return nil, store.Replaced(err, store.ErrNotFound, errNoField)
}

func liveFields(tx store.Tx) ([]store.Field, error) {
	return store.All[store.Field](tx, store.Filter{"deleted": 0})
}

func metadataFields(tx store.Tx) ([]api.MetadataField, error) {
	list, err := liveFields(tx)
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

func withDefaults(tx store.Tx, values map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	fields, err := metadataFields(tx)
	if err != nil {
		return nil, err
	}
	return rule.DefaultMetadata(fields, values), nil
}

// selectedFields is the member of a record with the schemas of its possible metadata fields.
const selectedFields = "selectedFieldsSchema"

const maxOptions = 100

func fieldSchemas(tx store.Tx) (map[string]json.RawMessage, error) {
	list, err := liveFields(tx)
	if err != nil {
		return nil, err
	}
	schemas := map[string]json.RawMessage{}
	for _, f := range list {
		members := map[string]any{}
		if err := json.Unmarshal(f.Schema, &members); err != nil {
			return nil, err
		}
		members["readOnly"] = false
		if options, _ := members["selectOptions"].([]any); len(options) > maxOptions {
			members["selectOptions"], members["selectOptionsTruncated"] = options[:maxOptions], true
		}
		schemas[f.Name] = encode(members)
	}
	return schemas, nil
}
