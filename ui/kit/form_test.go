package kit

import (
	"errors"
	"image"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/theme"
)

func pressForm(f *Form, keys ...string) {
	for _, k := range keys {
		if f.Type(KeyMsg(k)) {
			continue
		}
		i := slices.IndexFunc(f.Actions(""), func(a Action) bool { return key.Matches(KeyMsg(k), a.Keys) })
		if i >= 0 {
			f.Actions("")[i].Do()
		}
	}
}

func TestFormOfOneChoice(t *testing.T) {
	var chosen, taken string
	form := func() *Form {
		chosen, taken = "a", ""
		return NewForm("choose", func() tea.Cmd { taken = chosen; return nil }, &Question{
			Value: &chosen, Options: []Option{{"a", "one", "a", "the first"}, {"b", "two", "b", ""}, {"c", "three", "c", ""}},
			Check: func() error {
				if chosen == "b" {
					return errors.New("not yet")
				}
				return nil
			},
		})
	}
	for keys, want := range map[string]string{"enter": "a", "down down space": "c", "c": "c", "b": "", "j enter": "", "tab shift+tab l": "a"} {
		f := form()
		if pressForm(f, strings.Fields(keys)...); taken != want {
			t.Errorf("%s took %q, want %q", keys, taken, want)
		}
	}
	f := form()
	s := NewSheet(image.Pt(40, 20), 40)
	f.Draw(s, theme.New(true, false))
	if out := ansi.Strip(s.View(theme.New(true, true))); !strings.Contains(out, "> one") ||
		!strings.Contains(out, "the first") {
		t.Errorf("drawn:\n%s", out)
	}
	if f.Click(s.StopAt(3, 2*f.cardLines)); taken != "c" {
		t.Errorf("a click took %q, want c", taken)
	}
}

func TestForm(t *testing.T) {
	name, kind, secret, done := "", "x", "", false
	f := NewForm("save", func() tea.Cmd { done = true; return nil },
		&Question{
			Label: "Kind", Value: &kind, Options: []Option{{Value: "x", Label: "ex"}, {Value: "y", Label: "why"}},
		},
		&Question{Label: "Name", Value: &name, Check: func() error {
			if name == "" {
				return errors.New("a name is missing")
			}
			return nil
		}},
		&Question{Label: "Secret", Value: &secret, Secret: true, Hide: func() bool { return kind == "x" }})
	draw := func() string {
		s := NewSheet(image.Pt(60, 20), 60)
		f.Draw(s, theme.New(true, true))
		return ansi.Strip(s.View(theme.New(true, true)))
	}
	if out := draw(); strings.Contains(out, "missing") || strings.Contains(out, "Secret") {
		t.Errorf("at first:\n%s", out)
	}
	if pressForm(f, "ctrl+s"); done || f.At().Label != "Name" ||
		!strings.Contains(draw(), "A name is missing.") {
		t.Errorf("without a name the focus is on %s:\n%s", f.At().Label, draw())
	}
	pressForm(f, "a", "b", "up", "right", "down", "down", "s", "3")
	if out := draw(); name != "ab" || kind != "y" || secret != "s3" || strings.Contains(out, "s3") ||
		!strings.Contains(out, "**") {
		t.Errorf("name %q, kind %q, secret %q:\n%s", name, kind, secret, out)
	}
	if pressForm(f, "enter"); !done {
		t.Error("enter on the last line does not end the form")
	}
}
