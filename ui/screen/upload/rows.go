package upload

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api"
	"mediadesk/api/session"
)

// field names a row of the form: the key of an upload field or a part of it. Drafts store these names, so they never
// change.
type field string

// Rows that the form refers to by name.
const (
	fieldName           field = "name"
	fieldNaming         field = "unique"
	fieldFolder         field = "folder"
	fieldPrivate        field = "private"
	fieldTags           field = "tags"
	fieldRegion         field = "region"
	fieldTransformation field = api.FieldTransformation
	fieldOverFile       field = api.FieldOverwriteFile
	fieldMetadata       field = "metadata"
	fieldWebhook        field = "webhook"
	fieldAddress        field = "webhook.address"
	fieldOtherName      field = "extension.name"
	fieldOtherJSON      field = "extension.options"
	fieldOrder          field = "extension.order"
	fieldRemove         field = "remove-bg"
	fieldShadow         field = "remove-bg.add_shadow"
	fieldColor          field = "remove-bg.color"
	noField             field = ""
)

// responseField returns the row of a response field.
func responseField(name string) field { return field("return." + name) }

// oldNames maps row names of version 0.1.
var oldNames = map[field]field{"naming": fieldNaming, "customMetadata": fieldMetadata, "remove-bg.colour": fieldColor}

// Texts of switches; an empty text leaves the choice to the service.
const (
	on  = "true"
	off = "false"

	webhookOurs    = ""
	webhookNone    = api.NoWebhook
	webhookAddress = "address"
)

// row reads and writes a part of an entry. If set returns an error, it leaves the part absent.
type row struct {
	get func(*api.Entry) string
	set func(*api.Entry, string) error
}

// fieldRow edits a whole field.
func fieldRow(f *api.UploadField) row { return row{f.Text, f.SetText} }

// responseRow requests one response field.
func responseRow(name string) row {
	return row{
		get: func(e *api.Entry) string { return onIf(slices.Contains(e.ResponseFields.Or(nil), name)) },
		set: func(e *api.Entry, text string) error {
			wanted, err := isOn(text)
			names := slices.DeleteFunc(slices.Clone(e.ResponseFields.Or(nil)), func(other string) bool { return other == name })
			if wanted {
				names = append(names, name)
			}
			choices := api.FieldByName(api.FieldResponse).Choices
			place := func(name string) int { // unknown names come first
				return slices.IndexFunc(choices, func(c api.Choice) bool { return c.Text == name })
			}
			slices.SortStableFunc(names, func(a, b string) int { return place(a) - place(b) })
			e.ResponseFields = setUnlessEmpty(names)
			return err
		},
	}
}

func onIf(is bool) string {
	if is {
		return on
	}
	return ""
}

// isOn parses an on/off switch.
func isOn(text string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case on, "on", "yes":
		return true, nil
	case "", off, "off", "no", "default":
		return false, nil
	}
	return false, fmt.Errorf("on or off, not %q", text)
}

func setUnlessEmpty[T any](list []T) api.Field[[]T] {
	if len(list) == 0 {
		return api.Field[[]T]{}
	}
	return api.Set(list)
}

// webhookRow selects the webhook. Its address has its own row.
var webhookRow = row{
	get: func(e *api.Entry) string {
		switch {
		case e.NoWebhook:
			return webhookNone
		case e.WebhookURL.IsSet():
			return webhookAddress
		}
		return webhookOurs
	},
	set: func(e *api.Entry, text string) error {
		switch text {
		case webhookOurs, webhookNone, webhookAddress:
		default: // an address
			return addressRow.set(e, text)
		}
		e.NoWebhook = text == webhookNone
		if text != webhookAddress {
			e.WebhookURL = api.Field[string]{}
		} else if !e.WebhookURL.IsSet() {
			e.WebhookURL = api.Set("")
		}
		return nil
	},
}

var addressRow = row{
	get: func(e *api.Entry) string { return e.WebhookURL.Or("") },
	set: func(e *api.Entry, text string) error {
		e.NoWebhook, e.WebhookURL = false, api.Set(strings.TrimSpace(text))
		return nil
	},
}

