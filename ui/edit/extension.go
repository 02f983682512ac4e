package edit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// presets are the elements as they are marshaled.
var presets = []struct{ key, label, note, element string }{
	{"r", "remove background", "a transparent PNG of the same name", `{"name":"remove-bg"}`},
	{"s", "remove background, add a shadow", "a transparent PNG, too", `{"name":"remove-bg","options":{"add_shadow":true}}`},
	{"g", "find tags (Google)", "up to 10", `{"maxTags":10,"minConfidence":60,"name":"google-auto-tagging"}`},
	{"w", "find tags (AWS)", "up to 10", `{"maxTags":10,"minConfidence":60,"name":"aws-auto-tagging"}`},
	{"d", "write a description", "written by an AI", `{"name":"ai-auto-description"}`},
}

// chooseExtension opens a menu of common and saved extensions. Others can be typed by name or as
// JSON. do receives the choice. color is how the service spells the color of remove-bg. The command
// adds what the account offers, if from is an Offerer; what cannot be read is left out.
func chooseExtension(ctx context.Context, over *kit.Overlays, title, color string, from any,
	do func(api.Extension) tea.Cmd,
) tea.Cmd {
	menu := kit.NewMenu(title, extensionRows(over, nil, color, do)...)
	over.Open(menu)
	lister, ok := from.(Offerer)
	if !ok {
		return nil
	}
	return Within(ctx, lister.SavedExtensions, func(saved []api.SavedExtension) {
		menu.SetRows(extensionRows(over, saved, color, do)...)
	})
}

// Offerer lists the saved extensions of the account.
type Offerer interface {
	SavedExtensions(ctx context.Context) ([]api.SavedExtension, error)
}

func extensionRows(over *kit.Overlays, offered []api.SavedExtension, color string,
	do func(api.Extension) tea.Cmd,
) []kit.MenuRow {
	chosen := func(content string) tea.Cmd {
		e, _ := readExtension(content) // it was checked
		return do(e)
	}
	var rows []kit.MenuRow
	for _, p := range presets {
		rows = append(rows, kit.MenuRow{
			Key: p.key, Label: p.label, Note: p.note,
			Do: func() tea.Cmd { return chosen(p.element) },
		})
	}
	for _, saved := range offered {
		rows = append(rows, kit.MenuRow{
			Label: text.Safe(saved.Name), Note: text.Safe("saved: " + saved.Description),
			Do: func() tea.Cmd { return do(rule.SavedElement(&saved)) },
		})
	}
	ask := func() tea.Cmd { return askColor(over, color, do) }
	return append(rows,
		kit.MenuRow{Key: "c", Label: "color the background…", Note: "asks for the color", Do: ask},
		kit.MenuRow{Key: "o", Label: "another extension…", Note: "type its name or JSON", Do: func() tea.Cmd {
			p := kit.NewPrompt("Run an extension", "Type its name, or its JSON with all options.", "Extension", "", rule.RemoveBackground)
			p.Verb = "continue"
			p.Check = checkExtension
			p.Do = chosen
			return over.Open(p)
		}})
}

func checkExtension(content string) string {
	if _, err := readExtension(content); err != nil {
		return page.Explain(err)
	}
	return ""
}

// askColor asks for the color behind the picture. option is how the service spells it; empty for
// the spelling of the specification.
func askColor(over *kit.Overlays, option string, do func(api.Extension) tea.Cmd) tea.Cmd {
	p := kit.NewPrompt("Color of the background", "A name or a code, such as green or #00ff00.", "Color", "", "green")
	p.Check = func(typed string) string { return text.If(strings.TrimSpace(typed) == "", "Type a color.") }
	p.Do = func(typed string) tea.Cmd {
		color := map[string]json.RawMessage{cmp.Or(option, "bg_colour"): rule.JSON(strings.TrimSpace(typed))}
		return do(api.Extension{Name: rule.RemoveBackground, Options: color})
	}
	return over.Open(p)
}

func readExtension(content string) (api.Extension, error) {
	list, err := rule.ParseExtensionList([]string{content})
	switch {
	case err != nil:
		return api.Extension{}, err
	case len(list) != 1:
		return api.Extension{}, &api.RuleError{
			Field: "extensions", Message: fmt.Sprintf("%d extensions given", len(list)), Help: "Give only one.",
		}
	}
	return list[0], nil
}

