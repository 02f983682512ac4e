package entry

import (
	"regexp"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// CheckUpload returns everything that the service would refuse about the upload (service.md §4.1),
// each as a *api.RuleError. It does not inspect the bytes.
func CheckUpload(u *api.Upload) []error {
	var found []error
	for _, f := range Fields {
		if err := f.Check(u); err != nil {
			found = append(found, err)
		}
	}
	if u.Source.URL != "" {
		if err := rule.CheckSourceURL(u.Source.URL); err != nil {
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
			return &api.RuleError{
				Field:   "responseFields",
				Message: "responseFields hold " + api.Quote(name) + ", which is not a response field",
				Help:    "Allowed are " + strings.Join(known, ", ") + ", and at hosted services " + strings.Join(hostedResponses, ", ") + ".",
			}
		}
	}
	return nil
}

// checkResponseNames returns an error for a response field that is not a name, or is in every
// answer anyway. A service may have fields that are unknown here.
func checkResponseNames(fields []string) error {
	for _, name := range fields {
		if api.IsRecordMember(name) || !responseName.MatchString(name) {
			if err := CheckResponseFields([]string{name}); err != nil {
				return err
			}
		}
	}
	return nil
}

var responseName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

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
			add(&api.RuleError{Field: "tags", Message: "tags contain an empty tag", Help: "Remove it or give it a name."})
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
