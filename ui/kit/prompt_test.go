package kit_test

import (
	"image"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestPrompt(t *testing.T) {
	p := kit.NewPrompt("Rename", "A new name.", "Name", "a.jpg", "")
	p.Check = func(s string) string {
		if s == "" {
			return "A name is needed."
		}
		return ""
	}
	took := "nothing"
	take := func(text string) tea.Cmd { took = text; return nil }
	p.Do = take
	if press(p, "ctrl+u", "enter"); p.Closed() || took != "nothing" {
		t.Error("a wrong text was accepted")
	}
	uitest.Shows(t, p.View(image.Pt(60, 10), theme.New(true, false)), "A name is needed.")
	if press(p, "b", "q", "enter"); !p.Closed() || took != "bq" {
		t.Errorf("accepted %q", took)
	}
	p = kit.NewPrompt("Rename", "", "Name", "a.jpg", "")
	p.Do = take
	if press(p, "esc"); !p.Closed() || took != "bq" {
		t.Error("esc does not leave")
	}
	p = kit.NewLongPrompt("Description", "", "one")
	p.Do = take
	if press(p, "enter", "2", "ctrl+s"); took != "one\n2" {
		t.Errorf("accepted %q", took)
	}
}

func TestPromptStaysInside(t *testing.T) {
	for _, p := range []*kit.Prompt{
		kit.NewPrompt("名前\x1b[31m", strings.Repeat("long words ", 40), "値", strings.Repeat("値", 90), ""),
		kit.NewLongPrompt("Text", "", strings.Repeat("line\n", 40)),
	} {
		p.Check = func(string) string { return strings.Repeat("wrong ", 30) }
		uitest.Sweep(t, func(w, h int, th *theme.Theme) string { return p.View(image.Pt(w, h), th) })
	}
}
