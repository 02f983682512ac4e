package upload

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
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
		{ID: "form.save-preset", Keys: kit.Bind("save these options", "", "s"), Group: group, Footer: true, Do: func() tea.Cmd { return v.ask(sectionCount) }},
		{ID: "form.save-extensions", Keys: kit.Bind("save the extensions alone", "", "x"), Group: group, Footer: true, Do: func() tea.Cmd { return v.ask(sectionExtensions) }},
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

// ask asks for the name under which the options of the first target are saved:
// those of a section, or with sectionCount all.
func (v *presetView) ask(part section) tea.Cmd {
	what := "all options"
	if part == sectionExtensions {
		what = "the extensions alone"
	}
	p := kit.NewPrompt("Save a preset", "Saves "+what+" of "+v.m.targets()[0].src.Name()+". A preset of the same name is replaced.", "", "such as web pictures")
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
	p.Do = func(name string) tea.Cmd { return v.save(part, strings.TrimSpace(name)) }
	v.m.Overlays().Open(p)
	return nil
}

// longestName is how many bytes the name of a preset may have.
const longestName = 200

// save keeps the options of the first target under the name.
func (v *presetView) save(part section, name string) tea.Cmd {
	m := v.m
	body, err := presetOf(&m.targets()[0].values, func(f field) bool {
		return part == sectionCount || m.item(f).section == part
	}).text()
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
	p, err := readPreset(row.Body)
	if err != nil {
		return page.Send(page.Problem(err))
	}
	v.close()
	for _, s := range m.targets() {
		for f, text := range p {
			m.set(s, f, text)
		}
	}
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
