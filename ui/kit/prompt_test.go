package kit_test

import (
	"image"
	"strings"
	"testing"

	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestPrompt(t *testing.T) {
	p := kit.NewPrompt("Rename", "A new name.", "a.jpg")
	p.Check = func(s string) string {
		if s == "" {
			return "A name is needed."
		}
		return ""
	}
	press := func(keys ...string) int {
		last := kit.PromptOpen
		for _, k := range keys {
			last = p.Update(kit.KeyMsg(k))
		}
		return last
	}
	if press("ctrl+u", "enter") != kit.PromptOpen {
		t.Error("a text that is wrong was taken")
	}
	if !strings.Contains(p.View(image.Pt(60, 10), theme.New(true, false)), "A name is needed.") {
		t.Error("what is wrong is not said")
	}
	if press("b", "q", "enter") != kit.PromptTaken || p.Value() != "bq" {
		t.Errorf("took %q", p.Value())
	}
	if press("esc") != kit.PromptClosed {
		t.Error("esc does not leave")
	}
	p = kit.NewLongPrompt("Description", "", "one")
	if press("enter", "2", "ctrl+s") != kit.PromptTaken || p.Value() != "one\n2" {
		t.Errorf("took %q", p.Value())
	}
}

func TestPromptStaysInside(t *testing.T) {
	for _, p := range []*kit.Prompt{
		kit.NewPrompt("名前\x1b[31m", strings.Repeat("long words ", 40), strings.Repeat("値", 90)),
		kit.NewLongPrompt("Text", "", strings.Repeat("line\n", 40)),
	} {
		p.Check = func(string) string { return strings.Repeat("wrong ", 30) }
		uitest.Sweep(t, func(w, h int, th *theme.Theme) string { return p.View(image.Pt(w, h), th) })
	}
}
