package edit

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// CleanRegion removes blanks from a typed region.
func CleanRegion(region string) string { return strings.Join(strings.Fields(region), "") }

// unsetValue is the JSON that removes a value.
var unsetValue = json.RawMessage("null")

// Metadata edits custom metadata of the targets of a form.
type Metadata struct {
	Over   *kit.Overlays
	Form   *Form
	Fields []api.MetadataField // of the library; nil if it lists none
	// Get returns all values of entry i. Set sets one; null removes it.
	Get func(i int) map[string]json.RawMessage
	Set func(i int, key string, value json.RawMessage)
	// Changed reports whether entry i has an unsaved value; may be nil.
	Changed func(i int, key string) bool
}

// Rows returns a row for each field of the library and for each other key of the entries, and one
// that adds keys.
func (m Metadata) Rows() []*Row {
	keys := map[string]bool{}
	for _, f := range m.Fields {
		keys[f.Name] = true
	}
	for _, i := range m.Form.Targets() {
		for key := range m.Get(i) {
			keys[key] = true
		}
	}
	var rows []*Row
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		f := m.field(key)
		row := &Row{
			ID: "metadata." + key, Label: cmp.Or(f.Label, key), Kind: Structured, More: true, Open: func() tea.Cmd { return m.edit(key) },
			Get:  func(i int) string { return plain(m.Get(i)[key]) },
			Hint: func() string { return "not set" },
		}
		row.Set = func(i int, text string) { m.Set(i, key, valueOf(text, f)) }
		if f.Name != "" {
			row.Note = func() string { return text.Safe(f.Name+": "+api.DescribeField(&f)) + "." }
		}
		if m.Changed != nil {
			row.Changed = func(i int) bool { return m.Changed(i, key) }
		}
		rows = append(rows, row)
	}
	return append(rows, &Row{
		ID: "metadata", Label: "Metadata", Kind: Structured, More: true, OpenVerb: "add metadata", Open: m.add,
		Get: func(int) string { return "" }, Hint: func() string { return "add, such as brand = Acme" },
	})
}

func plain(value json.RawMessage) string {
	if api.IsNull(value) {
		return ""
	}
	return cmp.Or(api.PlainValue(value), `""`)
}

func (m Metadata) field(key string) api.MetadataField {
	if at := slices.IndexFunc(m.Fields, func(f api.MetadataField) bool { return f.Name == key }); at >= 0 {
		return m.Fields[at]
	}
	return api.MetadataField{}
}

func valueOf(typed string, f api.MetadataField) json.RawMessage {
	if value := MetadataValue(typed, f.Schema); value != nil {
		return value
	}
	return unsetValue
}

// put sets a value of all targets.
func (m Metadata) put(key string, value json.RawMessage) tea.Cmd {
	for _, i := range m.Form.Targets() {
		m.Set(i, key, value)
	}
	m.Form.changed()
	return nil
}

// edit asks for a value, or offers those of the field.
func (m Metadata) edit(key string) tea.Cmd {
	f, targets := m.field(key), m.Form.Targets()
	now, title := m.Get(targets[0])[key], key
	mixed := slices.ContainsFunc(targets, func(i int) bool { return !api.SameValue(m.Get(i)[key], now) })
	if len(targets) > 1 {
		title += " of " + text.Plural(len(targets), "file")
	}
	if options := MetadataChoices(f.Schema); len(options) > 0 {
		var rows []kit.MenuRow
		for _, o := range append(slices.Clone(options), unsetValue) {
			label := plain(o)
			rows = append(rows, kit.MenuRow{Label: cmp.Or(label, "not set"), Current: !mixed && api.SameValue(o, now), Do: func() tea.Cmd { return m.put(key, o) }})
		}
		m.Over.Open(kit.NewMenu(title, rows...))
		return nil
	}
	typed, words := "", "Any JSON value; empty removes it."
	if !mixed && !api.IsNull(now) {
		typed = MetadataText(now, f.Schema)
	}
	if f.Name != "" {
		words = api.DescribeField(&f) + "; empty removes it."
	}
	if mixed {
		words = "The files have different values; what you type replaces all of them. " + words
	}
	p := kit.NewPrompt(title, words, typed, "")
	p.Check = func(typed string) string {
		value := valueOf(typed, f)
		switch {
		case !json.Valid(value):
			return "This is not JSON. Put text in quotation marks."
		case f.Name == "":
			return ""
		}
		if err := api.CheckMetadata(m.Fields, map[string]json.RawMessage{key: value}); err != nil {
			return page.Explain(err)
		}
		return ""
	}
	p.Do = func(typed string) tea.Cmd { return m.put(key, valueOf(strings.Trim(typed, " \t"), f)) }
	m.Over.Open(p)
	return nil
}

// add asks for keys with values.
func (m Metadata) add() tea.Cmd {
	p := kit.NewLongPrompt("Add metadata", "Rows such as brand = Acme, or a JSON object. The service must know the keys.", "")
	p.Check = func(typed string) string {
		if _, err := api.ParseMetadataRows(typed); err != nil {
			return page.Explain(err)
		}
		return ""
	}
	p.Do = func(typed string) tea.Cmd {
		members, _ := api.ParseMetadataRows(typed) // it was checked
		for key, value := range members {
			m.put(key, value)
		}
		return nil
	}
	m.Over.Open(p)
	return nil
}

// Description returns the row of a description, which can have several lines.
func Description(over *kit.Overlays, f *Form, get func(i int) string, set func(i int, text string)) *Row {
	row := &Row{ID: "description", Label: "Description", Kind: Structured, Get: get, Set: set}
	row.Open = func() tea.Cmd {
		title, words := "Description", ""
		if n := len(f.Targets()); n > 1 {
			title += " of " + text.Plural(n, "file")
		}
		if row.mixed {
			words = "The files have different descriptions; what you type replaces all of them."
		}
		p := kit.NewLongPrompt(title, words, row.loaded)
		p.Verb = "use it"
		p.Do = func(typed string) tea.Cmd {
			for _, i := range f.Targets() {
				set(i, strings.TrimSpace(typed))
			}
			f.changed()
			return nil
		}
		over.Open(p)
		return nil
	}
	return row
}

// Matches returns the tags that begin with the typed text, then those that contain it, without
// duplicates.
func Matches(typed string, lists ...[]string) []string {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var begin, within []string
	seen := map[string]bool{}
	for _, list := range lists {
		for _, tag := range list {
			low := strings.ToLower(tag)
			switch {
			case seen[tag]:
			case strings.HasPrefix(low, typed):
				begin = append(begin, tag)
			case strings.Contains(low, typed):
				within = append(within, tag)
			}
			seen[tag] = true
		}
	}
	return append(begin, within...)
}

// Replayed returns the tags of base with what changed between before and after: added tags are added, removed ones
// removed. It is linear, because there may be thousands.
func Replayed(base, before, after []string) []string {
	set := func(list []string) map[string]bool {
		in := make(map[string]bool, len(list))
		for _, tag := range list {
			in[tag] = true
		}
		return in
	}
	was, is, have := set(before), set(after), set(base)
	out := slices.DeleteFunc(slices.Clone(base), func(tag string) bool { return was[tag] && !is[tag] })
	for _, tag := range after {
		if !was[tag] && !have[tag] {
			out, have[tag] = append(out, tag), true
		}
	}
	return out
}
