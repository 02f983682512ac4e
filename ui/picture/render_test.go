package picture

import (
	"image"
	"image/color"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"golang.org/x/image/draw"
	"pgregory.net/rapid"

	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

// cellWidth and cellHeight are the size of a cell of screenshot, in pixels.
const cellWidth, cellHeight = 8, 24

// screenshot reads lines as a terminal does and draws the cells, each glyph as the Unicode standard
// describes it.
func screenshot(t testing.TB, lines []string, cols int) *image.RGBA {
	t.Helper()
	buf := uv.NewScreenBuffer(cols, len(lines))
	uv.NewStyledString(strings.Join(lines, "\n")).Draw(buf, buf.Bounds())
	img := image.NewRGBA(image.Rect(0, 0, cols*cellWidth, len(lines)*cellHeight))
	for row := range lines {
		for col := range cols {
			c := buf.CellAt(col, row)
			if c == nil || len([]rune(c.Content)) != 1 {
				t.Fatalf("cell %d,%d is %v", col, row, c)
			}
			for y := range cellHeight {
				for x := range cellWidth {
					ground, ink := c.Style.Bg, c.Style.Fg
					if hasInk(t, []rune(c.Content)[0], x, y) {
						ground = ink
					}
					if ground != nil {
						img.Set(col*cellWidth+x, row*cellHeight+y, ground)
					}
				}
			}
		}
	}
	return img
}

// hasInk reports whether a block glyph covers the pixel x, y of its cell.
func hasInk(t testing.TB, r rune, x, y int) bool {
	up, left := y < 12, x < 4
	y /= 3
	switch {
	case r == ' ':
		return false
	case r >= 0x2581 && r <= 0x2588: // from one eighth below to full
		return 8-y <= int(r-0x2580)
	case r >= 0x2589 && r <= 0x258f: // from seven eighths on the left to one
		return x < 8-int(r-0x2588)
	}
	switch r {
	case 0x2580:
		return up
	case 0x2596:
		return !up && left
	case 0x2597:
		return !up && !left
	case 0x2598:
		return up && left
	case 0x259a:
		return up == left
	case 0x259d:
		return up && !left
	}
	t.Fatalf("%q is no glyph of the set", r)
	return false
}

func TestCloseToThePicture(t *testing.T) {
	photo := mediatest.Photograph(640, 480)
	p := New(photo, media.Normal)
	tests := []struct {
		options Options
		floor   float64
	}{
		{Options{}, 27},
		{Options{Color: Color256}, 22},
	}
	for _, tt := range tests {
		r := Render(p, 80, 30, tt.options)
		// The expected picture is scaled by a library.
		want := image.NewRGBA(image.Rect(0, 0, 80*cellWidth, 30*cellHeight))
		draw.CatmullRom.Scale(want, want.Rect, photo, photo.Rect, draw.Src, nil)
		db := mediatest.PSNR(want, screenshot(t, r, 80))
		t.Logf("%+v: %.1f dB", tt.options, db)
		if db < tt.floor {
			t.Errorf("%+v: %.1f dB, want %.0f", tt.options, db, tt.floor)
		}
	}
}

// allOptions returns every way to draw.
func allOptions() (all []Options) {
	for _, c := range []Color{TrueColor, Color256, NoColor} {
		all = append(all, Options{Color: c}, Options{Color: c, Light: true})
	}
	return all
}

// checkLines checks the rules for the lines of every surface.
func checkLines(t interface {
	Helper()
	Fatalf(string, ...any)
}, lines []string, cols, rows int, color Color,
) {
	t.Helper()
	if len(lines) != max(0, rows) {
		t.Fatalf("%d lines, want %d", len(lines), rows)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w != max(0, cols) {
			t.Fatalf("line %d is %d wide, want %d: %q", i, w, cols, line)
		}
		styled := strings.Contains(line, "\x1b")
		if styled && color == NoColor {
			t.Fatalf("line %d has color: %q", i, line)
		}
		if end := strings.LastIndex(line, "\x1b["); styled && !strings.HasPrefix(line[end:], "\x1b[m") {
			t.Fatalf("line %d does not end in the terminal's colors: %q", i, line)
		}
	}
}

func TestExactSize(t *testing.T) {
	options := allOptions()
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(0, 70).Draw(t, "w"), rapid.IntRange(0, 70).Draw(t, "h")
		cols, rows := rapid.IntRange(-1, 40).Draw(t, "cols"), rapid.IntRange(-1, 20).Draw(t, "rows")
		o := rapid.SampledFrom(options).Draw(t, "options")
		o.CellAspect = rapid.SampledFrom([]float64{0, 1, 1.7, 2.5}).Draw(t, "aspect")
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		for i := range img.Pix {
			img.Pix[i] = uint8(i * 37)
		}
		p := Crop(New(img, media.Orientation(rapid.IntRange(1, 8).Draw(t, "orientation"))),
			image.Rect(0, 0, 70, rapid.IntRange(0, 70).Draw(t, "crop")))
		checkLines(t, Render(p, cols, rows, o), cols, rows, o.Color)
		rect := image.Rect(
			rapid.IntRange(-5, 80).Draw(t, "x0"), rapid.IntRange(-5, 80).Draw(t, "y0"),
			rapid.IntRange(-5, 80).Draw(t, "x1"), rapid.IntRange(-5, 80).Draw(t, "y1"),
		)
		checkLines(t, NewRegionView(p, cols, rows, o).Render(rect), cols, rows, o.Color)
	})
}