// other is the choice of a text that is not in the list.
const other = "other"

// openRow selects one of the listed texts of a field, or another text, which has its own row.
func openRow(f *api.UploadField) row {
	offered := func(text string) bool {
		return slices.ContainsFunc(f.Choices, func(c api.Choice) bool { return c.Text == text })
	}
	return row{
		get: func(e *api.Entry) string {
			if text := f.Text(e); !f.IsSet(e) || offered(text) {
				return text
			}
			return other
		},
		set: func(e *api.Entry, text string) error {
			switch {
			case text != other:
				return f.SetText(e, text)
			case offered(f.Text(e)) || !f.IsSet(e):
				return f.Parse(e, "")
			}
			return nil
		},
	}
}

// metadataRow edits all custom metadata; an empty object means none.
func metadataRow(f *api.UploadField) row {
	r := fieldRow(f)
	return row{r.get, func(e *api.Entry, text string) error {
		err := r.set(e, text)
		if len(e.CustomMetadata.Or(nil)) == 0 {
			f.Clear(e)
		}
		return err
	}}
}

// knownExtension is an extension with its own rows: a switch and its options.
type knownExtension struct {
	name, label, note string
	row               field
	options           []extensionOption
}

type extensionOption struct {
	row         field
	label, hint string
	yesNo       bool // a switch instead of a text
	get         func(e *api.Extension) string
	set         func(e *api.Extension, text string) error
}

// knownExtensions returns the extensions with their own rows in default run order.
func knownExtensions(p session.Profile) []knownExtension {
	color := cmp.Or(p.ColorOption, defaultColorOption)
	list := []knownExtension{{
		name: api.RemoveBackground, label: "remove-bg", row: fieldRemove,
		note: "Removes the background. It ends some time after the upload.",
		options: []extensionOption{
			{row: fieldShadow, label: "add_shadow", yesNo: true, get: optionText("add_shadow"), set: setShadow},
			{row: fieldColor, label: color, hint: "none: such as green", get: colorText, set: setColor(color)},
		},
	}}
	for _, t := range []struct {
		name string
		row  field
	}{{api.GoogleTagging, "google"}, {api.AWSTagging, "aws"}} {
		list = append(list, knownExtension{
			name: t.name, label: strings.TrimSuffix(t.name, "-auto-tagging") + " tagging", row: t.row,
			note: t.name + ": tags made from what is seen in the picture.",
			options: []extensionOption{
				number(t.row, t.name, "maxTags", api.MaxAutoTags, func(e *api.Extension) *api.Field[int] { return &e.MaxTags }),
				number(t.row, t.name, "minConfidence", api.MaxMinConfidence, func(e *api.Extension) *api.Field[int] { return &e.MinConfidence }),
			},
		})
	}
	return list
}

// defaultColorOption is the spelling of remove-bg's color option in service.md §2.2.
const defaultColorOption = "bg_colour"

// colorOptions are all spellings of it.
var colorOptions = []string{defaultColorOption, "bg_color"}

func number(of field, extension, option string, most int, at func(*api.Extension) *api.Field[int]) extensionOption {
	return extensionOption{
		row: of + "." + field(option), label: option, hint: fmt.Sprintf("0 to %d; empty: service default", most),
		get: func(e *api.Extension) string {
			if n, ok := at(e).Get(); ok {
				return strconv.Itoa(n)
			}
			return ""
		},
		set: func(e *api.Extension, text string) error {
			*at(e) = api.Field[int]{}
			if text == "" {
				return nil
			}
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 || n > most {
				return &api.RuleError{
					Field: api.FieldExtensions, Message: fmt.Sprintf("%s of %s is %q; it is a whole number from 0 to %d", option, extension, text, most),
					Help: "Leave it empty for the service's default.",
				}
			}
			*at(e) = api.Set(n)
			return nil
		},
	}
}

