package upload

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Presets keeps options under names.
type Presets interface {
	Presets(ctx context.Context) ([]session.Preset, error)
	SavePreset(ctx context.Context, p session.Preset) error
	RemovePreset(ctx context.Context, name string) error
}

// presetFields are the upload fields that a preset of the extensions alone, or of
// all options, sets or clears. The name of a file is never one.
func presetFields(extensionsOnly bool) []*api.UploadField {
	return slices.DeleteFunc(slices.Clone(api.UploadFields), func(f *api.UploadField) bool {
		return f.Name == api.FieldName || extensionsOnly && f.Group != api.GroupExtensions
	})
}

// readPreset reads a preset of this version, or the texts of version 0.1.
func readPreset(body []byte) (preset api.UploadOptions, old map[field]string, err error) {
	var texts map[field]*string
	if json.Unmarshal(body, &texts) == nil && !slices.Contains(slices.Collect(maps.Values(texts)), nil) {
		old = map[field]string{}
		for f, text := range texts {
			if f != fieldName {
				old[f] = *text
			}
		}
		return preset, old, nil
	}
	if err := json.Unmarshal(body, &preset); err != nil {
		return preset, nil, fmt.Errorf("the preset cannot be read: %w", err)
	}
	return preset, nil, nil
}

// applyPreset puts a preset into options: it sets what it names.
func (m *Model) applyPreset(o *options, body []byte) error {
	preset, old, err := readPreset(body)
	if err != nil {
		return err
	}
	if old != nil {
		o.setOld(m.items, old)
		return nil
	}
	name, naming := o.entry.FileName, o.entry.Naming
	preset.Apply(&o.entry)
	o.entry.FileName = name
	if o.entry.Naming == "" {
		o.entry.Naming = naming
	}
	o.typed = maps.Clone(o.typed)
	for _, i := range m.items {
		if i.of == nil || preset.Has(i.of) {
			delete(o.typed, i.field)
		}
	}
	return nil
}

// describePreset says what a preset sets.
func (m *Model) describePreset(body []byte) string {
	var o options
	if m.applyPreset(&o, body) != nil {
		return "cannot be read"
	}
	var set []string
	for _, f := range api.UploadFields {
		if s := f.Text(&o.entry); s != "" && (f.Key != string(fieldNaming) || s != string(api.NameHere)) {
			s = strings.Join(strings.Fields(s), " ")
			set = append(set, f.Key+"="+text.Truncate(text.Safe(s), 30))
		}
	}
	if len(set) == 0 {
		return "the service's defaults"
	}
	return strings.Join(set, "  ")
}

type (
	presetsMsg struct {
		of   *presetView
		list []session.Preset
		err  error
	}
	presetSavedMsg struct {
		said string
		err  error
	}
)

// presetView is the list of presets.
type presetView struct {
	overlay
	list   kit.List
	rows   []session.Preset
	loaded bool
	err    error
}

var _ kit.Overlay = (*presetView)(nil)

// openPresets shows the presets.
func (m *Model) openPresets() tea.Cmd {
	v := &presetView{overlay: overlay{m: m}}
	m.cover(v)
	ctx, presets := m.o.Context, m.o.Session
	return func() tea.Msg {
		list, err := presets.Presets(ctx)
		return presetsMsg{v, list, err}
	}
}

func (v *presetView) got(msg presetsMsg) {
	v.rows, v.err, v.loaded = msg.list, msg.err, true
	v.list.SetLen(len(v.rows))
}

// Actions load, save and remove presets.
func (v *presetView) Actions() []kit.Action {
	const group = "Presets"
	return append([]kit.Action{
		{ID: "form.load-preset", Keys: kit.Bind("load into the marked files", "", "enter"), Group: group, Footer: true, Disabled: v.none, Do: v.load},
		{ID: "form.save-preset", Keys: kit.Bind("save these options", "", "s"), Group: group, Footer: true, Do: func() tea.Cmd { return v.ask(false) }},
		{ID: "form.save-extensions", Keys: kit.Bind("save the extensions alone", "", "x"), Group: group, Footer: true, Do: func() tea.Cmd { return v.ask(true) }},
		{ID: "form.remove-preset", Keys: kit.Bind("remove the preset", "", "d"), Group: group, Footer: true, Disabled: v.none, Do: v.remove},
		v.back(group, "esc", "ctrl+p"),
	}, kit.ListActions(func() kit.Scroller { return &v.list }, nil)...)
}

func (v *presetView) none() string {
	if len(v.rows) == 0 {
		return "there is no preset yet"
	}
	return ""
}

// Mouse scrolls by the wheel.
func (v *presetView) Mouse(msg tea.MouseMsg) tea.Cmd {
	v.list.Wheel(msg)
	return nil
}

