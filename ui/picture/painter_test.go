package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"pgregory.net/rapid"

	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

// letters is a protocol whose pixels are letters, one for each cell of each image. So a text emulator
// shows which cells have pixels, and of which image.
type letters struct{}

func letter(n int, at image.Point) rune { return rune(0xf0000 + n*400 + at.Y*20 + at.X) }

func (letters) Prepare(*Image, *image.RGBA) string { return "" }

func (letters) Paint(b []byte, _, changed []Part, _ bool) []byte {
	b = append(b, ansi.ResetModeAutoWrap...) // unlike letters, pixels move no cursor
	for _, p := range changed {
		for y := p.Cells.Min.Y; y < p.Cells.Max.Y; y++ {
			b = goTo(b, p.At.Add(image.Pt(0, y-p.Cells.Min.Y)))
			for x := p.Cells.Min.X; x < p.Cells.Max.X; x++ {
				b = append(b, string(letter(p.Image.number(), image.Pt(x, y)))...)
			}
		}
	}
	return append(b, ansi.SetModeAutoWrap...)
}

func (letters) Forget(*Image) string { return "" }

// sink is a terminal that keeps its input.
type sink struct{ bytes.Buffer }

func (*sink) Close() error { return nil }
func (*sink) Fd() uintptr  { return 0 }

// TestPainterKeepsTextAndPixelsApart draws many frames of random texts, pictures and popups at changing
// sizes. Each cell of the terminal then has what the frame has there: text, or the right pixels.
func TestPainterKeepsTextAndPixelsApart(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		store := NewImageStore(false)
		store.Use(MethodSixel)
		store.by = letters{}
		p := New(mediatest.Quarters(8, 8), media.Normal)
		var images []*Image
		for range 3 {
			size := image.Pt(rapid.IntRange(1, 12).Draw(r, "columns"), rapid.IntRange(1, 6).Draw(r, "rows"))
			i, _, err := store.newImage(p, size, Options{Cell: image.Pt(1, 2)}, fullLight)
			must(r, err)
			images = append(images, i)
		}
		size := image.Pt(30, 12)
		out := &sink{}
		painter := NewPainter(out, store)
		painter.size = func() (int, int, error) { return size.X, size.Y, nil }
		terminal := vt.NewEmulator(size.X, size.Y)
		var drawn bytes.Buffer
		renderer := uv.NewTerminalRenderer(&drawn, []string{"TERM=xterm-256color"})
		renderer.SetFullscreen(true)
		renderer.SetRelativeCursor(false)
		renderer.SetScrollOptim(true)
		renderer.Erase()
		buffer := uv.NewScreenBuffer(size.X, size.Y)
		var all []string
		for range rapid.IntRange(1, 12).Draw(r, "frames") {
			if rapid.IntRange(0, 5).Draw(r, "resize") == 0 {
				size = image.Pt(rapid.IntRange(5, 40).Draw(r, "width"),
					rapid.IntRange(3, 16).Draw(r, "height"))
				terminal.Resize(size.X, size.Y)
				renderer.Erase()
				renderer.Resize(size.X, size.Y)
				buffer.Touched = nil
				buffer.Resize(size.X, size.Y)
			}
			frame := randomFrame(r, size, images)
			buffer.Clear()
			uv.NewStyledString(frame).Draw(buffer, buffer.Bounds())
			renderer.Render(buffer.RenderBuffer)
			must(r, renderer.Flush())
			_, err := painter.Write(drawn.Bytes())
			must(r, err)
			written := out.String()
			all = append(all, written)
			_, err = terminal.WriteString(written)
			must(r, err)
			drawn.Reset()
			out.Reset()
			for y := range size.Y {
				for x := range size.X {
					want, have := " ", " "
					if c := buffer.CellAt(x, y); c != nil && c.Content != "" {
						want = c.Content
					}
					if cell, ok := placeholder(string([]byte(want))); ok {
						want = string(letter(cell.n, cell.at))
					}
					if c := terminal.CellAt(x, y); c != nil && c.Content != "" {
						have = c.Content
					}
					if have != want {
						r.Fatalf("cell %d,%d shows %q, not %q, after\n%q", x, y, have, want, all)
					}
				}
			}
		}
	})
}

