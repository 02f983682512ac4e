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
				if before != deleteDelay || deleteDelay < 50*time.Millisecond ||
					deleteDelay > 200*time.Millisecond {
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
	v := NewRegionView(small(), 30, 10, o)
	if v.Transmit(g, small())().(ViewReady).Done(); v.Waits() {
		t.Error("a region in the room of one picture waits for pixels")
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

// TestKittyThroughTmux: tmux passes on each piece of a transmission by itself.
func TestKittyThroughTmux(t *testing.T) {
	g := NewImageStore(true)
	i, _, err := g.newImage(New(mediatest.Photograph(300, 200), media.Normal), image.Pt(30, 10),
		cells8x16, fullLight)
	must(t, err)
	s := &screen{t: t, tmux: true, holds: map[int]bool{}}
	s.write(i.data)
	if s.write(g.Clear()); len(i.data) < 10_000 || len(s.holds) > 0 {
		t.Errorf("%d bytes; pictures %v remain", len(i.data), s.holds)
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
