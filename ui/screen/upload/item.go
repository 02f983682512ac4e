package upload

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// section is a part of the form.
type section int

const (
	sectionFile section = iota
	sectionTags
	sectionRegion
	sectionExtensions
	sectionExists
	sectionMetadata
	sectionAnswer
	sectionCount
)

var sectionNames = [sectionCount]string{
	"File", "Tags", "Region", "Extensions", "If it exists", "Metadata", "Answer",
}

// item is one field of the form with the part that edits it: exactly one of
// the parts is there.
type item struct {
	field   field
	section section
	text    *kit.Field
	chips   *kit.Chips
	pick    *kit.Select
	area    *kit.TextArea
	// choices are the texts of pick's options.
	choices []string
	// only hides the item while this field is not onlyAt; noField shows it
	// always.
	only   field
	onlyAt string
	// meta is the field of the library that the item edits in the metadata; nil
	// for all other items.
	meta *api.MetadataField
	// note is a line that helps while the item has the focus.
	note string

	loaded string // the text that the part was given
	mixed  bool   // the sources differ

	drawn *kit.Memo[chipsOf, string] // of chips
}

// chipsOf is what a drawing of chips, of which there may be very many, is made
// for.
type chipsOf struct {
	width   int
	th      *theme.Theme
	focused bool
	mixed   string
}

const mostChipRows = 6

const noField = fieldCount

const (
	labelWidth = 18
	areaRows   = 4
)

// newItems makes the form's items in their order.
func newItems(p session.Profile) []*item {
	var items []*item
	add := func(s section, i *item) *item {
		i.section, i.only = s, noField
		items = append(items, i)
		return i
	}
	text := func(s section, f field, label, hint string) *item {
		part := &kit.Field{Label: label, Placeholder: hint}
		if label != "" {
			part.LabelWidth = labelWidth
		}
		return add(s, &item{field: f, text: part})
	}
	pick := func(s section, f field, label string, words, texts []string) *item {
		return add(s, &item{
			field: f, choices: texts,
			pick: &kit.Select{Label: label, LabelWidth: labelWidth, Options: words},
		})
	}

	three := func(s section, f field, label, byDefault string) *item {
		return pick(s, f, label, []string{"service default: " + byDefault, "on", "off"}, []string{"", on, off})
	}
	two := func(s section, f field, label string) *item {
		return pick(s, f, label, []string{"on", "off"}, []string{on, ""})
	}

	text(sectionFile, fieldName, "Name", "a name is needed")
	pick(
		sectionFile, fieldNaming, "Unique name", []string{"made here", "by the service", "exact name"},
		[]string{string(api.NameHere), string(api.NameService), string(api.NameExact)},
	).note = "Made here: sending again can never store it twice. Exact: replaces what has this name."
	text(sectionFile, fieldFolder, "Folder", "/ (the root)").note = "Such as /summer/2026/. Missing folders are made."
	three(sectionFile, fieldPrivate, "Private", "off").note = "Private pictures are delivered to signed addresses only."
	text(sectionFile, fieldDescription, "Description", "none")

	add(sectionTags, &item{
		field: fieldTags,
		chips: &kit.Chips{Placeholder: "none: a comma ends each"},
		drawn: &kit.Memo[chipsOf, string]{},
	})

	text(sectionRegion, fieldRegion, "", "none: such as 10,20,300,200").note = "The area of interest: x,y,width,height in pixels as stored."

	two(sectionExtensions, fieldRemove, "remove-bg").note = "Removes the background. It ends some time after the upload."
	under := func(i *item, f field) { i.only, i.onlyAt = f, on }
	under(three(sectionExtensions, fieldShadow, "  add_shadow", "off"), fieldRemove)
	colour := p.ColorOption
	if colour == "" {
		colour = defaultColorOption
	}
	under(text(sectionExtensions, fieldColour, "  "+colour, "none: such as green"), fieldRemove)
	for _, t := range []struct {
		name           string
		on, tags, sure field
	}{
		{api.GoogleTagging, fieldGoogle, fieldGoogleTags, fieldGoogleSure},
		{api.AWSTagging, fieldAWS, fieldAWSTags, fieldAWSSure},
	} {
		two(sectionExtensions, t.on, strings.TrimSuffix(t.name, "-auto-tagging")+" tagging").note = t.name + ": tags made from what is seen in the picture."
		under(text(sectionExtensions, t.tags, "  maxTags", "0 to 30; empty: service default"), t.on)
		under(text(sectionExtensions, t.sure, "  minConfidence", "0 to 100; empty: service default"), t.on)
	}
	text(sectionExtensions, fieldOtherName, "Other: name", "none").note = "Any other extension of the service, by its name."
	text(sectionExtensions, fieldOtherJSON, "Other: options", `none: such as {"level":3}`).note = "A JSON object; or, with no name, a JSON array of whole extensions."
	order := text(sectionExtensions, fieldOrder, "Order", "as they stand above")
	order.note = "Names with commas between them. On an extension above, < and > move it."

	three(sectionExists, fieldOverFile, "Overwrite file", "on")
	three(sectionExists, fieldOverTags, "Overwrite tags", "on")
	three(sectionExists, fieldOverAITags, "Overwrite AI tags", "on")
	three(sectionExists, fieldOverMetadata, "Overwrite metadata", "on")

	add(sectionMetadata, &item{
		field: fieldMetadata, area: kit.NewTextArea(`none: rows such as brand = Acme, or a JSON object`),
		note: "The service must know the keys already.",
	})

	for i, f := range answerFields {
		two(sectionAnswer, f, answerLabels[i]).note = "Asks the service to answer with " + api.ResponseFields[i] + "."
	}
	ours := "ours"
	if p.Receiver == "" {
		ours = "ours (not running)"
	}
	pick(
		sectionAnswer, fieldWebhook, "Webhook", []string{ours, "none", "an address"},
		[]string{webhookOurs, webhookNone, webhookAddress},
	).note = "Where the service tells how slow extensions ended."
	address := text(sectionAnswer, fieldAddress, "  address", "https://example.com/hook")
	address.only, address.onlyAt = fieldWebhook, webhookAddress
	return items
}

