package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// protocol draws pixels in a terminal. Calls are not concurrent.
type protocol interface {
	// Prepare stores what Paint needs, and returns the text to send to the terminal once before
	// drawing.
	Prepare(i *Image, pixels *image.RGBA) string
	// Paint appends the text that draws the changed parts, which are new or were erased by text. all
	// has every visible part; after a disturbance, which may have moved pixels, changed has them, too.
	Paint(b []byte, all, changed []Part, disturbed bool) []byte
	// Forget returns the text that deletes an image from the terminal.
	Forget(i *Image) string
}

func newProtocol(m Method, g *ImageStore) protocol {
	switch m {
	case MethodDirect:
		return &placements{}
	case MethodInline:
		return inline{}
	case MethodSixel:
		return sixels{}
	}
	return placeholders{g.tmux}
}

func goTo(b []byte, at image.Point) []byte {
	return append(b, ansi.CursorPosition(at.X+1, at.Y+1)...)
}

// placeholders is kitty's graphics protocol with Unicode placeholders, drawn by the terminal.
type placeholders struct{ tmux bool }

func (s placeholders) Prepare(i *Image, p *image.RGBA) string {
	i.scale = p.Rect.Size()
	return transmission(p, fmt.Sprintf("a=T,U=1,i=%d,c=%d,r=%d", i.id, i.size.X, i.size.Y), s.wrap)
}

func (placeholders) Paint(b []byte, _, _ []Part, _ bool) []byte { return b }

func (s placeholders) Forget(i *Image) string { return s.wrap(forgetting(i)) }

func (s placeholders) wrap(sequence string) string {
	if s.tmux {
		return ansi.TmuxPassthrough(sequence)
	}
	return sequence
}

func forgetting(i *Image) string {
	return ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprintf("i=%d", i.id), "q=2")
}

// transmission sends a picture with four bytes for each pixel: of others whose lines have no multiple of
// four bytes, kitty draws stripes once they have a second frame.
func transmission(p *image.RGBA, action string, wrap func(string) string) string {
	return packed(p.Pix, wrap, "q=2", fmt.Sprintf("%s,f=32,s=%d,v=%d", action, p.Rect.Dx(), p.Rect.Dy()))
}

// packed returns the sequences that send pixels by kitty's protocol, in chunks that all terminals accept.
// The first has options, and all have each.
func packed(pixels []byte, wrap func(string) string, each, options string) string {
	var data bytes.Buffer
	z, _ := zlib.NewWriterLevel(&data, zlib.BestSpeed)
	_, _ = z.Write(pixels)
	_ = z.Close()
	text := []byte(base64.StdEncoding.EncodeToString(data.Bytes()))
	head := []string{options, "o=z", "t=d"}
	var b strings.Builder
	for head != nil || len(text) > 0 {
		chunk, more := text, "m=0"
		if len(text) > kitty.MaxChunkSize {
			chunk, more = text[:kitty.MaxChunkSize], "m=1"
		}
		text = text[len(chunk):]
		b.WriteString(wrap(ansi.KittyGraphics(chunk, append(head, each, more)...)))
		head = nil
	}
	return b.String()
}

// placements is kitty's graphics protocol without placeholders: visible parts of stored images are
// placed over the text.
type placements struct {
	placed []placement
	last   int // number of the last placement
}

type placement struct {
	Part
	number int
}

func (*placements) Prepare(i *Image, p *image.RGBA) string {
	i.scale = p.Rect.Size()
	return transmission(p, fmt.Sprintf("a=t,i=%d", i.id), func(s string) string { return s })
}

func (d *placements) Paint(b []byte, all, _ []Part, disturbed bool) []byte {
	if disturbed { // the terminal may have moved them
		b = append(b, "\x1b_Ga=d,d=a,q=2\x1b\\"...)
		d.placed = nil
	}
	d.placed = slices.DeleteFunc(d.placed, func(p placement) bool {
		gone := !slices.Contains(all, p.Part)
		if gone {
			b = fmt.Appendf(b, "\x1b_Ga=d,d=i,i=%d,p=%d,q=2\x1b\\", p.Image.id, p.number)
		}
		return gone
	})
	for _, part := range all {
		if slices.ContainsFunc(d.placed, func(p placement) bool { return p.Part == part }) {
			continue
		}
		d.last++
		d.placed = append(d.placed, placement{part, d.last})
		from := part.scaled()
		b = goTo(b, part.At)
		b = fmt.Appendf(b, "\x1b_Ga=p,i=%d,p=%d,x=%d,y=%d,w=%d,h=%d,c=%d,r=%d,C=1,q=2\x1b\\", part.Image.id, d.last,
			from.Min.X, from.Min.Y, from.Dx(), from.Dy(), part.Cells.Dx(), part.Cells.Dy())
	}
	return b
}

