package api

import (
	"encoding/json"
	"regexp"
	"slices"
)

// Upload is one upload operation (service.md §4.1). Fields that are absent are not sent,
// and the service's default then holds; a field that is set is sent even where
// its value is empty or false. Null means nothing to an upload and counts as
// absent.
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
	Description             Field[string]                     `json:"description,omitzero"`    // hosted services only
	Checks                  Field[string]                     `json:"checks,omitzero"`         // hosted services only; see CheckChecks
	Transformation          Field[Transformation]             `json:"transformation,omitzero"` // hosted services only
}

// Path is where the upload stores its file: the folder and the name as the
// service writes them. With a suffix that the service adds, the last part is
// only the beginning of the name.
func (u *Upload) Path() string {
	folder, _ := CleanFolder(u.Folder.Or("/"))
	return folder + StoredName(u.FileName)
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

// CheckResponseFields says which of fields is not one that service.md §4.1 allows.
func CheckResponseFields(fields []string) error {
	for _, name := range fields {
		if !slices.ContainsFunc(responseChoices, func(c Choice) bool { return c.Text == name }) {
			return &RuleError{
				Field:   "responseFields",
				Message: "responseFields hold " + quote(name) + ", which is no response field",
				Help:    "Allowed are " + ChoiceTexts(responseChoices) + ".",
			}
		}
	}
	return nil
}

// checkResponseNames says which of fields cannot be a response field: what no name is, and
// what every answer has. A service may have some that are not known here.
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

// Part is one text part of the multipart body.
type Part struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Parts are the text parts of the request in the order in which they are
// sent, without the file itself: booleans as true or false, lists joined with
// commas, JSON as text, each part once. The error is of a value that cannot be
// written as JSON.
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