func TestGolden(t *testing.T) {
	// A ramp, an edge in the middle of cells, a diagonal and a transparent corner.
	img := image.NewNRGBA(image.Rect(0, 0, 64, 48))
	for y := range 48 {
		for x := range 64 {
			c := color.NRGBA{uint8(4 * x), uint8(5 * y), 90, 255}
			switch {
			case x > 44 && y > 28:
				c = color.NRGBA{}
			case x < 20 && y < 20 && x > y:
				c = color.NRGBA{250, 250, 240, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	p := New(img, media.Normal)
	for _, o := range allOptions() {
		if o.Light && o.Color != NoColor {
			continue
		}
		name := [...]string{"all colors", "256 colors", "no color"}[o.Color]
		if o.Color != NoColor {
			name += ", blocks"
		}
		if o.Light {
			name += ", light"
		}
		t.Run(name, func(t *testing.T) {
			golden.RequireEqual(t, strings.Join(Render(p, 10, 4, o), "\n"))
		})
	}
	t.Run("region", func(t *testing.T) {
		r := NewRegionView(p, 16, 6, Options{}).Render(image.Rect(8, 8, 40, 40))
		golden.RequireEqual(t, strings.Join(r, "\n"))
	})
}

func TestTransparent(t *testing.T) {
	p := New(image.NewNRGBA(image.Rect(0, 0, 32, 32)), media.Normal)
	shot := screenshot(t, Render(p, 8, 4, Options{}), 8)
	for y := range shot.Rect.Dy() {
		for x := range shot.Rect.Dx() {
			want := uint8(0x28)
			if (x/(2*cellWidth)+y/cellHeight)%2 == 0 {
				want = 0x38
			}
			if got := shot.RGBAAt(x, y); got != (color.RGBA{want, want, want, 255}) {
				t.Fatalf("pixel %d,%d is %v, want gray %d", x, y, got, want)
			}
		}
	}
}

// TestFitCell: cells that a glyph can show exactly are shown exactly.
func TestFitCell(t *testing.T) {
	glyphs := append([]rune{diagonal}, quadrants[:]...)
	glyphs = append(append(glyphs, lower[:]...), left[:]...)
	for _, g := range glyphs {
		for _, swap := range []bool{false, true} {
			pix := make([]uint8, 4*fitAll)
			for i := range fitAll {
				c := [3]uint8{10, 200, 30}
				if hasInk(t, g, i%fitWidth, i/fitWidth) != swap {
					c = [3]uint8{240, 20, 90}
				}
				copy(pix[4*i:], c[:])
			}
			f := fitCell(pix, 4*fitWidth)
			for i := range fitAll {
				c := f.paper
				if hasInk(t, f.glyph, i%fitWidth, i/fitWidth) {
					c = f.ink
				}
				for j, v := range c {
					if v != float32(pix[4*i+j]) {
						t.Fatalf("%q, swapped %v: drawn as %+v", g, swap, f)
					}
				}
			}
		}
	}
}

func TestCrop(t *testing.T) {
	p := New(mediatest.Quarters(64, 48), media.Normal)
	c := Crop(p, image.Rect(32, 24, 100, 100))
	if c.Size() != image.Pt(32, 24) {
		t.Fatalf("size %v", c.Size())
	}
	inner := Crop(c, image.Rect(8, 4, 16, 12))
	if inner.window != image.Rect(40, 28, 48, 36) {
		t.Errorf("a crop of a crop is %v of the picture", inner.window)
	}
	shot := screenshot(t, Render(c, 16, 6, Options{}), 16)
	for _, at := range []image.Point{{0, 0}, {127, 95}} {
		if got := shot.At(at.X, at.Y); !mediatest.Near(got, mediatest.QuarterColors[3]) {
			t.Errorf("pixel %v of the crop is %v", at, got)
		}
	}
	mediatest.Equal(t, Crop(p, image.Rect(70, 0, 80, 10)).Size(), image.Point{},
		"a crop beside the picture has the size")
}
