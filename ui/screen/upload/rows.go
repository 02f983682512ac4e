package upload

import (
	"encoding/json"
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/text"
)

// field names a row of the form: the key of an upload field. Drafts store these names.
type field = string

// Rows that the screen refers to by name.
const (
	fieldName           field = "name"
	fieldNaming         field = "unique"
	fieldFolder         field = "folder"
	fieldPrivate        field = "private"
	fieldTags           field = "tags"
	fieldRegion         field = "region"
	fieldExtensions     field = "extensions"
	fieldDescription    field = "description"
	fieldTransformation field = api.FieldTransformation
	fieldOverFile       field = api.FieldOverwriteFile
	fieldMetadata       field = "metadata"
	fieldWebhook        field = "webhook"
	noField             field = ""
)

// Texts of switches; an empty text leaves the choice to the service.
const (
	on  = "true"
	off = "false"
)

// topFields are the rows above More, in order.
var topFields = []field{fieldTags, fieldFolder, fieldRegion, fieldExtensions, fieldDescription}

// rows returns the rows of the form: all upload fields.
func (m *Model) rows() []*edit.Row {
	var rows []*edit.Row
	for _, key := range topFields {
		rows = append(rows, m.rowsOf(api.FieldByKey(key))...)
	}
	for _, f := range api.UploadFields {
		if slices.Contains(topFields, f.Key) {
			continue
		}
		for _, r := range m.rowsOf(f) {
			r.More = true
			rows = append(rows, r)
		}
	}
	return rows
}

// rowsOf returns the rows of an upload field.
func (m *Model) rowsOf(f *api.UploadField) []*edit.Row {
	entry := func(i int) *api.Entry { return &m.sources[i].entry }
	row := &edit.Row{
		ID: f.Key, Label: f.Label,
		Get:  func(i int) string { return m.sources[i].text(f) },
		Set:  func(i int, text string) { m.set(m.sources[i], f.Key, text) },
		Hint: func() string { return f.Hint },
		Note: func() string { return text.Sentence(f.Help) },
	}
	switch {
	case f.Kind == api.KindList:
		row.Kind, row.Get, row.Set = edit.Chips, nil, nil
		row.List = func(i int) []string { return api.SplitTags(f.Text(entry(i))) }
		row.SetList = func(i int, list []string) { m.set(m.sources[i], f.Key, api.JoinTags(list)) }
		row.Complete = completeChoices(f)
	case f.Kind == api.KindExtensions:
		row = m.extensions().Row()
	case f.Kind == api.KindMetadata:
		return m.metadata().Rows()
	case f.Key == fieldDescription:
		row = edit.Description(m.Overlays(), m.form, row.Get, row.Set)
	case f.Kind == api.KindSwitch:
		row.Kind = edit.Choice
		row.Choices = []api.Choice{{Text: "", Label: "default: " + map[bool]string{true: "on", false: "off"}[f.Default]}, {Text: on, Label: "on"}, {Text: off, Label: "off"}}
	case len(f.Choices) > 0 && !f.Open:
		row.Kind, row.Choices = edit.Choice, f.Choices
	case f.Open:
		row.Complete = completeChoices(f)
	}
	switch f.Key {
	case fieldTags:
		row.Complete, row.Note = m.completeTags, m.tagNote
	case fieldFolder:
		row.Complete, row.None = m.completeFolder, "/"
	case fieldRegion:
		row.OpenVerb, row.Open, row.NoOpen = "draw it on the picture", m.drawRegion, m.noDraw
	case fieldWebhook:
		row.Complete = completeChoices(&api.UploadField{Choices: []api.Choice{{Text: api.NoWebhook}}})
		if row.Hint = func() string { return "the receiver of this program" }; m.o.Profile.Receiver == "" {
			row.Hint = func() string { return "none: no receiver is running" }
		}
	case fieldName:
		row.Note = func() string { return "ctrl+t names many by a pattern." }
	}
	row.Problem = func() string { return m.sum().stops[f.Key].text }
	return []*edit.Row{row}
}

// completeChoices completes the listed texts of a field.
func completeChoices(f *api.UploadField) func(string) []string {
	return func(typed string) []string {
		var texts []string
		for _, c := range f.Choices {
			if c.Text != typed {
				texts = append(texts, c.Text)
			}
		}
		return edit.Matches(typed, texts)
	}
}

// tagNote counts the characters of the longest tags near their limit.
func (m *Model) tagNote() string {
	longest := 0
	for _, s := range m.targets() {
		longest = max(longest, api.TagLength(s.entry.Tags.Or(nil)))
	}
	if longest < api.MaxTagLength*3/4 {
		return "A comma or enter ends a tag."
	}
	return fmt.Sprintf("%d of %d characters.", longest, api.MaxTagLength)
}

