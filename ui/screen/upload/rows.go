package upload

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api"
	"mediadesk/api/session"
)

// field names a row of the form: the key of an upload field, or one of the rows
// that show a part of a field. Drafts hold these names, so they never change.
type field string

// The rows that the form knows by name.
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

// responseField is the row that asks for a response field.
func responseField(name string) field { return field("return." + name) }

// oldNames are what drafts and presets of version 0.1 call rows.
var oldNames = map[field]field{"naming": fieldNaming, "customMetadata": fieldMetadata, "remove-bg.colour": fieldColor}

// The texts of switches: an empty text leaves it to the service.
const (
	on  = "true"
	off = "false"

	webhookOurs    = ""
	webhookNone    = api.NoWebhook
	webhookAddress = "address"
)

// row is how a line of the form reads and writes its part of an entry. With an
// error, set leaves that part absent.
type row struct {
	get func(*api.Entry) string
	set func(*api.Entry, string) error
}

// fieldRow shows a whole field.
func fieldRow(f *api.UploadField) row { return row{f.Text, f.SetText} }

// responseRow asks for one response field.
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
			place := func(name string) int { // those that are not known here come first
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

// isOn reads a switch of two states.
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

// webhookRow chooses whose webhook goes along; the address has a row of its own.
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

// other is the choice of a row that has another text than those offered.
const other = "other"

// openRow chooses among the texts that are offered for a field, or another one, which
// has a row of its own.
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

// metadataRow edits all custom metadata; an empty object is none.
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

// knownExtension is an extension with rows of its own: a switch, and below it its options.
type knownExtension struct {
	name, label, note string
	row               field
	options           []extensionOption
}

type extensionOption struct {
	row         field
	label, hint string
	yesNo       bool // a switch; else a text
	get         func(e *api.Extension) string
	set         func(e *api.Extension, text string) error
}

// knownExtensions are the extensions with rows of their own, in the order in which they run
// unless said otherwise.
func knownExtensions(p session.Profile) []knownExtension {
	color := p.ColorOption
	if color == "" {
		color = defaultColorOption
	}
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

// defaultColorOption is how service.md §2.2 spells the color option of remove-bg.
const defaultColorOption = "bg_colour"

// colorOptions are its spellings.
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

// optionText is an option of remove-bg as text.
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

// setOption sets an option in the place of others; nil: none.
func setOption(e *api.Extension, name string, value any, instead ...string) {
	options := maps.Clone(e.Options)
	for _, other := range append(instead, name) {
		delete(options, other)
	}
	if value != nil {
		if options == nil {
			options = map[string]json.RawMessage{}
		}
		options[name], _ = json.Marshal(value) // a text or a switch: it can be written
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

// shows reports whether the rows of an extension can show all of it.
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

// extensionRows read and write the extensions of an entry by the rows of the known extensions
// and those of any other extension.
type extensionRows []knownExtension

// at is the place of the extension that the rows of a known extension show; -1: none.
func (x extensionRows) at(t *knownExtension, list []api.Extension) int {
	return slices.IndexFunc(list, func(e api.Extension) bool { return t.shows(&e) })
}

// split parts extensions into those that their own rows show, in the order of the
// rows, and the others.
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

// toggle is the switch of a known extension.
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

// option is the row of an option; it changes nothing while its extension is
// off.
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

// other is the name of the only other extension, where name and options say all
// of it.
func (x extensionRows) other(e *api.Entry) (others []api.Extension, name string) {
	_, others = x.split(e.Extensions.Or(nil))
	if len(others) == 1 && len(others[0].Rest) == 0 && others[0].MaxTags.IsZero() && others[0].MinConfidence.IsZero() {
		return others, others[0].Name
	}
	return others, ""
}

// setOthers replaces the other extensions. Those that have rows of their own are
// refused: the two would be taken for one.
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

// otherName is the row of the name of another extension.
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

// otherJSON is the row of the options of the named extension, or without a name of
// a JSON array of whole extensions (service.md §2.2).
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
			text, _ := json.Marshal(value) // what was read from JSON can be written
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

// order is the row of the order in which extensions run, by their names; empty for
// that of the rows.
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
				return len(names) // behind those that are named
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
