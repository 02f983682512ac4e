package edit

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// FieldOptions say how the fields of the table become rows of a form, see [Form.Fields].
type FieldOptions struct {
	Context context.Context
	Over    *kit.Overlays
	Offers  any                 // may be an Offerer
	Color   string              // how the service spells the color of remove-bg
	Library []api.MetadataField // the library's fields of custom metadata; nil if it lists none
	Top     []string            // names of the fields above More, in order
	// Lacks reports whether file i cannot have a field; it may be nil.
	Lacks func(i int, f *entry.Field) bool
}

// Fields returns the rows of fields. A row has the key of its field as ID.
func (f *Form) Fields(o FieldOptions, fields []*entry.Field) []*Row {
	var rows []*Row
	order := func(field *entry.Field) int { return slices.Index(o.Top, field.Name) }
	for _, field := range slices.SortedStableFunc(slices.Values(fields), func(a, b *entry.Field) int {
		return cmp.Compare(uint(order(a)), uint(order(b))) // those under More last
	}) {
		row := f.field(&o, field)
		row.More = order(field) < 0
		first := len(rows)
		if field.Kind == entry.KindMetadata {
			rows = append(rows, (&metadata{f, &o}).rows()...)
		}
		rows = append(rows, row)
		rows[first].Begins = slices.Contains(begins, field.Name)
	}
	return rows
}

// begins are the fields that begin a group under More.
var begins = []string{"isPrivateFile", rule.FieldOverwriteFile, rule.FieldMetadata}

func (f *Form) field(o *FieldOptions, field *entry.Field) *Row {
	row := &Row{
		ID: field.Key, Label: field.Label,
		Get: func(i int) string { return f.Entry(i).Text(field) },
		Set: func(i int, content string) {
			if o.Lacks == nil || !o.Lacks(i, field) {
				f.Entry(i).SetText(field, content)
			}
		},
		Hint: func() string { return cmp.Or(f.missing(field), field.Hint) },
		Note: func() string {
			words, _, _ := strings.Cut(field.Help, " (default")
			words, _, _ = strings.Cut(words, ": ")
			return text.Sentence(strings.TrimSuffix(words, " (repeatable)"))
		},
	}
	row.Changed = func(i int) bool { return f.Entry(i).Changed(field.Name) }
	if none, _, found := strings.Cut(field.Hint, ", or "); found {
		row.None = none
	}
	switch {
	case field.Kind == entry.KindList:
		row.Kind, row.Get, row.Set = Chips, nil, nil
		row.List = func(i int) []string { return f.Entry(i).List(field) }
		row.SetList = func(i int, list []string) { f.Entry(i).SetList(field, list) }
		row.Saved = func(i int) []string { return (&Draft{Entry: *f.Entry(i).Saved}).List(field) }
		row.Complete = completeChoices(field)
	case field.Kind == entry.KindExtensions:
		x := ExtensionList{f, o}
		row.Kind, row.Open, row.OpenVerb = Structured, x.open, "add or change"
		row.List = func(i int) []string { return rule.Mapped(x.get(i), LabelExtension) }
		row.Get = func(i int) string { return strings.Join(row.List(i), ", ") }
	case field.Kind == entry.KindMetadata:
		m := metadata{f, o}
		row.Kind, row.Open, row.OpenVerb, row.Set, row.Note = Structured, m.add, "add metadata", nil, nil
		row.Get, row.Changed = func(int) string { return "" }, nil
		row.Hint = func() string { return "none, such as brand = Acme" }
	case field.Name == rule.FieldDescription: // it can have several lines
		row.Kind, row.Open = text.Either(f.Live, Text, Structured), func() tea.Cmd { return f.askLong(o, row) }
	case field.Kind == entry.KindSwitch:
		row.Kind = Choice
		row.Choices = []entry.Choice{
			{Label: "default: " + text.Either(field.Default, "on", "off")},
			{Text: "true", Label: "on"},
			{Text: "false", Label: "off"},
		}
	case len(field.Choices) > 0 && !field.Open:
		row.Kind, row.Choices = Choice, field.Choices
	case field.Open:
		row.Complete = completeChoices(field)
	}
	return row
}

// missing describes a missing value of stored files; empty if there is nothing to say.
func (f *Form) missing(field *entry.Field) string {
	removed, first := true, f.Entry(f.Targets()[0])
	for _, i := range f.Targets() {
		d := f.Entry(i)
		switch {
		case d.Saved == nil:
			return ""
		case field.JSON(&d.Entry) == nil:
			return "not known"
		}
		removed = removed && d.Changed(field.Name)
	}
	if !removed || field.Kind != entry.KindList || len(f.Targets()) > 1 {
		return text.If(removed, "will be removed")
	}
	return strings.Join((&Draft{Entry: *first.Saved}).List(field), " and ") + " will be removed"
}

