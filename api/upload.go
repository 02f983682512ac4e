package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Upload is an upload operation (service.md §4.1). Absent fields are not sent, so that the
// service's defaults apply; a set field is sent even if it is empty or false. Null counts as
// absent.
type Upload struct {
	Source                  Source                `json:"source"`
	FileName                string                `json:"fileName"`
	UseUniqueFileName       Field[bool]           `json:"useUniqueFileName,omitzero"` // default true
	Folder                  Field[string]         `json:"folder,omitzero"`            // default "/"
	IsPrivateFile           Field[bool]           `json:"isPrivateFile,omitzero"`     // default false
	Other                   Members               `json:"other,omitempty"`            // texts without a member
	Transformation          Field[Transformation] `json:"transformation,omitzero"`    // hosted services only
	Tags                    Field[[]string]       `json:"tags,omitzero"`
	CustomCoordinates       Field[string]         `json:"customCoordinates,omitzero"` // "x,y,width,height"
	Extensions              Field[[]Extension]    `json:"extensions,omitzero"`
	OverwriteFile           Field[bool]           `json:"overwriteFile,omitzero"`           // default true
	OverwriteTags           Field[bool]           `json:"overwriteTags,omitzero"`           // default true
	OverwriteAITags         Field[bool]           `json:"overwriteAITags,omitzero"`         // default true
	OverwriteCustomMetadata Field[bool]           `json:"overwriteCustomMetadata,omitzero"` // default true

	CustomMetadata Field[map[string]json.RawMessage] `json:"customMetadata,omitzero"`
	ResponseFields Field[[]string]                   `json:"responseFields,omitzero"`
	WebhookURL     Field[string]                     `json:"webhookUrl,omitzero"`
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
				message := name + " cannot be written as JSON: " + err.Error()
				return nil, &RuleError{Field: name, Message: message}
			}
			if sent {
				parts = append(parts, Part{name, text})
			}
		}
	}
	return parts, nil
}

// Extension is an element of the extensions parameter (service.md §2.2).
type Extension struct {
	MaxTags       Field[int]                 `json:"maxTags,omitzero"`       // tagging only
	MinConfidence Field[int]                 `json:"minConfidence,omitzero"` // tagging only, percent
	Name          string                     `json:"name"`
	Options       map[string]json.RawMessage `json:"options,omitzero"`
	Rest          Members                    `json:"-"` // members that are not in the specification
}

// MarshalJSON writes the element.
func (e Extension) MarshalJSON() ([]byte, error) {
	type members Extension
	return marshalWith(members(e), e.Rest)
}

// UnmarshalJSON reads an element. Its error names the member of the wrong type.
func (e *Extension) UnmarshalJSON(data []byte) error {
	var sent map[string]json.RawMessage
	if json.Unmarshal(data, &sent) != nil || sent == nil {
		return errors.New("an extension is a JSON object with a name")
	}
	*e = Extension{}
	for name, i := range extensionFields {
		into := reflect.ValueOf(e).Elem().Field(i).Addr().Interface()
		if text, ok := sent[name]; ok && json.Unmarshal(text, into) != nil {
			return fmt.Errorf("%s of an extension is of the wrong type", name)
		}
	}
	e.Rest = without(sent, extensionFields)
	return nil
}

var extensionFields = membersOf[Extension]()

// SavedExtension is a saved extension of an account (hosted-service.md §15).
type SavedExtension struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Transformation describes how the service processes a file at upload (hosted-service.md §12).
// Users write the steps of Pre, or all of it as JSON.
type Transformation struct {
	Pre  string               `json:"pre,omitempty"`  // steps applied before storing, such as "w-1600,q-80"
	Post []PostTransformation `json:"post,omitempty"` // made after storing
}

// PostTransformation is one element of Transformation.Post.
type PostTransformation struct {
	Type     string `json:"type"`               // one of the constants below
	Value    string `json:"value,omitempty"`    // steps
	Protocol string `json:"protocol,omitempty"` // for a stream: hls or dash
}

// UnmarshalJSON rejects unknown members. The error is a *RuleError.
func (t *Transformation) UnmarshalJSON(data []byte) error {
	type plain Transformation
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(t)); err != nil {
		return &RuleError{Field: "transformation", Message: "transformation cannot be read: " + strings.TrimPrefix(err.Error(), "json: "), Help: "Its members are pre and post."}
	}
	return nil
}
