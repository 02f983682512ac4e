package details

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
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

func (m *Model) fields() []*entry.Field {
	return slices.DeleteFunc(slices.Clone(entry.StoredFields), func(f *entry.Field) bool {
		return f.Name != rule.FieldTags && f.Name != rule.FieldRegion && !m.canDescribe()
	})
}

// rows returns the fields of the targets, and under More the facts of the current file.
func (m *Model) rows(fields []*edit.Row) []*edit.Row {
	for _, r := range fields {
		r.Note = nil
		switch r.ID {
		case rowTags:
			r.Complete = func(typed string) []string {
				return edit.Matches(typed, aiTags(m.Targets()), m.manage.Tags)
			}
			r.Note = func() string {
				percent := func(e *prepared) bool { return strings.Contains(rule.JoinTags(e.Tags.Or(nil)), "%") }
				return text.If(slices.ContainsFunc(m.Targets(), percent), "Stored files can have a tag with %; uploads cannot.")
			}
		case rowRegion:
			r.OpenVerb, r.Open, r.NoOpen = "draw on the picture", m.drawRegion, m.noPlane
			if usual := r.Hint; m.noRegion() != "" {
				r.Set, r.Hint = nil, func() string { return "only images have one" }
			} else if m.noPlane() == "" {
				r.Hint = func() string { return strings.Replace(usual(), "none", "none · enter draws it", 1) }
			}
			r.Problem = func() string {
				outside := slices.DeleteFunc(m.withRegion(), func(e *prepared) bool { return !e.Changed(rule.FieldRegion) || e.valid() })
				if len(outside) == 0 {
					return ""
				}
				_, err := outside[0].change()
				return text.If(len(outside) > 1, text.Plural(len(outside), "file")+", such as ") + m.named(outside[0], page.Explain(err))
			}
		}
	}
	rows := fields
	if m.noAI() == "" {
		rows = slices.Insert(rows, min(1, len(rows)), m.aiRow())
	}
	if len(m.Targets()) > 1 {
		return rows // the side has the facts of the current file
	}
	group := ""
	for _, fact := range m.facts(&m.current().file) {
		row := &edit.Row{
			ID: "fact." + fact.Group + "." + fact.Label, Label: fact.Label, Kind: edit.Structured, More: true, Begins: fact.Group != group,
			Get: func(int) string { return fact.Value }, OpenVerb: "read", Open: func() tea.Cmd { return m.Open(kit.NewReader(fact.Label, fact.Value)) },
		}
		if fact.Label == "Name" {
			row.More, row.Get = false, func(i int) string { return m.Items[i].file.Name }
			if m.noManage() == "" {
				row.OpenVerb = "rename"
				row.Open = func() tea.Cmd { return m.manage.Rename(filesOf(m.Targets())) }
			}
		}
		rows, group = append(rows, row), fact.Group
	}
	return rows
}

// aiRow lists what the service saw in the pictures and is no tag yet.
func (m *Model) aiRow() *edit.Row {
	list := func(i int) []string {
		e, tags := prepared{file: m.Items[i].file}, m.Items[i].Tags.Or(nil)
		known := func(t api.AITag) bool { return slices.Contains(tags, strings.TrimSpace(t.Name)) }
		e.file.AITags = api.Set(slices.DeleteFunc(slices.Clone(e.file.AITags.Or(nil)), known))
		return text.Either(len(m.Targets()) > 1, aiTags([]*prepared{&e}), edit.AITags(&e.file))
	}
	return &edit.Row{
		ID: rowAI, Label: "AI tags", Kind: edit.Structured, OpenVerb: "add as tags", Open: m.addAITags,
		Get: func(i int) string { return strings.Join(list(i), ", ") }, List: list,
		Hint: func() string { return "all are tags" },
		NoOpen: func() string {
			hasMore := func(i int) bool { return len(list(i)) > 0 }
			return text.If(!slices.ContainsFunc(m.Form.Targets(), hasMore), "all AI tags are tags")
		},
	}
}

// canDescribe reports whether the service supports descriptions and custom metadata: it has hosted
// calls, or the record has such a member.
func (m *Model) canDescribe() bool {
	f := &m.current().file
	return m.manages || len(m.Library()) > 0 || f.CustomMetadata != nil ||
		f.Other.Text(rule.FieldDescription) != ""
}

