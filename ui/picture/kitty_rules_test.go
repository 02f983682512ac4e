package picture

import (
	"image"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"
	"pgregory.net/rapid"

	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

// inSequence returns the commands of a sequence. It fails if their order is not fixed.
func inSequence(t testing.TB, cmd tea.Cmd) []tea.Cmd {
	t.Helper()
	msg := cmd()
	if _, batch := msg.(tea.BatchMsg); batch {
		t.Fatal("the commands have no fixed order")
	}
	cmds := asCommands(msg)
	if len(cmds) < 2 {
		t.Fatalf("got %T, want a sequence", msg)
	}
	return cmds
}

// TestKittyForgetsLater: rule 2: an image is deleted about 100 ms after its last frame. Its id is
// not used until the terminal has been told, and is not the next one in use.
func TestKittyForgetsLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewImageStore(false)
		i := transmittedIn(t, g, small(), image.Pt(1, 1))
		start, told := time.Now(), false
		for _, step := range inSequence(t, i.Delete()) {
			before := time.Since(start)
			said := raw(step())
			if !told && g.held[i.number()] == nil {
				t.Fatal("the id is free before the image is deleted")
			}
			if said != "" {
				told = true
				if before != settle || settle < 50*time.Millisecond || settle > 200*time.Millisecond {
					t.Errorf("the image was deleted after %v", before)
				}
			}
		}
		if !told || g.held[i.number()] != nil {
			t.Errorf("deleted %v, still held %v", told, g.held[i.number()])
		}
		if next := transmittedIn(t, g, small(), image.Pt(1, 1)); next.number() == i.number() {
			t.Error("the id is used again at once")
		}
	})
}

// TestKittyRoom: an id stands for one image, and an image that is not shown keeps it until then.
func TestKittyRoom(t *testing.T) {
	g := NewImageStore(false)
	for range mostNumbers {
		transmittedIn(t, g, small(), image.Pt(1, 1))
	}
	o := Options{Method: MethodKitty, Cell: image.Pt(8, 16)}
	free := func(n int) *Image {
		var last *Image
		for range n {
			at := slices.IndexFunc(g.held[:], func(i *Image) bool { return i != nil })
			last = g.held[at]
			last.Drop()
		}
		return last
	}
	// A region needs two ids. With only one free id it is drawn with glyphs, and the id stays free.
	free(1)
	if msg := NewRegionView(small(), 30, 10, o).Transmit(g, small())(); msg != nil {
		t.Errorf("a region in the room of one picture: %T", msg)
	}
	if i := transmittedIn(t, g, small(), image.Pt(1, 1)); i == nil {
		t.Error("the id is lost")
	}
	// A picture without a size needs no id.
	free(1)
	for _, size := range []image.Point{{}, {X: -1, Y: 3}, {X: 298, Y: 1}, {X: 1, Y: 298}} {
		if i, _, err := g.newImage(small(), size, cells8x16, fullLight); err == nil {
			t.Errorf("%v is image %d", size, i.number())
		}
	}
	transmittedIn(t, g, small(), image.Pt(1, 1))
}

// screen models real pictures in a terminal.
type screen struct {
	t      rapid.TB
	tmux   bool
	holds  map[int]bool
	amidst int // the id whose pieces are arriving
}

var (
	command  = regexp.MustCompile(`^\x1b_G([^;\x1b]*)(?:;([A-Za-z0-9+/=]*))?\x1b\\`)
	wrapping = regexp.MustCompile(`^\x1bPtmux;((?:[^\x1b]|\x1b\x1b)*)\x1b\\`)
)

// keysOf parses the keys of a command.
func keysOf(s string) map[string]string {
	keys := map[string]string{}
	for _, pair := range strings.Split(s, ",") {
		k, v, _ := strings.Cut(pair, "=")
		keys[k] = v
	}
	return keys
}

// write reads commands as strictly as a terminal can.
func (s *screen) write(data string) {
	s.t.Helper()
	for data != "" {
		one := data
		if s.tmux {
			m := wrapping.FindStringSubmatch(data)
			if m == nil {
				s.t.Fatalf("not wrapped: %.60q", data)
			}
			data = data[len(m[0]):]
			one = strings.ReplaceAll(m[1], "\x1b\x1b", "\x1b")
		}
		m := command.FindStringSubmatch(one)
		if m == nil {
			s.t.Fatalf("no command: %.60q", one)
		}
		if s.tmux && len(m[0]) != len(one) {
			s.t.Fatalf("more than one command in a wrapping: %.60q", one[len(m[0]):])
		}
		if !s.tmux {
			data = data[len(m[0]):]
		}
		s.obey(keysOf(m[1]), m[2])
	}
}

