package ui

import (
	"image"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/exp/golden"

	"mediadesk/config"
	"mediadesk/ui/uitest"
)

// looks are the ways in which every screen is looked at.
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

// TestLooks draws every screen in six looks at three sizes, through the whole
// program, and compares cells and colours with what is kept. After a wanted
// change: go test ./ui -run TestLooks -update, and look at the difference.
func TestLooks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("paths have another length on this system")
	}
	s := newStage(t)
	defer s.end()
	for _, sc := range scenes {
		for _, look := range looks {
			s.enter(sc)
			s.m.o.Theme = look.theme
			s.send(tea.BackgroundColorMsg{Color: lipgloss.Color(look.ground)})
			s.send(tea.ColorProfileMsg{Profile: look.depth})
			draw := func() string {
				var b strings.Builder
				for _, size := range lookSizes {
					s.send(tea.WindowSizeMsg{Width: size.X, Height: size.Y})
					cells := uitest.Cells(s.m.View().Content, size.X, size.Y, look.depth)
					b.WriteString(changing.ReplaceAllStringFunc(cells, same) + "\n")
				}
				return b.String()
			}
			t.Run(sc.name+"/"+look.name, func(t *testing.T) {
				kept, err := os.ReadFile(filepath.Join("testdata", t.Name()+".golden"))
				if err != nil {
					kept = nil
				}
				golden.RequireEqual(t, s.settle(draw, string(kept)))
			})
		}
	}
}
