package rule

// Names of upload fields in requests (service.md §4.1) that rules refer to.
const (
	FieldName              = "fileName"
	FieldFolder            = "folder"
	FieldDescription       = "description"
	FieldChecks            = "checks"
	FieldTags              = "tags"
	FieldRegion            = "customCoordinates"
	FieldExtensions        = "extensions"
	FieldOverwriteFile     = "overwriteFile"
	FieldOverwriteTags     = "overwriteTags"
	FieldOverwriteAITags   = "overwriteAITags"
	FieldOverwriteMetadata = "overwriteCustomMetadata"
	FieldMetadata          = "customMetadata"
	FieldResponse          = "responseFields"
	FieldWebhook           = "webhookUrl"
	FieldTransformation    = "transformation"
)
