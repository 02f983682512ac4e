package upload

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
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

// preset is a set of options: the fields that it sets with their texts, also
// those that it empties. The name of a file is in none.
type preset map[field]string

// presetOf takes the options of a section out of values, or all of them.
func presetOf(v *values, of func(field) bool) preset {
	p := preset{}
	for f := range fieldCount {
		if f != fieldName && of(f) {
			p[f] = v[f]
		}
	}
	return p
}

func (p preset) text() ([]byte, error) {
	out := map[string]string{}
	for f, text := range p {
		out[fieldKeys[f]] = text
	}
	return json.Marshal(out)
}

// readPreset reads a preset. Fields that this program does not know are left
// out; a name is never taken.
func readPreset(text []byte) (preset, error) {
	var in map[string]string
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, fmt.Errorf("the preset cannot be read: %w", err)
	}
	p := preset{}
	for key, text := range in {
		if f := fieldByKey(key); f != noField && f != fieldName {
			p[f] = text
		}
	}
	return p, nil
}

// words say what a preset sets.
func (p preset) words() string {
	var set []string
	for f := range fieldCount {
		if s := p[f]; s != "" && (f != fieldNaming || s != string(api.NameHere)) {
			s = strings.Join(strings.Fields(s), " ")
			set = append(set, fieldKeys[f]+"="+text.Truncate(text.Safe(s), 30))
		}
	}
	if len(set) == 0 {
		return "the service's defaults"
	}
	return strings.Join(set, "  ")
}

type (
	presetsMsg struct {
		owner *Model
		list  []session.Preset
		err   error
	}
	presetSavedMsg struct {
		owner *Model
		said  string
		err   error
	}
)

// presetView is the list of presets, and the name under which one is saved.
type presetView struct {
	list   kit.List
	rows   []session.Preset
	loaded bool
	err    error
	name   *kit.Field // while a preset is saved; nil: choosing
	part   section    // what is saved; sectionCount: all options
}

// keys of the presets.
var (
	keyPresets      = kit.Bind("presets: save or load options", "", "ctrl+p")
	keyPresetLoad   = kit.Bind("load into the marked files", "", "enter")
	keyPresetSave   = kit.Bind("save these options", "", "s")
	keyPresetPart   = kit.Bind("save the extensions alone", "", "x")
	keyPresetRemove = kit.Bind("remove the preset", "", "d")
	keyPresetKeep   = kit.Bind("save under this name", "", "enter")
	keyClosePanel   = kit.Bind("back to the form", "", "esc")
)

// whyNotPresets says why there are no presets; empty: there can be.
func (m *Model) whyNotPresets() string {
	switch {
	case len(m.sources) == 0:
		return "The form is empty: pick files first."
	}
	return ""
}

// openPresets shows the presets.
func (m *Model) openPresets() tea.Cmd {
	if why := m.whyNotPresets(); why != "" {
		return page.Send(page.Toast{Level: page.Warn, Text: why})
	}
	m.cover(&presetView{})
	return m.askPresets()
}

func (m *Model) askPresets() tea.Cmd {
	ctx, presets := m.opt.Context, m.opt.Session
	return func() tea.Msg {
		list, err := presets.Presets(ctx)
		return presetsMsg{m, list, err}
	}
}

func (m *Model) gotPresets(msg presetsMsg) {
	if v, ok := m.over.(*presetView); ok && msg.owner == m {
		v.rows, v.err, v.loaded = msg.list, msg.err, true
		v.list.SetLen(len(v.rows))
	}
}

func (v *presetView) typing() bool { return v.name != nil }

func (v *presetView) update(m *Model, msg tea.Msg) tea.Cmd {
	press, isKey := msg.(tea.KeyPressMsg)
	if v.name != nil {
		switch {
		case isKey && key.Matches(press, keyPresetKeep):
			return v.save(m)
		case isKey && key.Matches(press, keyClosePanel):
			v.name = nil
		default:
			v.name.Update(msg)
		}
		return nil
	}
	switch {
	case isKey && key.Matches(press, keyClosePanel, keyPresets):
		m.over = nil
	case isKey && key.Matches(press, keyPresetSave):
		v.ask(sectionCount)
	case isKey && key.Matches(press, keyPresetPart):
		v.ask(sectionExtensions)
	case len(v.rows) == 0:
	case isKey && key.Matches(press, keyPresetLoad):
		return v.take(m)
	case isKey && key.Matches(press, keyPresetRemove):
		return v.remove(m)
	default:
		v.list.Update(msg)
	}
	return nil
}

// ask asks for the name of a preset, that under the cursor where there is one.
func (v *presetView) ask(part section) {
	v.part = part
	v.name = kit.NewField("Name", "such as web pictures")
	v.name.Limit = 200
	v.name.Focus()
}