// randomFrame returns a screen with scrolling lines of text, pictures, and a popup.
func randomFrame(r *rapid.T, size image.Point, images []*Image) string {
	from := rapid.IntRange(0, 5).Draw(r, "first line")
	rows := make([][]string, size.Y)
	for y := range rows {
		text := fmt.Sprintf("line %d %s", from+y, strings.Repeat(string(rune('a'+(from+y)%26)), (from+y)%20))
		rows[y] = strings.Split(fmt.Sprintf("%-*.*s", size.X, size.X, text), "")
	}
	put := func(at image.Point, cells [][]string) {
		for y, line := range cells {
			for x, c := range line {
				if at.Y+y < size.Y && at.X+x < size.X {
					rows[at.Y+y][at.X+x] = c
				}
			}
		}
	}
	place := func(name string) image.Point {
		return image.Pt(rapid.IntRange(0, size.X-1).Draw(r, name+" x"),
			rapid.IntRange(0, size.Y-1).Draw(r, name+" y"))
	}
	for _, i := range images {
		if !rapid.Bool().Draw(r, "shown") {
			continue
		}
		cells := make([][]string, i.size.Y)
		for y := range cells {
			for x := range i.size.X {
				cells[y] = append(cells[y], string(i.appendCells(nil, x, x+1, y)))
			}
		}
		put(place("picture"), cells)
	}
	if rapid.Bool().Draw(r, "popup") {
		put(place("popup"), [][]string{
			strings.Split("+----+", ""), strings.Split("|    |", ""), strings.Split("+----+", ""),
		})
	}
	lines := make([]string, size.Y)
	for y := range rows {
		lines[y] = strings.Join(rows[y], "")
	}
	return strings.Join(lines, "\n")
}

// TestPainterBytes has the bytes of each protocol for a picture of 4 by 2 cells, when a popup covers one
// of its cells, and when the popup is closed.
func TestPainterBytes(t *testing.T) {
	for _, m := range []Method{MethodDirect, MethodInline, MethodSixel} {
		t.Run(m.String(), func(t *testing.T) {
			store := NewImageStore(false)
			store.next = 1
			if !store.Use(m) || store.Use(m) {
				t.Fatal("the screen must be cleared once")
			}
			i, _, err := store.newImage(New(mediatest.Quarters(64, 48), media.Normal), image.Pt(4, 2),
				Options{Cell: image.Pt(8, 12)}, fullLight)
			must(t, err)
			out := &sink{}
			p := NewPainter(out, store)
			p.size = func() (int, int, error) { return 10, 4, nil }
			line := func(y, x, end int) string {
				return ansi.CursorPosition(3+x, 2+y) + string(i.appendCells(nil, x, end, y))
			}
			frame := func(s string) string {
				_, err := p.Write(
					[]byte(ansi.SetModeSynchronizedOutput + s + ansi.ResetModeSynchronizedOutput))
				must(t, err)
				defer out.Reset()
				written := out.String()
				if strings.Contains(written, "\U0010eeee") ||
					!strings.HasSuffix(written, ansi.ResetModeSynchronizedOutput) {
					t.Errorf("the painter writes %q", written)
				}
				return written
			}
			count := func(s string) int {
				return strings.Count(s, "a=p,") + strings.Count(s, "1337;File=") +
					strings.Count(s, "\x1bP0;1q")
			}
			if n := count(frame(ansi.EraseEntireDisplay + line(0, 0, 4) + line(1, 0, 4))); n != 1 {
				t.Errorf("the picture is painted in %d parts, want 1", n)
			}
			if s := frame(ansi.CursorPosition(1, 4) + "text"); count(s) != 0 {
				t.Errorf("unchanged pixels are painted again: %q", s)
			}
			covered := frame(ansi.CursorPosition(4, 2) + "X")
			if m == MethodDirect && (count(covered) != 3 || strings.Count(covered, "a=d,d=i,") != 1) ||
				m != MethodDirect && count(covered) != 0 {
				t.Errorf("with a popup: %q", covered)
			}
			again := frame(line(0, 1, 2))
			if count(again) != 1 || len(again) > 2000 {
				t.Errorf("without the popup: %q", again)
			}
			// A hundred times: no frame transmits the picture again or more than the first one did, and the
			// number of placements does not grow.
			numbers, commands := regexp.MustCompile(`p=[0-9]+`), regexp.MustCompile("\x1b_Ga=[pd][^\x1b]*")
			placed := map[string]bool{}
			for range 100 {
				for _, step := range []struct{ write, want string }{
					{ansi.CursorPosition(4, 2) + "X", covered}, {line(0, 1, 2), again},
				} {
					got := frame(step.write)
					if len(got) > len(step.want)+20 || strings.Contains(got, "a=t") {
						t.Fatalf("the painter writes %q, want %q as the first time", got, step.want)
					}
					for _, command := range commands.FindAllString(got, -1) {
						placed[numbers.FindString(command)] = strings.HasPrefix(command, "\x1b_Ga=p")
					}
				}
			}
			maps.DeleteFunc(placed, func(_ string, there bool) bool { return !there })
			if m == MethodDirect && len(placed) > 4 {
				t.Errorf("the terminal keeps %d placements of one picture", len(placed))
			}
			gone := frame(ansi.CursorHomePosition + ansi.EraseEntireScreen)
			if count(gone) != 0 || m == MethodDirect && strings.Contains(gone, ansi.EraseEntireScreen) {
				t.Errorf("after clearing: %q", gone)
			}
			if m == MethodSixel && !strings.Contains(again, "\"1;1;8;12") {
				t.Errorf("not only the cell that was covered is painted: %q", again)
			}
		})
	}
}