func (s *screen) obey(keys map[string]string, body string) {
	s.t.Helper()
	if keys["q"] != "2" {
		s.t.Fatalf("the terminal would answer: %v", keys)
	}
	if s.amidst != 0 && keys["a"] != "" {
		s.t.Fatalf("%v among the pieces of %d", keys, s.amidst)
	}
	whole, err := strconv.Atoi(keys["i"])
	n := whole >> 24
	if (err != nil || n < 1 || n > mostNumbers || whole&0xffffff > 1) && (s.amidst == 0 || keys["i"] != "") {
		s.t.Fatalf("id %q", keys["i"])
	}
	switch keys["a"] {
	case "T":
		if s.holds[n] {
			s.t.Fatalf("id %d gets another picture", n)
		}
		if keys["U"] != "1" || keys["c"] == "" || keys["r"] == "" {
			s.t.Fatalf("not placed in cells: %v", keys)
		}
		s.amidst, s.holds[n] = n, true
		fallthrough
	case "":
		if len(body) > 4096 {
			s.t.Fatalf("a piece of %d bytes", len(body))
		}
		if keys["m"] == "0" {
			s.amidst = 0
		} else if keys["m"] != "1" || len(body)%4 != 0 {
			s.t.Fatalf("a piece that is neither the last nor whole: %v", keys)
		}
	case "d":
		// Pictures in cells are deleted only by id, together with their pixels.
		if keys["d"] != "I" {
			s.t.Fatalf("%v forgets no picture in cells", keys)
		}
		delete(s.holds, n)
	default:
		s.t.Fatalf("%v", keys)
	}
}

// under is a command that runs step by step, interleaved with others: it is run, then its message
// arrives.
type under struct {
	steps []tea.Cmd
	sends tea.Msg
}

// stage is a program with real pictures, its running commands and its terminal.
type stage struct {
	t       rapid.TB
	screen  *screen
	running []*under
	shown   []*Image
	views   []*RegionView
	crops   []*CropView
}

func (s *stage) start(cmds ...tea.Cmd) {
	for _, cmd := range cmds {
		if cmd != nil {
			s.running = append(s.running, &under{steps: []tea.Cmd{cmd}})
		}
	}
}

// step continues a command.
func (s *stage) step(u *under) {
	if msg := u.sends; msg != nil {
		u.sends = nil
		s.arrived(msg)
	} else {
		msg := u.steps[0]()
		u.steps = u.steps[1:]
		var more []tea.Cmd
		if msg != nil {
			more = asCommands(msg)
		}
		if _, batch := msg.(tea.BatchMsg); batch {
			s.start(more...)
		} else {
			u.steps = append(slices.Clone(more), u.steps...)
		}
		if more == nil {
			u.sends = msg
		}
	}
	if len(u.steps) == 0 && u.sends == nil {
		s.running = slices.DeleteFunc(s.running, func(x *under) bool { return x == u })
	}
}

func (s *stage) arrived(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.RawMsg:
		s.screen.write(raw(msg))
	case Transmitted:
		s.shown = append(s.shown, msg.Surface.(*Image))
	case ViewReady:
		s.start(msg.Done())
	case CropDue:
		s.start(msg.Check())
	default:
		s.t.Fatalf("%T", msg)
	}
}

// seen fails if a cell shows a picture that the terminal does not have.
func (s *stage) seen() {
	for _, i := range s.shown {
		if !s.screen.holds[i.number()] {
			s.t.Fatalf("got cells of %d, which the terminal does not have", i.number())
		}
	}
	for _, v := range s.views {
		for id := range idsIn(v.Render(image.Rect(1, 1, 5, 5))) {
			if !s.screen.holds[id] {
				s.t.Fatalf("got a region's cells of %d, which the terminal does not have", id)
			}
		}
	}
	for _, v := range s.crops {
		for id := range idsIn(v.draw(v.want.rect)) {
			if !s.screen.holds[id] {
				s.t.Fatalf("got a crop's cells of %d, which the terminal does not have", id)
			}
		}
	}
}

