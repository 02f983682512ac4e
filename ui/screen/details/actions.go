package details

import (
	"cmp"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
)

// Groups of actions in the help.
const (
	groupEdit = "Edit"
	groupFile = "File"
	groupMove = "Navigation"
)

func (m *Model) Actions() []kit.Action {
	if m.current() == nil {
		back := kit.Bind("back", "", "esc")
		return []kit.Action{{ID: "details.back", Keys: back, Group: groupMove, Footer: true, Do: m.leave}}
	}
	changed := cmp.Or(len(m.changedEntries()), len(m.Targets())) // what is being typed is of all
	words := "save" + text.If(len(m.Targets()) > 1, " "+text.Plural(changed, "file"))
	save := kit.Action{ID: "details.save", Keys: kit.Bind(words, "", "ctrl+s"), Group: groupEdit}
	save.Footer, save.Main, save.Do = true, true, func() tea.Cmd { return m.SaveAnd(nil) }
	save.Disabled = func() string {
		same := len(m.changedEntries()) == 0 && !m.Form.Typing()
		return cmp.Or(text.If(same, "nothing to save"), m.manage.Busy())
	}
	unset := kit.Action{ID: "details.unset", Group: groupEdit, Do: m.toggleUnset}
	unset.Keys = kit.Bind(text.Either(m.changedHere(), "take the change back", "remove the value"), "", "ctrl+x")
	unset.Disabled = func() string {
		r := m.Form.Row(m.Form.On())
		return text.If(r == nil || r.Set == nil && r.SetList == nil, "this cannot be removed here")
	}
	if m.On == edit.OnFiles {
		actions := m.Files.Actions(nil)
		if m.Files.Capturing() {
			return append(actions, save)
		}
		alone := kit.Action{ID: "details.edit-alone", Group: groupFile, Footer: true, Do: m.EditAlone}
		alone.Keys = kit.Bind("change one file at a time", "", "enter")
		to := func() tea.Cmd { m.Focus(edit.OnForm); return nil }
		return kit.Shadow(slices.Concat([]kit.Action{save, alone}, actions, m.letters(), []kit.Action{
			{ID: "details.next-part", Keys: kit.Bind("to the fields", "", "tab", "shift+tab", "esc"), Group: groupMove, Footer: true, Do: to},
		}))
	}
	actions := append([]kit.Action{save}, m.Form.Actions()...)
	if m.Form.Editing() {
		return append(actions, unset)
	}
	return kit.Shadow(slices.Concat(actions, m.letters(), []kit.Action{
		unset,
		{ID: "details.take-ai-tags", Keys: kit.Bind("add all AI tags as tags", "", "t"), Group: groupEdit, Disabled: m.noAI, Do: m.addAITags},
		{ID: "details.back", Keys: kit.Bind("back", "", "esc", "h", "left", "backspace"), Group: groupMove, Footer: true, Do: m.leave},
	}, kit.ListActions(func() kit.Scroller { return m.Form }, nil)))
}

func (m *Model) Catalog() map[string][]kit.Action {
	parts := map[string][]kit.Action{}
	at := func(name, row string, files bool) {
		two := []api.File{{FileID: "a"}, {FileID: "b"}}
		screen := New(Options{Files: two, Profile: m.o.Profile, Session: m.o.Session})
		screen.Form.Blur()
		if screen.On = edit.OnForm; files {
			screen.On = edit.OnFiles
		}
		if row != "" {
			screen.Form.Focus(row, true)
		}
		if parts[name] = screen.Actions(); name == "the region" {
			screen.drawRegion()
			parts["the picture"] = screen.Page.Actions()
			parts["a suggested region"] = screen.Region.SuggestionActions()
		}
	}
	at("", "", false)
	at("files", "", true)
	at("tags", rowTags, false)
	at("the region", rowRegion, false)
	screen := New(Options{Files: []api.File{{FileID: "a"}}, Profile: m.o.Profile, Session: m.o.Session})
	screen.Form.Focus(rowTags, false)
	parts["a value"] = screen.Actions()
	return parts
}

