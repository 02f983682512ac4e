package api

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// ResponseFields are the names of the response fields that an upload may ask for (service.md §4.1).
var ResponseFields = []string{"tags", "customCoordinates", "isPrivateFile", "embeddedMetadata", "customMetadata"}

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
	Description             Field[string]                     `json:"description,omitzero"` // hosted services only
}

// Path is where the upload stores its file: the folder and the name as the
// service writes them. With a suffix that the service adds, the last part is
// only the beginning of the name.
func (u *Upload) Path() string {
	folder, _ := CleanFolder(u.Folder.Or("/"))
	return folder + StoredName(u.FileName)
}

// Check says what the service would refuse about the upload by the rules of
// service.md §4.1, all of it, each as a *RuleError; nil if nothing. What only the bytes
// can tell (whether it is an image, its size in pixels) is not looked at.
func (u *Upload) Check() []error {
	var found []error
	add := func(err error) {
		if err != nil {
			found = append(found, err)
		}
	}
	add(CheckName(u.FileName))
	if u.Source.URL != "" {
		add(CheckSourceURL(u.Source.URL))
	}
	if tags, ok := u.Tags.Get(); ok {
		add(CheckTags(tags))
	}
	if folder, ok := u.Folder.Get(); ok {
		_, err := CleanFolder(folder)
		add(err)
	}
	if text, ok := u.CustomCoordinates.Get(); ok {
		_, err := ParseRegion(text)
		add(err)
	}
	if fields, ok := u.ResponseFields.Get(); ok {
		add(CheckResponseFields(fields))
	}
	if list, ok := u.Extensions.Get(); ok {
		add(CheckExtensions(list))
	}
	if address, ok := u.WebhookURL.Get(); ok {
		add(CheckWebhookURL(address))
	}
	return found
}

// CheckResponseFields says which of fields is none that service.md §4.1 allows.
func CheckResponseFields(fields []string) error {
	for _, name := range fields {
		if !slices.Contains(ResponseFields, name) {
			return &RuleError{
				Field:   "responseFields",
				Message: "responseFields hold " + quote(name) + ", which is no response field",
				Help:    "Allowed are " + strings.Join(ResponseFields, ", ") + ".",
			}
		}
	}
	return nil
}

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
	text := func(name string, value Field[string]) {
		if v, ok := value.Get(); ok {
			parts = append(parts, Part{name, v})
		}
	}
	list := func(name string, value Field[[]string]) {
		if v, ok := value.Get(); ok {
			parts = append(parts, Part{name, strings.Join(v, ",")})
		}
	}
	yesNo := func(name string, value Field[bool]) {
		if v, ok := value.Get(); ok {
			parts = append(parts, Part{name, strconv.FormatBool(v)})
		}
	}
	text("fileName", Set(u.FileName))
	yesNo("useUniqueFileName", u.UseUniqueFileName)
	list("tags", u.Tags)
	text("folder", u.Folder)
	yesNo("isPrivateFile", u.IsPrivateFile)
	text("customCoordinates", u.CustomCoordinates)
	list("responseFields", u.ResponseFields)
	if err := jsonPart(&parts, "extensions", u.Extensions); err != nil {
		return nil, err
	}
	text("webhookUrl", u.WebhookURL)
	yesNo("overwriteFile", u.OverwriteFile)
	yesNo("overwriteAITags", u.OverwriteAITags)
	yesNo("overwriteTags", u.OverwriteTags)
	yesNo("overwriteCustomMetadata", u.OverwriteCustomMetadata)
	if err := jsonPart(&parts, "customMetadata", u.CustomMetadata); err != nil {
		return nil, err
	}
	text("description", u.Description)
	return parts, nil
}

func jsonPart[T any](parts *[]Part, name string, value Field[T]) error {
	if !value.IsSet() {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return &RuleError{Field: name, Message: name + " cannot be written as JSON: " + err.Error()}
	}
	*parts = append(*parts, Part{name, string(text)})
	return nil
}
