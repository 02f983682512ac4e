package api

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Upload is an upload operation (service.md §4.1). Absent fields are not sent, so that the
// service's defaults apply; a set field is sent even if it is empty or false. Null counts as
// absent.
type Upload struct {
	Source                  Source                            `json:"source"`
	FileName                string                            `json:"fileName"`
	UseUniqueFileName       Field[bool]                       `json:"useUniqueFileName,omitzero"` // default true
	Folder                  Field[string]                     `json:"folder,omitzero"`            // default "/"
	IsPrivateFile           Field[bool]                       `json:"isPrivateFile,omitzero"`     // default false
	Other                   Members                           `json:"other,omitempty"`            // texts without a member here
	Transformation          Field[Transformation]             `json:"transformation,omitzero"`    // hosted services only
	Tags                    Field[[]string]                   `json:"tags,omitzero"`
	CustomCoordinates       Field[string]                     `json:"customCoordinates,omitzero"` // "x,y,width,height"
	Extensions              Field[[]Extension]                `json:"extensions,omitzero"`
	OverwriteFile           Field[bool]                       `json:"overwriteFile,omitzero"`           // default true
	OverwriteTags           Field[bool]                       `json:"overwriteTags,omitzero"`           // default true
	OverwriteAITags         Field[bool]                       `json:"overwriteAITags,omitzero"`         // default true
	OverwriteCustomMetadata Field[bool]                       `json:"overwriteCustomMetadata,omitzero"` // default true
	CustomMetadata          Field[map[string]json.RawMessage] `json:"customMetadata,omitzero"`
	ResponseFields          Field[[]string]                   `json:"responseFields,omitzero"`
	WebhookURL              Field[string]                     `json:"webhookUrl,omitzero"`
}

// Part is a text part of the multipart body.
type Part struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Parts returns the text parts of the request in the order of the members, without the file: booleans
// as true or false, lists of texts joined with commas, other values as JSON. It returns a *RuleError for
// a value that cannot be encoded as JSON.
func (u *Upload) Parts() ([]Part, error) {
	parts := []Part{{"fileName", u.FileName}}
	for f := range reflect.TypeFor[Upload]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch field := reflect.ValueOf(u).Elem().FieldByIndex(f.Index).Interface().(type) {
		case Members:
			for _, name := range slices.Sorted(maps.Keys(field)) {
				if string(field[name]) != "null" {
					parts = append(parts, Part{name, field.Text(name)})
				}
			}
		case interface{ part() (string, bool, error) }:
			text, sent, err := field.part()
			if err != nil {
				return nil, &RuleError{Field: name, Message: name + " cannot be written as JSON: " + err.Error()}
			}
			if sent {
				parts = append(parts, Part{name, text})
			}
		}
	}
	return parts, nil
}
