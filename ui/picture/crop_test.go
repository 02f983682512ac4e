package picture

import (
	"image"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi/kitty"

	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

// cropStage is a program that shows a crop, with its terminal.
type cropStage struct {
	t       *testing.T
	v       CropView
	g       *ImageStore
	o       Options
	screen  *screen
	inbox   chan tea.Msg
	waiting int // commands under way
	sent    int // pictures
}

func newCropStage(t *testing.T) *cropStage {
	return &cropStage{
		t: t, g: NewImageStore(false), o: Options{Method: MethodKitty, Cell: image.Pt(8, 16)},
		screen: &screen{t: t, holds: map[int]bool{}}, inbox: make(chan tea.Msg),
	}
}

// move is an Update that shows another part in the next frame.
func (d *cropStage) move(rect image.Rectangle) []string {
	d.run(d.v.Follow(d.g, d.o))
	return d.draw(rect)
}

func (d *cropStage) draw(rect image.Rectangle) []string {
	lines := d.v.Draw(picture300, rect, 20, 8, d.o)
	for id := range idsIn(lines) {
		if !d.screen.holds[id] {
			d.t.Fatalf("cells of %d that the terminal does not hold", id)
		}
	}
	return lines
}

func (d *cropStage) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	d.waiting++
	go func() {
		for _, msg := range messages(cmd) {
			d.inbox <- msg
		}
		d.inbox <- nil
	}()
}

// pass lets simulated time pass.
func (d *cropStage) pass(span time.Duration) {
	end := time.After(span)
	for {
		select {
		case <-end:
			return
		case msg := <-d.inbox:
			d.obey(msg)
		}
	}
}

func (d *cropStage) obey(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		d.waiting--
	case ViewReady:
		d.run(msg.Done())
	case CropDue:
		d.run(msg.Check())
	case tea.RawMsg:
		d.screen.write(raw(msg))
		if strings.Contains(raw(msg), "a=T") {
			d.sent++
		}
	}
}

func isReal(lines []string) bool {
	return strings.Contains(strings.Join(lines, ""), string(kitty.Placeholder))
}

var picture300 = New(mediatest.Photograph(300, 200), media.Normal)

// TestCropFollows: a part that stays is transmitted once. While it moves glyphs follow it and
// nothing is transmitted. A single step keeps the earlier picture in place. All ids are released.
func TestCropFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newCropStage(t)
		first, second := image.Rect(10, 10, 110, 90), image.Rect(11, 10, 111, 90)
		if isReal(d.move(first)) {
			t.Fatal("got cells of a picture that was not transmitted")
		}
		d.pass(80 * time.Millisecond)
		was := d.draw(first)
		if d.sent != 1 || !isReal(was) {
			t.Fatalf("at rest %d pictures are sent, real: %v", d.sent, isReal(was))
		}
		if got := d.move(second); !slices.Equal(got, was) {
			t.Error("a single step does not leave the picture before in its place")
		}
		d.pass(time.Second)
		if now := d.draw(second); d.sent != 2 || !isReal(now) || slices.Equal(now, was) ||
			len(d.screen.holds) != 1 {
			t.Errorf("after a step %d are sent, the terminal holds %v", d.sent, slices.Collect(maps.Keys(d.screen.holds)))
		}
		for i := range 100 {
			lines := d.move(second.Add(image.Pt(i+1, 0)))
			if i > 12 && isReal(lines) {
				t.Fatalf("step %d: a moving part shows its old picture", i)
			}
			d.pass(10 * time.Millisecond)
		}
		mediatest.Equal(t, d.sent, 2, "pictures transmitted while the part moved")
		d.pass(time.Second)
		if d.sent != 3 || !isReal(d.draw(second.Add(image.Pt(100, 0)))) {
			t.Errorf("after the way %d are sent", d.sent-2)
		}
		d.move(second.Add(image.Pt(100, 0)))
		d.pass(time.Second)
		mediatest.Equal(t, d.sent, 3, "the same part is sent again")
		d.draw(first)
		sending := d.v.due(d.g, d.v.change)
		d.run(d.v.Delete())
		d.run(sending)
		d.pass(time.Second)
		if len(d.screen.holds) != 0 || d.g.Clear() != "" || d.waiting != 0 {
			t.Errorf("the terminal still has %v, %d commands run", d.screen.holds, d.waiting)
		}
	})
}

// TestCropWithoutRoom: without room for a picture, or on a terminal without pictures, glyphs stay
// and no request is repeated for ever.
func TestCropWithoutRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newCropStage(t)
		for n := range d.g.held {
			d.g.held[n] = &Image{}
		}
		rect := image.Rect(10, 10, 110, 90)
		d.move(rect)
		d.pass(time.Second)
		if isReal(d.move(rect)) || d.sent != 0 {
			t.Error("a picture without an id")
		}
		d.pass(time.Second)
		mediatest.Equal(t, d.waiting, 0, "the requests do not end")
		if d.v.Follow(nil, d.o) != nil || d.v.Follow(d.g, Options{}) != nil ||
			(*CropView)(nil).Follow(d.g, d.o) != nil {
			t.Error("the crop follows although there are no pictures")
		}
	})
}
