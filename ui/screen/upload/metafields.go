package upload

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// Items of metadata fields stand in the form as if their fields came after all
// others.
const firstMetadata = fieldCount + 1

// fieldsMsg has the metadata fields of the library.
type fieldsMsg struct {
	fields []api.MetadataField
	err    error
}

func (m *Model) askFields() tea.Cmd {
	ctx, ask := m.o.Context, m.o.Session.MetadataFields
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		fields, err := ask(ctx)
		return fieldsMsg{fields, err}
	}
}

// gotFields gives the form a row for each field of the library. Without a list
// metadata is typed freely.
func (m *Model) gotFields(msg fieldsMsg) {
	if msg.err != nil {
		return
	}
	m.takeOver()
	m.fields, m.fieldsKnown = msg.fields, true
	m.items = slices.DeleteFunc(m.items, func(i *item) bool { return i.meta != nil })
	at := slices.IndexFunc(m.items, func(i *item) bool { return i.field == fieldMetadata })
	var rows []*item
	for n := range m.fields {
		rows = append(rows, metadataItem(firstMetadata+field(n), &m.fields[n]))
	}
	m.items = slices.Insert(m.items, at, rows...)
	for _, s := range m.sources {
		s.checked = nil
	}
	// The other fields stay as they are: somebody may be typing.
	if targets := m.targets(); len(targets) > 0 {
		for _, i := range rows {
			i.loadOf(targets)
		}
		m.changed()
	}
	if m.focus.stop == stopItem && (!slices.Contains(m.stops(), m.focus) || !m.focused().part().Focused()) {
		m.setFocus(m.focus)
	}
}

// unset is the choice of a field that has no value.
const unset = ""

// metadataItem is the row of a field, with the part that suits its type.
func metadataItem(f field, meta *api.MetadataField) *item {
	i := &item{field: f, section: sectionMetadata, only: noField, meta: meta}
	label := meta.Label
	if label == "" {
		label = meta.Name
	}
	label = text.Safe(label)
	i.note = text.Safe(meta.Name) + ": " + text.Safe(meta.Schema.Words()) + "."
	if choices := edit.MetadataChoices(meta.Schema); choices != nil {
		i.choices, i.pick = []string{unset}, &kit.Select{Label: label, LabelWidth: labelWidth, Options: []string{"not set"}}
		for _, c := range choices {
			i.choices, i.pick.Options = append(i.choices, string(c)), append(i.pick.Options, text.Safe(edit.PlainValue(c)))
		}
		return i
	}
	hint := map[string]string{
		api.MetadataNumber: "a number", api.MetadataDate: "a date such as 2026-07-31",
		api.MetadataMultiSelect: "options with commas between them",
	}[meta.Schema.Type]
	if hint == "" {
		hint = "a text"
	}
	if meta.Schema.Type == api.MetadataMultiSelect {
		var words []string
		for _, o := range meta.Schema.Options {
			words = append(words, text.Safe(edit.PlainValue(o)))
		}
		i.note += " Options: " + strings.Join(words, ", ") + "."
	}
	i.text = &kit.Field{Label: label, LabelWidth: labelWidth, Placeholder: "not set: " + hint}
	return i
}

// of is the text of what values say in the item.
func (i *item) of(v *values) string {
	if i.meta == nil {
		return v[i.field]
	}
	members, err := readMetadata(v[fieldMetadata])
	value, ok := members[i.meta.Name]
	if err != nil || !ok {
		return unset
	}
	if i.pick != nil {
		for _, choice := range i.choices {
			if choice == string(value) {
				return choice
			}
		}
		return unset
	}
	return edit.MetadataText(value, i.meta.Schema)
}

// differs tells whether values say another thing than those that made text.
func (i *item) differs(v, from *values, text string) bool {
	if i.meta != nil {
		return v[fieldMetadata] != from[fieldMetadata] && i.of(v) != text
	}
	return v[i.field] != text
}

// into writes what the item holds into the text of the metadata. A text that
// cannot be read stays: it says itself what is wrong with it.
func (i *item) into(text string) string {
	members, err := readMetadata(text)
	if err != nil {
		return text
	}
	if members = maps.Clone(members); members == nil {
		members = map[string]json.RawMessage{}
	}
	delete(members, i.meta.Name)
	if value := i.metadataValue(); value != nil {
		members[i.meta.Name] = value
	}
	if len(members) == 0 {
		return ""
	}
	return metadataText(members)
}

// metadataValue is what the item holds as JSON of its type; nil for nothing.
// What does not fit the type goes as a text, and the checks say so.
func (i *item) metadataValue() json.RawMessage {
	text := i.value()
	if i.pick != nil {
		if text == unset {
			return nil
		}
		return json.RawMessage(text)
	}
	return edit.MetadataValue(text, i.meta.Schema)
}

// loadMetadata shows what one item of the metadata changed in the others.
func (m *Model) loadMetadata(but *item) {
	targets := m.targets()
	for _, i := range m.items {
		if i == but || i.section != sectionMetadata {
			continue
		}
		text, mixed := i.of(&targets[0].values), false
		for _, s := range targets[1:] {
			mixed = mixed || i.differs(&s.values, &targets[0].values, text)
		}
		if mixed {
			text = ""
		}
		i.load(text, mixed)
	}
}
