package edit

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
)

// presets are extensions that are offered with usual options.
var presets = []struct{ key, label, element string }{
	{"r", "remove the background", `{"name":"remove-bg"}`},
	{"s", "remove the background, add a shadow", `{"name":"remove-bg","options":{"add_shadow":true}}`},
	{"g", "find tags (Google)", `{"name":"google-auto-tagging","maxTags":10,"minConfidence":60}`},
	{"w", "find tags (AWS)", `{"name":"aws-auto-tagging","maxTags":10,"minConfidence":60}`},
	{"d", "describe it", `{"name":"ai-auto-description"}`},
}

// ChooseExtension opens a menu of extensions with usual options over a screen;
// another one is typed, by its name or as JSON. do follows with the choice.
func ChooseExtension(over *kit.Overlays, title string, do func(api.Extension) tea.Cmd) {
	chosen := func(text string) tea.Cmd {
		e, err := readExtension(text)
		if err != nil {
			return nil // the prompt takes no such text
		}
		return do(e)
	}
	rows := make([]kit.MenuRow, 0, len(presets)+1)
	for _, p := range presets {
		rows = append(rows, kit.MenuRow{Key: p.key, Label: p.label, Note: p.element, Do: func() tea.Cmd { return chosen(p.element) }})
	}
	over.Open(kit.NewMenu(title, append(rows, kit.MenuRow{Key: "o", Label: "another, or other options…", Do: func() tea.Cmd {
		p := kit.NewPrompt("Run an extension", "Type its name, or its JSON with all options.", presets[2].element, "")
		p.Verb = "go on"
		p.Check = func(text string) string {
			if _, err := readExtension(text); err != nil {
				return err.Error()
			}
			return ""
		}
		p.Do = chosen
		over.Open(p)
		return nil
	}})...))
}

// readExtension reads one extension: its name, or its element as JSON.
func readExtension(text string) (api.Extension, error) {
	list, err := api.ParseExtensionList([]string{text})
	switch {
	case err != nil:
		return api.Extension{}, err
	case len(list) != 1:
		return api.Extension{}, &api.RuleError{Field: "extensions", Message: fmt.Sprintf("these are %d extensions", len(list)), Help: "Give one."}
	}
	return list[0], nil
}