// draw draws another part.
func (v *CropView) draw(rect image.Rectangle) []string {
	return v.Draw(v.want.of, rect, v.want.size.X, v.want.size.Y, v.want.o)
}

// TestKittyRulesHoldInAnyOrder: all rules together: in any order of the steps no id stands for two
// pictures at a time, only cells of available pictures are drawn, and a program that ends at any
// moment leaves no picture behind.
func TestKittyRulesHoldInAnyOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tmux := range []bool{false, true} {
			// rapid must not read the deadline inside the bubble.
			rapid.Check(struct{ rapid.TB }{t}, func(r *rapid.T) { anyOrder(r, tmux) })
		}
	})
}

func anyOrder(r *rapid.T, tmux bool) {
	g := NewImageStore(tmux)
	g.next = rapid.IntRange(1, mostNumbers).Draw(r, "first id")
	s := &stage{t: r, screen: &screen{t: r, tmux: tmux, holds: map[int]bool{}}}
	o := Options{Method: MethodKitty, Cell: image.Pt(4, 8)}
	p := New(mediatest.Quarters(8, 8), media.Normal)
	// With most ids in use there are few to choose from.
	for n := range rapid.SampledFrom([]int{0, mostNumbers - 6, mostNumbers - 2}).Draw(r, "in use") {
		g.held[1+n] = &Image{store: g, by: g.by, id: uint32(1+n) << 24}
	}
	for range rapid.IntRange(1, 60).Draw(r, "acts") {
		switch step := rapid.SampledFrom([]string{"show", "region", "frame", "crop", "move", "take down", "leave", "leave crop", "step", "step", "step", "step"}).Draw(r, "act"); {
		case step == "show":
			if i, _, err := g.newImage(p, image.Pt(2, 1), Options{Cell: image.Pt(4, 8)}, fullLight); err == nil {
				s.start(i.Show())
			}
		case step == "region":
			v := NewRegionView(p, 4, 2, o)
			s.start(v.Transmit(g, p))
			s.views = append(s.views, v)
		case step == "frame" && len(s.views) > 0:
			x := rapid.IntRange(0, 7).Draw(r, "left")
			s.start(s.views[0].Follow(g, func() image.Rectangle { return image.Rect(x, 1, 7, 7) }))
		case step == "crop":
			v := &CropView{}
			v.Draw(p, image.Rect(0, 0, 4, 4), 4, 2, o)
			s.start(v.Follow(g, o))
			s.crops = append(s.crops, v)
		case step == "move" && len(s.crops) > 0:
			v := s.crops[0]
			s.start(v.Follow(g, o))
			v.draw(image.Rect(0, 0, 1, 1).Add(image.Pt(rapid.IntRange(0, 7).Draw(r, "x"), 0)))
		case step == "leave crop" && len(s.crops) > 0:
			s.start(s.crops[0].Delete())
			s.crops = s.crops[1:]
		case step == "take down" && len(s.shown) > 0:
			s.start(s.shown[0].Delete())
			s.shown = s.shown[1:]
		case step == "leave" && len(s.views) > 0:
			s.start(s.views[0].Delete())
			s.views = s.views[1:]
		case step == "step" && len(s.running) > 0:
			s.step(s.running[rapid.IntRange(0, len(s.running)-1).Draw(r, "whose")])
		}
		s.seen()
	}
	s.screen.write(g.Clear())
	if len(s.screen.holds) > 0 {
		r.Fatalf("%d pictures remain", len(s.screen.holds))
	}
}

// idsIn returns the ids in the cells of some lines.
func idsIn(lines []string) map[int]bool {
	found := map[int]bool{}
	if len(lines) == 0 {
		return found
	}
	buf := uv.NewScreenBuffer(300, len(lines))
	uv.NewStyledString(strings.Join(lines, "\n")).Draw(buf, buf.Bounds())
	for y := range lines {
		for x := range 300 {
			c := []rune(buf.CellAt(x, y).Content)
			if len(c) == 4 && c[0] == kitty.Placeholder {
				for n := range 256 {
					if kitty.Diacritic(n) == c[3] {
						found[n] = true
					}
				}
			}
		}
	}
	return found
}