var answerLabels = [...]string{"Return tags", "Return region", "Return private", "Return embedded", "Return metadata"}

// update gives the text field a message and tells whether it used it.
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

// updateArea lets the arrows leave the area at its first and last row. ctrl+p and
// ctrl+n are the form's.
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

// words are the name of the item in a sentence.
func (i *item) words() string {
	if i.meta != nil {
		return text.Safe(i.meta.Name)
	}
	return fieldWords[i.field]
}

// typing tells whether letters are text here.
func (i *item) typing() bool { return i.text != nil || i.chips != nil || i.area != nil }

// value is the text of what the part holds now.
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

// loadOf shows what the targets hold, of which there is one at least.
func (i *item) loadOf(targets []*source) {
	text, mixed := i.of(&targets[0].values), false
	for _, s := range targets[1:] {
		mixed = mixed || i.differs(&s.values, &targets[0].values, text)
	}
	if mixed {
		text = ""
		if i.chips != nil {
			text = commonTags(targets)
		}
	}
	i.load(text, mixed)
}

// load puts a text into the part. Where the sources differ, the part shows
// that it is mixed; what is then typed counts for all of them.
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
			n = len(i.choices) - 1 // of two, the one that is not on
		}
		if n >= 0 {
			i.pick.SetIndex(n)
		}
	default:
		i.area.SetValue(text)
	}
}

// view draws the item in lines of exactly width columns. Mixed is what to say
// where the sources differ.
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

// viewChips draws chips. Where the sources differ they are those that all
// have; what is done to them is done to each source.
func (i *item) viewChips(width int, mixed string, th *theme.Theme) string {
	return i.drawn.Draw(chipsOf{width, th, i.chips.Focused(), mixed}, func() string {
		c := *i.chips
		if i.mixed {
			c.Placeholder = mixed
		}
		return c.View(image.Pt(width, min(mostChipRows, c.Rows(width, th))), th)
	})
}

// viewMixed draws an item in which the sources differ.
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
