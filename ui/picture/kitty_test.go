package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/exp/golden"

	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
	"mediadesk/ui/text"
)

// messages runs a command and returns the messages that it sends, in order.
func messages(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	if msg == nil {
		return nil
	}
	// A sequence is a list of commands with its own type.
	if cmds := asCommands(msg); cmds != nil {
		var all []tea.Msg
		for _, c := range cmds {
			all = append(all, messages(c)...)
		}
		return all
	}
	return []tea.Msg{msg}
}

func asCommands(msg tea.Msg) []tea.Cmd {
	if batch, ok := msg.(tea.BatchMsg); ok {
		return batch
	}
	// The type of a sequence is not exported, but it is a list of commands too.
	v := reflect.ValueOf(msg)
	if list := reflect.TypeFor[[]tea.Cmd](); v.CanConvert(list) {
		return v.Convert(list).Interface().([]tea.Cmd)
	}
	return nil
}

// raw returns what a message writes to the terminal, "" for other messages.
func raw(msg tea.Msg) string {
	if r, ok := msg.(tea.RawMsg); ok {
		return fmt.Sprint(r.Msg)
	}
	return ""
}

// cells8x16 has cells of 8 by 16 pixels.
var cells8x16 = Options{Cell: image.Pt(8, 16)}

func transmittedIn(t testing.TB, g *ImageStore, p *Picture, size image.Point) *Image {
	t.Helper()
	i, _, err := g.newImage(p, size, cells8x16, fullLight)
	must(t, err)
	return i
}

func small() *Picture { return New(mediatest.Quarters(64, 48), media.Normal) }

// TestKittyCells: rules 3 and 4: every cell has its row, column and number, the number as a
// diacritic, and is one column wide. All pictures use one color, which terminals with few colors
// have, and none without colors.
func TestKittyCells(t *testing.T) {
	for profile, o := range map[colorprofile.Profile]Options{
		colorprofile.TrueColor: cells8x16, colorprofile.ANSI256: cells8x16, colorprofile.ANSI: cells8x16,
		colorprofile.ASCII: {Cell: cells8x16.Cell, Color: NoColor},
	} {
		i, _, err := NewImageStore(false).newImage(small(), image.Pt(5, 3), o, fullLight)
		must(t, err)
		ink := color.Color(ansi.BasicColor(inkID))
		if o.Color == NoColor {
			ink = nil
		}
		if lower := i.id & 0xffffff; lower != 0 != (ink != nil) {
			t.Errorf("%v: the id ends in %d", profile, lower)
		}
		lines := i.frame(9, 4, image.Rect(2, 1, 7, 4))
		for y, line := range lines {
			if w := ansi.StringWidth(line); w != 9 {
				t.Errorf("line %d is %d wide, want 9", y, w)
			}
			if w := ansi.StringWidthWc(ansi.Strip(line)); w != 9 {
				t.Errorf("line %d is %d wide, counted letter by letter, want 9", y, w)
			}
		}
		var sent strings.Builder
		out := colorprofile.Writer{Forward: &sent, Profile: profile}
		_, err = out.WriteString(strings.Join(lines, "\n"))
		must(t, err)
		buf := uv.NewScreenBuffer(9, 4)
		uv.NewStyledString(sent.String()).Draw(buf, buf.Bounds())
		for y := range 4 {
			for x := range 9 {
				want, wantInk := " ", color.Color(nil)
				if x >= 2 && x < 7 && y >= 1 {
					want = string([]rune{
						kitty.Placeholder, kitty.Diacritic(y - 1), kitty.Diacritic(x - 2),
						kitty.Diacritic(i.number()),
					})
					wantInk = ink
				}
				if got := buf.CellAt(x, y); got.Content != want || got.Style.Fg != wantInk {
					t.Errorf("%v: cell %d,%d is %q in %v, not %q in %v", profile, x, y, got.Content, got.Style.Fg, want, wantInk)
				}
			}
		}
	}
}

