package entry

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// CheckUpload returns everything that the service would refuse about the upload (service.md §4.1),
// each as a *api.RuleError. It does not inspect the bytes.
func CheckUpload(u *api.Upload) []error {
	found := rule.Mapped(Fields, func(f *Field) error { return f.Check(u) })
	if u.Source.URL != "" {
		found = append(found, rule.CheckSourceURL(u.Source.URL))
	}
	return problems(found)
}

// problems returns the errors of a list that are not nil; nil if all are.
func problems(list []error) []error {
	none := func(err error) bool { return err == nil }
	return append([]error(nil), slices.DeleteFunc(list, none)...)
}

// CheckResponseFields returns an error if one of fields is no response field.
func CheckResponseFields(fields []string) error {
	known := rule.Mapped(responseChoices, func(c Choice) string { return c.Text })
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
	if slices.Contains(d.Tags.Or(nil), "") {
		found = append(found, &api.RuleError{Field: "tags", Message: "tags contain an empty tag", Help: "Remove it or give it a name."})
	}
	if text, ok := d.CustomCoordinates.Get(); ok {
		_, err := rule.ParseRegion(text)
		found = append(found, err)
	}
	for _, f := range StoredFields {
		if d.Other[f.Name] != nil {
			found = append(found, f.Check(&api.Upload{Other: d.Other}))
		}
	}
	found = append(found, rule.CheckExtensions(d.Extensions.Or(nil)))
	if address, ok := d.WebhookURL.Get(); ok {
		found = append(found, rule.CheckWebhookURL(address))
	}
	return problems(found)
}

// Fact is a member of a record as shown to users.
type Fact struct{ Group, Label, Value string }

// Name returns the label with its group.
func (f Fact) Name() string {
	if f.Group != "" {
		return f.Group + " " + f.Label
	}
	return strings.ToLower(f.Label)
}

// hostedFacts lists members of hosted services' records (hosted-service.md §12) that File lacks, and
// isPublished. With a group, the member is an object whose members are facts.
var hostedFacts = []hostedFact{
	{"isPublished", "Published", "", ""},
	{"duration", "Duration", "", " s"},
	{"bitRate", "Bit rate", "", " kbps"},
	{"videoCodec", "Video codec", "", ""},
	{"audioCodec", "Audio codec", "", ""},
	{"checks", "Condition", "", ""},
	{"metadata", "Metadata", "metadata", ""},
	{"selectedFieldsSchema", "Fields", "field", ""},
}

type hostedFact struct{ name, label, group, unit string }

// HostedFacts returns the facts that only records of hosted services have, in reading order.
func HostedFacts(f *api.File) []Fact {
	var members map[string]json.RawMessage
	if json.Unmarshal(f.Raw, &members) != nil {
		return nil
	}
	var facts []Fact
	for _, h := range hostedFacts {
		value, inner := members[h.name], map[string]json.RawMessage(nil)
		if rule.IsNull(value) {
			continue
		}
		if h.group == "" || json.Unmarshal(value, &inner) != nil {
			text := api.JSONText(value)
			switch {
			case json.Unmarshal(value, new(float64)) == nil:
				text += h.unit
			case string(value) == "true":
				text = "yes"
			case string(value) == "false":
				text = "no"
			}
			facts = append(facts, Fact{Label: h.label, Value: text})
		}
		for _, name := range slices.Sorted(maps.Keys(inner)) {
			facts = append(facts, Fact{h.group, name, api.JSONText(inner[name])})
		}
	}
	return facts
}

// OtherFacts returns the members that neither File nor HostedFacts has, by name.
func OtherFacts(f *api.File) []Fact {
	var facts []Fact
	for _, name := range slices.Sorted(maps.Keys(f.Other)) {
		if FieldByName(name) == nil && !slices.ContainsFunc(hostedFacts, func(h hostedFact) bool { return h.name == name }) {
			facts = append(facts, Fact{"other", name, api.JSONText(f.Other[name])})
		}
	}
	return facts
}
