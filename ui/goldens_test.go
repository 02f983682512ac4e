package ui

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/charmbracelet/x/vt"

	"mediadesk/api/media/mediatest"
	"mediadesk/config"
)

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
	{"no-color", config.ThemeAuto, "#000000", colorprofile.ASCII},
}

var lookSizes = []image.Point{{120, 36}, {80, 24}, {40, 12}}

// changingText matches what differs from run to run: folders, and file ids that may be shortened.
var changingText = regexp.MustCompile(`/desk-\d{4,8}|\b\d{8}/|\b[0-9a-f]{24}\b|\b[0-9a-f]{3,}…[0-9a-f]{3,}\b`)

func zeroes(found string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789abcdef", r) {
			return '0'
		}
		return r
	}, found)
}

var dates = regexp.MustCompile(`\b\d{1,2} [A-Z][a-z]{2} 20\d\d \d\d:\d\d *`)

// brokenDates matches the two ends of a date that wraps at the end of its line.
var brokenDates = regexp.MustCompile(`· \d{1,2} *│|│ +[A-Z][a-z]{2} 20\d\d\b`)

// withoutChanging replaces everything that changes in a drawing with fixed characters.
func withoutChanging(drawing string) string {
	drawing = dates.ReplaceAllStringFunc(drawing, func(found string) string {
		const moment = "00 Xxx 0000 00:00"
		return moment + strings.Repeat(" ", max(0, len(found)-len(moment)))
	})
	drawing = brokenDates.ReplaceAllStringFunc(drawing, func(found string) string {
		if strings.HasPrefix(found, "·") {
			return "· 00" + strings.Repeat(" ", utf8.RuneCountInString(found)-5) + "│"
		}
		return found[:len(found)-len("Xxx 0000")] + "Xxx 0000"
	})
	for _, frame := range spinner.MiniDot.Frames {
		drawing = strings.ReplaceAll(drawing, frame+" ", "⋯ ")
	}
	return changingText.ReplaceAllStringFunc(drawing, zeroes)
}

// TestLooks draws every screen of the whole program at three sizes and compares it with the golden
// files. After a wanted change run go test ./ui -run 'TestLooks|TestColors' -update, and check the
// difference.
func TestLooks(t *testing.T) {
	mediatest.SkipRacing(t)
	t.Parallel()
	s := newLooks(t)
	for _, sc := range scenes {
		s.play(sc)
		requireLook(t, s, sc.name, func(wanted string) string {
			var b strings.Builder
			for _, size := range lookSizes {
				s.send(tea.WindowSizeMsg{Width: size.X, Height: size.Y})
				rule := strings.Repeat("=", size.X) + "\n"
				part, rest, _ := strings.Cut(wanted, rule)
				wanted = rest
				b.WriteString(s.settle(func() string {
					var b strings.Builder
					for line := range strings.Lines(ansi.Strip(s.m.View().Content)) {
						b.WriteString(strings.TrimRight(line, " \n") + "\n")
					}
					return withoutChanging(b.String())
				}, part) + rule)
			}
			return b.String()
		})
	}
}

// TestColors draws the screen with the most roles of the theme in six looks, and compares cells and colors.
func TestColors(t *testing.T) {
	mediatest.SkipRacing(t)
	t.Parallel()
	s := newLooks(t)
	form := slices.IndexFunc(scenes, func(sc scene) bool { return sc.name == "form" })
	size := lookSizes[0]
	for _, look := range looks {
		s.play(scenes[form])
		s.m.o.Theme = look.theme
		s.send(tea.BackgroundColorMsg{Color: lipgloss.Color(look.ground)})
		s.send(tea.ColorProfileMsg{Profile: look.depth})
		s.send(tea.WindowSizeMsg{Width: size.X, Height: size.Y})
		requireLook(t, s, look.name, func(wanted string) string {
			return s.settle(func() string {
				return withoutChanging(writeCells(s.m.View().Content, size.X, size.Y, look.depth))
			}, wanted)
		})
	}
}

func newLooks(t *testing.T) *stage {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the paths on this system have another length than in the golden files")
	}
	s := newStage(t)
	t.Cleanup(s.end)
	return s
}

// requireLook compares what draw returns with the golden file whose content draw is called with.
func requireLook(t *testing.T, s *stage, name string, draw func(wanted string) string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		// Without a golden file the comparison fails.
		kept, _ := os.ReadFile(filepath.Join("testdata", t.Name()+".golden"))
		golden.RequireEqual(t, draw(string(kept)))
	})
}

// writeCells describes a drawing as a terminal of w columns and h rows with that many colors shows
// it. Each row is text, followed by its styles if it has any: runs of a letter and a number of
// cells ("." for the plain style). A legend of the letters comes last.
func writeCells(drawing string, w, h int, depth colorprofile.Profile) string {
	em := vt.NewEmulator(w, h)
	defer em.InputPipe().(io.Closer).Close()
	_, _ = em.WriteString("\x1b[20h")
	out := colorprofile.Writer{Forward: em, Profile: depth}
	_, _ = out.WriteString(drawing)
	var b strings.Builder
	var legend []string
	letter := func(style string) byte {
		if style == "" {
			return '.'
		}
		i := slices.Index(legend, style)
		if i < 0 {
			i = len(legend)
			legend = append(legend, style)
		}
		return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[min(i, 51)]
	}
	for y := range h {
		var text, styles strings.Builder
		run, count := byte('.'), 0
		end := func(next byte) {
			if count > 0 {
				fmt.Fprintf(&styles, "%c%d ", run, count)
			}
			run, count = next, 0
		}
		for x := 0; x < w; {
			cell := em.CellAt(x, y)
			width, content, style := 1, " ", ""
			if cell != nil {
				width, style = max(1, cell.Width), styleWords(cell)
				if cell.Content != "" {
					content = cell.Content
				}
			}
			text.WriteString(content)
			if l := letter(style); l != run {
				end(l)
			}
			count += width
			x += width
		}
		if run != '.' {
			end('.')
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
		if s := strings.TrimRight(styles.String(), " "); s != "" {
			b.WriteString("\t" + s + "\n")
		}
	}
	for i, style := range legend {
		fmt.Fprintf(&b, "%c = %s\n", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[min(i, 51)], style)
	}
	return b.String()
}

func styleWords(cell *uv.Cell) string {
	var words []string
	if cell.Style.Fg != nil {
		words = append(words, colorWord(cell.Style.Fg))
	}
	if cell.Style.Bg != nil {
		words = append(words, "on "+colorWord(cell.Style.Bg))
	}
	for _, a := range []struct {
		bit  uint8
		word string
	}{
		{uv.AttrBold, "bold"}, {uv.AttrFaint, "faint"}, {uv.AttrItalic, "italic"}, {uv.AttrReverse, "reverse"},
	} {
		if cell.Style.Attrs&a.bit != 0 {
			words = append(words, a.word)
		}
	}
	return strings.Join(words, " ")
}

func colorWord(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