// Forget replaces the image by one pixel. Older versions of kitty treat unplaced images as unused
// when one is deleted with its data, and drop those just sent.
func (*placements) Forget(i *Image) string {
	return fmt.Sprintf("\x1b_Ga=d,d=i,i=%d,q=2\x1b\\\x1b_Ga=t,i=%[1]d,f=24,s=1,v=1,q=2;AAAA\x1b\\", i.id)
}

func (p Part) scaled() image.Rectangle {
	size, of := p.Image.scale, p.Image.size
	return image.Rect(p.Cells.Min.X*size.X/of.X, p.Cells.Min.Y*size.Y/of.Y, p.Cells.Max.X*size.X/of.X,
		p.Cells.Max.Y*size.Y/of.Y)
}

// inline is the protocol of iTerm2: each part is a file drawn at the cursor.
type inline struct{}

func (inline) Prepare(i *Image, p *image.RGBA) string {
	i.scale, i.pixels = p.Rect.Size(), p
	return ""
}

// inlineQuality is the JPEG quality of parts; higher looks the same, and PNG takes eight times as
// many bytes.
const inlineQuality = 90

func (inline) Paint(b []byte, _, parts []Part, _ bool) []byte {
	for _, part := range parts {
		var file bytes.Buffer
		shown := part.Image.pixels.SubImage(part.scaled())
		_ = jpeg.Encode(&file, shown, &jpeg.Options{Quality: inlineQuality})
		b = fmt.Appendf(goTo(b, part.At),
			"\x1b]1337;File=inline=1;size=%d;width=%d;height=%d;preserveAspectRatio=0;doNotMoveCursor=1:%s\a",
			file.Len(), part.Cells.Dx(), part.Cells.Dy(), base64.StdEncoding.EncodeToString(file.Bytes()))
	}
	return b
}

func (inline) Forget(*Image) string { return "" }

// sixels is the sixel protocol: pixels in bands of six lines with at most 256 colors.
type sixels struct{}

// sixelLevels are the levels of red, green and blue: 252 colors for all images. With dithering this
// looks as good as a palette per image.
var sixelLevels = [3]int{6, 7, 6}

// Prepare reduces the colors with Floyd-Steinberg dithering.
func (sixels) Prepare(i *Image, p *image.RGBA) string {
	size := p.Rect.Size()
	i.scale, i.colors = size, make([]uint8, size.X*size.Y)
	here, below := make([][3]int, size.X+2), make([][3]int, size.X+2) // error per pixel, in sixteenths
	for y := range size.Y {
		for x := range size.X {
			at := y*size.X + x
			index := 0
			for c, levels := range sixelLevels {
				want := int(p.Pix[y*p.Stride+4*x+c]) + here[x+1][c]/16
				level := max(0, min((want*(levels-1)+127)/255, levels-1))
				index = index*levels + level
				off := want - level*255/(levels-1)
				here[x+2][c] += 7 * off
				below[x][c] += 3 * off
				below[x+1][c] += 5 * off
				below[x+2][c] += off
			}
			i.colors[at] = uint8(index)
		}
		here, below = below, here
		clear(below)
	}
	return ""
}

// Paint appends bands of six lines. The last band must not reach below the part, where terminals
// would hide text. It is filled from the picture if that continues below; otherwise it is left out,
// and rows at the end are repainted to complete the bands.
func (sixels) Paint(b []byte, all, changed []Part, _ bool) []byte {
	parts := slices.Clone(changed)
	for n := 0; n < len(parts); n++ {
		part := parts[n]
		r := part.scaled()
		rest := r.Dy() % 6
		r.Max.Y -= rest
		below := part.below(all)
		goesOn := rest != 0 && below != nil
		if goesOn {
			r.Max.Y += 6
			same := len(below) == 1 && below[0].Image == part.Image
			if !same && !part.Image.composed { // it painted over them
				parts = append(parts, below...)
			}
		}
		b = appendSixel(goTo(b, part.At), part.Image, r)
		high := part.Cells.Dy() // the rows that may be repainted
		if part.Image.composed {
			high = part.Cells.Max.Y + 1 // its other pixels are the same as those that are there
		}
		for rows := 1; rest != 0 && !goesOn && rows < min(7, high); rows++ {
			end := part
			end.Cells.Min.Y = end.Cells.Max.Y - rows
			end.At.Y += part.Cells.Dy() - rows
			if r := end.scaled(); r.Dy()%6 == 0 {
				b = appendSixel(goTo(b, end.At), end.Image, r)
				break
			}
		}
	}
	return b
}

// below returns the cells in the row below the part, if pictures with the same pixels fill it.
func (p Part) below(all []Part) (row []Part) {
	at := image.Rect(p.Cells.Min.X, p.Cells.Max.Y, p.Cells.Max.X, p.Cells.Max.Y+1)
	width := 0
	for _, q := range all {
		if q.Image.size != p.Image.size || q.Image.scale != p.Image.scale ||
			q.At.Sub(q.Cells.Min) != p.At.Sub(p.Cells.Min) {
			continue
		}
		if cells := q.Cells.Intersect(at); !cells.Empty() {
			row = append(row, Part{q.Image, cells, q.At.Add(cells.Min.Sub(q.Cells.Min))})
			width += cells.Dx()
		}
	}
	if width < at.Dx() {
		return nil
	}
	return row
}