// drawnIn returns the number of the picture that kitty draws in each cell of a line, or 0. Kitty treats
// other cells as a placeholder of an id with 0 in the three lower bytes, without row, column and number.
// If that fits the cell before, the picture continues.
func drawnIn(buf uv.ScreenBuffer, y int) []int {
	drawn := make([]int, buf.Bounds().Dx())
	place := func(diacritic rune) int {
		for n := range maxPlaces {
			if kitty.Diacritic(n) == diacritic {
				return n
			}
		}
		return -1
	}
	type state struct{ lower, row, col, number int }
	var before state
	for x := range drawn {
		c := buf.CellAt(x, y)
		is := state{row: -1, col: -1, number: -1}
		r := []rune(c.Content)
		picture := len(r) == 4 && r[0] == kitty.Placeholder
		if picture {
			if ink, ok := c.Style.Fg.(ansi.BasicColor); ok {
				is.lower = int(ink)
			}
			is.row, is.col, is.number = place(r[1]), place(r[2]), place(r[3])
		}
		goesOn := before.number > 0 && is.lower == before.lower && (is.row < 0 || is.row == before.row) &&
			(is.col < 0 || is.col == before.col+1) && (is.number < 0 || is.number == before.number)
		if goesOn {
			is = state{before.lower, before.row, before.col + 1, before.number}
		}
		if is.number > 0 {
			drawn[x] = is.number
		}
		before = is
	}
	return drawn
}

// TestKittyEndsWhereItIsCovered: a popup over the middle of a picture and the border of a region
// show nothing of the picture below.
func TestKittyEndsWhereItIsCovered(t *testing.T) {
	g := NewImageStore(false)
	i := transmittedIn(t, g, small(), image.Pt(12, 3))
	buf := uv.NewScreenBuffer(16, 3)
	uv.NewStyledString(strings.Join(i.frame(16, 3, image.Rect(0, 0, 12, 3)), "\n")).Draw(buf, buf.Bounds())
	uv.NewStyledString("\x1b[31mhelp").Draw(buf, image.Rect(4, 1, 8, 2))
	n := i.number()
	if got := drawnIn(buf, 1); !slices.Equal(got[:12], []int{n, n, n, n, 0, 0, 0, 0, n, n, n, n}) ||
		slices.Max(got[12:]) != 0 {
		t.Errorf("with a popup over cells 4 to 7 kitty draws %v", got)
	}
	p := New(mediatest.Photograph(300, 200), media.Normal)
	o := Options{Method: MethodKitty, Cell: image.Pt(8, 16)}
	v := NewRegionView(p, 66, 20, o)
	messages(v.Transmit(g, p))[2].(ViewReady).Done()
	frame := v.Render(image.Rect(100, 50, 200, 150))
	buf = uv.NewScreenBuffer(66, 20)
	uv.NewStyledString(strings.Join(frame, "\n")).Draw(buf, buf.Bounds())
	for y := range 20 {
		for x, n := range drawnIn(buf, y) {
			if of := strings.HasPrefix(buf.CellAt(x, y).Content, string(kitty.Placeholder)); of != (n > 0) {
				t.Errorf("cell %d,%d, %q, shows picture %d", x, y, buf.CellAt(x, y).Content, n)
			}
		}
	}
}