// save keeps the options of the first target under the name.
func (v *presetView) save(m *Model) tea.Cmd {
	name := strings.TrimSpace(v.name.Value())
	if name == "" {
		return page.Send(page.Toast{Level: page.Warn, Text: "A preset needs a name."})
	}
	words, err := presetOf(&m.targets()[0].values, func(f field) bool {
		return v.part == sectionCount || m.item(f).section == v.part
	}).text()
	if err != nil {
		return page.Send(page.Problem(err))
	}
	m.over = nil
	ctx, presets := m.opt.Context, m.opt.Session
	return func() tea.Msg {
		err := presets.SavePreset(ctx, session.Preset{Name: name, Body: words})
		return presetSavedMsg{m, "Saved the preset " + text.Safe(name) + ".", err}
	}
}

// take puts the preset under the cursor into the targets.
func (v *presetView) take(m *Model) tea.Cmd {
	row := v.rows[v.list.Cursor()]
	p, err := readPreset(row.Body)
	if err != nil {
		return page.Send(page.Problem(err))
	}
	m.over = nil
	m.loadPreset(p)
	return page.Send(page.Toast{Level: page.Good, Text: "Loaded the preset " + text.Safe(row.Name) + " into " + text.Plural(len(m.targets()), "file") + "."})
}

// loadPreset sets what a preset sets in the targets.
func (m *Model) loadPreset(p preset) {
	for _, s := range m.targets() {
		for f, text := range p {
			m.set(s, f, text)
		}
	}
	m.load()
	m.setFocus(m.focus)
}

func (v *presetView) remove(m *Model) tea.Cmd {
	name := v.rows[v.list.Cursor()].Name
	v.rows = slices.Delete(v.rows, v.list.Cursor(), v.list.Cursor()+1)
	v.list.SetLen(len(v.rows))
	ctx, presets := m.opt.Context, m.opt.Session
	return func() tea.Msg {
		return presetSavedMsg{m, "Removed the preset " + text.Safe(name) + ".", presets.RemovePreset(ctx, name)}
	}
}

func (m *Model) presetSaved(msg presetSavedMsg) tea.Cmd {
	if msg.owner != m {
		return nil
	}
	if msg.err != nil {
		return page.Send(page.Problem(msg.err))
	}
	return page.Send(page.Toast{Level: page.Good, Text: msg.said})
}

func (v *presetView) acts(*Model) []kit.Act {
	const group = "Presets"
	if v.name != nil {
		return []kit.Act{
			{Binding: keyPresetKeep, Hint: true, Group: group},
			{Binding: keyClosePanel, Hint: true, Group: group},
		}
	}
	why := ""
	if len(v.rows) == 0 {
		why = "There is no preset yet."
	}
	return []kit.Act{
		{Binding: keyPresetLoad, Hint: true, Group: group, Why: why},
		{Binding: keyPresetSave, Hint: true, Group: group},
		{Binding: keyPresetPart, Hint: true, Group: group},
		{Binding: keyPresetRemove, Hint: true, Group: group, Why: why},
		{Binding: keyClosePanel, Hint: true, Group: group},
	}
}

func (v *presetView) view(m *Model, size image.Point, th *theme.Theme) string {
	inner := kit.BoxInner(size)
	var head []string
	what := "all options"
	if v.part == sectionExtensions {
		what = "the extensions alone"
	}
	switch {
	case v.name != nil:
		head = append(head, wrapStyled("Saves "+what+" of "+m.targets()[0].src.Name()+". A preset of the same name is replaced.", inner.X, th.Muted)...)
		head = append(head, v.name.View(inner.X, th), "")
	case v.err != nil:
		head = wrapStyled(v.err.Error(), inner.X, th.Bad)
	case !v.loaded:
		head = []string{th.Muted.Render(text.Truncate("Looking for presets…", inner.X))}
	case len(v.rows) == 0:
		head = wrapStyled("There is no preset yet. Press s to save the options of "+text.Plural(len(m.targets()), "file")+" as one, or x to save the extensions alone.", inner.X, th.Muted)
	default:
		head = wrapStyled("Enter loads a preset into "+text.Plural(len(m.targets()), "file")+": it sets what it names and leaves the rest.", inner.X, th.Muted)
	}
	head = head[:min(len(head), inner.Y)]
	body := v.list.View(image.Pt(inner.X, inner.Y-len(head)), func(i, width int, selected bool) string {
		row := v.rows[i]
		words := "cannot be read"
		if p, err := readPreset(bytes.TrimSpace(row.Body)); err == nil {
			words = p.words()
		}
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