// optionText returns an option of remove-bg as text.
func optionText(name string) func(*api.Extension) string {
	return func(e *api.Extension) string {
		var value any
		if json.Unmarshal(e.Options[name], &value) != nil {
			return ""
		}
		return fmt.Sprint(value)
	}
}

func colorText(e *api.Extension) string {
	for _, name := range colorOptions {
		if text := optionText(name)(e); text != "" {
			return text
		}
	}
	return ""
}

// setOption sets an option and deletes those in instead; a nil value only deletes.
func setOption(e *api.Extension, name string, value any, instead ...string) {
	options := maps.Clone(e.Options)
	for _, other := range append(instead, name) {
		delete(options, other)
	}
	if value != nil {
		if options == nil {
			options = map[string]json.RawMessage{}
		}
		options[name], _ = json.Marshal(value) // a text or a bool, so it cannot fail
	}
	if len(options) == 0 {
		options = nil
	}
	e.Options = options
}

func setShadow(e *api.Extension, text string) error {
	setOption(e, "add_shadow", nil)
	if text == "" || text == "default" {
		return nil
	}
	shadow, err := isOn(text)
	if err == nil {
		setOption(e, "add_shadow", shadow)
	}
	return err
}

func setColor(name string) func(*api.Extension, string) error {
	return func(e *api.Extension, text string) error {
		if text == "" {
			setOption(e, name, nil, colorOptions...)
		} else {
			setOption(e, name, text, colorOptions...)
		}
		return nil
	}
}

// shows reports whether the rows can show the whole extension.
func (t *knownExtension) shows(e *api.Extension) bool {
	if e.Name != t.name || len(e.Rest) > 0 {
		return false
	}
	if t.row != fieldRemove {
		return len(e.Options) == 0 && !e.MaxTags.IsNull() && !e.MinConfidence.IsNull()
	}
	colors := 0
	for name, text := range e.Options {
		var yes *bool
		var color string
		switch {
		case name == "add_shadow" && json.Unmarshal(text, &yes) == nil && yes != nil:
		case slices.Contains(colorOptions, name) && json.Unmarshal(text, &color) == nil && color != "":
			colors++
		default:
			return false
		}
	}
	return colors < 2 && e.MaxTags.IsZero() && e.MinConfidence.IsZero()
}

// extensionRows reads and writes the extensions of an entry through the rows of known and other extensions.
type extensionRows []knownExtension

// at returns the index of the extension in the list, or -1.
func (x extensionRows) at(t *knownExtension, list []api.Extension) int {
	return slices.IndexFunc(list, func(e api.Extension) bool { return t.shows(&e) })
}

// split separates extensions that have their own rows, in row order, from the others.
func (x extensionRows) split(list []api.Extension) (shown, others []api.Extension) {
	taken := map[int]bool{}
	for i := range x {
		if at := x.at(&x[i], list); at >= 0 {
			shown, taken[at] = append(shown, list[at]), true
		}
	}
	for at, e := range list {
		if !taken[at] {
			others = append(others, e)
		}
	}
	return shown, others
}

// toggle returns the switch of a known extension.
func (x extensionRows) toggle(t *knownExtension) row {
	return row{
		get: func(e *api.Entry) string { return onIf(x.at(t, e.Extensions.Or(nil)) >= 0) },
		set: func(e *api.Entry, text string) error {
			wanted, err := isOn(text)
			list := slices.Clone(e.Extensions.Or(nil))
			at := x.at(t, list)
			switch {
			case wanted && at < 0:
				shown, others := x.split(append(list, api.Extension{Name: t.name}))
				list = append(shown, others...)
			case !wanted && at >= 0:
				list = slices.Delete(list, at, at+1)
			}
			e.Extensions = setUnlessEmpty(list)
			return err
		},
	}
}

