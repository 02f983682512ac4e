package details

import (
	"context"
	"fmt"
	"image"
	"reflect"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// BenchmarkDrag is a frame of a rectangle that follows the pointer: the message
// and the drawing, beside drawing the screen without anything moving; with
// glyphs, and with pictures that the terminal shows, whose sending is told apart
// from the frames. The processor time of 60 frames a second is printed in
// hundredths of one core.
func BenchmarkDrag(b *testing.B) {
	path := pngFile(b, 1200, 800)
	for _, way := range []struct {
		name string
		draw picture.Options
	}{
		{"blocks", picture.Options{}},
		{"kitty", picture.Options{Method: picture.MethodKitty, Cell: image.Pt(10, 20)}},
	} {
		for _, moving := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/moving=%v", way.name, moving), func(b *testing.B) { benchDrag(b, path, way.draw, moving) })
		}
	}
}

func benchDrag(b *testing.B, path string, draw picture.Options, moving bool) {
	size, th := image.Pt(120, 36), theme.New(true, true)
	s := &shelf{files: map[string]api.File{"f1": record(b, photo)}, Manager: unmanaged{}}
	o := s.options(s.files["f1"])
	s.picture = func(context.Context, api.File) (string, error) { return path, nil }
	o.Draw = draw
	if draw.Method == picture.MethodKitty {
		o.Gallery = picture.NewGallery(false)
	}
	m, sent := New(o), 0
	obey := func(cmd tea.Cmd) { sent += obeyed(b, m, cmd) }
	obey(m.Init())
	m.Update(kit.KeyMsg("c"))
	m.Update(kit.KeyMsg("enter"))
	m.View(size, th)
	obey(m.wantReal())
	m.View(size, th)
	if real := draw.Method == picture.MethodKitty; real != (sent > 0) {
		b.Fatalf("%d bytes of pictures were sent", sent)
	}
	before := sent
	at := m.picture.area.Add(m.drawn.picture.Min)
	mouse := func(x, y int) tea.Mouse { return tea.Mouse{X: at.Min.X + x, Y: at.Min.Y + y, Button: tea.MouseLeft} }
	m.Update(tea.MouseClickMsg(mouse(2, 2)))
	bytes, i := 0, 0
	for b.Loop() {
		if i++; moving {
			m.Update(tea.MouseMotionMsg(mouse(2+i%(at.Dx()-2), 2+i%(at.Dy()-2))))
		} else {
			m.cache.valid = false
		}
		bytes += len(m.View(size, th))
		if m.picture.soon { // as if the rest between two frames were over
			obey(m.wantReal())
		}
	}
	if sent != before {
		b.Errorf("%d bytes of pictures were sent while dragging", sent-before)
	}
	b.ReportMetric(0, "ns/op") // the frames a second say it
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(1/seconds, "frames/s")
	b.ReportMetric(100*60*seconds, "%core@60/s")
	b.ReportMetric(float64(bytes)/float64(b.N)/1000, "kB/frame")
	b.ReportMetric(float64(before)/1000, "kB-before")
}

// obeyed does what a screen asks for, as the program does, and returns how many
// bytes went to the terminal beside what is drawn.
func obeyed(b testing.TB, m *Model, cmd tea.Cmd) (bytes int) {
	hung := func(msg tea.Msg) bool {
		switch msg.(type) {
		case picture.HungRegion, picture.HungCrop:
			return true
		}
		return false
	}
	for _, msg := range uitest.Follow(b, m, cmd, hung) {
		switch msg := msg.(type) { // as the root does
		case tea.RawMsg:
			bytes += len(fmt.Sprint(msg.Msg))
		case picture.HungRegion:
			bytes += obeyed(b, m, msg.View.Up(msg))
		case picture.CropDue:
			bytes += obeyed(b, m, msg.View.Due(msg))
		case picture.HungCrop:
			bytes += obeyed(b, m, msg.View.Up(msg))
		}
		// What is to be done in order has a type of its own.
		if list := reflect.ValueOf(msg); list.Kind() == reflect.Slice && list.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
			for i := range list.Len() {
				bytes += obeyed(b, m, list.Index(i).Interface().(tea.Cmd))
			}
		}
	}
	return bytes
}
