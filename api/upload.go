package api

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Upload is an upload operation (service.md §4.1). Absent fields are not sent, so that the service's
// defaults apply; a set field is sent even if it is empty or false. Null counts as absent.
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

// PathOf returns the path of the stored file in the service's form. If the service adds a suffix, it is
// only the beginning of the path.
func PathOf(u *Upload) string {
	folder, _ := CleanFolder(u.Folder.Or("/"))
	return folder + StoredName(u.FileName)
}

// CheckPathOf checks the name and the length of the path of the stored file. An invalid folder is
// left to the check of the folder.
func CheckPathOf(u *Upload) error {
	if err := CheckName(u.FileName); err != nil {
		return err
	}
	if _, err := CleanFolder(u.Folder.Or("/")); err != nil {
		return nil
	}
	path := PathOf(u)
	if u.UseUniqueFileName.Or(true) {
		path = UniqueName(path, NewSuffix())
	}
	return CheckPath(path)
}

// CheckUpload returns everything that the service would refuse about the upload (service.md §4.1), each
// as a *RuleError. It does not inspect the bytes.
func CheckUpload(u *Upload) []error {
	var found []error
	for _, f := range UploadFields {
		if err := f.Check(u); err != nil {
			found = append(found, err)
		}
	}
	if u.Source.URL != "" {
		if err := CheckSourceURL(u.Source.URL); err != nil {
			found = append(found, err)
		}
	}
	return found
}

// CheckResponseFields returns an error if one of fields is no response field.
func CheckResponseFields(fields []string) error {
	var known []string
	for _, c := range responseChoices {
		known = append(known, c.Text)
	}
	for _, name := range fields {
		if !slices.Contains(hostedResponses, name) && !slices.Contains(known, name) {
			return &RuleError{
				Field:   "responseFields",
				Message: "responseFields hold " + quote(name) + ", which is no response field",
				Help:    "Allowed are " + strings.Join(known, ", ") + ", and at hosted services " + strings.Join(hostedResponses, ", ") + ".",
			}
		}
	}
	return nil
}

// checkResponseNames returns an error for a response field that is not a name, or is in every answer
// anyway. A service may have fields that are unknown here.
func checkResponseNames(fields []string) error {
	for _, name := range fields {
		if IsRecordMember(name) || !responseName.MatchString(name) {
			if err := CheckResponseFields([]string{name}); err != nil {
				return err
			}
		}
	}
	return nil
}

var responseName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

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
