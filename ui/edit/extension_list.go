package edit

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// ExtensionList edits the extensions that run on the targets of a form.
type ExtensionList struct {
	form *Form
	o    *FieldOptions
}

func (x ExtensionList) get(i int) []api.Extension { return x.form.Entry(i).Extensions.Or(nil) }

func extensionLabel(e api.Extension) string {
	words, err := json.Marshal(e)
	var members, options map[string]json.RawMessage
	if err != nil || json.Unmarshal(words, &members) != nil {
		return e.Name
	}
	if json.Unmarshal(members["options"], &options) == nil {
		delete(members, "options")
		maps.Copy(members, options)
	}
	delete(members, "name")
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(members)) {
		parts = append(parts, key+" "+rule.PlainValue(members[key]))
	}
	if len(parts) == 0 {
		return e.Name
	}
	return e.Name + " (" + strings.Join(parts, ", ") + ")"
}

// open lists the extensions of the targets, or offers some if there are none.
func (x ExtensionList) open() tea.Cmd {
	if len(x.all()) == 0 {
		return x.Add()
	}
	menu := kit.NewMenu("Extensions, in the order in which they run")
	fill := func() {
		var rows []kit.MenuRow
		for _, e := range x.all() {
			n := 0
			for _, i := range x.form.Targets() {
				if has(x.get(i), e) >= 0 {
					n++
				}
			}
			rows = append(rows, kit.MenuRow{
				Label: extensionLabel(e), Note: OfMany(n, len(x.form.Targets())),
				Do: func() tea.Cmd { return x.edit(e) },
			})
		}
		menu.SetRows(rows...)
	}
	change := func(do func(list []api.Extension, at int) []api.Extension) func() tea.Cmd {
		return func() tea.Cmd {
			all := x.all()
			x.change(all[slices.IndexFunc(all, func(e api.Extension) bool {
				return extensionLabel(e) == menu.Row().Label
			})], do)
			if fill(); len(x.all()) == 0 {
				return menu.Close()
			}
			return nil
		}
	}
	id := x.form.ID + ".extension-"
	menu.Beside = []kit.Action{
		{ID: id + "add", Keys: kit.Bind("add an extension", "", "a"), Group: "Extensions", Footer: true, Do: func() tea.Cmd { menu.Close(); return x.Add() }},
		{ID: id + "remove", Keys: kit.Bind("remove", "", "d"), Group: "Extensions", Footer: true, Do: change(func(list []api.Extension, at int) []api.Extension { return slices.Delete(list, at, at+1) })},
	}
	fill()
	x.o.Over.Open(menu)
	return nil
}

func (x ExtensionList) all() []api.Extension {
	var all []api.Extension
	for _, i := range x.form.Targets() {
		for _, e := range x.get(i) {
			if has(all, e) < 0 {
				all = append(all, e)
			}
		}
	}
	return all
}

func has(list []api.Extension, e api.Extension) int {
	return slices.IndexFunc(list, func(other api.Extension) bool {
		return extensionLabel(other) == extensionLabel(e)
	})
}

func (x ExtensionList) change(e api.Extension, do func(list []api.Extension, at int) []api.Extension) {
	for _, i := range x.form.Targets() {
		list := slices.Clone(x.get(i))
		if at := has(list, e); at >= 0 {
			x.form.Entry(i).SetExtensions(do(list, at))
		}
	}
	x.form.changed()
}

// edit asks for the options of an extension as JSON.
func (x ExtensionList) edit(e api.Extension) tea.Cmd {
	words, err := json.Marshal(e)
	if err != nil {
		return page.Send(page.Problem(err))
	}
	p := kit.NewPrompt("Options of "+text.Safe(e.Name), "Its name, or its JSON with all options.", string(words), "")
	p.Check = checkExtension
	p.Do = func(typed string) tea.Cmd {
		to, _ := readExtension(typed) // it was checked
		x.change(e, func(list []api.Extension, at int) []api.Extension { list[at] = to; return list })
		return nil
	}
	x.o.Over.Open(p)
	return nil
}

// Add offers extensions. The chosen one replaces an extension of the same name in the targets.
func (x ExtensionList) Add() tea.Cmd {
	return chooseExtension(x.o.Context, x.o.Over, "Add an extension", x.o.Color, x.o.Offers, func(e api.Extension) tea.Cmd {
		for _, i := range x.form.Targets() {
			list := slices.DeleteFunc(slices.Clone(x.get(i)),
				func(other api.Extension) bool { return rule.CheckExtensions([]api.Extension{other, e}) != nil })
			x.form.Entry(i).SetExtensions(append(list, e))
		}
		x.form.changed()
		return nil
	})
}
