package details

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Groups of actions in the help.
const (
	groupEdit   = "Edit"
	groupFile   = "File"
	groupRegion = "Region"
	groupMove   = "Move"
)

// Actions returns the actions of the focused part.
func (m *Model) Actions() []kit.Action {
	if m.current() == nil {
		return []kit.Action{{ID: "details.back", Keys: kit.Bind("go back", "", "esc"), Group: groupMove, Footer: true, Do: m.leave}}
	}
	return m.actionsOn(m.area)
}

// Catalog returns the actions of every part.
func (m *Model) Catalog() map[string][]kit.Action {
	return map[string][]kit.Action{
		"": m.actionsOn(onRecord), "files": m.actionsOn(onFiles), "tags": m.actionsOn(onTags), "AI tags": m.actionsOn(onAI),
		"the region": m.actionsOn(onRegion), "the picture": m.actionsOn(onPicture),
		"a suggested region": m.region.SuggestionActions(),
	}
}

func (m *Model) actionsOn(part area) []kit.Action {
	to := func(part area) func() tea.Cmd {
		return func() tea.Cmd { m.focus(part); return nil }
	}
	save := kit.Action{ID: "details.save", Keys: kit.Bind("save", "", "ctrl+s"), Group: groupEdit, Footer: true, Disabled: m.noSave, Do: m.save}
	unset := kit.Action{ID: "details.unset", Keys: kit.Bind("remove the value (null)", "", "ctrl+x"), Group: groupEdit, Footer: true, Do: m.toggleUnset}
	steps := []kit.Action{
		{ID: "details.next-part", Keys: kit.Bind("next part", "", "tab"), Group: groupMove, Footer: true, Do: func() tea.Cmd { m.step(1); return nil }},
		{ID: "details.previous-part", Keys: kit.Bind("previous part", "", "shift+tab"), Group: groupMove, Do: func() tea.Cmd { m.step(-1); return nil }},
	}
	done := append(slices.Clone(steps), kit.Action{ID: "details.field-done", Keys: kit.Bind("back to the record", "", "esc"), Group: groupMove, Footer: true, Do: to(onRecord)})
	// letters are the actions of parts that are not text fields.
	letters := []kit.Action{
		{ID: "details.edit-tags", Keys: kit.Bind("edit tags", "", "e"), Group: groupEdit, Footer: true, Do: to(onTags)},
		{ID: "details.edit-region", Keys: kit.Bind("edit region", "", "c"), Group: groupEdit, Footer: true, Disabled: m.noRegion, Do: to(onRegion)},
		{ID: "details.suggest-region", Keys: kit.Bind("suggest a region", "", "s"), Group: groupEdit, Disabled: m.noPlane, Do: m.suggestRegion},
		{ID: "details.view", Keys: kit.Bind("show the picture full-screen", "", "V"), Group: groupFile, Disabled: m.noPlane, Do: m.startViewer},
		{ID: "details.next-file", Keys: kit.Bind("next file", "", "n"), Group: groupFile, Disabled: m.oneFile, Do: func() tea.Cmd { return m.turn(1) }},
		{ID: "details.previous-file", Keys: kit.Bind("previous file", "", "N"), Group: groupFile, Disabled: m.oneFile, Do: func() tea.Cmd { return m.turn(-1) }},
		{ID: "details.copy", Keys: kit.Bind("copy menu", "", "y"), Group: groupFile, Footer: true, Do: m.copyMenu},
		{ID: "details.manage", Keys: kit.Bind("rename, move, copy, versions, delete", "", "m"), Group: groupFile, Disabled: m.noManage, Do: m.manageMenu},
		{ID: "details.run-extension", Keys: kit.Bind("run an extension", "", "x"), Group: groupFile, Disabled: m.noExtend, Do: func() tea.Cmd { return m.manage.Extend(filesOf(m.targets())) }},
		{ID: "details.remove-tags", Keys: kit.Bind("remove tags", "", "d"), Group: groupEdit, Disabled: m.noTags, Do: m.removeTags},
		{ID: "details.edit-all", Keys: kit.Bind("change all marked files", "", "b"), Group: groupEdit, Footer: true, Disabled: m.noMany, Do: m.manyMenu},
		{ID: "details.edit-text", Keys: kit.Bind("edit as text in $EDITOR", "", "E"), Group: groupEdit, Do: m.openEditor},
		{ID: "details.browse", Keys: kit.Bind("open in the browser", "", "o"), Group: groupFile, Disabled: m.noAddress, Do: m.browse},
		{ID: "details.refresh", Keys: kit.Bind("refresh", "", "r"), Group: groupFile, Do: func() tea.Cmd { return m.refresh() }},
		{ID: "details.undo", Keys: kit.Bind("undo the last saved change", "", "z"), Group: groupEdit, Disabled: m.noUndo, Do: func() tea.Cmd { return m.manage.Replay(m.current().file.FileID, false, session.Fail) }},
		{ID: "details.redo", Keys: kit.Bind("redo the last undone change", "", "Z"), Group: groupEdit, Disabled: m.noUndo, Do: func() tea.Cmd { return m.manage.Replay(m.current().file.FileID, true, session.Fail) }},
	}
	var actions []kit.Action
	switch part {
	case onFiles:
		if actions = m.files.Actions(); m.files.Capturing() {
			return append(actions, save)
		}
		alone := kit.Action{ID: "details.edit-alone", Keys: kit.Bind("change one file at a time", "", "enter"), Group: groupFile, Footer: true, Do: m.editAlone}
		actions = kit.Shadow(slices.Concat([]kit.Action{save, alone}, actions, letters, done))
	case onAI:
		actions = slices.Concat([]kit.Action{
			{ID: "details.take-ai-tag", Keys: kit.Bind("add as a tag", "", "t", "enter", "space"), Group: groupEdit, Footer: true, Disabled: m.noAI, Do: m.addAITag},
			{ID: "details.take-all-ai-tags", Keys: kit.Bind("add all as tags", "", "T"), Group: groupEdit, Footer: true, Disabled: m.noAI, Do: m.addAITags},
			save,
		}, letters, done, kit.ListActions(func() kit.Scroller { return &m.ai }, nil))
	case onTags:
		actions = append([]kit.Action{save, unset}, done...)
	case onRegion:
		actions = append([]kit.Action{
			save,
			{ID: "details.draw-region", Keys: kit.Bind("draw on the picture", "enter ↓", "enter", "down"), Group: groupRegion, Footer: true, Disabled: m.noPlane, Do: to(onPicture)},
			unset,
		}, done...)
	case onPicture:
		unset.Keys, unset.Group, unset.Footer = kit.Bind(unset.Label(), "", "x", "ctrl+x"), groupRegion, false
		others := letters[slices.IndexFunc(letters, func(a kit.Action) bool { return a.ID == "details.next-file" }):][:2]
		actions = append([]kit.Action{save}, m.region.Actions(
			others[0], others[1], unset,
			kit.Action{ID: "details.drop-region", Keys: kit.Bind("drop this change", "", "d"), Group: groupRegion, Disabled: m.noRegionChange, Do: m.dropRegion},
			kit.Action{ID: "region.leave", Keys: kit.Bind("back to the numbers", "", "esc", "enter"), Group: groupMove, Footer: true, Do: to(onRegion)},
		)...)
	default:
		actions = slices.Concat([]kit.Action{save}, letters, []kit.Action{
			{ID: "details.edit-row", Keys: kit.Bind("edit or show the field", "enter →", "enter", "l", "right"), Group: groupFile, Do: m.enterRow},
			{ID: "details.take-ai-tags", Keys: kit.Bind("add all AI tags as tags", "", "t"), Group: groupEdit, Disabled: m.noAI, Do: m.addAITags},
		}, steps, []kit.Action{
			{ID: "details.back", Keys: kit.Bind("go back", "", "esc", "h", "left", "backspace"), Group: groupMove, Footer: true, Do: m.leave},
		}, kit.ListActions(func() kit.Scroller { return &m.record }, nil))
	}
	return actions
}

