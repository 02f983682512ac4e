package entry

import (
	"slices"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// CheckDetails returns a *api.RuleError for each reason why the service would refuse the update.
// The limits on the text of tags apply only to uploads (service.md §8).
func CheckDetails(d api.Details) []error {
	var found []error
	add := func(err error) {
		if err != nil {
			found = append(found, err)
		}
	}
	if tags, ok := d.Tags.Get(); ok {
		if slices.Contains(tags, "") {
			add(&api.RuleError{Field: "tags", Message: "a tag is empty", Help: "Remove it or give it a name."})
		}
	}
	if text, ok := d.CustomCoordinates.Get(); ok {
		_, err := rule.ParseRegion(text)
		add(err)
	}
	for _, f := range StoredFields {
		if d.Other[f.Name] != nil {
			add(f.Check(&api.Upload{Other: d.Other}))
		}
	}
	if list, ok := d.Extensions.Get(); ok {
		add(rule.CheckExtensions(list))
	}
	if address, ok := d.WebhookURL.Get(); ok {
		add(rule.CheckWebhookURL(address))
	}
	return found
}
