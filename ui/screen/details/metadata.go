package details

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// canDescribe reports whether the service supports descriptions and custom metadata: it has hosted
// calls, or the record has such a member.
func (m *Model) canDescribe() bool {
	f := &m.current().file
	return m.able.manages || len(m.fields) > 0 || f.Description != "" || f.CustomMetadata != nil
}

// editRows returns the rows that can be edited besides tags and region.
func (m *Model) editRows(e *entry) []row {
	if !m.canDescribe() {
		return nil
	}
	text, state := e.wantedDescription(), ""
	text = cmp.Or(text, notSet)
	if !e.draft.Description.IsZero() {
		state = "changed, not saved"
	}
	rows := []row{{label: "Description", value: text, at: onDescription, group: state}}
	keys := map[string]bool{}
	for _, f := range m.fields {
		keys[f.Name] = true
	}
	for key := range e.file.CustomMetadata {
		keys[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		value, state := notSet, "custom"
		if v := e.wantedMetadata(key); v != nil {
			value = display(v)
		}
		if _, drafted := e.draft.CustomMetadata.Or(nil)[key]; drafted {
			state = "changed, not saved"
		}
		rows = append(rows, row{label: key, value: value, at: onMetadata, group: state})
	}
	return rows
}

// describe edits the description.
func (m *Model) describe() tea.Cmd {
	of := m.targets()
	words, now := "Press ctrl+s on the record to save it.", of[0].wantedDescription()
	if slices.ContainsFunc(of, func(e *entry) bool { return e.wantedDescription() != now }) {
		words, now = "The files have different descriptions; what you type replaces all of them. "+words, ""
	}
	p := kit.NewLongPrompt("Description of "+edit.FilesLabel(filesOf(of)), words, now)
	p.Do = func(text string) tea.Cmd {
		for _, e := range of {
			e.setDescription(strings.TrimSpace(text))
		}
		m.load()
		return nil
	}
	return m.Open(p)
}

// setValue edits a metadata value according to its field's type.
func (m *Model) setValue(key string) tea.Cmd {
	of := m.targets()
	put := func(value json.RawMessage) tea.Cmd { //nolint:unparam // it is what a menu and a prompt do when taken
		for _, e := range of {
			e.setMetadata(key, value)
		}
		m.load()
		return nil
	}
	at := slices.IndexFunc(m.fields, func(f api.MetadataField) bool { return f.Name == key })
	var field api.MetadataField
	if at >= 0 {
		field = m.fields[at]
	}
	now := of[0].wantedMetadata(key)
	title, mixed := key, slices.ContainsFunc(of, func(e *entry) bool { return !sameValue(e.wantedMetadata(key), now) })
	if len(of) > 1 {
		title = key + " of " + edit.FilesLabel(filesOf(of))
	}
	if mixed {
		now = nil
	}
	if options := edit.MetadataChoices(field.Schema); len(options) > 0 {
		return m.chooseValue(title, options, func(o json.RawMessage) bool { return !mixed && sameValue(o, now) }, put)
	}
	text := ""
	if now != nil {
		text = edit.MetadataText(now, field.Schema)
	}
	read := func(text string) json.RawMessage {
		if value := edit.MetadataValue(text, field.Schema); value != nil {
			return value
		}
		return json.RawMessage("null")
	}
	words := "Any JSON value; empty removes it."
	if at >= 0 {
		words = field.Hint() + "; empty removes it."
	}
	if mixed {
		words = "The files have different values; what you type replaces all of them. " + words
	}
	p := kit.NewPrompt(title, words, text, "")
	p.Check = func(text string) string {
		value := read(text)
		if !json.Valid(value) {
			return "This is not JSON. Put text in quotation marks."
		}
		if at < 0 {
			return ""
		}
		if err := api.CheckMetadata(m.fields, map[string]json.RawMessage{key: value}); err != nil {
			return page.Explain(err)
		}
		return ""
	}
	p.Do = func(text string) tea.Cmd { return put(read(strings.Trim(text, " \t"))) }
	return m.Open(p)
}

// chooseValue offers the possible values of a field.
func (m *Model) chooseValue(title string, options []json.RawMessage, holds func(json.RawMessage) bool, put func(json.RawMessage) tea.Cmd) tea.Cmd {
	options = append(slices.Clone(options), json.RawMessage("null"))
	rows := make([]kit.MenuRow, len(options))
	for i, o := range options {
		rows[i] = kit.MenuRow{Label: display(o), Current: holds(o), Do: func() tea.Cmd { return put(o) }}
		if isNull(o) {
			rows[i].Label = "not set (null)"
		}
	}
	return m.Open(kit.NewMenu(title, rows...))
}