// TestSixelReachesTheLastPixel: five rows of 15 pixels are twelve bands of six and three more
// pixels. Those are in the last two rows, which are five bands.
func TestSixelReachesTheLastPixel(t *testing.T) {
	i := &Image{size: image.Pt(2, 5)}
	sixels{}.Prepare(i, image.NewRGBA(image.Rect(0, 0, 16, 75)))
	all := []Part{{Image: i, At: image.Pt(3, 1), Cells: image.Rect(0, 0, 2, 5)}}
	got := string(sixels{}.Paint(nil, all, all, false))
	if parts := strings.Split(got, "\x1bP0;1q"); len(parts) != 3 ||
		!strings.HasPrefix(parts[1], "\"1;1;16;72") ||
		!strings.HasSuffix(parts[1], string(goTo(nil, image.Pt(3, 4)))) ||
		!strings.HasPrefix(parts[2], "\"1;1;16;30") {
		t.Errorf("the painter paints %q", got)
	}
}

// TestPlacementsForgetOneOnly: older versions of kitty regard every image without placements as
// unused when another one is deleted with its pixels.
func TestPlacementsForgetOneOnly(t *testing.T) {
	if s := (&placements{}).Forget(&Image{id: 3}); strings.Contains(s, "d=I") ||
		!strings.Contains(s, "d=i,i=3,") || !strings.Contains(s, "a=t,i=3,") {
		t.Errorf("%q", s)
	}
}

