package upload

import (
	"errors"
	"image"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// section is a group of upload fields in the form.
type section int

var sectionNames = []string{
	api.GroupFile, api.GroupTags, api.GroupRegion, api.GroupExtensions, api.GroupExists, api.GroupMetadata, api.GroupResponse,
}

const (
	sectionFile section = iota
	sectionTags
	sectionRegion
	sectionExtensions
	sectionExists
	sectionMetadata
	sectionResponse
	sectionCount
)

// item is a row of the form. Exactly one of its editing parts is set.
type item struct {
	row
	field   field
	section section
	of      *api.UploadField // the field that it shows; nil for library fields
	words   string           // its name in sentences
	text    *kit.Field
	chips   *kit.Chips
	pick    *kit.Select
	area    *kit.TextArea
	// choices are the texts of pick's options.
	choices []string
	// only hides the item unless that row has the text onlyAt; noField shows it always.
	only   field
	onlyAt string
	// known is the extension that the row switches; nil for other rows.
	known *knownExtension
	// meta is the library's metadata field that the item edits; nil for other items.
	meta *api.MetadataField
	// note is the help shown while the item has the focus.
	note string

	loaded string // the text last given to the part
	mixed  bool   // the sources differ

	drawn *kit.Memo[chipsOf, string] // drawn chips
}

// dependsOn reports whether a change of the other row may change the meaning of this row's text.
func (i *item) dependsOn(other *item) bool {
	switch {
	case i == other:
		return false
	case i.only != noField && i.only == other.field:
		return true
	case i.field == fieldOtherJSON:
		return other.field == fieldOtherName
	}
	return i.field == fieldOrder && other.section == sectionExtensions
}

func itemOf(items []*item, f field) *item {
	return items[slices.IndexFunc(items, func(i *item) bool { return i.field == f })]
}

// chipsOf is the cache key of drawn chips, which can be numerous.
type chipsOf struct {
	width   int
	th      *theme.Theme
	focused bool
	mixed   string
}

const mostChipRows = 6

const (
	labelWidth = 18
	areaRows   = 4
)

// newItems returns the form's rows by section.
func newItems(p session.Profile) []*item {
	var items []*item
	for s, group := range sectionNames {
		for _, f := range api.UploadFields {
			if f.Group != group {
				continue
			}
			for _, i := range fieldItems(f, p) {
				if i.section, i.of = section(s), f; i.words == "" {
					i.words = f.Words
				}
				items = append(items, i)
			}
		}
	}
	return items
}

// fieldItems returns the rows of an upload field: usually one, according to its kind.
func fieldItems(f *api.UploadField, p session.Profile) []*item {
	i := &item{row: fieldRow(f), field: field(f.Key), note: text.Sentence(f.Help)}
	switch {
	case f.Name == api.FieldName:
		i.text, i.note = newText(f.Label, f.Hint), ""
	case f.Name == api.FieldWebhook:
		return webhookItems(f, i, p)
	case f.Kind == api.KindExtensions:
		return extensionItems(knownExtensions(p))
	case f.Kind == api.KindMetadata:
		i.row, i.area = metadataRow(f), kit.NewTextArea(f.Hint)
	case f.Kind == api.KindSwitch:
		i.choose(f.Label, []string{"", on, off}, "service default: "+onOff(strconv.FormatBool(f.Default)), "on", "off")
	case f.Kind == api.KindList && f.Choices != nil:
		var items []*item
		for _, c := range f.Choices {
			one := &item{row: responseRow(c.Text), field: responseField(c.Text), note: "Asks the service to answer with " + c.Text + "."}
			one.choose(c.Label, []string{on, ""}, "on", "off")
			items = append(items, one)
		}
		return items
	case f.Kind == api.KindList:
		i.chips, i.drawn = &kit.Chips{Placeholder: f.Hint}, &kit.Memo[chipsOf, string]{}
	case f.Choices != nil:
		i.choose(f.Label, nil)
		for _, c := range f.Choices {
			i.choices, i.pick.Options = append(i.choices, c.Text), append(i.pick.Options, c.Label)
		}
		if f.Open {
			i.row = openRow(f)
			i.choices, i.pick.Options = append([]string{""}, append(i.choices, other)...), append([]string{"none"}, append(i.pick.Options, "another")...)
			typed := row{f.Text, func(e *api.Entry, text string) error { return errors.Join(f.Parse(e, ""), f.Parse(e, text)) }}
			return []*item{i, {row: typed, field: i.field + "." + other, only: i.field, onlyAt: other, text: newText("  steps or JSON", f.Hint)}}
		}
	default:
		i.text = newText(f.Label, f.Hint)
		if f.Group == api.GroupRegion {
			i.text = newText("", f.Hint) // the section has the name
		}
	}
	return []*item{i}
}

func newText(label, hint string) *kit.Field {
	part := &kit.Field{Label: label, Placeholder: hint}
	if label != "" {
		part.LabelWidth = labelWidth
	}
	return part
}

// choose makes the row a choice between labeled texts.
func (i *item) choose(label string, texts []string, labels ...string) {
	i.choices, i.pick = texts, &kit.Select{Label: label, LabelWidth: labelWidth, Options: labels}
}

func webhookItems(f *api.UploadField, i *item, p session.Profile) []*item {
	ours := "ours"
	if p.Receiver == "" {
		ours = "ours (not running)"
	}
	i.row = webhookRow
	i.choose(f.Label, []string{webhookOurs, webhookNone, webhookAddress}, ours, "none", "an address")
	return []*item{i, {row: addressRow, field: fieldAddress, only: fieldWebhook, onlyAt: webhookAddress, text: newText("  address", f.Hint)}}
}

func extensionItems(x extensionRows) []*item {
	var items []*item
	for n := range x {
		t := &x[n]
		i := &item{row: x.toggle(t), field: t.row, note: t.note, known: t, words: t.label}
		i.choose(t.label, []string{on, ""}, "on", "off")
		items = append(items, i)
		for n := range t.options {
			o := &t.options[n]
			i := &item{row: x.option(t, o), field: o.row, words: t.label, only: t.row, onlyAt: on}
			if o.yesNo {
				i.choose("  "+o.label, []string{"", on, off}, "service default: off", "on", "off")
			} else {
				i.text = newText("  "+o.label, o.hint)
			}
			items = append(items, i)
		}
	}
	return append(
		items,
		&item{row: x.otherName(), field: fieldOtherName, words: "other extension", text: newText("Other: name", "none"), note: "Any other extension of the service, by its name."},
		&item{
			row: x.otherJSON(), field: fieldOtherJSON, words: "other extension", text: newText("Other: options", `none: such as {"level":3}`),
			note: "A JSON object; or, with no name, a JSON array of whole extensions.",
		},
		&item{
			row: x.order(), field: fieldOrder, words: "order of extensions", text: newText("Order", "as they stand above"),
			note: "Names with commas between them. On an extension above, < and > move it.",
		},
	)
}

// update passes a message to the text field and reports whether the field used it.
func (i *item) update(msg tea.Msg) bool {
	switch {
	case i.text != nil:
		return i.text.Update(msg)
	case i.chips != nil:
		i.drawn.Forget()
		return i.chips.Update(msg)
	case i.area != nil:
		return i.updateArea(msg)
	}
	return false
}

// updateArea lets the arrows leave the area at its first and last row. The form handles ctrl+p and ctrl+n.
func (i *item) updateArea(msg tea.Msg) bool {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		row, _ := i.area.Position()
		last := strings.Count(i.area.Value(), "\n")
		switch press.String() {
		case "up":
			if row == 0 {
				return false
			}
		case "down":
			if row == last {
				return false
			}
		case "ctrl+p", "ctrl+n":
			return false
		}
	}
	return i.area.Update(msg)
}

