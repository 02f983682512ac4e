package ui_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/vt"
	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"mediadesk/ui/uitest"
)

// Size of a cell of a screenshot in pixels.
const (
	cellWidth, cellHeight = 10, 21
	baseline              = 16
	fontSize              = 16.6
)

// fontFiles are the usual paths of the font for screenshots, which has every character that the
// program uses.
var fontFiles = [2][]string{
	{"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf", "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf"},
	{"/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf", "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono-Bold.ttf"},
}

// shot draws a picture of the current screen. It needs the font DejaVu Sans Mono.
func shot(term *uitest.Term, w, h int, colors terminalColors) (image.Image, error) {
	s := &screen{Emulator: vt.NewEmulator(w, h), plain: colors}
	defer s.InputPipe().(io.Closer).Close()
	for i, files := range fontFiles {
		face, err := loadFace(files)
		if err != nil {
			return nil, err
		}
		defer face.Close()
		s.faces[i] = face
	}
	var err error
	// Write everything at once: the emulator separates the marks of a placeholder at the end of a read.
	raw := term.Raw()
	if s.images, err = sentImages(raw); err != nil {
		return nil, err
	}
	go func() { _, _ = io.Copy(io.Discard, s) }() // its answers to the program's questions
	_, _ = s.WriteString(raw)
	return s.draw(), nil
}

func loadFace(files []string) (font.Face, error) {
	for _, name := range files {
		data, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		parsed, err := opentype.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("font %s: %w", name, err)
		}
		return opentype.NewFace(parsed, &opentype.FaceOptions{Size: fontSize, DPI: 72, Hinting: font.HintingNone})
	}
	return nil, fmt.Errorf("the font DejaVu Sans Mono is missing (package fonts-dejavu-core): tried %v", files)
}

// terminalColors has the default colors of a terminal for text and background.
type terminalColors struct{ text, ground color.RGBA }

var (
	dark  = terminalColors{color.RGBA{0xd7, 0xda, 0xe0, 0xff}, color.RGBA{0x16, 0x19, 0x21, 0xff}}
	light = terminalColors{color.RGBA{0x24, 0x29, 0x2f, 0xff}, color.RGBA{0xff, 0xff, 0xff, 0xff}}
)

// answers returns what a terminal with kitty's graphics protocol answers to the probe and to the
// question for the size of a cell.
func answers() string {
	return fmt.Sprintf("\x1b_Gi=%d;OK\x1b\\\x1b[6;%d;%dt", uint32(250<<24), cellHeight, cellWidth)
}

// answer returns what a terminal answers to the question for its background.
func (p terminalColors) answer() string {
	return fmt.Sprintf("\x1b]11;rgb:%02x/%02x/%02x\x1b\\", p.ground.R, p.ground.G, p.ground.B)
}

// screen is the source of a screenshot.
type screen struct {
	*vt.Emulator
	faces  [2]font.Face
	plain  terminalColors
	images map[int]sentImage // by number, which is the highest byte of the id
}

// sentImage is a picture that the terminal received, with its size in cells.
type sentImage struct {
	image.Image
	cells image.Point
}

var graphics = regexp.MustCompile("\x1b_G([^;\x1b]*);([^\x1b]*)\x1b")