// TestDragSendsLittle: during a drag of a region over 80 by 30 cells a frame sends only the cells that
// changed and those of the edge.
func TestDragSendsLittle(t *testing.T) {
	mediatest.SkipRacing(t)
	mediatest.OnlyWithEverything(t)
	for m, most := range map[Method]int{MethodDirect: 1_500, MethodInline: 35_000, MethodSixel: 110_000} {
		t.Run(m.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := NewImageStore(false)
				store.Use(m)
				p := New(mediatest.Photograph(800, 600), media.Normal)
				o := Options{Method: m, Cell: image.Pt(10, 20), CellAspect: 2}
				v := NewRegionView(p, 80, 30, o)
				for _, msg := range messages(v.Transmit(store, p)) {
					if ready, ok := msg.(ViewReady); ok {
						ready.Done()
					}
				}
				out := &sink{}
				painter := NewPainter(out, store)
				painter.size = func() (int, int, error) { return 80, 31, nil }
				var drawn bytes.Buffer
				renderer := uv.NewTerminalRenderer(&drawn, []string{"TERM=xterm-256color"})
				renderer.SetFullscreen(true)
				renderer.SetRelativeCursor(false)
				renderer.Erase()
				buffer := uv.NewScreenBuffer(80, 31)
				total, largest := 0, 0
				for n := range 30 {
					rect := image.Rect(100, 100, 400, 300).Add(image.Pt(n*12, n*6))
					show(v, v.Follow(store, func() image.Rectangle { return rect }))
					buffer.Clear()
					uv.NewStyledString(strings.Join(v.Render(rect), "\n")).Draw(buffer, buffer.Bounds())
					renderer.Render(buffer.RenderBuffer)
					must(t, renderer.Flush())
					_, err := painter.Write(drawn.Bytes())
					must(t, err)
					if n > 0 {
						total += out.Len()
						largest = max(largest, out.Len())
					}
					drawn.Reset()
					out.Reset()
				}
				t.Logf("%d bytes a frame, %d at most", total/29, largest)
				if total/29 > most {
					t.Errorf("%d bytes a frame", total/29)
				}
			})
		})
	}
}

// TestSixelLeavesNoGaps: bands of six lines cover every line of a region's picture, wherever its edge
// is, in cells of any height.
func TestSixelLeavesNoGaps(t *testing.T) {
	sequence := regexp.MustCompile(`\x1b\[(\d+);(\d+)H\x1bP0;1q"1;1;(\d+);(\d+)`)
	for _, height := range []int{13, 14, 15, 18} {
		synctest.Test(t, func(t *testing.T) {
			store := NewImageStore(false)
			store.Use(MethodSixel)
			p := New(mediatest.Photograph(300, 200), media.Normal)
			v := NewRegionView(p, 60, 12, Options{
				Method: MethodSixel, Cell: image.Pt(8, height), CellAspect: float64(height) / 8,
			})
			show(v, v.Transmit(store, p))
			out := &sink{}
			painter := NewPainter(out, store)
			painter.size = func() (int, int, error) { return 60, 14, nil }
			for _, rect := range []image.Rectangle{
				image.Rect(100, 60, 200, 140), image.Rect(50, 30, 150, 40), image.Rect(0, 90, 300, 190),
			} {
				show(v, v.Follow(store, func() image.Rectangle { return rect }))
				_, err := painter.Write([]byte("\x1b[H" + strings.Join(v.Render(rect), "\r\n")))
				must(t, err)
				covered := image.NewAlpha(image.Rect(0, 0, 60*8, 14*height))
				for _, found := range sequence.FindAllStringSubmatch(out.String(), -1) {
					var n [4]int
					for i := range n {
						n[i], _ = strconv.Atoi(found[i+1])
					}
					at := image.Pt((n[1]-1)*8, (n[0]-1)*height)
					draw.Draw(covered, image.Rectangle{at, at.Add(image.Pt(n[2], n[3]))}, image.Opaque,
						image.Point{}, draw.Src)
				}
				cells := image.Rect(v.area.Min.X*8, v.area.Min.Y*height, v.area.Max.X*8,
					v.area.Max.Y*height-5)
				for y := cells.Min.Y; y < cells.Max.Y; y++ {
					for x := cells.Min.X; x < cells.Max.X; x++ {
						if covered.AlphaAt(x, y).A == 0 {
							t.Fatalf("height %d, %v: pixel %d,%d in row %d is not painted", height, rect, x, y, y/height)
						}
					}
				}
				out.Reset()
				painter.disturbed = true
			}
		})
	}
}