// Extend offers extensions and runs the chosen one on each file.
func (g *Manage) Extend(files []api.File) tea.Cmd {
	what := FilesLabel(files)
	title := "Run an extension on " + text.Safe(what)
	return chooseExtension(g.Context, g.Over, title, "", g.Session, func(e api.Extension) tea.Cmd {
		lines := []string{effectOf(e.Name, text.Either(len(files) == 1, "The", "Each")) + text.If(!g.Profile.Local, " It may cost units of your account.")}
		if g.Profile.Receiver == "" {
			lines = append(lines, "The service cannot reach this computer. The result is found by polling the file; failures go unreported.")
		}
		work := Work{
			Label: "Requesting " + e.Name, Done: "Requested “" + LabelExtension(e) + "” for " + what + ". Press 3 to see its progress.", Files: files,
			Do: func(ctx context.Context, t *Task) []session.Edited {
				return g.Session.ExtendAll(ctx, files, []api.Extension{e}, t.Count)
			},
		}
		return page.Confirm(text.Capital(LabelExtension(e))+" on "+what+"?", strings.Join(lines, "\n"),
			page.Choice{Label: "Cancel", Key: "k"},
			page.Choice{
				Label: "Run it", Key: "r", Default: len(files) == 1 || g.Profile.Local,
				Do: func() tea.Cmd { return g.Run(work) },
			})
	})
}

// effectOf says what an extension does with a file; the is "The" or "Each".
func effectOf(extension, the string) string {
	switch {
	case extension == rule.RemoveBackground:
		return the + " file gets a new version without its background, as a PNG. Its name, tags and region stay."
	case rule.IsTagging(extension):
		return "The AI tags of this extension are replaced. Other tags stay."
	case extension == rule.AutoDescription:
		return the + " file gets a description."
	case extension == rule.AITasks:
		return the + " file gets tags or custom metadata by the answers."
	case extension == rule.SavedExtension:
		return "This extension is defined in your account."
	}
	return "mediadesk does not know what this extension does."
}

// ExtensionList edits the extensions that run on the targets of a form.
type ExtensionList struct {
	form *Form
	o    *FieldOptions
}

func (x ExtensionList) get(i int) []api.Extension { return x.form.Entry(i).Extensions.Or(nil) }

// LabelExtension formats an extension for reading, as the menu names it or with its options:
// "find tags (Google)", "google-auto-tagging (maxTags 10)".
func LabelExtension(e api.Extension) string {
	words, err := json.Marshal(e)
	var members, options map[string]json.RawMessage
	if err != nil || json.Unmarshal(words, &members) != nil {
		return e.Name
	}
	for _, p := range presets {
		if string(words) == p.element {
			return p.label
		}
	}
	if json.Unmarshal(members["options"], &options) == nil {
		delete(members, "options")
		maps.Copy(members, options)
	}
	delete(members, "name")
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if len(members) == 1 && strings.HasPrefix(key, "bg_col") {
			return "color the background " + rule.PlainValue(members[key])
		}
		parts = append(parts, key+" "+rule.PlainValue(members[key]))
	}
	if len(parts) == 0 {
		return e.Name
	}
	return e.Name + " (" + strings.Join(parts, ", ") + ")"
}

// LabelRun names the extension of a run as the menu does, if its options are known.
func LabelRun(run *job.Run) string {
	if run.Requested == nil {
		return run.Extension
	}
	return LabelExtension(*run.Requested)
}

// AITags lists the AI tags of a file with their confidence in percent, with blanks at which no line breaks.
func AITags(f *api.File) []string {
	return rule.Mapped(f.AITags.Or(nil), func(t api.AITag) string {
		return strings.ReplaceAll(fmt.Sprintf("%s %.0f %%", t.Name, t.Confidence), " ", "\u00a0")
	})
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
				Label: LabelExtension(e), Note: OfMany(n, len(x.form.Targets())),
				Do: func() tea.Cmd { return x.edit(e) },
			})
		}
		menu.SetRows(rows...)
	}
	change := func(do func(list []api.Extension, at int) []api.Extension) func() tea.Cmd {
		return func() tea.Cmd {
			all := x.all()
			x.change(all[slices.IndexFunc(all, func(e api.Extension) bool {
				return LabelExtension(e) == menu.Row().Label
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
	return x.o.Over.Open(menu)
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
		return LabelExtension(other) == LabelExtension(e)
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
	p := kit.NewPrompt("Options of "+text.Safe(e.Name), "Its name, or its JSON with all options.", "Extension", string(words), "")
	p.Check = checkExtension
	p.Do = func(typed string) tea.Cmd {
		to, _ := readExtension(typed) // it was checked
		x.change(e, func(list []api.Extension, at int) []api.Extension { list[at] = to; return list })
		return nil
	}
	return x.o.Over.Open(p)
}

// Add offers extensions. The chosen one replaces an extension of the same name in the targets.
func (x ExtensionList) Add() tea.Cmd {
	add := func(e api.Extension) tea.Cmd {
		for _, i := range x.form.Targets() {
			list := slices.DeleteFunc(slices.Clone(x.get(i)), func(other api.Extension) bool {
				return rule.CheckExtensions([]api.Extension{other, e}) != nil
			})
			x.form.Entry(i).SetExtensions(append(list, e))
		}
		x.form.changed()
		return nil
	}
	return chooseExtension(x.o.Context, x.o.Over, "Add an extension", x.o.Color, x.o.Offers, add)
}