// letters returns the actions of parts that are not text fields.
func (m *Model) letters() []kit.Action {
	turn := func(by int) func() tea.Cmd {
		return func() tea.Cmd { return text.Either(m.oneFile() == "" || m.turn == nil, m.Turn, m.turn)(by) }
	}
	replay := func(redo bool) func() tea.Cmd {
		return func() tea.Cmd { return m.manage.Replay(m.current().file.FileID, redo, session.Fail) }
	}
	manage := func() *kit.Menu {
		files := filesOf(m.Targets())
		rows := m.manage.Rows(files, m.current().file)
		return kit.NewMenu("Manage "+edit.FilesLabel(files), rows...)
	}
	return []kit.Action{
		{ID: "details.edit-tags", Keys: kit.Bind("edit tags", "", "e"), Group: groupEdit, Do: func() tea.Cmd { return m.edit(rowTags) }},
		{ID: "details.edit-region", Keys: kit.Bind("edit region", "", "c"), Group: groupEdit, Footer: true, Disabled: m.noRegion, Do: m.editRegion},
		{ID: "details.suggest-region", Keys: kit.Bind("suggest a region", "", "s"), Group: groupEdit, Disabled: m.noPlane, Do: func() tea.Cmd {
			return tea.Batch(m.drawRegion(), m.Region.Suggest())
		}},
		{ID: "details.next-file", Keys: kit.Bind("next file", "", "n"), Group: groupFile, Footer: len(m.Items) == 1 && m.turn != nil, Disabled: m.noTurn, Do: turn(1)},
		{ID: "details.previous-file", Keys: kit.Bind("previous file", "", "N"), Group: groupFile, Disabled: m.noTurn, Do: turn(-1)},
		{ID: "details.copy", Keys: kit.Bind("copy menu", "", "y"), Group: groupFile, Do: m.copyMenu},
		{ID: "details.manage", Keys: kit.Bind("rename, move, copy, versions, delete", "", "m"), Group: groupFile, Disabled: m.noManage, Menu: manage, Do: func() tea.Cmd { return m.Open(manage()) }},
		{ID: "details.run-extension", Keys: kit.Bind("run an extension", "", "x"), Group: groupFile, Footer: true, Disabled: func() string {
			return cmp.Or(text.If(m.current().file.FileID == "", "this file has no ID"), m.manage.Busy())
		}, Do: func() tea.Cmd { return m.manage.Extend(filesOf(m.Targets())) }},
		{ID: "details.edit-all", Keys: kit.Bind("change all marked files", "", "b"), Group: groupEdit, Disabled: func() string { return cmp.Or(m.oneFile(), m.manage.Busy()) }, Do: m.manyMenu},
		{ID: "details.edit-text", Keys: kit.Bind("edit as text in $EDITOR", "", "E"), Group: groupEdit, Do: m.Document.Edit},
		{ID: "details.browse", Keys: kit.Bind("open in the browser", "", "o"), Group: groupFile, Disabled: func() string {
			return text.If(m.current().file.URL == "", "this file has no URL")
		}, Do: m.browse},
		{ID: "details.view", Keys: kit.Bind("view full-screen", "", "V"), Group: groupFile, Disabled: func() string { return m.manage.NoView(m.current().file) }, Do: m.view},
		{ID: "details.refresh", Keys: kit.Bind("refresh", "", "r"), Group: groupFile, Do: func() tea.Cmd { return m.read(m.Targets()) }},
		{ID: "details.undo", Keys: kit.Bind("undo the last change", "", "z"), Group: groupEdit, Disabled: m.noUndo, Do: replay(false)},
		{ID: "details.redo", Keys: kit.Bind("redo the last undone change", "", "Z"), Group: groupEdit, Disabled: m.noUndo, Do: replay(true)},
	}
}

func (m *Model) editRegion() tea.Cmd {
	if m.noPlane() == "" {
		return m.drawRegion()
	}
	return m.edit(rowRegion)
}

func (m *Model) edit(row string) tea.Cmd {
	m.On = edit.OnForm
	m.Form.Focus(row, true)
	return nil
}

// changedHere reports whether the field with the focus is changed.
func (m *Model) changedHere() bool {
	f := entry.FieldByKey(m.Form.On())
	return f != nil && slices.ContainsFunc(m.Targets(), func(e *prepared) bool { return e.Changed(f.Name) })
}

// toggleUnset takes changes of the focused field back, or removes its value.
func (m *Model) toggleUnset() tea.Cmd {
	r, of, changed := m.Form.Row(m.Form.On()), m.Targets(), false
	f, back := entry.FieldByKey(r.ID), m.changedHere()
	if r.ID == rowRegion {
		of = m.withRegion()
	}
	m.Form.Discard()
	for _, e := range of {
		before := maps.Clone(e.Changes())
		switch {
		case f == nil:
			r.Set(slices.Index(m.Items, e), "") // a value of the metadata
		case back:
			e.Drop(entry.Values{f.Name: before[f.Name]})
		default:
			e.Unset(f)
		}
		changed = changed || !maps.EqualFunc(before, e.Changes(), slices.Equal)
	}
	if m.Touch(of...); !changed {
		return page.Tell(page.Info, "The field has no value.")
	}
	return nil
}

