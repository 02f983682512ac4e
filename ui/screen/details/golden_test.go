package details

import (
	"context"
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mediadesk/api"
	"mediadesk/ui/theme"
)

// plain is a screen as text, without blanks at the ends of lines.
func plain(view string) []byte {
	lines := strings.Split(ansi.Strip(view), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// TestLooks compares the screen in three sizes: a file, a region on its picture, and several files
// with their menu. After a wanted change run with -update and check the difference.
func TestLooks(t *testing.T) {
	path := pngFile(t, 300, 200)
	files := numbered(t, 3)
	looks := map[string]func(*driven){
		"record":  func(*driven) {},
		"picture": func(d *driven) { d.Press("c", "tab", "right") },
		"many":    func(d *driven) { d.Press("b", "t", "b") },
	}
	for name, look := range looks {
		for _, size := range []image.Point{{118, 34}, {78, 22}, {40, 10}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size.X, size.Y), func(t *testing.T) {
				s := newShelf(t, files...)
				o := s.options(files[:1]...)
				if name == "many" {
					o = s.options(files...)
				}
				s.picture = func(context.Context, api.File) (string, error) { return path, nil }
				d := startIn(t, o, size)
				look(d)
				golden.RequireEqual(t, plain(d.Host.View(theme.New(true, false))))
			})
		}
	}
}