// ask asks for the name under which the options of the first target are saved.
func (v *presetView) ask(extensionsOnly bool) tea.Cmd {
	what := "all options"
	if extensionsOnly {
		what = "the extensions alone"
	}
	p := kit.NewPrompt("Save a preset", "Saves "+what+" of "+v.m.targets()[0].entry.Source.Name()+". A preset of the same name is replaced.", "", "such as web pictures")
	p.Verb = "save under this name"
	p.Check = func(name string) string {
		switch name = strings.TrimSpace(name); {
		case name == "":
			return "A preset needs a name."
		case len(name) > longestName:
			return "The name is too long."
		}
		return ""
	}
	p.Do = func(name string) tea.Cmd { return v.save(extensionsOnly, strings.TrimSpace(name)) }
	v.m.Overlays().Open(p)
	return nil
}

// longestName is how many bytes the name of a preset may have.
const longestName = 200

// save keeps the options of the first target under the name.
func (v *presetView) save(extensionsOnly bool, name string) tea.Cmd {
	m := v.m
	body, err := json.Marshal(api.OptionsOf(&m.targets()[0].entry, presetFields(extensionsOnly)...))
	if err != nil {
		return page.Send(page.Problem(err))
	}
	v.close()
	ctx, presets := m.o.Context, m.o.Session
	return func() tea.Msg {
		err := presets.SavePreset(ctx, session.Preset{Name: name, Body: body})
		return presetSavedMsg{"Saved the preset " + text.Safe(name) + ".", err}
	}
}

// load puts the preset under the cursor into the targets: it sets what it names.
func (v *presetView) load() tea.Cmd {
	m, row := v.m, v.rows[v.list.Cursor()]
	for _, s := range m.targets() {
		if err := m.applyPreset(&s.options, row.Body); err != nil {
			return page.Send(page.Problem(err))
		}
		s.checked, s.failed = nil, nil
	}
	v.close()
	m.note()
	m.load()
	m.setFocus(m.focus)
	return page.Send(page.Toast{Level: page.Good, Text: "Loaded the preset " + text.Safe(row.Name) + " into " + text.Plural(len(m.targets()), "file") + "."})
}

func (v *presetView) remove() tea.Cmd {
	name := v.rows[v.list.Cursor()].Name
	v.rows = slices.Delete(v.rows, v.list.Cursor(), v.list.Cursor()+1)
	v.list.SetLen(len(v.rows))
	ctx, presets := v.m.o.Context, v.m.o.Session
	return func() tea.Msg {
		return presetSavedMsg{"Removed the preset " + text.Safe(name) + ".", presets.RemovePreset(ctx, name)}
	}
}

func (m *Model) presetSaved(msg presetSavedMsg) tea.Cmd {
	if msg.err != nil {
		return page.Send(page.Problem(msg.err))
	}
	return page.Send(page.Toast{Level: page.Good, Text: msg.said})
}

func (v *presetView) refresh() {
	inner := kit.BoxInner(v.room)
	v.list.SetHeight(inner.Y - len(v.head(inner, measured)))
}

// head is what stands above the list.
func (v *presetView) head(inner image.Point, th *theme.Theme) []string {
	files := text.Plural(len(v.m.targets()), "file")
	var head []string
	switch {
	case v.err != nil:
		head = wrapStyled(v.err.Error(), inner.X, th.Bad)
	case !v.loaded:
		head = []string{th.Muted.Render(text.Truncate("Looking for presets…", inner.X))}
	case len(v.rows) == 0:
		head = wrapStyled("There is no preset yet. Press s to save the options of "+files+" as one, or x to save the extensions alone.", inner.X, th.Muted)
	default:
		head = wrapStyled("Enter loads a preset into "+files+": it sets what it names and leaves the rest.", inner.X, th.Muted)
	}
	return head[:max(0, min(len(head), inner.Y))]
}

// View draws the presets with what they set.
func (v *presetView) View(size image.Point, th *theme.Theme) string {
	inner := kit.BoxInner(size)
	head := v.head(inner, th)
	body := v.list.View(image.Pt(inner.X, inner.Y-len(head)), func(i, width int, selected bool) string {
		row := v.rows[i]
		words := v.m.describePreset(row.Body)
		column := min(24, max(8, width/3))
		name := text.PadRight(text.TruncateMiddle(text.Safe(row.Name), column), column)
		if selected {
			return th.Selected.Render(text.PadRight(name+"  "+words, width))
		}
		return th.Text.Render(name) + "  " + th.Muted.Render(text.Truncate(words, max(0, width-column-2)))
	})
	all := strings.Join(head, "\n")
	if body != "" {
		all = kit.JoinV(all, body)
	}
	return kit.BoxFooter("Presets", v.list.Position(), all, size, true, th)
}
