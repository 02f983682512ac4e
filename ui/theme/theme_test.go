package theme

import (
	"image/color"
	"math"
	"reflect"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/width"
)

// ratio is the contrast of two colours as the accessibility guidelines of the
// web compute it.
func ratio(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (math.Max(la, lb) + 0.05) / (math.Min(la, lb) + 0.05)
}

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.03928 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

func TestColoursCanBeRead(t *testing.T) {
	for name, p := range map[string]palette{"dark": darkPalette, "light": lightPalette} {
		grounds := []string{p.ground}
		if name == "dark" {
			grounds = append(grounds, "#000000")
		}
		for _, ground := range grounds {
			for role, c := range map[string]string{
				"muted": p.muted, "accent": p.accent, "good": p.good, "warn": p.warn, "bad": p.bad, "marked": p.marked,
			} {
				if got := ratio(lipgloss.Color(c), lipgloss.Color(ground)); got < 4.5 {
					t.Errorf("%s: %s has contrast %.1f on %s, 4.5 is needed", name, role, got, ground)
				}
			}
			if got := ratio(lipgloss.Color(p.line), lipgloss.Color(ground)); got < 2 {
				t.Errorf("%s: lines have contrast %.1f on %s, 2 is needed", name, got, ground)
			}
		}
		for role, pair := range map[string][2]string{
			"raised": {p.raised, p.raisedText}, "placeholder": {p.raised, p.muted}, "selected": {p.selected, p.selectedText},
			"placeholder under the cursor": {p.selected, p.muted}, "strong": {p.strong, p.strongText},
		} {
			least := 4.5
			if role == "placeholder under the cursor" {
				least = 3 // an example, not a text to be read
			}
			if got := ratio(lipgloss.Color(pair[0]), lipgloss.Color(pair[1])); got < least {
				t.Errorf("%s: %s has contrast %.1f, %.1f is needed", name, role, got, least)
			}
		}
	}
}

// Every style is set, and none carries a colour where there are to be none.
func TestEveryRoleHasItsStyle(t *testing.T) {
	for _, c := range []struct {
		name        string
		dark, color bool
	}{{"dark", true, true}, {"light", false, true}, {"no colour", true, false}} {
		th := New(c.dark, c.color)
		styled := 0
		v := reflect.ValueOf(*th)
		for i := range v.NumField() {
			style, ok := v.Field(i).Interface().(lipgloss.Style)
			if !ok {
				continue
			}
			drawn := style.Render("x")
			if ansi.Strip(drawn) != "x" {
				t.Errorf("%s: %s changes the text or its size: %q", c.name, v.Type().Field(i).Name, drawn)
			}
			if got := ansi.Strip(style.Render("e\u0301")); got != "e\u0301" || style.GetUnderline() {
				t.Errorf("%s: %s takes letters from their marks", c.name, v.Type().Field(i).Name)
			}
			if drawn != "x" {
				styled++
			}
			colourless := style.GetForeground() == lipgloss.NoColor{} && style.GetBackground() == lipgloss.NoColor{}
			if !c.color && !colourless {
				t.Errorf("%s: %s has a colour", c.name, v.Type().Field(i).Name)
			}
		}
		if styled < 15 {
			t.Errorf("%s: only %d roles differ from plain text", c.name, styled)
		}
	}
}

// Without colour the things that must be told apart still differ.
func TestNoColourTellsApart(t *testing.T) {
	th := New(true, false)
	for name, pair := range map[string][2]lipgloss.Style{
		"cursor row":     {th.Text, th.Selected},
		"cursor, dimmed": {th.Selected, th.SelectedDim},
		"tab":            {th.Tab, th.TabActive},
		"chip":           {th.Chip, th.ChipFocus},
		"button":         {th.Button, th.ButtonFocus},
		"field":          {th.Field, th.FieldFocus},
		"border":         {th.Border, th.BorderFocus},
		"difference":     {th.Added, th.Removed},
	} {
		if pair[0].Render("x") == pair[1].Render("x") {
			t.Errorf("%s: both are drawn %q", name, pair[0].Render("x"))
		}
	}
}

func TestSignsAreNarrowEverywhere(t *testing.T) {
	for _, color := range []bool{true, false} {
		th := New(true, color)
		for s := SignNone; s < signCount; s++ {
			g := th.Glyph(s)
			r := []rune(g)
			if len(r) != 1 || ansi.StringWidth(g) != 1 {
				t.Fatalf("sign %d is %q, not one cell", s, g)
			}
			if kind := width.LookupRune(r[0]).Kind(); kind != width.Neutral && kind != width.EastAsianNarrow {
				t.Errorf("sign %d, %q, is wide in some terminals", s, g)
			}
			if !color && r[0] > 0x7e {
				t.Errorf("sign %d, %q, is no ASCII", s, g)
			}
			if ansi.Strip(th.Sign(s)) != g {
				t.Errorf("sign %d is drawn %q", s, th.Sign(s))
			}
		}
		if th.Glyph(-1) != " " || th.Glyph(signCount) != " " {
			t.Error("signs out of range are not blank")
		}
		done, rest := th.BarGlyphs()
		if done == rest || ansi.StringWidth(done) != 1 || ansi.StringWidth(rest) != 1 {
			t.Errorf("bar of %q and %q", done, rest)
		}
	}
}