// sentImages returns the pictures that a program transmitted by kitty's graphics protocol.
func sentImages(raw string) (map[int]sentImage, error) {
	images := map[int]sentImage{}
	var first kitty.Options
	var data strings.Builder
	for _, found := range graphics.FindAllStringSubmatch(raw, -1) {
		var o kitty.Options
		if err := o.UnmarshalText([]byte(found[1])); err != nil {
			return nil, err
		}
		if data.Len() == 0 {
			first = o
		}
		data.WriteString(found[2])
		if strings.Contains(","+found[1]+",", ",m=1,") {
			continue
		}
		packed, err := base64.StdEncoding.DecodeString(data.String())
		data.Reset()
		if err != nil {
			return nil, err
		}
		if first.Columns == 0 || first.ImageWidth < 2 {
			continue // a question
		}
		im, err := (&kitty.Decoder{Decompress: first.Compression != 0, Format: first.Format, Width: first.ImageWidth, Height: first.ImageHeight}).Decode(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		images[first.ID>>24] = sentImage{im, image.Pt(first.Columns, first.Rows)}
	}
	return images, nil
}

// diacritics maps a diacritic of a placeholder to its number.
var diacritics = func() map[rune]int {
	counts := map[rune]int{}
	for n := 296; n >= 0; n-- {
		counts[kitty.Diacritic(n)] = n
	}
	return counts
}()

// drawPixels draws the part of a picture that a placeholder shows.
func (s *screen) drawPixels(im draw.Image, at image.Rectangle, cell []rune) bool {
	if cell[0] != kitty.Placeholder || len(cell) < 4 {
		return false
	}
	from, ok := s.images[diacritics[cell[3]]]
	if !ok {
		return true // the picture was deleted, or is not transmitted yet
	}
	row, column, size := diacritics[cell[1]], diacritics[cell[2]], from.Bounds().Size()
	part := image.Rect(column*size.X/from.cells.X, row*size.Y/from.cells.Y, (column+1)*size.X/from.cells.X, (row+1)*size.Y/from.cells.Y)
	xdraw.ApproxBiLinear.Scale(im, at, from, part, draw.Over, nil)
	return true
}

func (s *screen) draw() image.Image {
	const margin = 8
	w, h := s.Width(), s.Height()
	im := image.NewRGBA(image.Rect(0, 0, w*cellWidth+2*margin, h*cellHeight+2*margin))
	draw.Draw(im, im.Bounds(), image.NewUniform(s.plain.ground), image.Point{}, draw.Src)
	for y := range h {
		for x := 0; x < w; x++ {
			cell := s.CellAt(x, y)
			if cell == nil {
				continue
			}
			at := image.Rect(0, 0, max(1, cell.Width)*cellWidth, cellHeight).Add(image.Pt(margin+x*cellWidth, margin+y*cellHeight))
			s.drawCell(im, at, cell)
		}
	}
	return im
}

func (s *screen) drawCell(im *image.RGBA, at image.Rectangle, cell *uv.Cell) {
	fg, bg := color.Color(s.plain.text), color.Color(s.plain.ground)
	if cell.Style.Fg != nil {
		fg = cell.Style.Fg
	}
	if cell.Style.Bg != nil {
		bg = cell.Style.Bg
	}
	if cell.Style.Attrs&uv.AttrReverse != 0 {
		fg, bg = bg, fg
	}
	if cell.Style.Attrs&uv.AttrFaint != 0 {
		fg = blend(fg, bg)
	}
	draw.Draw(im, at, image.NewUniform(bg), image.Point{}, draw.Src)
	runes := []rune(cell.Content)
	if len(runes) == 0 || runes[0] == ' ' {
		return
	}
	if s.drawPixels(im, at, runes) || drawBlock(im, at, runes[0], fg) {
		return
	}
	face := s.faces[0]
	if cell.Style.Attrs&uv.AttrBold != 0 {
		face = s.faces[1]
	}
	d := font.Drawer{Dst: im, Src: image.NewUniform(fg), Face: face, Dot: fixed.P(at.Min.X, at.Min.Y+baseline)}
	d.DrawString(cell.Content)
}

func blend(a, b color.Color) color.Color {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	mid := func(x, y uint32) uint8 { return uint8((x*6 + y*4) / 10 >> 8) }
	return color.RGBA{mid(ar, br), mid(ag, bg), mid(ab, bb), 0xff}
}

// quadrants are the quarters that each of U+2596 to U+259F fills: bit 0 is upper left, 1 upper
// right, 2 lower left, 3 lower right.
var quadrants = [...]int{4, 8, 1, 13, 9, 7, 11, 2, 6, 14}

// corners are the directions of the lines from the middle of a cell: right, left, up, down.
var corners = map[rune]string{
	'╭': "rd", '╮': "ld", '╰': "ru", '╯': "lu", '┌': "rd", '┐': "ld", '└': "ru", '┘': "lu",
	'├': "urd", '┤': "uld", '┬': "lrd", '┴': "lru", '┼': "lrud",
}

// drawBlock draws a block element or a straight line of a box, because fonts leave gaps between
// neighboring cells.
func drawBlock(im *image.RGBA, at image.Rectangle, r rune, fg color.Color) bool {
	fill := func(part image.Rectangle) {
		draw.Draw(im, part.Intersect(at), image.NewUniform(fg), image.Point{}, draw.Src)
	}
	middle := image.Pt((at.Min.X+at.Max.X)/2, (at.Min.Y+at.Max.Y)/2)
	switch {
	case r == '▀':
		fill(image.Rect(at.Min.X, at.Min.Y, at.Max.X, middle.Y))
	case r >= '▁' && r <= '█': // lower eighths
		fill(image.Rect(at.Min.X, at.Max.Y-at.Dy()*int(r-'▁'+1)/8, at.Max.X, at.Max.Y))
	case r >= '▉' && r <= '▏': // left eighths
		fill(image.Rect(at.Min.X, at.Min.Y, at.Min.X+at.Dx()*(8-int(r-'▉'+1))/8, at.Max.Y))
	case r == '▐':
		fill(image.Rect(middle.X, at.Min.Y, at.Max.X, at.Max.Y))
	case r == '▔':
		fill(image.Rect(at.Min.X, at.Min.Y, at.Max.X, at.Min.Y+at.Dy()/8))
	case r == '▕':
		fill(image.Rect(at.Max.X-at.Dx()/8, at.Min.Y, at.Max.X, at.Max.Y))
	case r >= '▖' && r <= '▟':
		mask := quadrants[r-'▖']
		for i, part := range []image.Rectangle{
			{at.Min, middle},
			image.Rect(middle.X, at.Min.Y, at.Max.X, middle.Y),
			image.Rect(at.Min.X, middle.Y, middle.X, at.Max.Y),
			{middle, at.Max},
		} {
			if mask>>i&1 == 1 {
				fill(part)
			}
		}
	case corners[r] != "":
		for _, way := range corners[r] {
			switch way {
			case 'r':
				fill(image.Rect(middle.X, middle.Y, at.Max.X, middle.Y+1))
			case 'l':
				fill(image.Rect(at.Min.X, middle.Y, middle.X+1, middle.Y+1))
			case 'u':
				fill(image.Rect(middle.X, at.Min.Y, middle.X+1, middle.Y+1))
			case 'd':
				fill(image.Rect(middle.X, middle.Y, middle.X+1, at.Max.Y))
			}
		}
	case r == '─':
		fill(image.Rect(at.Min.X, middle.Y, at.Max.X, middle.Y+1))
	case r == '━':
		fill(image.Rect(at.Min.X, middle.Y-1, at.Max.X, middle.Y+2))
	case r == '│':
		fill(image.Rect(middle.X, at.Min.Y, middle.X+1, at.Max.Y))
	default:
		return false
	}
	return true
}

type fixedView string

func (fixedView) Init() tea.Cmd                         { return nil }
func (v fixedView) Update(tea.Msg) (tea.Model, tea.Cmd) { return v, nil }
func (v fixedView) View() tea.View                      { return tea.NewView(string(v)) }

func TestShot(t *testing.T) {
	if _, err := os.Stat(fontFiles[0][0]); err != nil {
		if os.Getenv("MEDIADESK_TEST_REQUIRE") == "all" {
			t.Fatal(err)
		}
		t.Skip("the font for screenshots is not installed: ", err)
	}
	term := uitest.Start(t, fixedView("\x1b[38;2;255;0;0m█▀\x1b[0mW"), 4, 2)
	term.WaitFor("W")
	im, err := shot(term, 4, 2, dark)
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(im.At(8+x, 8+y)).(color.RGBA) }
	red := color.RGBA{255, 0, 0, 255}
	for _, c := range []struct {
		x, y int
		want color.RGBA
	}{
		{0, 0, red}, {cellWidth - 1, cellHeight - 1, red}, // the full block
		{cellWidth + 1, 0, red}, {cellWidth + 1, cellHeight - 1, dark.ground}, // the upper half block
		{3*cellWidth + 1, 5, dark.ground}, // a blank cell
	} {
		if got := at(c.x, c.y); got != c.want {
			t.Errorf("pixel %d,%d is %v, want %v", c.x, c.y, got, c.want)
		}
	}
	inked := 0
	for x := range cellWidth {
		for y := range cellHeight {
			if at(2*cellWidth+x, y) != dark.ground {
				inked++
			}
		}
	}
	if inked < 20 {
		t.Errorf("the letter covers %d pixels", inked)
	}
	term.Quit()
}
