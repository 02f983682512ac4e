package kit_test

import (
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

const hostile = "день 1 — naïve 写真写真写真 👍🏽 e\u0301\u0301\u0301\u0301\u0301\u0301 \x1b[31m\u202egpj.exe\n\xff.jpeg"

func actions() []kit.Action {
	return []kit.Action{
		{Keys: kit.Bind("send "+hostile, "", "ctrl+s"), Footer: true, Group: "Tray"},
		{Keys: kit.Bind("remove", "", "d"), Footer: true, Group: "Tray", Disabled: reason("the tray is empty " + hostile)},
		{Keys: kit.Bind("quit", "", "q"), Footer: true, Group: hostile},
	}
}

func TestEverythingStaysInside(t *testing.T) {
	now := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	views := map[string]func(size image.Point, th *theme.Theme) string{
		"box": func(size image.Point, th *theme.Theme) string {
			return kit.BoxFooter(text.Safe(hostile), "footer", strings.Repeat("long line\n", 80), size, true,
				th)
		},
		"too small": kit.TooSmall,
		"hints":     func(size image.Point, th *theme.Theme) string { return kit.Hints(actions(), size.X, th) },
		"help": func(size image.Point, th *theme.Theme) string {
			return kit.NewHelp(hostile, actions()).View(size, th)
		},
		"help over a screen": func(size image.Point, th *theme.Theme) string {
			base := text.Fit(strings.Repeat("写真", 200), size.X, size.Y)
			return kit.OverlayCenter(base, kit.NewHelp("Help", actions()).View(size, th))
		},
		"list": func(size image.Point, th *theme.Theme) string {
			var l kit.Lines
			l.SetLen(1000)
			return l.View(size,
				func(i, w int, selected bool) string { return th.Selected.Render(text.Safe(hostile)) })
		},
		"field": func(size image.Point, th *theme.Theme) string {
			f := &kit.Field{Label: hostile, Placeholder: hostile}
			f.Focus()
			f.SetValue(hostile)
			return f.View(size.X, th)
		},
		"empty field": func(size image.Point, th *theme.Theme) string {
			f := &kit.Field{Label: "Name", Placeholder: hostile}
			f.Focus()
			return f.View(size.X, th)
		},
		"text area": func(size image.Point, th *theme.Theme) string {
			a := kit.NewTextArea()
			a.Focus()
			a.SetValue(strings.Repeat(hostile+"\n", 9))
			return a.View(size, th)
		},
		"chips": func(size image.Point, th *theme.Theme) string {
			c := &kit.Chips{Placeholder: hostile}
			c.Complete = func(string) []string { return []string{"b " + hostile, hostile + "c"} }
			c.SetValue([]string{"a", hostile, "写真"})
			c.Focus()
			c.Update(kit.KeyMsg("x"))
			return c.View(size, th)
		},
		"select": func(size image.Point, th *theme.Theme) string {
			return (&kit.Select{Options: []string{"name", hostile}}).View(size.X, th)
		},
		"dialog": func(size image.Point, th *theme.Theme) string {
			d := kit.NewDialog(func() time.Time { return now }, hostile, strings.Repeat(hostile+" ", 9),
				kit.Choice{Label: "Keep", Key: "n"}, kit.Choice{Label: hostile, Key: "y", Danger: true})
			return d.View(size, th)
		},
		"messages": func(size image.Point, th *theme.Theme) string {
			messages := kit.NewMessages(func() time.Time { return now })
			for level := kit.Info; level <= kit.Tip; level++ {
				messages.Push(kit.Message{
					Level: level, Text: fmt.Sprint(level, strings.Repeat(hostile, 3)), Detail: hostile,
				})
			}
			if size.Y == 1 {
				return messages.Line(size.X, "!", th)
			}
			return messages.History(nil, nil, th).View(size, th)
		},
		"reader": func(size image.Point, th *theme.Theme) string {
			return kit.NewReader(hostile, strings.Repeat(hostile+"\n", 40)).View(size, th)
		},
		"progress": func(size image.Point, th *theme.Theme) string {
			return kit.Progress{Done: 1 << 40, Total: 1 << 41}.Bar(size.X, th)
		},
	}
	for name, view := range views {
		t.Run(name, func(t *testing.T) {
			uitest.Sweep(t, func(w, h int, th *theme.Theme) string { return view(image.Pt(w, h), th) })
			// A size of zero must not fail.
			for _, th := range uitest.Themes() {
				for _, size := range []image.Point{{}, {0, 5}, {5, 0}, {-1, -1}} {
					if got := view(size, th); size.X < 1 && ansi.Strip(got) != "" {
						t.Errorf("%v holds %q", size, got)
					}
				}
			}
		})
	}
}

func TestModes(t *testing.T) {
	for size, want := range map[image.Point]kit.Mode{
		{39, 12}: kit.Tiny, {40, 11}: kit.Tiny, {40, 12}: kit.Narrow, {59, 40}: kit.Narrow,
		{60, 12}: kit.Stacked, {99, 30}: kit.Stacked, {100, 12}: kit.Wide, {200, 60}: kit.Wide, {0, 0}: kit.Tiny,
	} {
		mediatest.Equal(t, kit.ModeOf(size), want, "%v", size)
	}
	mediatest.Equal(t, kit.ModeOfWidth(100), kit.Wide, "a rectangle of 100 columns is not wide")
	th := theme.New(true, true)
	if got := ansi.Strip(kit.TooSmall(pt(39, 11), th)); !strings.Contains(got, "40x12") ||
		!strings.Contains(got, "39x11") {
		t.Errorf("shows %q", got)
	}
	mediatest.Equal(t, ansi.Strip(kit.TooSmall(pt(5, 1), th)), "40x12", "shows")
}
