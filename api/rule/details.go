package rule

import (
	"mediadesk/api"
)

// CheckDetailTags checks tags for a details update. Only an empty tag is invalid, because tags are
// sent as an array.
func CheckDetailTags(tags []string) error {
	for _, tag := range tags {
		if tag == "" {
			return &api.RuleError{Field: "tags", Message: "tags hold an empty tag", Help: "Remove it or give it a name."}
		}
	}
	return nil
}