// focusable is what all parts share.
type focusable interface {
	Focus()
	Blur()
	Focused() bool
}

func (i *item) part() focusable {
	switch {
	case i.text != nil:
		return i.text
	case i.chips != nil:
		return i.chips
	case i.pick != nil:
		return i.pick
	}
	return i.area
}

// typing tells whether letters are text here.
func (i *item) typing() bool { return i.text != nil || i.chips != nil || i.area != nil }

// value returns the current text of the part.
func (i *item) value() string {
	switch {
	case i.text != nil:
		return i.text.Value()
	case i.chips != nil:
		return api.JoinTags(i.chips.Value())
	case i.pick != nil:
		return i.choices[i.pick.Index()]
	}
	return i.area.Value()
}

// loadOf shows the value of the targets, which must not be empty.
func (i *item) loadOf(targets []*source) {
	text, mixed := targets[0].text(i), false
	for _, s := range targets[1:] {
		mixed = mixed || s.text(i) != text
	}
	if mixed {
		text = ""
		if i.chips != nil {
			text = commonTags(targets)
		}
	}
	i.load(text, mixed)
}

// load sets the part's text. If mixed is true, the part shows that the sources differ, and new input applies to all.
func (i *item) load(text string, mixed bool) {
	i.loaded, i.mixed = text, mixed
	switch {
	case i.text != nil:
		i.text.SetValue(text)
	case i.chips != nil:
		i.drawn.Forget()
		i.chips.SetValue(api.SplitTags(text))
	case i.pick != nil:
		n := slices.Index(i.choices, text)
		if n < 0 && text == off {
			n = len(i.choices) - 1 // of two, select the one that is off
		}
		if n >= 0 {
			i.pick.SetIndex(n)
		}
	default:
		i.area.SetValue(text)
	}
}

// view draws the item in lines of width columns. mixed is the text for sources that differ.
func (i *item) view(width int, mixed string, th *theme.Theme) string {
	switch {
	case i.chips != nil:
		return i.viewChips(width, mixed, th)
	case i.mixed:
		return i.viewMixed(width, mixed, th)
	case i.text != nil:
		return i.text.View(width, th)
	case i.pick != nil:
		return i.pick.View(width, th)
	}
	return i.area.View(image.Pt(width, areaRows), th)
}

// viewChips draws chips. For sources that differ, it draws the common chips; changes apply to each source.
func (i *item) viewChips(width int, mixed string, th *theme.Theme) string {
	return i.drawn.Draw(chipsOf{width, th, i.chips.Focused(), mixed}, func() string {
		c := *i.chips
		if i.mixed {
			c.Placeholder = mixed
		}
		return c.View(image.Pt(width, min(mostChipRows, c.Rows(width, th))), th)
	})
}

// viewMixed draws an item whose sources differ.
func (i *item) viewMixed(width int, mixed string, th *theme.Theme) string {
	switch {
	case i.text != nil:
		f := *i.text
		f.Placeholder = mixed
		return f.View(width, th)
	case i.area != nil:
		a := *i.area
		a.Placeholder = mixed
		return a.View(image.Pt(width, areaRows), th)
	}
	style, word := th.Label, th.Warn
	if i.pick.Focused() {
		style, word = th.Accent, th.Selected
	}
	w := min(labelWidth, max(0, width/2-1))
	return text.Fit(style.Render(text.PadRight(i.pick.Label, w))+" "+word.Render(text.Truncate(" "+mixed+" ", width-w-1)), width, 1)
}
