package edit

import (
	"fmt"
	"image"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi/kitty"

	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/uitest"
)

// obey runs the commands of the editor, as the root and Bubble Tea do. It returns how many bytes went
// to the terminal besides the drawing.
func obey(d *uitest.Driver, cmd tea.Cmd) (bytes int) {
	if cmd == nil {
		return 0
	}
	msg := cmd()
	if r, ok := msg.(page.Reply); ok {
		if _, msg, ok = d.Host.Open(r); !ok {
			return 0
		}
	}
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			bytes += obey(d, c)
		}
	case tea.RawMsg:
		bytes += len(fmt.Sprint(msg.Msg))
	case picture.CropDue:
		bytes += obey(d, msg.View.Due(msg))
	case picture.ViewReady:
		bytes += obey(d, msg.Done())
	default:
		// A sequence of commands has its own type.
		if list := reflect.ValueOf(msg); list.Kind() == reflect.Slice && list.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
			for i := range list.Len() {
				bytes += obey(d, list.Index(i).Interface().(tea.Cmd))
			}
			return bytes
		}
		bytes += obey(d, d.Host.Tell(d.Screen, msg))
	}
	return bytes
}

// real are the options of a terminal that shows pictures.
var real = picture.Options{Method: picture.MethodKitty, Cell: image.Pt(8, 16)}

// TestRealPictures: on a terminal with real pictures region and crop use them when they do not
// move. A step replaces only the crop, and a drag transmits nothing.
func TestRealPictures(t *testing.T) {
	b, d := drive(t, "10,20,100,50")
	b.o.Draw, b.o.Images = real, picture.NewImageStore(false)
	shown := func() int {
		numbers := map[rune]bool{}
		for _, cell := range strings.Split(b.View(d.Size, d.Theme), string(kitty.Placeholder))[1:] {
			numbers[[]rune(cell)[2]] = true
		}
		return len(numbers)
	}
	if n := shown(); n != 0 {
		t.Fatalf("got %d pictures that were not transmitted, want 0", n)
	}
	if sent := obey(d, b.Follow()); sent == 0 || shown() != 3 {
		t.Errorf("%d bytes are sent and %d pictures shown, not the whole, the same darkened and the crop", sent, shown())
	}
	step := b.Follow()
	b.text = "11,20,100,50"
	shown()
	if sent := obey(d, step); sent == 0 || shown() != 3 {
		t.Errorf("a step sends %d bytes and shows %d pictures", sent, shown())
	}
	at := tea.Mouse{X: b.Cells().Min.X + 5, Y: b.Cells().Min.Y + 3, Button: tea.MouseLeft}
	d.Send(tea.MouseClickMsg(at))
	for range 5 {
		at.X++
		d.Send(tea.MouseMotionMsg(at))
		if sent := obey(d, b.send()); sent > 0 {
			t.Errorf("a drag sends %d bytes", sent)
		}
	}
	if held := strings.Count(b.o.Images.Clear(), "a=d"); held != 3 {
		t.Errorf("the terminal holds %d pictures, want 3", held)
	}
}

// BenchmarkDrag measures a frame in which the rectangle follows the pointer, both update and drawing,
// with glyphs and with real pictures. It prints the processor time of 60 frames per second in
// hundredths of a core.
func BenchmarkDrag(b *testing.B) {
	for name, draw := range map[string]picture.Options{"blocks": {}, "kitty": real} {
		b.Run(name, func(b *testing.B) {
			e, d := drive(b, "10,20,100,50")
			d.Resize(image.Pt(70, 30))
			if e.o.Draw = draw; draw == real {
				e.o.Images = picture.NewImageStore(false)
			}
			e.View(d.Size, d.Theme)
			obey(d, e.Follow())
			at := e.Cells()
			mouse := func(x, y int) tea.Mouse { return tea.Mouse{X: at.Min.X + x, Y: at.Min.Y + y, Button: tea.MouseLeft} }
			e.Update(tea.MouseClickMsg(mouse(2, 2)))
			bytes, i := 0, 0
			for b.Loop() {
				i++
				e.Update(tea.MouseMotionMsg(mouse(2+i%(at.Dx()-2), 2+i%(at.Dy()-2))))
				bytes += len(e.View(d.Size, d.Theme))
			}
			b.ReportMetric(0, "ns/op") // frames per second are reported instead
			seconds := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(1/seconds, "frames/s")
			b.ReportMetric(100*60*seconds, "%core@60/s")
			b.ReportMetric(float64(bytes)/float64(b.N)/1000, "kB/frame")
		})
	}
}
