package local

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// fieldRecord is a custom metadata field as the service tells of it.
type fieldRecord struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Label  string          `json:"label"`
	Schema json.RawMessage `json:"schema"`
}

// listFields answers with all fields. Of those of hosted services that choose
// among them nothing comes: a field belongs to no folder here, and one that was
// deleted is gone.
func (l *Library) listFields(w http.ResponseWriter, r *http.Request) error {
	v := r.URL.Query()
	if err := checkParameters(v, "includeDeleted", "folderPath"); err != nil {
		return err
	}
	if text := v.Get("includeDeleted"); text != "" && text != "true" && text != "false" {
		return badRequest("Your request contains invalid includeDeleted parameter: "+quote(text)+".", "It is true or false.")
	}
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

// schemaMembers are what a schema may have.
var schemaMembers = []string{"type", "selectOptions", "defaultValue", "isValueRequired", "minValue", "maxValue", "minLength", "maxLength"}

// checkSchema says what is wrong with a field's schema.
func checkSchema(text json.RawMessage) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return badRequest("schema of the custom metadata field is no object.", `Send one such as {"type":"Text"}.`)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(schemaMembers, name) {
			return badRequest("schema of the custom metadata field: "+quote(name)+" is no member of it.", "It takes "+strings.Join(schemaMembers, ", ")+".")
		}
	}
	schema := new(api.MetadataSchema)
	var kind *json.UnmarshalTypeError
	if err := json.Unmarshal(text, schema); errors.As(err, &kind) {
		return badRequest("schema of the custom metadata field: "+kind.Field+" is of the wrong type.", "")
	} else if err != nil {
		return err
	}
	return schema.Check()
}

var errNoField = refuse(http.StatusNotFound, "No such custom metadata field exists.", "Check the id of the field.")

// updateField changes the label or the schema of a field; its type stays.
func (l *Library) updateField(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("fieldId")
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
func (l *Library) deleteField(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("fieldId")
	err := l.records.Update(r.Context(), func(tx store.Tx) error { return tx.DeleteField(id) })
	if errors.Is(err, store.ErrNotFound) {
		return errNoField
	}
	if err != nil {
		return err
	}
	writeNothing(w, r)
	return nil
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

// checkMetadata says which key of an upload is no field, which value does not
// fit its field (service.md §2.1: keys must exist before use), and which required one is
// missing beside the others.
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

// withDefaults adds to the values of a file that was stored the defaults of
// the fields that have none.
func withDefaults(tx store.Tx, values map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	fields, err := metadataFields(tx)
	if err != nil {
		return nil, err
	}
	return api.DefaultMetadata(fields, values), nil
}
