package upload

import (
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/session"
)

// field names one thing that the form sets.
type field int

const (
	fieldName field = iota
	fieldNaming
	fieldFolder
	fieldPrivate
	fieldDescription
	fieldTags
	fieldRegion
	fieldRemove
	fieldShadow
	fieldColour
	fieldGoogle
	fieldGoogleTags
	fieldGoogleSure
	fieldAWS
	fieldAWSTags
	fieldAWSSure
	fieldOtherName
	fieldOtherJSON
	fieldOrder
	fieldOverFile
	fieldOverTags
	fieldOverAITags
	fieldOverMetadata
	fieldMetadata
	fieldAnswerTags
	fieldAnswerRegion
	fieldAnswerPrivate
	fieldAnswerEmbedded
	fieldAnswerMetadata
	fieldWebhook
	fieldAddress
	fieldCount
)

// fieldWords are the names of the fields in sentences.
var fieldWords = [fieldCount]string{
	fieldName: "name", fieldNaming: "naming", fieldFolder: "folder", fieldPrivate: "private",
	fieldDescription: "description", fieldTags: "tags", fieldRegion: "region",
	fieldRemove: "remove-bg", fieldShadow: "shadow", fieldColour: "background colour",
	fieldGoogle: "google tagging", fieldGoogleTags: "google tagging", fieldGoogleSure: "google tagging",
	fieldAWS: "aws tagging", fieldAWSTags: "aws tagging", fieldAWSSure: "aws tagging",
	fieldOtherName: "other extension", fieldOtherJSON: "other extension", fieldOrder: "order of extensions",
	fieldOverFile: "overwriteFile", fieldOverTags: "overwriteTags",
	fieldOverAITags: "overwriteAITags", fieldOverMetadata: "overwriteCustomMetadata",
	fieldMetadata:   "metadata",
	fieldAnswerTags: "answer", fieldAnswerRegion: "answer", fieldAnswerPrivate: "answer",
	fieldAnswerEmbedded: "answer", fieldAnswerMetadata: "answer",
	fieldWebhook: "webhook", fieldAddress: "webhook",
}

// fieldKeys name the fields in texts that are kept or edited: drafts, presets,
// and the text of all options. They never change.
var fieldKeys = [fieldCount]string{
	fieldName: "name", fieldNaming: "naming", fieldFolder: "folder", fieldPrivate: "private",
	fieldDescription: "description", fieldTags: "tags", fieldRegion: "region",
	fieldRemove: "remove-bg", fieldShadow: "remove-bg.add_shadow", fieldColour: "remove-bg.colour",
	fieldGoogle: "google", fieldGoogleTags: "google.maxTags", fieldGoogleSure: "google.minConfidence",
	fieldAWS: "aws", fieldAWSTags: "aws.maxTags", fieldAWSSure: "aws.minConfidence",
	fieldOtherName: "extension.name", fieldOtherJSON: "extension.options", fieldOrder: "extension.order",
	fieldOverFile: "overwriteFile", fieldOverTags: "overwriteTags",
	fieldOverAITags: "overwriteAITags", fieldOverMetadata: "overwriteCustomMetadata",
	fieldMetadata:   "customMetadata",
	fieldAnswerTags: "return.tags", fieldAnswerRegion: "return.customCoordinates", fieldAnswerPrivate: "return.isPrivateFile",
	fieldAnswerEmbedded: "return.embeddedMetadata", fieldAnswerMetadata: "return.customMetadata",
	fieldWebhook: "webhook", fieldAddress: "webhook.address",
}

// fieldByKey is the field of a key; noField where there is none.
func fieldByKey(key string) field {
	if i := slices.Index(fieldKeys[:], key); i >= 0 {
		return field(i)
	}
	return noField
}

// answerFields are the switches for the response fields, in the order of
// api.ResponseFields.
var answerFields = [...]field{
	fieldAnswerTags, fieldAnswerRegion, fieldAnswerPrivate, fieldAnswerEmbedded, fieldAnswerMetadata,
}

// values is what the form says about one source: the text of every field. An
// empty text is a field that nobody touched, or that was emptied again; both
// are not sent.
type values [fieldCount]string

// The texts of switches and choices. A switch with two states is on or empty;
// one that may be left to the service is on, off or empty.
const (
	on  = "on"
	off = "off"

	webhookOurs    = ""
	webhookNone    = "none"
	webhookAddress = "address"
)

// startValues are those of a new form.
func startValues(src api.Source, p session.Profile) values {
	var v values
	v[fieldName] = src.Name()
	v[fieldNaming] = string(p.Naming)
	if p.Naming == "" {
		v[fieldNaming] = string(api.NameHere)
	}
	v[fieldFolder] = src.FolderUnder(p.Folder)
	v[fieldTags] = api.JoinTags(p.Tags)
	preselect(&v, p)
	return v
}

// naming is how the stored file gets its name.
func (v *values) naming() api.Naming { return api.Naming(v[fieldNaming]) }

// tags are the tags as a list.
func (v *values) tags() []string { return api.SplitTags(v[fieldTags]) }

// yesNo is a switch as a request has it: absent where it is left to the service.
func yesNo(text string) api.Field[bool] {
	if text != on && text != off {
		return api.Field[bool]{}
	}
	return api.Set(text == on)
}

// trimmed is a text as a request has it: absent where it is blank.
func trimmed(text string) api.Field[string] {
	if text = strings.TrimSpace(text); text != "" {
		return api.Set(text)
	}
	return api.Field[string]{}
}