// facts returns what cannot be edited here, in reading order.
func (m *Model) facts(f *api.File) []entry.Fact {
	var facts []entry.Fact
	add := func(group, label, value string) {
		if value != "" {
			facts = append(facts, entry.Fact{Group: group, Label: label, Value: value})
		}
	}
	add("", "Name", f.Name)
	add("", "Path", f.FilePath)
	add("", "Kind", kindLabel(f))
	if w, h, ok := rule.PixelSize(f); ok {
		add("", "Pixels", fmt.Sprintf("%d × %d", w, h))
	}
	if alpha, ok := f.HasAlpha.Get(); ok {
		add("", "Transparency", text.Either(alpha, "yes", "none"))
	}
	if n, ok := f.Size.Get(); ok {
		add("", "Size", text.Bytes(n)+text.If(n >= 1000, " ("+strconv.FormatInt(n, 10)+" bytes)"))
	}
	if private, ok := f.IsPrivateFile.Get(); ok {
		add("", "Private", text.Either(private, "yes, the original needs a signed URL", "no"))
	}
	for _, fact := range entry.HostedFacts(f) {
		add(fact.Group, fact.Label, fact.Value)
	}
	for _, name := range slices.Sorted(maps.Keys(f.ExtensionStatus)) {
		status := f.ExtensionStatus[name] // whether the result is good is for the person to say
		add("last known", name, text.Either(status == api.StatusSuccess, "done", string(status)))
	}
	if v := f.VersionInfo; v != nil {
		add("", "Version", strings.TrimSpace(v.Name+" "+v.ID))
	}
	if f.CreatedAt != "" {
		add("", "Uploaded", text.Date(rule.Created(f)))
	}
	if f.UpdatedAt != "" {
		add("", "Changed", text.Date(rule.Updated(f)))
	}
	add("", "File ID", f.FileID)
	add("", "URL", f.URL)
	add("", "Thumbnail", api.ThumbURL(f))
	if !m.canDescribe() {
		add("", "Description", f.Other.Text(rule.FieldDescription))
	}
	for _, name := range slices.Sorted(maps.Keys(f.EmbeddedMetadata)) {
		add("embedded", name, cmp.Or(rule.PlainValue(f.EmbeddedMetadata[name]), `""`))
	}
	for _, fact := range entry.OtherFacts(f) {
		if entry.FieldByName(fact.Label) != nil {
			continue // it is a row
		}
		add(fact.Group, fact.Label, fact.Value)
	}
	return facts
}

func kindLabel(f *api.File) string {
	return strings.TrimSpace(cmp.Or(f.Mime+text.If(f.FileType != "", " ("+f.FileType+")"), f.Type))
}

// aiTags returns the names of the AI tags of files.
func aiTags(of []*prepared) (names []string) {
	for _, e := range of {
		for _, t := range e.file.AITags.Or(nil) {
			if name := strings.TrimSpace(t.Name); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (m *Model) drawRegion() tea.Cmd { return m.DrawRegion(m.current()) }

var tagField = entry.FieldByName(rule.FieldTags)

// prepared is a file: its record as last seen and its draft.
type prepared struct {
	edit.Draft
	file      api.File
	requested bool  // the record was or is being read since the screen opened
	readErr   error // read error

	meanwhile []string // changes by others since the draft was begun
	problem   error    // why it was not saved
}

func newEntry(f api.File) *prepared {
	saved := entry.OfFile(&f)
	return &prepared{file: f, Draft: edit.Draft{Entry: saved, Saved: &saved, Marked: true}}
}

func (e *prepared) forget() {
	e.Drop(e.Changes())
	e.meanwhile, e.problem = nil, nil
}

func (e *prepared) canHaveRegion() bool {
	unknown := e.file.FileType == "" && (e.file.Mime == "" || strings.HasPrefix(e.file.Mime, "image/"))
	return e.file.IsImage() || unknown
}

// change returns the update for the draft, empty if there is none. The error is what the service
// would refuse.
func (e *prepared) change() (api.Details, error) {
	d := e.Changes().Details()
	if content, ok := d.CustomCoordinates.Get(); ok {
		width, height, _ := rule.PixelSize(&e.file)
		if _, err := rule.CheckRegion(content, e.canHaveRegion(), width, height); err != nil {
			return d, err
		}
	}
	if errs := entry.CheckDetails(d); len(errs) > 0 {
		return d, errs[0]
	}
	return d, nil
}

// valid reports whether the service would not refuse the draft.
func (e *prepared) valid() bool { _, err := e.change(); return err == nil }

func (e *prepared) changed() bool { return len(e.Changes()) > 0 }

// rebase puts a newer record under the draft, which stays as it is. It describes what the newer
// record changes under the draft.
func (e *prepared) rebase(fresh api.File) (meanwhile []string) {
	was, drafted := e.Saved.Values(), e.changed()
	e.file = merged(e.file, fresh)
	e.Rebase(entry.OfFile(&e.file))
	if !drafted || was[rule.FieldTags] == nil && was[rule.FieldRegion] == nil {
		return nil // no draft, or nothing was known before
	}
	return edit.Differences(was, e.Saved.Values())
}

// merged returns a newer record completed from the older one, since an update is answered with
// fewer fields.
func merged(old, fresh api.File) (out api.File) {
	members := map[string]json.RawMessage{}
	for _, f := range []api.File{old, fresh} {
		content := f.Raw
		if content == nil {
			content, _ = json.Marshal(f)
		}
		if json.Unmarshal(content, &members) != nil {
			return fresh
		}
	}
	content, _ := json.Marshal(members) // they were read from JSON
	if json.Unmarshal(content, &out) != nil {
		return fresh
	}
	return out
}
