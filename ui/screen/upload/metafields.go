package upload

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// fieldsMsg carries the library's metadata fields.
type fieldsMsg struct {
	fields []api.MetadataField
	err    error
}

func (m *Model) askFields() tea.Cmd {
	ctx, ask := m.o.Context, m.o.Session.MetadataFields
	folder := ""
	for i, s := range m.sources {
		at := s.entry.Folder.Or("/")
		if i > 0 && at != folder {
			folder = "" // fields of the whole library
			break
		}
		folder = at
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		fields, err := ask(ctx, folder)
		return fieldsMsg{fields, err}
	}
}

// gotFields adds a row for each metadata field. Without a list, metadata is free text.
func (m *Model) gotFields(msg fieldsMsg) {
	if msg.err != nil {
		return
	}
	m.adopt()
	m.fields, m.fieldsKnown = msg.fields, true
	m.items = slices.DeleteFunc(m.items, func(i *item) bool { return i.meta != nil })
	at := slices.IndexFunc(m.items, func(i *item) bool { return i.field == fieldMetadata })
	var rows []*item
	for n := range m.fields {
		rows = append(rows, metadataItem(&m.fields[n]))
	}
	m.items = slices.Insert(m.items, at, rows...)
	for _, s := range m.sources {
		s.checked = nil
	}
	// Leave the other fields alone: the user may be typing.
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

// unset is the choice of a field without a value.
const unset = ""

// metadataItem returns the row of a metadata field.
func metadataItem(meta *api.MetadataField) *item {
	i := &item{field: fieldMetadata + "." + field(meta.Name), section: sectionMetadata, words: text.Safe(meta.Name), meta: meta}
	i.row = row{i.member, i.setMember}
	label := text.Safe(cmp.Or(meta.Label, meta.Name))
	i.note = text.Safe(meta.Name) + ": " + text.Safe(meta.Hint()) + "."
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
	i.text = &kit.Field{Label: label, LabelWidth: labelWidth, Placeholder: "not set: " + hint}
	return i
}

// member returns the row's metadata value as text.
func (i *item) member(e *api.Entry) string {
	value, ok := e.CustomMetadata.Or(nil)[i.meta.Name]
	switch {
	case !ok:
		return unset
	case i.pick == nil:
		return edit.MetadataText(value, i.meta.Schema)
	case slices.Contains(i.choices, string(value)):
		return string(value)
	}
	return unset
}

// setMember sets the row's metadata value. A value of the wrong type is stored as text, and the checks report it.
func (i *item) setMember(e *api.Entry, text string) error {
	members := maps.Clone(e.CustomMetadata.Or(nil))
	delete(members, i.meta.Name)
	value := json.RawMessage(text)
	if i.pick == nil {
		value = edit.MetadataValue(text, i.meta.Schema)
	}
	if len(value) > 0 {
		if members == nil {
			members = map[string]json.RawMessage{}
		}
		members[i.meta.Name] = value
	}
	e.CustomMetadata = api.Field[map[string]json.RawMessage]{}
	if len(members) > 0 {
		e.CustomMetadata = api.Set(members)
	}
	return nil
}

// loadMetadata updates the other metadata items after one changed.
func (m *Model) loadMetadata(but *item) {
	targets := m.targets()
	for _, i := range m.items {
		if i == but || i.section != sectionMetadata {
			continue
		}
		i.loadOf(targets)
	}
}