func completeChoices(f *entry.Field) func(string) []string {
	return func(typed string) []string {
		var texts []string
		for _, c := range f.Choices {
			if c.Text != typed {
				texts = append(texts, c.Text)
			}
		}
		return Matches(typed, texts)
	}
}

func (f *Form) askLong(o *FieldOptions, row *Row) tea.Cmd {
	words := text.If(row.mixed, "The files have different texts; what you type replaces all of them.")
	p := kit.NewLongPrompt(f.titled(row.Label), words, row.loaded)
	p.Verb = "use it"
	p.Do = func(typed string) tea.Cmd {
		for _, i := range f.Targets() {
			row.Set(i, strings.TrimSpace(typed))
		}
		f.changed()
		return nil
	}
	return o.Over.Open(p)
}

func (f *Form) titled(what string) string {
	if n := len(f.Targets()); n > 1 {
		what += " of " + text.Plural(n, "file")
	}
	return what
}

type metadata struct {
	form *Form
	o    *FieldOptions
}

var unsetValue = json.RawMessage("null")

// rows returns a row for each field of the library and for each other key of the files.
func (m metadata) rows() []*Row {
	keys := map[string]bool{}
	for _, f := range m.o.Library {
		keys[f.Name] = true
	}
	for _, i := range m.form.Targets() {
		for key := range m.form.Entry(i).Metadata() {
			keys[key] = true
		}
	}
	var rows []*Row
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		f := m.field(key)
		row := &Row{
			ID: "metadata." + key, Label: cmp.Or(f.Label, key), Kind: Structured, More: true, Open: func() tea.Cmd { return m.edit(key) },
			Get:     func(i int) string { return plain(m.form.Entry(i).Metadata()[key]) },
			Set:     func(i int, content string) { m.form.Entry(i).SetMetadata(key, valueOf(content, f)) },
			Hint:    func() string { return "not set" },
			Changed: func(i int) bool { return m.form.Entry(i).Changed(entry.MetadataName(key)) },
		}
		if f.Name != "" {
			row.Note = func() string { return text.Safe(f.Name+": "+rule.DescribeField(&f)) + "." }
		}
		rows = append(rows, row)
	}
	return rows
}

func plain(value json.RawMessage) string {
	if rule.IsNull(value) {
		return ""
	}
	return cmp.Or(rule.PlainValue(value), `""`)
}

func (m metadata) field(key string) api.MetadataField {
	if at := slices.IndexFunc(m.o.Library, func(f api.MetadataField) bool { return f.Name == key }); at >= 0 {
		return m.o.Library[at]
	}
	return api.MetadataField{}
}

func valueOf(typed string, f api.MetadataField) json.RawMessage {
	if value := MetadataValue(typed, f.Schema); value != nil {
		return value
	}
	return unsetValue
}

func (m metadata) put(key string, value json.RawMessage) tea.Cmd {
	for _, i := range m.form.Targets() {
		m.form.Entry(i).SetMetadata(key, value)
	}
	m.form.changed()
	return nil
}

// edit asks for a value, or offers those of the field.
func (m metadata) edit(key string) tea.Cmd {
	f, targets := m.field(key), m.form.Targets()
	now, title := m.form.Entry(targets[0]).Metadata()[key], m.form.titled(key)
	mixed := slices.ContainsFunc(targets, func(i int) bool {
		return !rule.SameValue(m.form.Entry(i).Metadata()[key], now)
	})
	if options := MetadataChoices(f.Schema); len(options) > 0 {
		var rows []kit.MenuRow
		for _, o := range append(slices.Clone(options), unsetValue) {
			label, put := cmp.Or(plain(o), "not set"), func() tea.Cmd { return m.put(key, o) }
			rows = append(rows, kit.MenuRow{Label: label, Current: !mixed && rule.SameValue(o, now), Do: put})
		}
		return m.o.Over.Open(kit.NewMenu(title, rows...))
	}
	typed, words := "", "Any JSON value; empty removes it."
	if !mixed && !rule.IsNull(now) {
		typed = MetadataText(now, f.Schema)
	}
	if f.Name != "" {
		words = rule.DescribeField(&f) + "; empty removes it."
	}
	if mixed {
		words = "The files have different values; what you type replaces all of them. " + words
	}
	p := kit.NewPrompt(title, words, "Value", typed, "")
	p.Check = func(typed string) string {
		value := valueOf(typed, f)
		switch {
		case !json.Valid(value):
			return "This is not JSON. Put text in quotation marks."
		case f.Name == "":
			return ""
		}
		return page.Explain(rule.CheckMetadata(m.o.Library, map[string]json.RawMessage{key: value}))
	}
	p.Do = func(typed string) tea.Cmd { return m.put(key, valueOf(strings.Trim(typed, " \t"), f)) }
	return m.o.Over.Open(p)
}