func (m *Model) browse() tea.Cmd {
	address, err := edit.Address(m.current().file, m.o.Session)
	if err != nil {
		return page.Send(page.Problem(err))
	}
	return page.Send(page.Open{Address: address})
}

// copyMenu offers the copyable values of the file, the current row first.
func (m *Model) copyMenu() tea.Cmd {
	var copies page.Copies
	if r := m.Form.Row(m.Form.On()); r != nil && m.On != edit.OnFiles {
		copies.Add("f", "this field: "+r.Label, r.Value())
	}
	edit.Copies(&copies, filesOf(m.Targets()), m.o.Session)
	return m.Open(copies.Menu(edit.FilesLabel(filesOf(m.Targets()))))
}

// Disabled reasons, empty if enabled.

func (m *Model) noManage() string {
	return cmp.Or(text.If(!m.manages, "this service does not support managing files"), m.manage.Busy())
}

func (m *Model) noRegion() string {
	return text.If(len(m.withRegion()) == 0, "only images have a region")
}

func (m *Model) noPlane() string {
	if !m.current().canHaveRegion() {
		return "only images have a region"
	}
	if _, ok := edit.PlaneOf(m.subject(m.current()), nil); ok {
		return "" // also where the picture has no room
	}
	return m.Region.NoPlane()
}

func (m *Model) noTurn() string {
	if m.oneFile() == "" || m.turn == nil {
		return m.oneFile()
	}
	return text.If(m.Changed() > 0, "save the changes first, or take them back with ctrl+x")
}

func (m *Model) oneFile() string { return text.If(len(m.Items) < 2, "only one file is shown") }

func (m *Model) view() tea.Cmd {
	return m.manage.View(filesOf(m.Items), m.current().file, func(f api.File) tea.Cmd {
		if e := m.entryOf(f.FileID); e != nil { // it was not deleted meanwhile
			return m.Show(e)
		}
		return nil
	})
}

func (m *Model) noAI() string { return text.If(len(aiTags(m.Targets())) == 0, "no AI tags") }

func (m *Model) noUndo() string {
	unsaved := "there are changes that are not saved; save them (ctrl+s) or take them back (ctrl+x) first"
	return cmp.Or(text.If(m.current().changed(), unsaved), m.manage.Busy())
}

func (m *Model) changeAll(of []*prepared, do func(*prepared)) tea.Cmd {
	var changed []*prepared
	for _, e := range of {
		before := maps.Clone(e.Changes())
		if do(e); !maps.EqualFunc(before, e.Changes(), slices.Equal) {
			changed = append(changed, e)
		}
	}
	if m.Touch(changed...); len(changed) == 0 {
		return page.Tell(page.Info, "No file would change.")
	}
	return nil // the status line says what is not saved
}

func (m *Model) manyMenu() tea.Cmd {
	n := text.Plural(len(m.Targets()), "file")
	change := func(key, label string, do func(*prepared)) kit.MenuRow {
		return kit.MenuRow{Key: key, Label: label, Do: func() tea.Cmd { return m.changeAll(m.Targets(), do) }}
	}
	return m.Open(kit.NewMenu("Change "+n,
		kit.MenuRow{Key: "t", Label: "add the AI tags as tags", Do: m.addAITags},
		kit.MenuRow{Key: "g", Label: "copy this region to all, scaled to each picture", Do: m.Region.CopyToAll},
		kit.MenuRow{Key: "p", Label: "suggest a region for all, then review them", Do: m.suggestMenu},
		change("x", "remove the region", func(e *prepared) {
			if e.canHaveRegion() {
				e.SetRegion("")
			}
		}),
		change("d", "drop all unsaved changes", (*prepared).forget)))
}

func (m *Model) addAITags() tea.Cmd {
	return m.changeAll(m.Targets(), func(e *prepared) {
		if names := aiTags([]*prepared{e}); len(names) > 0 {
			e.SetList(tagField, edit.Replayed(e.Tags.Or(nil), nil, names))
		}
	})
}

// suggestMenu asks for a ratio and suggests regions for all pictures, to be reviewed one by one.
func (m *Model) suggestMenu() tea.Cmd {
	suggest := func(ratio picture.Ratio) tea.Cmd {
		of := m.withRegion()
		if len(of) == 0 {
			return page.Tell(page.Info, "None of these files is an image.")
		}
		return tea.Batch(m.Show(of[0]), m.drawRegion(), m.Region.SuggestAll(ratio))
	}
	rows := edit.RatioRows(picture.Ratio{}, suggest)
	free := func() tea.Cmd { return suggest(picture.Ratio{}) }
	rows[len(rows)-1] = kit.MenuRow{Key: "f", Label: "free", Do: free}
	return m.Open(kit.NewMenu("Ratio of the suggested regions", rows...))
}