func (sixels) Forget(*Image) string { return "" }

func appendSixel(b []byte, i *Image, r image.Rectangle) []byte {
	b = fmt.Appendf(b, "\x1bP0;1q\"1;1;%d;%d", r.Dx(), r.Dy())
	var defined [256]bool
	for top := r.Min.Y; top < r.Max.Y; top += 6 {
		if top > r.Min.Y {
			b = append(b, '-')
		}
		var lines [256][]byte // by color: six pixels of each column
		var used []int
		for y := top; y < min(top+6, r.Max.Y, i.scale.Y); y++ {
			for x, c := range i.colors[y*i.scale.X+r.Min.X : y*i.scale.X+r.Max.X] {
				if lines[c] == nil {
					lines[c] = make([]byte, r.Dx())
					used = append(used, int(c))
				}
				lines[c][x] |= 1 << (y - top)
			}
		}
		for n, c := range used {
			if n > 0 {
				b = append(b, '$')
			}
			b = fmt.Appendf(b, "#%d", c)
			if !defined[c] {
				defined[c] = true
				green, blue := c/sixelLevels[2]%sixelLevels[1], c%sixelLevels[2]
				red := c / sixelLevels[2] / sixelLevels[1]
				b = fmt.Appendf(b, ";2;%d;%d;%d#%d",
					red*100/(sixelLevels[0]-1), green*100/(sixelLevels[1]-1), blue*100/(sixelLevels[2]-1), c)
			}
			b = appendRuns(b, lines[c])
		}
	}
	return append(b, "\x1b\\"...)
}

// appendRuns appends the columns of one color, run-length encoded.
func appendRuns(b, columns []byte) []byte {
	columns = bytes.TrimRight(columns, "\x00")
	for x := 0; x < len(columns); {
		end := x + 1
		for end < len(columns) && columns[end] == columns[x] {
			end++
		}
		char := columns[x] + '?'
		if end-x > 3 {
			b = append(b, '!')
			b = strconv.AppendInt(b, int64(end-x), 10)
			b = append(b, char)
		} else {
			b = append(b, bytes.Repeat([]byte{char}, end-x)...)
		}
		x = end
	}
	return b
}

// Surface is a picture in a rectangle of cells. Each method of drawing has its own implementation.
type Surface interface {
	// Lines returns the rows.
	Lines() []string
	// Show sends the picture to the terminal. Draw the lines only after its last message,
	// [Transmitted], or at once if Show returns nil.
	Show() tea.Cmd
	// Delete deletes a shown picture from the terminal after its last frame; it may return nil.
	// Call it once.
	Delete() tea.Cmd
	// Drop discards a surface that was never shown.
	Drop()
}

// Transmitted reports that the terminal has a picture, so its lines may be drawn.
type Transmitted struct{ Surface Surface }

// newSurface draws p into cols × rows cells: in pixels if o says so and the store has space, else
// with glyphs.
func newSurface(g *ImageStore, p *Picture, cols, rows int, o Options) Surface {
	if g != nil && o.Method.Pixels() {
		if i, err := g.surface(p, cols, rows, o); err == nil {
			return i
		}
	}
	return &glyphs{Render(p, cols, rows, o)}
}

type glyphs struct{ lines []string }

func (g *glyphs) Lines() []string { return g.lines }
func (g *glyphs) Show() tea.Cmd   { return nil }
func (g *glyphs) Delete() tea.Cmd { return nil }
func (g *glyphs) Drop()           {}

// Slot shows one surface after the other: each stays until the next is ready. The zero Slot is
// empty.
type Slot struct{ shown, next Surface }

// Lines returns the lines of the shown surface, or nil.
func (s *Slot) Lines() []string {
	if s.shown == nil {
		return nil
	}
	return s.shown.Lines()
}

// Set shows another surface as soon as possible; nil for none.
func (s *Slot) Set(next Surface) tea.Cmd {
	gone := forget(s.next)
	s.next = nil
	if next != nil {
		if show := next.Show(); show != nil {
			s.next = next
			return tea.Batch(gone, show)
		}
	}
	gone = tea.Batch(gone, forget(s.shown))
	s.shown = next
	return gone
}

// Transmitted switches to the surface that the terminal has now. It reports whether the slot was
// waiting for it.
func (s *Slot) Transmitted(msg Transmitted) (gone tea.Cmd, used bool) {
	if s.next == nil || msg.Surface != s.next {
		return nil, false
	}
	gone = forget(s.shown)
	s.shown, s.next = s.next, nil
	return gone, true
}

func forget(s Surface) tea.Cmd {
	if s == nil {
		return nil
	}
	return s.Delete()
}