func (m *Model) extensions() edit.ExtensionList {
	return edit.ExtensionList{
		Context: m.o.Context, Over: m.Overlays(), Form: m.form, Session: m.o.Session, Color: m.o.Profile.ColorOption,
		Get: func(i int) []api.Extension { return m.sources[i].entry.Extensions.Or(nil) },
		Set: func(i int, list []api.Extension) {
			m.sources[i].entry.Extensions = setUnlessEmpty(list)
			m.dirty(m.sources[i])
		},
	}
}

func (m *Model) metadata() edit.Metadata {
	return edit.Metadata{
		Over: m.Overlays(), Form: m.form, Fields: m.fields,
		Get: func(i int) map[string]json.RawMessage { return m.sources[i].entry.CustomMetadata.Or(nil) },
		Set: func(i int, key string, value json.RawMessage) {
			s := m.sources[i]
			members := map[string]json.RawMessage{}
			maps.Copy(members, s.entry.CustomMetadata.Or(nil))
			if members[key] = value; api.IsNull(value) {
				delete(members, key)
			}
			s.entry.CustomMetadata = api.Field[map[string]json.RawMessage]{}
			if len(members) > 0 {
				s.entry.CustomMetadata = api.Set(members)
			}
			m.dirty(s)
		},
	}
}

func setUnlessEmpty[T any](list []T) api.Field[[]T] {
	if len(list) == 0 {
		return api.Field[[]T]{}
	}
	return api.Set(list)
}

// newRegion returns the region editor.
func (m *Model) newRegion(o Options) *edit.Region {
	return edit.NewRegion(edit.RegionOptions{
		Context: o.Context, Draw: o.Picture, Images: o.Images, Overlays: m.Overlays(), Crops: o.Profile.Crops,
		Text: func() string {
			if s := m.subject(); s != nil {
				return s.region()
			}
			return ""
		},
		Set: func(region string) {
			for _, s := range m.regionOf {
				m.set(s, fieldRegion, region)
			}
			m.load()
		},
		Keep: func() (restore func()) {
			was := map[*source]string{}
			for _, s := range m.sources {
				was[s] = s.region()
			}
			return func() {
				for s, region := range was {
					m.set(s, fieldRegion, region)
				}
				m.load()
			}
		},
		Files: func() []edit.RegionFile {
			var files []edit.RegionFile
			for _, s := range m.sources {
				if of := subjectPicture(s); of.Path != nil {
					files = append(files, edit.RegionFile{Subject: of, Set: func(region string) {
						m.set(s, fieldRegion, region)
						m.load()
					}})
				}
			}
			return files
		},
	})
}

// subjectPicture returns the source's picture for the region editor.
func subjectPicture(s *source) edit.Subject {
	if yes, _ := s.known.isPicture(); !yes || s.entry.Source.Path == "" {
		return edit.Subject{}
	}
	facts, path := &s.known.facts, s.entry.Source.Path
	return edit.Subject{Name: path, Size: facts.Stored, Orientation: facts.Orientation, Path: pathOf(path)}
}

// noDraw returns why the region cannot be drawn on the picture, or "".
func (m *Model) noDraw() string {
	s := m.subject()
	if s == nil {
		return emptyForm
	}
	yes, sure := s.known.isPicture()
	switch {
	case s.entry.Source.Path == "":
		return "the picture is not on this computer; type the numbers"
	case !sure && s.known.err == nil:
		return "the file is being looked at"
	case !yes:
		return "it is no picture that can be shown here; type the numbers"
	case s.known.facts.Stored == (image.Point{}):
		return "the size of the picture is not known; type the numbers"
	}
	return ""
}

// drawRegion opens the picture to edit its region.
func (m *Model) drawRegion() tea.Cmd {
	m.form.Blur()
	m.regionOf = m.targets()
	m.region.Begin()
	m.page = m.region.Page(edit.RegionPageOptions{
		Title: func() string { return m.subject().entry.Source.Name() }, Files: func() int { return len(m.regionOf) },
		Turn: m.turnRegion, NoTurn: func() string {
			n := 0
			for _, s := range m.sources {
				if subjectPicture(s).Path != nil {
					n++
				}
			}
			return text.If(n < 2, "there is only one picture")
		},
		Check: func(region string) string {
			return edit.CheckRegion(strings.TrimSpace(region), true, m.subject().known.facts.Stored)
		},
	})
	return nil
}

// turnRegion shows the next or previous picture and edits only its region.
func (m *Model) turnRegion(by int) tea.Cmd {
	n := len(m.sources)
	i := (slices.Index(m.sources, m.current()) + by + n) % n
	for subjectPicture(m.sources[i]).Path == nil { // NoTurn: there are two pictures
		i = (i + by + n) % n
	}
	m.list.Show(m.sources[i])
	m.regionOf = []*source{m.current()}
	return nil
}
