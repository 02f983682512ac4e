package rule

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mediadesk/api"
)

// MaxTagsLength is the maximum number of characters in the joined tags of an upload
// (service.md §4.1, §8).
const MaxTagsLength = 500

// SplitTags splits a comma-separated list. It trims spaces and drops empty and repeated tags.
func SplitTags(joined string) []string {
	var tags []string
	for tag := range strings.SplitSeq(joined, ",") {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// JoinTags joins tags for an upload.
func JoinTags(tags []string) string { return strings.Join(tags, ",") }

// TagsLength returns the number of characters (code points) in the joined tags.
func TagsLength(tags []string) int { return utf8.RuneCountInString(JoinTags(tags)) }

// CheckTags checks tags for an upload (service.md §4.1): no empty tags, no commas or "%", and at
// most MaxTagsLength characters in total. The error is a *api.RuleError. An empty list is valid.
func CheckTags(tags []string) error {
	for _, tag := range tags {
		switch {
		case strings.TrimSpace(tag) == "":
			return broken(FieldTags, "tags contain an empty tag", "Remove it or give it a name.")
		case strings.Contains(tag, ","):
			return broken(FieldTags, fmt.Sprintf("tag %s contains a comma, which separates tags", api.Quote(tag)), "Make it two tags or leave the comma out.")
		}
	}
	return CheckTagString(JoinTags(tags))
}

// CheckTagString checks joined tags for % and their length only.
func CheckTagString(joined string) error {
	if strings.Contains(joined, "%") {
		return broken(FieldTags, "tags cannot have %", "Remove it.")
	}
	if n := utf8.RuneCountInString(joined); n > MaxTagsLength {
		return broken(FieldTags, fmt.Sprintf("tags have %d characters in total; at most %d are allowed", n, MaxTagsLength), "Use fewer or shorter tags: the commas between them count too.")
	}
	return nil
}

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