func (m metadata) add() tea.Cmd {
	p := kit.NewLongPrompt("Add metadata", "Rows such as brand = Acme, or a JSON object. The service must know the keys.", "")
	p.Check = func(typed string) string {
		_, err := rule.ParseMetadataRows(typed)
		return page.Explain(err)
	}
	p.Do = func(typed string) tea.Cmd {
		members, _ := rule.ParseMetadataRows(typed) // it was checked
		for key, value := range members {
			m.put(key, value)
		}
		return nil
	}
	return m.o.Over.Open(p)
}

// Matches returns the texts that begin with the typed text, then those with a word that does, without
// duplicates.
func Matches(typed string, lists ...[]string) []string {
	typed = strings.ToLower(strings.TrimSpace(typed))
	words := strings.NewReplacer("/", " ", "-", " ", "_", " ")
	var begin, within []string
	seen := map[string]bool{}
	for _, choice := range slices.Concat(lists...) {
		low := strings.ToLower(choice)
		switch {
		case seen[choice]:
		case strings.HasPrefix(low, typed):
			begin = append(begin, choice)
		case strings.Contains(words.Replace(low), " "+typed):
			within = append(within, choice)
		}
		seen[choice] = true
	}
	return append(begin, within...)
}

// Replayed returns the tags of base with what changed between before and after: added tags are
// added, removed ones removed. It is linear, because there may be thousands.
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

// MetadataChoices returns the values to choose from for a field, or nil if the value is typed.
func MetadataChoices(s api.MetadataSchema) []json.RawMessage {
	switch s.Type {
	case rule.MetadataBoolean:
		return []json.RawMessage{json.RawMessage("true"), json.RawMessage("false")}
	case rule.MetadataSingleSelect:
		return s.Options
	}
	return nil
}

// MetadataText formats a value for editing: texts without quotes if the schema allows it, lists
// with commas. Without a schema it is JSON.
func MetadataText(value json.RawMessage, s api.MetadataSchema) string {
	var list []json.RawMessage
	switch s.Type {
	case "":
		return string(value)
	case rule.MetadataMultiSelect:
		if json.Unmarshal(value, &list) == nil {
			return strings.Join(rule.Mapped(list, rule.PlainValue), ", ")
		}
	}
	return rule.PlainValue(value)
}

// MetadataValue parses a typed value for a field; nil if empty. Text that does not fit the schema
// becomes a JSON string, which [rule.CheckMetadata] reports. Without a schema the text is taken as
// JSON.
func MetadataValue(typed string, s api.MetadataSchema) json.RawMessage {
	trimmed := strings.TrimSpace(typed)
	if trimmed == "" {
		return nil
	}
	var n json.Number
	switch s.Type {
	case "":
		return json.RawMessage(trimmed)
	case rule.MetadataText, rule.MetadataTextarea:
		return rule.JSON(typed)
	case rule.MetadataMultiSelect:
		return multiSelect(trimmed, s.Options)
	case rule.MetadataNumber:
		if json.Unmarshal([]byte(trimmed), &n) != nil || trimmed[0] == '"' {
			return rule.JSON(trimmed)
		}
		return json.RawMessage(trimmed)
	case rule.MetadataBoolean, rule.MetadataSingleSelect:
		if json.Valid([]byte(trimmed)) {
			return json.RawMessage(trimmed)
		}
	}
	return rule.JSON(trimmed)
}

// multiSelect parses a comma-separated list or JSON. Each part is an option, else JSON, else a
// text.
func multiSelect(typed string, options []json.RawMessage) json.RawMessage {
	if strings.HasPrefix(typed, "[") && json.Valid([]byte(typed)) {
		return json.RawMessage(typed)
	}
	byWords := map[string]json.RawMessage{}
	for _, o := range options {
		byWords[rule.PlainValue(o)] = o
	}
	var list []string
	for _, part := range rule.SplitTags(typed) {
		value := rule.JSON(part)
		if option, ok := byWords[part]; ok {
			value = option
		} else if json.Valid([]byte(part)) {
			value = json.RawMessage(part)
		}
		list = append(list, string(value))
	}
	return json.RawMessage("[" + strings.Join(list, ",") + "]")
}
