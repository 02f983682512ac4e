package api

import (
	"encoding/json"
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
	Tags                    Field[[]string]                   `json:"tags,omitzero"`
	Folder                  Field[string]                     `json:"folder,omitzero"`            // default "/"
	IsPrivateFile           Field[bool]                       `json:"isPrivateFile,omitzero"`     // default false
	CustomCoordinates       Field[string]                     `json:"customCoordinates,omitzero"` // "x,y,width,height"
	ResponseFields          Field[[]string]                   `json:"responseFields,omitzero"`
	Extensions              Field[[]Extension]                `json:"extensions,omitzero"`
	WebhookURL              Field[string]                     `json:"webhookUrl,omitzero"`
	OverwriteFile           Field[bool]                       `json:"overwriteFile,omitzero"`           // default true
	OverwriteAITags         Field[bool]                       `json:"overwriteAITags,omitzero"`         // default true
	OverwriteTags           Field[bool]                       `json:"overwriteTags,omitzero"`           // default true
	OverwriteCustomMetadata Field[bool]                       `json:"overwriteCustomMetadata,omitzero"` // default true
	CustomMetadata          Field[map[string]json.RawMessage] `json:"customMetadata,omitzero"`
	Transformation          Field[Transformation]             `json:"transformation,omitzero"` // hosted services only
	Other                   Members                           `json:"other,omitempty"`         // fields of the table without a member here
}

// Path returns the path of the stored file in the service's form. If the service adds a suffix, it is
// only the beginning of the path.
func (u *Upload) Path() string {
	folder, _ := CleanFolder(u.Folder.Or("/"))
	return folder + StoredName(u.FileName)
}

// CheckPath checks the name and the length of the path of the stored file. An invalid folder is
// left to the check of the folder.
func (u *Upload) CheckPath() error {
	if err := CheckName(u.FileName); err != nil {
		return err
	}
	if _, err := CleanFolder(u.Folder.Or("/")); err != nil {
		return nil
	}
	path := u.Path()
	if u.UseUniqueFileName.Or(true) {
		path = UniqueName(path, NewSuffix())
	}
	return CheckPath(path)
}

// Check returns everything that the service would refuse about the upload (service.md §4.1), each
// as a *RuleError. It does not inspect the bytes.
func (u *Upload) Check() []error {
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
		if _, known := recordFields[name]; known || !responseName.MatchString(name) {
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

// Parts returns the text parts of the request in order, without the file: booleans as true or false,
// lists joined with commas, JSON as text. It returns an error for a value that cannot be encoded as
// JSON.
func (u *Upload) Parts() ([]Part, error) {
	var parts []Part
	for _, f := range UploadFields {
		text, sent, err := f.Part(u)
		if err != nil {
			return nil, &RuleError{Field: f.Name, Message: f.Name + " cannot be written as JSON: " + err.Error()}
		}
		if sent {
			parts = append(parts, Part{f.Name, text})
		}
	}
	return parts, nil
}
