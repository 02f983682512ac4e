package uitest

import (
	"fmt"
	"image"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/theme"
)

// Sizes are the terminal sizes for [Sweep]: the smallest, those around each break point of
// the layout, and the largest.
var Sizes = []image.Point{
	{1, 1},
	{2, 2},
	{5, 1},
	{20, 5},
	{39, 11},
	{40, 12},
	{60, 16},
	{79, 23},
	{80, 24},
	{99, 30},
	{100, 30},
	{120, 36},
	{120, 40},
	{200, 60},
}

// Themes returns the themes for [Sweep] by name. With the race detector it is one theme.
func Themes() map[string]*theme.Theme {
	if mediatest.Racing {
		return map[string]*theme.Theme{"dark": theme.New(true, true)}
	}
	return map[string]*theme.Theme{
		"dark": theme.New(true, true), "light": theme.New(false, true), "no color": theme.New(true, false),
	}
}

// sizes returns the sizes for a theme. Themes hardly change the layout. With the race detector drawing is
// slow, and it starts no goroutines.
func sizes(theme string) []image.Point {
	switch {
	case mediatest.Racing:
		return []image.Point{{80, 24}}
	case mediatest.AllRounds:
		return Sizes
	case theme == "dark":
		return []image.Point{{1, 1}, {20, 5}, {40, 12}, {80, 24}, {200, 60}}
	}
	return []image.Point{{80, 24}}
}

// Sweep draws a view in every theme, at every one of Sizes if [mediatest.AllRounds]. It fails if the view
// panics, exceeds its rectangle, or contains something [Forbidden].
func Sweep(t testing.TB, view func(w, h int, th *theme.Theme) string) {
	t.Helper()
	for name, th := range Themes() {
		for _, size := range sizes(name) {
			if err := sweepOne(view, size, th); err != nil {
				t.Errorf("at %dx%d, %s: %v", size.X, size.Y, name, err)
			}
		}
	}
}

func sweepOne(view func(w, h int, th *theme.Theme) string, size image.Point, th *theme.Theme) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return Inside(view(size.X, size.Y, th), size.X, size.Y)
}

// Inside returns an error if a drawing exceeds w columns or h rows, or contains something [Forbidden].
func Inside(drawing string, w, h int) error {
	lines := strings.Split(drawing, "\n")
	if len(lines) > h {
		return fmt.Errorf("%d lines, %d fit:\n%s", len(lines), h, ansi.Strip(drawing))
	}
	for y, line := range lines {
		// Terminals measure some characters in one of two ways. A line may be too wide in one of them.
		if got := min(ansi.StringWidth(line), ansi.StringWidthWc(line)); got > w {
			return fmt.Errorf("line %d has %d columns, %d fit: %q", y, got, w, line)
		}
		if i := strings.IndexFunc(line,
			func(r rune) bool { return r != 0x1b && (r < 0x20 || (r >= 0x7f && r < 0xa0)) }); i >= 0 {
			return fmt.Errorf("line %d holds a control character: %q", y, line)
		}
		// Text that is edited keeps its marks.
		marks := func(found string) bool { return strings.Contains(found, "marks on a letter") }
		if found := slices.DeleteFunc(Forbidden(line), marks); len(found) > 0 {
			return fmt.Errorf("line %d holds %v: %q", y, found, line)
		}
	}
	return nil
}