// areas returns the parts that can have the focus, in order. The picture is reached from the
// numbers.
func (m *Model) areas() []area {
	var out []area
	if len(m.entries) > 1 {
		out = append(out, onFiles)
	}
	out = append(out, onRecord, onTags)
	if len(m.found) > 0 {
		out = append(out, onAI)
	}
	if m.noRegion() == "" {
		out = append(out, onRegion)
	}
	return out
}

// step moves the focus to the next or previous part.
func (m *Model) step(by int) {
	all := m.areas()
	at := max(0, slices.Index(all, m.area))
	m.focus(all[(at+by+len(all))%len(all)])
}

// focus focuses a part.
func (m *Model) focus(to area) {
	m.tags.Blur()
	m.numbers.Blur()
	m.area = to
	m.loadRegion() // the picture shows the region of one file
	switch to {
	case onTags:
		m.tags.Focus()
	case onRegion:
		m.numbers.Focus()
	case onRecord, onAI, onPicture, onFiles:
	}
}

// enterRow opens the editor of the current row, or shows its full value.
func (m *Model) enterRow() tea.Cmd {
	r := m.rows[m.record.Cursor()]
	switch {
	case r.at == onDescription:
		return m.describe()
	case r.at == onMetadata:
		return m.setValue(r.label)
	case r.at == onRecord:
		m.Overlays().Open(kit.NewReader(r.label, r.value))
	case slices.Contains(m.areas(), r.at):
		m.focus(r.at)
	case r.at == onAI:
		return page.Tell(page.Info, "This file has no AI tags.")
	default:
		return page.Tell(page.Info, text.Sentence(m.noRegion()))
	}
	return nil
}