// option returns the row of an option. It changes nothing while the extension is off.
func (x extensionRows) option(t *knownExtension, o *extensionOption) row {
	return row{
		get: func(e *api.Entry) string {
			list := e.Extensions.Or(nil)
			if at := x.at(t, list); at >= 0 {
				return o.get(&list[at])
			}
			return ""
		},
		set: func(e *api.Entry, text string) error {
			list := slices.Clone(e.Extensions.Or(nil))
			at := x.at(t, list)
			if at < 0 {
				return nil
			}
			err := o.set(&list[at], strings.TrimSpace(text))
			e.Extensions = api.Set(list)
			return err
		},
	}
}

// other returns the other extensions, and the name of the only one if name and options describe it fully.
func (x extensionRows) other(e *api.Entry) (others []api.Extension, name string) {
	_, others = x.split(e.Extensions.Or(nil))
	if len(others) == 1 && len(others[0].Rest) == 0 && others[0].MaxTags.IsZero() && others[0].MinConfidence.IsZero() {
		return others, others[0].Name
	}
	return others, ""
}

// setOthers replaces the other extensions. It refuses those with their own rows, which would be ambiguous.
func (x extensionRows) setOthers(e *api.Entry, others []api.Extension, err error) error {
	shown, _ := x.split(e.Extensions.Or(nil))
	for i := range others {
		if slices.ContainsFunc(x, func(t knownExtension) bool { return t.shows(&others[i]) }) {
			err = &api.RuleError{
				Field: api.FieldExtensions, Message: fmt.Sprintf("extensions: %s has a row of its own", others[i].Name),
				Help: "Switch it on there.",
			}
			others = nil
			break
		}
	}
	e.Extensions = setUnlessEmpty(slices.Concat(shown, others))
	return err
}

// otherName returns the row of the other extension's name.
func (x extensionRows) otherName() row {
	return row{
		get: func(e *api.Entry) string { _, name := x.other(e); return name },
		set: func(e *api.Entry, text string) error {
			others, name := x.other(e)
			switch text = strings.TrimSpace(text); {
			case text == "":
				others = nil
			case name != "":
				others = []api.Extension{{Name: text, Options: others[0].Options}}
			default:
				others = []api.Extension{{Name: text}}
			}
			return x.setOthers(e, others, nil)
		},
	}
}

// otherJSON returns the row of the other extension's options. Without a name, the row is a JSON array of extensions
// (service.md §2.2).
func (x extensionRows) otherJSON() row {
	return row{
		get: func(e *api.Entry) string {
			others, name := x.other(e)
			var value any = others
			switch {
			case name != "" && others[0].Options == nil, len(others) == 0:
				return ""
			case name != "":
				value = others[0].Options
			}
			text, _ := json.Marshal(value) // it came from JSON, so it cannot fail
			return string(text)
		},
		set: func(e *api.Entry, text string) error {
			_, name := x.other(e)
			if name != "" {
				one, err := api.ParseExtension(name, text)
				if err != nil {
					one.Options = nil
				}
				return x.setOthers(e, []api.Extension{one}, err)
			}
			if strings.TrimSpace(text) == "" {
				return x.setOthers(e, nil, nil)
			}
			list, err := api.ParseExtensions(text)
			if err != nil {
				list = nil
			}
			return x.setOthers(e, list, err)
		},
	}
}

// order returns the row of the run order by extension names; an empty text means the order of the rows.
func (x extensionRows) order() row {
	plain := func(e *api.Entry) []api.Extension {
		return slices.Concat(x.split(e.Extensions.Or(nil)))
	}
	return row{
		get: func(e *api.Entry) string {
			names := extensionNames(e.Extensions.Or(nil))
			if slices.Equal(names, extensionNames(plain(e))) {
				return ""
			}
			return api.JoinTags(names)
		},
		set: func(e *api.Entry, text string) error {
			list, names := plain(e), api.SplitTags(text)
			place := func(e api.Extension) int {
				if at := slices.Index(names, e.Name); at >= 0 {
					return at
				}
				return len(names) // after the named ones
			}
			slices.SortStableFunc(list, func(a, b api.Extension) int { return place(a) - place(b) })
			e.Extensions = setUnlessEmpty(list)
			return nil
		},
	}
}

func extensionNames(list []api.Extension) []string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name
	}
	return names
}
