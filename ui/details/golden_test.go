package details

import (
	"context"
	"fmt"
	"image"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
)

// plain is a screen as text, each line without the blanks at its end.
func plain(view string) []byte {
	lines := strings.Split(ansi.Strip(view), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// The screen in three sizes: a file, a region on its picture, several files with
// their menu. Run with -update after a wanted change and look at the difference.
func TestLooks(t *testing.T) {
	path := pngFile(t, 300, 200)
	files := numbered(t, 3)
	looks := map[string]func(*desk){
		"record":  func(*desk) {},
		"picture": func(d *desk) { d.press("c", "enter", "tab", "right") },
		"many":    func(d *desk) { d.press("b", "t", "b") },
	}
	for name, look := range looks {
		for _, size := range []image.Point{{118, 34}, {78, 22}, {40, 10}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size.X, size.Y), func(t *testing.T) {
				s := newShelf(t, files...)
				o := s.options(files[:1]...)
				if name == "many" {
					o = s.options(files...)
					o.ReadAll, o.SaveAll = s.readAll, s.saveAll
				}
				o.Picture = func(context.Context, api.File) (string, error) { return path, nil }
				d := start(t, o)
				look(d)
				golden.RequireEqual(t, plain(d.m.View(size, theme.New(true, false))))
			})
		}
	}
}

// BenchmarkDrag is a frame of a rectangle that follows the pointer: the message
// and the drawing, beside drawing the screen without anything moving.
func BenchmarkDrag(b *testing.B) {
	path := pngFile(b, 1200, 800)
	f := record(b, photo)
	size, th := image.Pt(120, 36), theme.New(true, true)
	begin := func() *Model {
		s := &shelf{files: map[string]api.File{"f1": f}}
		o := s.options(f)
		o.Picture = func(context.Context, api.File) (string, error) { return path, nil }
		d := &desk{size: size, now: noon}
		d.m = New(o)
		for todo := []tea.Cmd{d.m.Init()}; len(todo) > 0; todo = todo[1:] {
			if todo[0] == nil {
				continue
			}
			switch msg := todo[0]().(type) {
			case nil:
			case tea.BatchMsg:
				todo = append(todo, msg...)
			default:
				todo = append(todo, d.m.Update(msg))
			}
		}
		d.m.Update(kit.KeyMsg("c"))
		d.m.Update(kit.KeyMsg("enter"))
		d.m.View(size, th)
		return d.m
	}
	b.Run("still", func(b *testing.B) {
		m := begin()
		for b.Loop() {
			m.cache.valid = false
			m.View(size, th)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
	})
	b.Run("drag", func(b *testing.B) {
		m := begin()
		at := m.picture.area.Add(m.drawn.picture.Min)
		mouse := func(x, y int) tea.Mouse { return tea.Mouse{X: at.Min.X + x, Y: at.Min.Y + y, Button: tea.MouseLeft} }
		m.Update(tea.MouseClickMsg(mouse(2, 2)))
		i := 0
		for b.Loop() {
			i++
			m.Update(tea.MouseMotionMsg(mouse(2+i%(at.Dx()-2), 2+i%(at.Dy()-2))))
			m.View(size, th)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
	})
}