// editAlone removes all marks, so that changes go to the shown file.
func (m *Model) editAlone() tea.Cmd {
	for _, e := range m.entries {
		e.marked = false
	}
	m.load()
	m.focus(onRecord)
	return nil
}

// addAITag drafts the current AI tag as a tag of the targets that have it.
func (m *Model) addAITag() tea.Cmd {
	found := m.found[m.ai.Cursor()].AITag
	for _, e := range m.targets() {
		e.addAITags(func(t api.AITag) bool { return t.Name == found.Name && t.Source == found.Source })
	}
	m.load()
	m.ai.SetCursor(m.ai.Cursor() + 1)
	return nil
}

// addAITags drafts all AI tags as tags.
func (m *Model) addAITags() tea.Cmd {
	for _, e := range m.targets() {
		e.addAITags(nil)
	}
	m.load()
	return nil
}

// toggleUnset drafts null for the focused field, or drops that draft.
func (m *Model) toggleUnset() tea.Cmd {
	what, changed := "tags have", false
	if m.area == onTags {
		changed = unsetAll(m.targets(), func(e *entry) (*api.Field[[]string], api.Field[[]string]) { return &e.draft.Tags, e.file.Tags })
		m.tags.SetValue(nil)
	} else {
		m.region.Unset()
		what = "region has"
		changed = unsetAll(m.withRegion(), func(e *entry) (*api.Field[string], api.Field[string]) {
			return &e.draft.CustomCoordinates, e.file.CustomCoordinates
		})
	}
	m.load()
	if !changed {
		return page.Tell(page.Info, "The "+what+" no value.")
	}
	return nil
}

// dropRegion restores the saved region.
func (m *Model) dropRegion() tea.Cmd {
	m.region.Unset()
	m.current().draft.CustomCoordinates = api.Field[string]{}
	m.load()
	return nil
}

func (m *Model) noRegionChange() string {
	return text.If(m.current().draft.CustomCoordinates.IsZero(), "the region is not changed")
}

func (m *Model) browse() tea.Cmd {
	address, err := edit.Address(m.current().file, m.o.Session)
	if err != nil {
		return page.Send(page.Problem(err))
	}
	return page.Send(page.Open{Address: address})
}

// manageMenu offers operations on the targets.
func (m *Model) manageMenu() tea.Cmd {
	files := filesOf(m.targets())
	return m.Open(kit.NewMenu("Manage "+edit.FilesLabel(files), m.manage.Rows(files, m.current().file)...))
}

// copyMenu offers the copyable values of the file, the current row first.
func (m *Model) copyMenu() tea.Cmd {
	var copies page.Copies
	if m.area == onRecord && len(m.rows) > 0 {
		r := m.rows[m.record.Cursor()]
		copies.Add("f", "this field: "+r.label, r.value)
	}
	edit.Copies(&copies, filesOf(m.targets()), m.o.Session)
	return m.Open(copies.Menu())
}

// Disabled reasons, empty if enabled.

func (m *Model) noSave() string {
	if typing := m.area == onTags && m.tags.Typed() != ""; !typing && len(m.changedEntries()) == 0 {
		return "nothing is changed"
	}
	return m.manage.Busy()
}

// noManage returns why files cannot be managed.
func (m *Model) noManage() string {
	if !m.able.manages {
		return "this service does not support managing files"
	}
	return m.manage.Busy()
}

func (m *Model) noExtend() string {
	if m.current().file.FileID == "" {
		return "this file has no ID"
	}
	return m.manage.Busy()
}

func (m *Model) noRegion() string {
	switch {
	case len(m.withRegion()) > 0:
		return ""
	case len(m.targets()) > 1:
		return "these files are not images, so they have no region"
	}
	return "this file is not an image, so it has no region"
}

func (m *Model) noPlane() string {
	if !m.current().canHaveRegion() {
		return "this file is not an image, so it has no region"
	}
	return m.region.NoPlane()
}

func (m *Model) suggestRegion() tea.Cmd {
	m.focus(onPicture)
	return m.region.Suggest()
}

func (m *Model) oneFile() string {
	return text.If(len(m.entries) < 2, "only one file is shown")
}

func (m *Model) noMany() string {
	return cmp.Or(m.oneFile(), m.manage.Busy())
}

func (m *Model) noAI() string {
	return text.If(len(m.found) == 0, "no AI tags")
}

func (m *Model) noAddress() string {
	return text.If(m.current().file.URL == "", "this file has no URL")
}

func (m *Model) noUndo() string {
	if m.current().changed() {
		return "this file has changes that are not saved; save them (ctrl+s) or drop them (ctrl+x) first"
	}
	return m.manage.Busy()
}
