package upload

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api"
	"mediadesk/api/session"
)

// defaultColorOption is how the specification (service.md §2.2) spells the colour option
// of remove-bg.
const defaultColorOption = "bg_colour"

// problem is a rule that a field breaks.
type problem struct {
	field field
	err   error
}

// build makes the upload of a source from what the form says, by service.md §4.1: what
// nobody touched is absent, an explicit no is sent. The way of naming is not
// applied yet: that is done once, at the hand-over. The problems are of texts
// that cannot be read; the fields they stand in are absent from the upload.
func build(src api.Source, v *values, p session.Profile) (api.Upload, []problem) {
	u := api.Upload{
		Source:                  src,
		FileName:                v[fieldName],
		IsPrivateFile:           yesNo(v[fieldPrivate]),
		OverwriteFile:           yesNo(v[fieldOverFile]),
		OverwriteTags:           yesNo(v[fieldOverTags]),
		OverwriteAITags:         yesNo(v[fieldOverAITags]),
		OverwriteCustomMetadata: yesNo(v[fieldOverMetadata]),
		Description:             trimmed(v[fieldDescription]),
		CustomCoordinates:       regionText(v[fieldRegion]),
	}
	var found []problem
	add := func(f field, err error) {
		if err != nil {
			found = append(found, problem{f, err})
		}
	}
	if folder, ok := trimmed(v[fieldFolder]).Get(); ok {
		// The check of the whole upload says what is wrong with it.
		clean, _ := api.CleanFolder(folder)
		u.Folder = api.Set(clean)
	}
	if tags := v.tags(); len(tags) > 0 {
		u.Tags = api.Set(tags)
	}
	var fields []string
	for i, f := range answerFields {
		if v[f] == on {
			fields = append(fields, api.ResponseFields[i])
		}
	}
	if len(fields) > 0 {
		u.ResponseFields = api.Set(fields)
	}
	if list := extensions(v, p, add); len(list) > 0 {
		u.Extensions = api.Set(list)
	}
	if v[fieldWebhook] == webhookAddress {
		u.WebhookURL = trimmed(v[fieldAddress])
		if !u.WebhookURL.IsSet() {
			add(fieldAddress, &api.RuleError{Field: "webhookUrl", Message: "webhookUrl has no address", Help: "Type one, or choose ours or none."})
		}
	}
	members, err := readMetadata(v[fieldMetadata])
	add(fieldMetadata, err)
	if len(members) > 0 {
		u.CustomMetadata = api.Set(members)
	}
	return u, found
}

// ownWebhook reports whether an address of our receiver goes along.
func ownWebhook(u *api.Upload, v *values, p session.Profile) bool {
	return v[fieldWebhook] == webhookOurs && p.Receiver != "" && len(u.Extensions.Or(nil)) > 0
}

// regionText is the region as the service reads it: people put spaces after
// commas, the service takes none.
func regionText(text string) api.Field[string] {
	parts := strings.Split(text, ",")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
	}
	return trimmed(strings.Join(parts, ","))
}

// extensions are those of the presets and the other ones.
func extensions(v *values, p session.Profile, add func(field, error)) []api.Extension {
	var list []api.Extension
	if v[fieldRemove] == on {
		list = append(list, removeBackground(v, p))
	}
	for _, t := range []struct {
		name           string
		on, tags, sure field
	}{
		{api.GoogleTagging, fieldGoogle, fieldGoogleTags, fieldGoogleSure},
		{api.AWSTagging, fieldAWS, fieldAWSTags, fieldAWSSure},
	} {
		if v[t.on] != on {
			continue
		}
		e := api.Extension{Name: t.name}
		var err error
		e.MaxTags, err = wholeNumber(t.name, "maxTags", v[t.tags], api.MaxAutoTags)
		add(t.tags, err)
		e.MinConfidence, err = wholeNumber(t.name, "minConfidence", v[t.sure], api.MaxMinConfidence)
		add(t.sure, err)
		list = append(list, e)
	}
	others, err := otherExtensions(v[fieldOtherName], v[fieldOtherJSON])
	add(fieldOtherJSON, err)
	return ordered(append(list, others...), api.SplitTags(v[fieldOrder]))
}

// ordered puts extensions in an order of names; those that it does not name
// come behind, as they were.
func ordered(list []api.Extension, order []string) []api.Extension {
	if len(order) == 0 {
		return list
	}
	place := func(e api.Extension) int {
		if at := slices.Index(order, e.Name); at >= 0 {
			return at
		}
		return len(order)
	}
	slices.SortStableFunc(list, func(a, b api.Extension) int { return place(a) - place(b) })
	return list
}

func removeBackground(v *values, p session.Profile) api.Extension {
	options := map[string]json.RawMessage{}
	if shadow, ok := yesNo(v[fieldShadow]).Get(); ok {
		options["add_shadow"] = json.RawMessage(strconv.FormatBool(shadow))
	}
	if colour, ok := trimmed(v[fieldColour]).Get(); ok {
		name := p.ColorOption
		if name == "" {
			name = defaultColorOption
		}
		options[name] = jsonText(colour)
	}
	e := api.Extension{Name: api.RemoveBackground}
	if len(options) > 0 {
		e.Options = options
	}
	return e
}

// wholeNumber reads an option of a tagging extension; a blank text is absent.
func wholeNumber(extension, option, text string, most int) (api.Field[int], error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return api.Field[int]{}, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return api.Field[int]{}, &api.RuleError{
			Field:   "extensions",
			Message: fmt.Sprintf("%s of %s is %q; it is a whole number from 0 to %d", option, extension, text, most),
			Help:    "Empty leaves it to the service.",
		}
	}
	return api.Set(n), nil
}

// otherExtensions reads an extension that has no preset: its name, and the
// JSON object of its options. Without a name the text is a JSON array of whole
// elements (service.md §2.2), for extensions with other members and for several at once.
func otherExtensions(name, text string) ([]api.Extension, error) {
	name, text = strings.TrimSpace(name), strings.TrimSpace(text)
	if text == "" {
		if name == "" {
			return nil, nil
		}
		return []api.Extension{{Name: name}}, nil
	}
	if name == "" {
		return api.ParseExtensions(text)
	}
	var options map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &options)
	if err == nil && options != nil {
		return []api.Extension{{Name: name, Options: options}}, nil
	}
	why := "it is null"
	if err != nil {
		why = jsonProblem(text, err)
	}
	return nil, &api.RuleError{
		Field:   "extensions",
		Message: fmt.Sprintf("options of %q are not a JSON object: %s", name, why),
		Help:    `Write an object such as {"level":3}.`,
	}
}