var chunk = regexp.MustCompile(`\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\`)

// TestKittyTransmission decodes the transmission as a terminal does, and gets the picture.
func TestKittyTransmission(t *testing.T) {
	i := transmittedIn(t, NewImageStore(false), New(mediatest.Photograph(300, 200), media.Normal),
		image.Pt(40, 15))
	found := chunk.FindAllStringSubmatch(i.data, -1)
	for n, c := range found {
		more := "m=1"
		if n == len(found)-1 {
			more = "m=0"
		}
		if !strings.Contains(c[1], more) || len(c[2]) > 4096 || len(c[2])%4 != 0 ||
			n > 0 && c[1] != "q=2,"+more {
			t.Fatalf("piece %d of %d has the keys %q with %d bytes", n, len(found), c[1], len(c[2]))
		}
	}
	want := fmt.Sprintf("a=T,U=1,i=%d,c=40,r=15,f=32,s=320,v=240,o=z,t=d,q=2,m=1", i.id)
	mediatest.Equal(t, found[0][1], want, "got the keys")
	mediatest.Equal(t, len(pixelsOf(t, i)), 320*240*4, "bytes of pixels")
	// A very large picture is transmitted with fewer pixels, and the terminal enlarges it.
	vast, _, err := NewImageStore(false).newImage(small(), image.Pt(200, 100),
		Options{Cell: image.Pt(20, 40)}, fullLight)
	must(t, err)
	if keys := keysOf(chunk.FindStringSubmatch(vast.data)[1]); keys["c"] != "200" || keys["r"] != "100" ||
		len(pixelsOf(t, vast)) > 4*maxSent {
		t.Errorf("a very large picture has the keys %v", keys)
	}
}

// pixelsOf returns the pixels of an image as transmitted.
func pixelsOf(t testing.TB, i *Image) []byte {
	t.Helper()
	var text strings.Builder
	for _, c := range chunk.FindAllStringSubmatch(i.data, -1) {
		text.WriteString(c[2])
	}
	packed, err := base64.StdEncoding.DecodeString(text.String())
	must(t, err)
	z, err := zlib.NewReader(bytes.NewReader(packed))
	must(t, err)
	pixels, err := io.ReadAll(z)
	must(t, err)
	return pixels
}

// TestKittyGolden compares the exact bytes for a picture of one cell.
func TestKittyGolden(t *testing.T) {
	g := NewImageStore(false)
	g.next = 7
	i := transmittedIn(t, g, New(mediatest.Quarters(2, 2), media.Normal), image.Pt(1, 1))
	golden.RequireEqual(t, []byte(strconv.Quote(i.data)+"\n"+
		strconv.Quote(strings.Join(i.frame(3, 2, image.Rect(1, 0, 2, 1)), "\n"))+"\n"))
}

// TestRegionPixels: with pixels the edge of a region is where it is in the picture, at all sides and
// cell sizes: outside is the darkened picture with its checkerboard, inside the picture, and between
// them a line of the same width.
func TestRegionPixels(t *testing.T) {
	mediatest.OnlyWithEverything(t)
	mediatest.SkipRacing(t)
	clear := image.NewNRGBA(image.Rect(0, 0, 300, 200))
	draw.Draw(clear, image.Rect(90, 20, 210, 180), mediatest.Photograph(300, 200), image.Pt(90, 20), draw.Src)
	for name, o := range map[string]Options{
		"small cells": {Method: MethodKitty, Cell: image.Pt(7, 13), CellAspect: 13.0 / 7},
		"sixel":       {Method: MethodSixel, Cell: image.Pt(21, 43)},
		"iTerm2":      {Method: MethodInline, Cell: image.Pt(10, 20)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for _, p := range []*Picture{
					New(mediatest.Photograph(301, 199), media.Normal), New(clear, media.Normal),
				} {
					g := NewImageStore(false)
					g.Use(o.Method)
					v := NewRegionView(p, 66, 20, o)
					show(v, v.Transmit(g, p))
					for _, rect := range []image.Rectangle{
						image.Rect(100, 50, 200, 150), image.Rect(101, 51, 202, 153),
						image.Rect(0, 0, 299, 198),
						{Max: p.Size()},
						image.Rect(0, 0, 1, 1), image.Rect(120, 0, 121, 199), image.Rect(250, 150, 999, 999),
						{},
					} {
						show(v, v.Follow(g, func() image.Rectangle { return rect }))
						compareEdge(t, v, rect)
					}
					if n := len(messages(v.Delete())); n == 0 || v.Delete() != nil || g.Clear() != "" {
						t.Errorf("%d messages delete the pictures; left: %q", n, g.Clear())
					}
				}
			})
		})
	}
	// Pictures that arrive for a closed view are deleted at once.
	g, o := NewImageStore(false), Options{Method: MethodKitty, Cell: image.Pt(8, 16)}
	late := NewRegionView(small(), 60, 20, o)
	all := messages(late.Transmit(g, small()))
	late.Delete()
	if len(messages(all[2].(ViewReady).Done())) != 2 || g.Clear() != "" {
		t.Error("the pictures of a closed view remain")
	}
}

// show runs a command of a view, and what follows from it.
func show(v *RegionView, cmd tea.Cmd) {
	for _, msg := range messages(cmd) {
		if ready, ok := msg.(ViewReady); ok {
			show(v, ready.Done())
		}
	}
}

// compareEdge composes the cells of a view and compares each pixel.
func compareEdge(t *testing.T, v *RegionView, rect image.Rectangle) {
	t.Helper()
	lines := v.Render(rect)
	buf := uv.NewScreenBuffer(v.cols, v.rows)
	uv.NewStyledString(strings.Join(lines, "\n")).Draw(buf, buf.Bounds())
	on := v.onPixels(rect)
	sources := map[int]*image.RGBA{v.images[0].number(): v.pixels[0], v.images[1].number(): v.pixels[1]}
	if v.images[2] != nil {
		sources[v.images[2].number()] = v.borderPixels(on, v.marked)
	}
	if !v.pixels[0].Opaque() || !v.pixels[1].Opaque() {
		t.Error("the background of the terminal is seen instead of the checkerboard")
	}
	width := max(1, v.pixels[0].Rect.Dy()/v.area.Dy()/8)
	for y := range v.area.Dy() {
		for x := range v.area.Dx() {
			content := buf.CellAt(v.area.Min.X+x, v.area.Min.Y+y).Content
			c, ok := placeholder(content)
			if !ok || c.at != image.Pt(x, y) {
				t.Fatalf("%v: cell %d,%d is %q, not pixels", rect, x, y, content)
			}
			cell, source := v.cellPixels(x, y), sources[c.n]
			for py := cell.Min.Y; py < cell.Max.Y; py++ {
				for px := cell.Min.X; px < cell.Max.X; px++ {
					at, got := image.Pt(px, py), source.RGBAAt(px, py)
					onHandle := func(h int) bool { return at.In(v.handleBox(h, on)) }
					if slices.ContainsFunc([]int{1, 2, 3, 4, 5, 6, 7, 8}, onHandle) {
						continue
					}
					want := v.pixels[1].RGBAAt(px, py)
					if rect.Empty() || at.In(on.Inset(width)) {
						want = v.pixels[0].RGBAAt(px, py)
					} else if at.In(on) {
						if want = got; got.R != got.G || got.G != got.B || got.R != 0 && got.R != 255 {
							t.Fatalf("%v: pixel %v of the line is %v", rect, at, got)
						}
					}
					if got != want {
						t.Fatalf("%v on %v: pixel %v of cell %d,%d is %v, want %v", rect, on, at, x, y, got, want)
					}
				}
			}
		}
	}
}

// TestShade: a picture behind a popup gets a veil as large as itself, once, before the next frame; afterwards
// it is shown as it is. Pictures of the popup stay as they are.
func TestShade(t *testing.T) {
	g := NewImageStore(false)
	o := Options{Method: MethodKitty, Color: TrueColor, Cell: image.Pt(10, 20)}
	draw := func() (*Image, string) {
		i := newSurface(g, New(mediatest.Quarters(80, 80), media.Normal), 8, 4, o).(*Image)
		return i, strings.Join(i.Lines(), "\n")
	}
	behind, base := draw()
	_, popup := draw()
	var veils []string
	for _, c := range []struct {
		front string
		light bool
		shown int // the frame that is shown from now on; 0 if nothing changes
	}{{"", false, 0}, {popup, false, 2}, {popup, false, 0}, {"", false, 1}, {popup, true, 2}, {base + popup, true, 1}} {
		g.Shade(base+popup, c.front, c.light)
		_, sent := g.painting()
		show, rest := "", sent
		if i := strings.Index(sent, "\x1b_Ga=a"); i >= 0 {
			show, rest = sent[i:], sent[:i]
		}
		mediatest.Equal(t, show, text.If(c.shown > 0, fmt.Sprintf("\x1b_Ga=a,i=%d,c=%d,q=2\x1b\\", behind.id, c.shown)), "shown")
		if rest != "" {
			veils = append(veils, rest)
		}
	}
	mediatest.Equal(t, len(veils), 1, "veils")
	veil := regexp.MustCompile(fmt.Sprintf(`^\x1b_Gi=%d,c=1,f=32,s=80,v=80,o=z,t=d,q=2,a=f,m=0;([^\x1b]+)\x1b\\$`, behind.id)).FindStringSubmatch(veils[0])
	if len(veil) == 0 {
		t.Fatalf("%q is sent", veils[0])
	}
	data, err := base64.StdEncoding.DecodeString(veil[1])
	must(t, err)
	z, err := zlib.NewReader(bytes.NewReader(data))
	must(t, err)
	pixels, err := io.ReadAll(z)
	must(t, err)
	mediatest.Equal(t, string(pixels), strings.Repeat("\x00\x00\x00\x80", 80*80), "veil")
}
