package details

import (
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// IDs of rows that the screen refers to.
const (
	rowTags   = "tags"
	rowAI     = "ai-tags"
	rowRegion = "region"
)

// Texts for missing values.
const (
	notSet   = "not set"
	notKnown = "not known"
	gone     = "will be removed"
)

// rows returns the fields of the targets, and under More the facts of the current file.
func (m *Model) rows() []*edit.Row {
	rows := []*edit.Row{
		{
			ID: rowTags, Label: "Tags", Kind: edit.Chips,
			List:     func(i int) []string { return m.entries[i].wantedTags() },
			SetList:  func(i int, tags []string) { m.entries[i].setTags(tags) },
			Complete: func(typed string) []string { return edit.Matches(typed, m.manage.Tags) },
			Changed:  m.drafted(api.FieldTags),
			Hint:     func() string { return hint(m.targets(), api.FieldTags) },
		},
		m.aiRow(), m.regionRow(),
	}
	if m.canDescribe() {
		row := edit.Description(m.Overlays(), m.form,
			func(i int) string { return read[string](m.entries[i].wanted(api.FieldDescription)) },
			func(i int, text string) { m.entries[i].set(api.FieldDescription, jsonOf(text)) })
		row.Changed = m.drafted(api.FieldDescription)
		rows = append(append(rows, row), edit.Metadata{
			Over: m.Overlays(), Form: m.form, Fields: m.fields,
			Get:     func(i int) map[string]json.RawMessage { return m.entries[i].wantedMetadata() },
			Set:     func(i int, key string, value json.RawMessage) { m.entries[i].set(api.MetadataName(key), value) },
			Changed: func(i int, key string) bool { return m.entries[i].drafted(api.MetadataName(key)) },
		}.Rows()...)
	}
	for _, fact := range m.facts(&m.current().file) {
		row := &edit.Row{
			ID: "fact." + fact.Group + "." + fact.Label, Label: fact.Label, Kind: edit.Structured, More: true,
			Get: func(int) string { return fact.Value }, OpenVerb: "read", Open: func() tea.Cmd { return m.Open(kit.NewReader(fact.Label, fact.Value)) },
		}
		if fact.Label == "Name" && m.noManage() == "" {
			row.OpenVerb, row.Open = "rename", func() tea.Cmd { return m.manage.Rename(filesOf(m.targets())) }
		}
		rows = append(rows, row)
	}
	return rows
}

// drafted returns a function that reports whether an entry has an unsaved value of a field.
func (m *Model) drafted(name string) func(i int) bool {
	return func(i int) bool { return m.entries[i].drafted(name) }
}

// hint describes a missing value.
func hint(of []*entry, name string) string {
	switch {
	case !slices.ContainsFunc(of, func(e *entry) bool { return string(e.draft[name]) != "null" }):
		return gone
	case slices.ContainsFunc(of, func(e *entry) bool { return e.wanted(name) == nil }):
		return notKnown
	}
	return "none"
}

// aiRow lists what the service saw in the pictures.
func (m *Model) aiRow() *edit.Row {
	return &edit.Row{
		ID: rowAI, Label: "AI tags", Kind: edit.Structured, OpenVerb: "choose", NoOpen: m.noAI, Open: m.aiMenu,
		Get: func(i int) string {
			var names []string
			for _, t := range m.entries[i].file.AITags.Or(nil) {
				names = append(names, fmt.Sprintf("%s %.0f %%", t.Name, t.Confidence))
			}
			return strings.Join(names, ", ")
		},
	}
}

// regionRow has the numbers of the region. Only images have one.
func (m *Model) regionRow() *edit.Row {
	row := &edit.Row{
		ID: rowRegion, Label: "Region", Kind: edit.Text, OpenVerb: "draw on the picture", Open: m.drawRegion, NoOpen: m.noPlane,
		Get:     func(i int) string { return m.entries[i].wantedRegion() },
		Changed: m.drafted(api.FieldRegion),
		Hint:    func() string { return hint(m.withRegion(), api.FieldRegion) },
		Problem: func() string {
			for _, e := range m.withRegion() {
				if err := e.checkRegion(); err != nil {
					return m.named(e, page.Explain(err))
				}
			}
			return ""
		},
	}
	if m.noRegion() != "" {
		row.Hint = func() string { return "only images have one" }
		return row
	}
	row.Set = func(i int, text string) {
		if m.entries[i].canHaveRegion() {
			m.entries[i].setRegion(text)
		}
	}
	return row
}

// canDescribe reports whether the service supports descriptions and custom metadata: it has hosted
// calls, or the record has such a member.
func (m *Model) canDescribe() bool {
	f := &m.current().file
	return m.manages || len(m.fields) > 0 || f.Other.Text(api.FieldDescription) != "" || f.CustomMetadata != nil
}

// facts returns what cannot be edited here, in reading order.
func (m *Model) facts(f *api.File) []api.Fact {
	var facts []api.Fact
	add := func(group, label, value string) {
		if value != "" {
			facts = append(facts, api.Fact{Group: group, Label: label, Value: value})
		}
	}
	add("", "Name", f.Name)
	add("", "Path", f.FilePath)
	add("", "Kind", kindLabel(f))
	if w, h, ok := f.PixelSize(); ok {
		add("", "Pixels", fmt.Sprintf("%d × %d", w, h))
	}
	if alpha, ok := f.HasAlpha.Get(); ok {
		add("", "Transparency", map[bool]string{true: "yes", false: "none"}[alpha])
	}
	if n, ok := f.Size.Get(); ok {
		add("", "Size", text.Bytes(n)+text.If(n >= 1000, " ("+strconv.FormatInt(n, 10)+" bytes)"))
	}
	if private, ok := f.IsPrivateFile.Get(); ok {
		add("", "Private", map[bool]string{true: "yes, the original needs a signed address", false: "no"}[private])
	}
	for _, fact := range api.HostedFacts(f) {
		add(fact.Group, fact.Label, fact.Value)
	}
	for _, name := range slices.Sorted(maps.Keys(f.ExtensionStatus)) {
		add("last known", name, string(f.ExtensionStatus[name]))
	}
	if v := f.VersionInfo; v != nil {
		add("", "Version", strings.TrimSpace(v.Name+" "+v.ID))
	}
	if f.CreatedAt != "" {
		add("", "Uploaded", text.When(f.Created(), m.now()))
	}
	if f.UpdatedAt != "" {
		add("", "Changed", text.When(f.Updated(), m.now()))
	}
	add("", "File ID", f.FileID)
	add("", "URL", f.URL)
	add("", "Thumbnail", f.ThumbURL())
	if !m.canDescribe() {
		add("", "Description", f.Other.Text(api.FieldDescription))
	}
	for _, name := range slices.Sorted(maps.Keys(f.EmbeddedMetadata)) {
		add("embedded", name, cmp.Or(api.PlainValue(f.EmbeddedMetadata[name]), `""`))
	}
	for _, fact := range api.OtherFacts(f) {
		if api.FieldByName(fact.Label) != nil {
			continue // it is a row
		}
		add(fact.Group, fact.Label, fact.Value)
	}
	return facts
}

func kindLabel(f *api.File) string {
	return strings.TrimSpace(cmp.Or(f.Mime+text.If(f.FileType != "", " ("+f.FileType+")"), f.Type))
}

// documentFields are the fields of a document.
func (m *Model) documentFields() []*api.UploadField {
	names := []string{api.FieldTags, api.FieldRegion}
	if m.canDescribe() {
		names = append(names, api.FieldDescription, api.FieldMetadata)
	}
	return slices.DeleteFunc(slices.Clone(api.UploadFields), func(f *api.UploadField) bool { return !slices.Contains(names, f.Name) })
}

// document returns the editable fields of all files.
func (m *Model) document() []session.ManifestEntry {
	var entries []session.ManifestEntry
	for _, e := range m.entries {
		values := maps.Clone(e.saved)
		maps.Copy(values, e.draft)
		maps.DeleteFunc(values, func(_ string, value json.RawMessage) bool { return api.IsNull(value) || string(value) == `""` })
		request, _ := json.Marshal(values.Details()) // texts, lists and JSON
		members, to := read[api.Values](request), session.ManifestEntry{Source: e.source()}
		for _, f := range m.documentFields() {
			value := null
			if members[f.Name] != nil {
				value = members[f.Name]
			}
			_ = to.Options.Set(f, value) // it is one of its field
		}
		entries = append(entries, to)
	}
	return entries
}

// source names the file in a document.
func (e *entry) source() string { return cmp.Or(e.file.FilePath, e.file.FileID) }

// applyDocument drafts the edited fields. Null removes a value.
func (m *Model) applyDocument(list []session.ManifestEntry) tea.Cmd {
	return m.changeAll("From the editor", m.entries, func(e *entry) {
		at := slices.IndexFunc(list, func(l session.ManifestEntry) bool { return l.Source == e.source() })
		if at < 0 {
			return
		}
		text, _ := json.Marshal(list[at].Options) // it was read from JSON
		members := read[map[string]json.RawMessage](text)
		for _, f := range m.documentFields() {
			value, ok := members[f.Key]
			switch {
			case !ok:
			case f.Name == api.FieldMetadata:
				values := read[map[string]json.RawMessage](value)
				for key := range e.wantedMetadata() {
					e.set(api.MetadataName(key), values[key])
				}
				for key, value := range values {
					e.set(api.MetadataName(key), value)
				}
			case !api.IsNull(value):
				e.set(f.Name, value)
			case f.Name == api.FieldDescription:
				e.set(f.Name, jsonOf(""))
			case !api.IsNull(e.wanted(f.Name)):
				e.unset(f.Name)
			}
		}
	})
}

// aiTag is an AI tag of one or more files.
type aiTag struct {
	api.AITag
	files int // files with the AI tag
	taken int // files with the same tag
}

// aiTagsOf returns the AI tags of files, most frequent first.
func aiTagsOf(of []*entry) []aiTag {
	var out []aiTag
	for _, e := range of {
		have := e.wantedTags()
		for _, t := range e.file.AITags.Or(nil) {
			i := slices.IndexFunc(out, func(o aiTag) bool { return o.Name == t.Name && o.Source == t.Source })
			if i < 0 {
				i = len(out)
				out = append(out, aiTag{AITag: t})
			}
			out[i].files++
			if slices.Contains(have, strings.TrimSpace(t.Name)) {
				out[i].taken++
			}
		}
	}
	slices.SortStableFunc(out, func(a, b aiTag) int { return cmp.Compare(b.files, a.files) })
	return out
}

// aiMenu offers the AI tags of the targets as tags.
func (m *Model) aiMenu() tea.Cmd {
	found := aiTagsOf(m.targets())
	rows := make([]kit.MenuRow, len(found))
	for i, t := range found {
		note := fmt.Sprintf("%.0f %%  %s", t.Confidence, t.Source)
		if n := edit.OfMany(t.files, len(m.targets())); n != "" {
			note = n + "  " + t.Source
		}
		rows[i] = kit.MenuRow{Label: t.Name, Note: note + text.If(t.taken == t.files, "  already a tag")}
	}
	return m.Open(kit.NewMarkMenu("AI tags of "+edit.FilesLabel(filesOf(m.targets())), "add as tags", rows, func(chosen []int) tea.Cmd {
		return m.changeAll("AI tags added", m.targets(), func(e *entry) {
			e.addAITags(func(t api.AITag) bool {
				return slices.ContainsFunc(chosen, func(i int) bool { return found[i].Name == t.Name && found[i].Source == t.Source })
			})
		})
	}))
}

// removeTags offers the tags of the targets with their counts.
func (m *Model) removeTags() tea.Cmd {
	of := m.targets()
	tags, counts := tagsOf(of)
	rows := make([]kit.MenuRow, len(tags))
	for i, tag := range tags {
		rows[i] = kit.MenuRow{Label: tag, Note: edit.OfMany(counts[tag], len(of))}
	}
	title := "Remove tags from " + edit.FilesLabel(filesOf(of))
	return m.Open(kit.NewMarkMenu(title, "remove", rows, func(chosen []int) tea.Cmd {
		var gone []string
		for _, i := range chosen {
			gone = append(gone, tags[i])
		}
		return m.changeAll(title, m.targets(), func(e *entry) { e.setTags(edit.Replayed(e.wantedTags(), gone, nil)) })
	}))
}

// tagsOf returns the tags of files with their counts, most frequent first.
func tagsOf(of []*entry) (tags []string, counts map[string]int) {
	counts = map[string]int{}
	for _, e := range of {
		for _, tag := range e.wantedTags() {
			counts[tag]++
		}
	}
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	}), counts
}

// drawRegion opens the region of the current file on its picture.
func (m *Model) drawRegion() tea.Cmd {
	m.focus(false)
	m.region.Begin()
	m.page = m.region.Page(edit.RegionPageOptions{
		Title: func() string { return edit.Label(&m.current().file) }, Files: func() int { return 1 },
		Turn: m.turn, NoTurn: m.oneFile, Drop: func() { delete(m.current().draft, api.FieldRegion); m.load() },
		NoDrop: func() string {
			return text.If(!m.current().drafted(api.FieldRegion), "the region is not changed")
		},
		Check: func(region string) string {
			w, h, _ := m.current().file.PixelSize()
			return edit.CheckRegion(region, m.current().canHaveRegion(), image.Pt(w, h))
		},
	})
	return nil
}
