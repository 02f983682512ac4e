package local

import (
	"encoding/json"
	"fmt"
	"maps"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// handler is what the library does with a field of [entry.Fields].
type handler struct {
	// read reads the part of an upload. Nil reads and checks it as the table says.
	read func(f *form, value string) error
	// change applies a details update to a stored field.
	change func(c *change, tx store.Tx, file *store.File) error
}

// handlers are those of all fields but stored texts of their own column, see [store.File.Text].
var handlers = map[string]handler{
	rule.FieldName: {read: func(f *form, value string) error {
		if f.upload.FileName = value; value == "" {
			return nil // f.missing reports it
		}
		return rule.CheckName(value)
	}},
	"useUniqueFileName": {read: func(f *form, value string) error {
		f.upload.UseUniqueFileName = api.Set(value == "true")
		return checkBool("useUniqueFileName", value)
	}},
	rule.FieldFolder: {read: func(f *form, value string) error {
		clean, err := rule.CleanFolder(value)
		// A folder is shared by its files, so it is normalized.
		f.upload.Folder = api.Set(norm.NFC.String(clean))
		return err
	}},
	rule.FieldTags: {
		read: func(f *form, value string) error {
			f.upload.Tags = api.Set(rule.SplitTags(value))
			return rule.CheckTagString(value)
		},
		change: func(c *change, _ store.Tx, file *store.File) error {
			if !c.Tags.IsZero() {
				file.Tags = unique(c.Tags.Or(nil))
			}
			return nil
		},
	},
	rule.FieldRegion: {
		read: func(f *form, value string) error {
			r, err := rule.ParseRegion(value)
			f.upload.CustomCoordinates = api.Set(r.String())
			return err
		},
		change: (*change).applyRegion,
	},
	rule.FieldMetadata: {
		read: func(f *form, value string) error {
			members, err := rule.ParseMetadata(value)
			// A key without a value counts as missing.
			maps.DeleteFunc(members, func(_ string, text json.RawMessage) bool { return string(text) == "null" })
			f.upload.CustomMetadata = api.Set(members)
			return err
		},
		change: (*change).applyMetadata,
	},
	rule.FieldResponse: {read: func(f *form, value string) error {
		names := rule.SplitTags(value)
		f.upload.ResponseFields = api.Set(names)
		return entry.CheckResponseFields(names)
	}},
	rule.FieldExtensions: {read: func(f *form, value string) error {
		list, err := f.library.readExtensions(value, true)
		f.upload.Extensions = api.Set(list)
		return err
	}},
	rule.FieldWebhook: {read: func(f *form, value string) error {
		f.upload.WebhookURL = api.Set(value)
		return checkWebhook(value)
	}},
	rule.FieldTransformation: {read: func(f *form, value string) (err error) {
		f.upload.Transformation, err = readTransformation(value)
		return err
	}},
	// Its grammar is checked in parseChecks.
	rule.FieldChecks: {read: func(f *form, value string) error { return f.parse(entry.FieldByName(rule.FieldChecks), value) }},
	"isPrivateFile":  {}, rule.FieldOverwriteFile: {}, rule.FieldOverwriteTags: {}, rule.FieldOverwriteAITags: {}, rule.FieldOverwriteMetadata: {},
}

// checkHandlers returns an error if a field of the table has no handler: the library would accept
// and ignore it.
func checkHandlers() error {
	for _, f := range entry.Fields {
		h, ok := handlers[f.Name]
		if !ok && f.Stored {
			ok = new(store.File).Text(f.Name) != nil
		} else if f.Stored {
			ok = h.change != nil
		}
		if !ok {
			return fmt.Errorf("the library has no handler for the field %s", f.Name)
		}
	}
	return nil
}

// storedTexts are the stored fields that have a column of their own and no handler.
func storedTexts() (names []string) {
	for _, f := range entry.StoredFields {
		if _, ok := handlers[f.Name]; !ok {
			names = append(names, f.Name)
		}
	}
	return names
}

// setTexts stores the texts of an upload or of a details update that have a column of their own.
// Null removes a text.
func setTexts(file *store.File, from api.Members) {
	for _, name := range storedTexts() {
		if from[name] != nil {
			*file.Text(name) = from.Text(name)
		}
	}
}

// texts returns the texts of a file that have a column of their own.
func texts(file *store.File) (members api.Members) {
	for _, name := range storedTexts() {
		if text := *file.Text(name); text != "" {
			raw, _ := json.Marshal(text) // a text can be encoded
			members = members.With(name, raw)
		}
	}
	return members
}
