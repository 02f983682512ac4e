package ui

import (
	"image"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mediadesk/config"
)

// looks are the themes and the numbers of colors of a terminal.
var looks = []struct {
	name   string
	theme  config.Theme
	ground string
	depth  colorprofile.Profile
}{
	{"dark", config.ThemeAuto, "#000000", colorprofile.TrueColor},
	{"light", config.ThemeAuto, "#ffffff", colorprofile.TrueColor},
	{"high-contrast", config.ThemeHighContrast, "#000000", colorprofile.TrueColor},
	{"256-colours", config.ThemeAuto, "#000000", colorprofile.ANSI256},
	{"16-colours", config.ThemeAuto, "#000000", colorprofile.ANSI},
	{"no-colour", config.ThemeAuto, "#000000", colorprofile.ASCII},
}

// lookSizes are the terminals: side by side, stacked, one column.
var lookSizes = []image.Point{{120, 36}, {80, 24}, {40, 12}}

// changing is what differs from run to run: folders, file ids whole or cut.
var changing = regexp.MustCompile(`/desk-\d{8}|\b\d{8}/|\b[0-9a-f]{24}\b|\b[0-9a-f]{3,}…[0-9a-f]{3,}\b`)

// same writes 0 for each letter that may differ.
func same(found string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789abcdef", r) {
			return '0'
		}
		return r
	}, found)
}

// moments are dates, with the blanks up to what follows.
var moments = regexp.MustCompile(`\b\d{1,2} [A-Z][a-z]{2} 20\d\d \d\d:\d\d *`)

// brokenDates are the two ends of a date that does not fit in its line.
var brokenDates = regexp.MustCompile(`· \d{1,2} *│|│ +[A-Z][a-z]{2} 20\d\d\b`)

// unchanging is a drawing with the same signs for all that changes.
func unchanging(drawing string) string {
	drawing = moments.ReplaceAllStringFunc(drawing, func(found string) string {
		const moment = "00 Xxx 0000 00:00"
		return moment + strings.Repeat(" ", max(0, len(found)-len(moment)))
	})
	drawing = brokenDates.ReplaceAllStringFunc(drawing, func(found string) string {
		if strings.HasPrefix(found, "·") {
			return "· 00" + strings.Repeat(" ", utf8.RuneCountInString(found)-5) + "│"
		}
		return found[:len(found)-len("Xxx 0000")] + "Xxx 0000"
	})
	return changing.ReplaceAllStringFunc(drawing, same)
}

// TestLooks draws every screen at three sizes, through the whole program, and
// compares what stands on it with what is kept. After a wanted change:
// go test ./ui -run 'TestLooks|TestColors' -update, and look at the difference.
func TestLooks(t *testing.T) {
	s := newLooks(t)
	for _, sc := range scenes {
		s.enter(sc)
		requireLook(t, s, sc.name, func() string {
			var b strings.Builder
			for _, size := range lookSizes {
				s.send(tea.WindowSizeMsg{Width: size.X, Height: size.Y})
				for line := range strings.Lines(ansi.Strip(s.m.View().Content)) {
					b.WriteString(strings.TrimRight(line, " \n") + "\n")
				}
				b.WriteString(strings.Repeat("=", size.X) + "\n")
			}
			return b.String()
		})
	}
}

// TestColors draws the screen that uses most of the theme's roles in six looks,
// and compares cells and colors.
func TestColors(t *testing.T) {
	s := newLooks(t)
	form := slices.IndexFunc(scenes, func(sc scene) bool { return sc.name == "form" })
	size := lookSizes[0]
	for _, look := range looks {
		s.enter(scenes[form])
		s.m.o.Theme = look.theme
		s.send(tea.BackgroundColorMsg{Color: lipgloss.Color(look.ground)})
		s.send(tea.ColorProfileMsg{Profile: look.depth})
		s.send(tea.WindowSizeMsg{Width: size.X, Height: size.Y})
		requireLook(t, s, look.name, func() string {
			return writeCells(s.m.View().Content, size.X, size.Y, look.depth)
		})
	}
}

func newLooks(t *testing.T) *stage {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("paths have another length on this system")
	}
	s := newStage(t)
	t.Cleanup(s.end)
	return s
}

// requireLook compares a drawing with the one that is kept under the name.
func requireLook(t *testing.T, s *stage, name string, draw func() string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		// Without a kept one the comparison fails.
		kept, _ := os.ReadFile(filepath.Join("testdata", t.Name()+".golden"))
		golden.RequireEqual(t, s.settle(func() string { return unchanging(draw()) }, string(kept)))
	})
}
