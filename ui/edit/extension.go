package edit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

var presets = []struct{ key, label, note, element string }{
	{"r", "remove the background", "cut out on transparency", `{"name":"remove-bg"}`},
	{"s", "remove the background, add a shadow", "cut out, with a shadow below", `{"name":"remove-bg","options":{"add_shadow":true}}`},
	{"g", "find tags (Google)", "up to 10, at least 60 % sure", `{"name":"google-auto-tagging","maxTags":10,"minConfidence":60}`},
	{"w", "find tags (AWS)", "up to 10, at least 60 % sure", `{"name":"aws-auto-tagging","maxTags":10,"minConfidence":60}`},
	{"d", "describe it", "an AI writes the description", `{"name":"ai-auto-description"}`},
}

// chooseExtension opens a menu of common and saved extensions. Others can be typed by name or as
// JSON. do receives the choice. color is how the service spells the color of remove-bg. The command
// adds what the account offers, if from is an Offerer; what cannot be read is left out.
func chooseExtension(ctx context.Context, over *kit.Overlays, title, color string, from any,
	do func(api.Extension) tea.Cmd,
) tea.Cmd {
	o := offers{color: color}
	menu := kit.NewMenu(title, extensionRows(over, o, do)...)
	over.Open(menu)
	lister, ok := from.(Offerer)
	if !ok {
		return nil
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		saved, _ := lister.SavedExtensions(ctx) // the menu works without them
		return page.Do(func() {
			o.saved = saved
			menu.SetRows(extensionRows(over, o, do)...)
		})
	}
}

// Offerer lists the saved extensions of the account.
type Offerer interface {
	SavedExtensions(ctx context.Context) ([]api.Saved, error)
}

// offers are the choices of an account.
type offers struct {
	saved []api.Saved
	color string // how the service spells the color of remove-bg
}

func extensionRows(over *kit.Overlays, offers offers, do func(api.Extension) tea.Cmd) []kit.MenuRow {
	chosen := func(content string) tea.Cmd {
		e, err := readExtension(content)
		if err != nil {
			return nil
		}
		return do(e)
	}
	var rows []kit.MenuRow
	for _, p := range presets {
		rows = append(rows, kit.MenuRow{
			Key: p.key, Label: p.label, Note: p.note,
			Do: func() tea.Cmd { return chosen(p.element) },
		})
	}
	for _, saved := range offers.saved {
		rows = append(rows, kit.MenuRow{Label: text.Safe(saved.Name), Note: text.Safe("saved: " + saved.Description), Do: func() tea.Cmd { return do(rule.SavedElement(&saved)) }})
	}
	return append(rows,
		kit.MenuRow{Key: "c", Label: "replace the background by a color…", Note: "cut out on that color", Do: func() tea.Cmd { return askColor(over, offers.color, do) }},
		kit.MenuRow{Key: "o", Label: "another, or other options…", Note: "type its name or JSON", Do: func() tea.Cmd {
			p := kit.NewPrompt("Run an extension", "Type its name, or its JSON with all options.", presets[2].element, "")
			p.Verb = "continue"
			p.Check = checkExtension
			p.Do = chosen
			over.Open(p)
			return nil
		}})
}

func checkExtension(content string) string {
	if _, err := readExtension(content); err != nil {
		return err.Error()
	}
	return ""
}

// askColor asks for the color behind the picture. option is how the service spells it; empty for
// the spelling of the specification.
func askColor(over *kit.Overlays, option string, do func(api.Extension) tea.Cmd) tea.Cmd {
	p := kit.NewPrompt("Color of the background", "A name or a code, such as green or #00ff00.", "", "green")
	p.Check = func(typed string) string { return text.If(strings.TrimSpace(typed) == "", "Type a color.") }
	p.Do = func(typed string) tea.Cmd {
		return do(api.Extension{Name: rule.RemoveBackground, Options: map[string]json.RawMessage{cmp.Or(option, "bg_colour"): jsonText(strings.TrimSpace(typed))}})
	}
	over.Open(p)
	return nil
}

func readExtension(content string) (api.Extension, error) {
	list, err := rule.ParseExtensionList([]string{content})
	switch {
	case err != nil:
		return api.Extension{}, err
	case len(list) != 1:
		return api.Extension{}, &api.RuleError{Field: "extensions", Message: fmt.Sprintf("%d extensions given", len(list)), Help: "Give only one."}
	}
	return list[0], nil
}

// Extend offers extensions and runs the chosen one on each file.
func (g *Manage) Extend(files []api.File) tea.Cmd {
	what := FilesLabel(files)
	return chooseExtension(g.Context, g.Over, "Run an extension on "+text.Safe(what), "", g.Session, func(e api.Extension) tea.Cmd {
		options, err := json.MarshalIndent(e, "", "  ")
		if err != nil {
			return page.Send(page.Problem(err))
		}
		lines := []string{string(options), "", effectOf(e.Name) + " It may cost units of your account."}
		if g.Profile.Receiver == "" {
			lines = append(lines, "The service cannot reach this computer. The result is found by polling the file; failures go unreported.")
		}
		work := Work{
			Label: "Requesting " + e.Name, Done: "Requested " + e.Name + " for " + what + ". Screen 3 shows its progress.", Files: files,
			Do: func(ctx context.Context, t *Task) []session.Edited {
				return g.Session.ExtendAll(ctx, files, []api.Extension{e}, t.Count)
			},
		}
		return page.Confirm("Run "+e.Name+" on "+what+"?", strings.Join(lines, "\n"),
			page.Choice{Label: "Cancel", Key: "k"},
			page.Choice{
				Label: "Run it", Key: "r", Default: len(files) == 1, Danger: len(files) > 1,
				Do: func() tea.Cmd { return g.Run(work) },
			})
	})
}

func effectOf(extension string) string {
	switch {
	case extension == rule.RemoveBackground:
		return "A file gets a new version without its background. Its name, tags and region stay."
	case rule.IsTagging(extension):
		return "The AI tags of this extension are replaced. Other tags stay."
	case extension == rule.AutoDescription:
		return "A file gets a description."
	case extension == rule.AITasks:
		return "A file gets tags or custom metadata by the answers."
	case extension == rule.SavedExtension:
		return "This extension is defined in your account."
	}
	return "mediadesk does not know what this extension does."
}
