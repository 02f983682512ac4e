package api

import (
	"encoding/json"
)

// Details is the body of a details update (service.md §4.2). An absent field keeps its value, null
// unsets it.
type Details struct {
	Tags              Field[[]string] `json:"tags,omitzero"`
	CustomCoordinates Field[string]   `json:"customCoordinates,omitzero"` // "x,y,width,height"

	// The rest is for hosted services only.
	CustomMetadata Field[map[string]json.RawMessage] `json:"customMetadata,omitzero"`
	Description    Field[string]                     `json:"description,omitzero"`
	Extensions     Field[[]Extension]                `json:"extensions,omitzero"`
	WebhookURL     Field[string]                     `json:"webhookUrl,omitzero"`
	NoWebhook      bool                              `json:"-"` // not even to this program's receiver
}

// IsEmpty reports whether the update would change nothing.
func (d Details) IsEmpty() bool {
	return d.Tags.IsZero() && d.CustomCoordinates.IsZero() && d.CustomMetadata.IsZero() &&
		d.Description.IsZero() && d.Extensions.IsZero() && d.WebhookURL.IsZero()
}

// Check returns a *RuleError for each reason why the service would refuse the update. The limits on
// the text of tags apply only to uploads (service.md §8).
func (d Details) Check() []error {
	var found []error
	add := func(err error) {
		if err != nil {
			found = append(found, err)
		}
	}
	if tags, ok := d.Tags.Get(); ok {
		add(CheckDetailTags(tags))
	}
	if text, ok := d.CustomCoordinates.Get(); ok {
		_, err := ParseRegion(text)
		add(err)
	}
	if list, ok := d.Extensions.Get(); ok {
		add(CheckExtensions(list))
	}
	if address, ok := d.WebhookURL.Get(); ok {
		add(CheckWebhookURL(address))
	}
	return found
}

// CheckDetailTags checks tags for a details update. Only an empty tag is invalid, because tags are
// sent as an array.
func CheckDetailTags(tags []string) error {
	for _, tag := range tags {
		if tag == "" {
			return &RuleError{Field: "tags", Message: "tags hold an empty tag", Help: "Remove it or give it a name."}
		}
	}
	return nil
}
