package picture

import (
	"bytes"
	"image"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/term"

	"mediadesk/ui/text"
)

// Painter writes program output to terminals that paint pictures on the screen instead of
// drawing them in text cells.
//
// Screens draw the same cells for every protocol: placeholders that name a picture and a
// part of it. The renderer writes the changed ones. The painter tracks its output to know
// what each cell shows. It replaces each placeholder with a blank, which erases the old
// content, and paints the pixels of these cells at the end of the frame, within the same
// synchronized update. So text and pixels never share a cell, and a popup erases what it
// covers.
//
// It is safe for concurrent use. If its store has no painted pictures, it writes its input
// unchanged.
type Painter struct {
	term.File
	store *ImageStore

	size      func() (width, height int, err error)
	mu        sync.Mutex
	parser    *ansi.Parser
	rows      [][]shownCell
	at, saved image.Point
	margins   [2]int // first scrolling line, and the one after the last
	graphemes bool   // measure grapheme clusters (mode 2027)
	width     int
	disturbed bool // pixels were moved: repaint all
}

// shownCell is the content of a screen cell: cell at of picture n, or text if n is 0.
type shownCell struct {
	n     int
	at    image.Point
	dirty bool // must be repainted
}

// NewPainter returns a painter that writes to out.
func NewPainter(out term.File, store *ImageStore) *Painter {
	p := ansi.NewParser()
	p.SetParamsSize(32)
	return &Painter{
		File: out, store: store, parser: p,
		size: func() (int, int, error) { return term.GetSize(out.Fd()) },
	}
}

// measure resets to an empty screen of the current size. The renderer erases the screen on every
// resize.
func (p *Painter) measure() {
	w, h, _ := p.size() // 0 if unknown
	p.width, p.margins = w, [2]int{0, h}
	p.rows = make([][]shownCell, h)
	for y := range p.rows {
		p.rows[y] = make([]shownCell, w)
	}
	p.disturbed = true
}

// Write writes program output with pixels in place of placeholders. It takes complete frames:
// sequences must not be split between calls.
func (p *Painter) Write(frame []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	by, first := p.store.painting()
	out := append([]byte(first), frame...)
	if by == nil {
		p.graphemes = p.graphemes || bytes.Contains(frame, []byte(ansi.SetModeUnicodeCore))
	} else {
		out = p.paint(out, by)
	}
	_, err := p.File.Write(out)
	return len(frame), err
}

func (p *Painter) paint(frame []byte, by protocol) []byte {
	if p.rows == nil {
		p.measure()
	}
	end := []byte(ansi.ResetModeSynchronizedOutput)
	frame, synchronized := bytes.CutSuffix(frame, end)
	out := make([]byte, 0, len(frame)+len(end))
	decode := text.Either(p.graphemes, ansi.DecodeSequence[[]byte], ansi.DecodeSequenceWc[[]byte])
	var state byte
	for len(frame) > 0 {
		seq, width, n, next := decode(frame, state, p.parser)
		frame, state = frame[n:], next
		if width > 0 {
			out = p.print(out, seq, width)
			continue
		}
		p.follow(seq)
		if _, ok := by.(*placements); ok && p.at == (image.Point{}) && string(seq) == ansi.EraseEntireScreen {
			seq = []byte(ansi.EraseScreenBelow) // older versions of kitty drop unplaced images on the former
		}
		out = append(out, seq...)
	}
	if pixels := p.pixels(by); len(pixels) > 0 {
		out = append(out, ansi.SaveCursor...)
		out = append(out, pixels...)
		out = append(out, ansi.RestoreCursor...)
	}
	if synchronized {
		out = append(out, end...)
	}
	return out
}

func (p *Painter) pixels(by protocol) []byte {
	all := visible(p.rows, by, p.store, func(c shownCell) bool { return c.n != 0 })
	changed := visible(p.rows, by, p.store, func(c shownCell) bool { return c.n != 0 && (c.dirty || p.disturbed) })
	for _, row := range p.rows {
		for x := range row {
			row[x].dirty = false
		}
	}
	disturbed := p.disturbed
	p.disturbed = false
	return by.Paint(nil, all, changed, disturbed)
}

// Part is a rectangle of cells of a picture and its position on the screen.
type Part struct {
	Image *Image
	Cells image.Rectangle
	At    image.Point
}

// visible returns the largest rectangles of wanted cells with images of a protocol, from the top.
func visible(rows [][]shownCell, by protocol, store *ImageStore, requested func(shownCell) bool) []Part {
	var list []Part
	above := map[int]int{} // parts that end in the line above, by column
	for y, row := range rows {
		here := map[int]int{}
		for x := 0; x < len(row); {
			first := row[x]
			if !requested(first) {
				x++
				continue
			}
			end := x + 1
			for end < len(row) && requested(row[end]) && row[end].n == first.n &&
				row[end].at == first.at.Add(image.Pt(end-x, 0)) {
				end++
			}
			if i, ok := above[x]; ok && list[i].Image.number() == first.n && list[i].Cells.Dx() == end-x &&
				first.at == image.Pt(list[i].Cells.Min.X, list[i].Cells.Max.Y) {
				list[i].Cells.Max.Y++
				here[x] = i
			} else if img := store.image(first.n); img != nil && img.by == by {
				here[x] = len(list)
				list = append(list, Part{
					img,
					image.Rectangle{Min: first.at, Max: first.at.Add(image.Pt(end-x, 1))},
					image.Pt(x, y),
				})
			}
			x = end
		}
		above = here
	}
	return list
}

// print records a character at the cursor and appends it, or a blank for a placeholder of a painted
// picture.
func (p *Painter) print(out, char []byte, width int) []byte {
	if p.at.X >= p.width {
		p.at = image.Pt(0, p.at.Y)
		p.lineFeed()
	}
	c, painted := placeholder(string(char))
	for range width {
		p.set(p.at, c)
		p.at.X++
	}
	if painted {
		return append(out, ' ')
	}
	return append(out, char...)
}

// placeholder parses a placeholder as written by appendCells.
func placeholder(char string) (shownCell, bool) {
	if !strings.HasPrefix(char, string(kitty.Placeholder)) {
		return shownCell{}, false
	}
	var marks [3]int
	for i, r := range []rune(char)[1:] {
		if i < len(marks) {
			marks[i] = diacriticValues[r]
		}
	}
	n := marks[2] & 0xff
	return shownCell{n: n, at: image.Pt(marks[1], marks[0]), dirty: true}, n != 0
}

var diacriticValues = func() map[rune]int {
	values := map[rune]int{}
	for i := range maxPlaces {
		values[kitty.Diacritic(i)] = i
	}
	return values
}()

func (p *Painter) set(at image.Point, c shownCell) {
	if at.Y >= 0 && at.Y < len(p.rows) && at.X >= 0 && at.X < len(p.rows[at.Y]) {
		p.rows[at.Y][at.X] = c
	}
}

func (p *Painter) erase(from, to image.Point) {
	for y := max(0, from.Y); y <= to.Y && y < len(p.rows); y++ {
		end := text.Either(y == to.Y, to.X, len(p.rows[y]))
		for x := text.Either(y == from.Y, from.X, 0); x < end; x++ {
			p.set(image.Pt(x, y), shownCell{})
		}
	}
}

// scroll moves lines first to end up by n, or down if n is negative. Terminals differ in moving
// pixels, so all are repainted.
func (p *Painter) scroll(first, end, n int) {
	end = min(end, len(p.rows))
	if first < 0 || first >= end {
		return
	}
	p.disturbed = true
	part := p.rows[first:end]
	moved := make([][]shownCell, len(part))
	for y := range part {
		if from := y + n; from >= 0 && from < len(part) {
			moved[y] = part[from]
		} else {
			moved[y] = make([]shownCell, p.width)
		}
	}
	copy(part, moved)
}

// lineFeed moves the cursor down and scrolls at the lower margin.
func (p *Painter) lineFeed() {
	if p.at.Y == p.margins[1]-1 {
		p.scroll(p.margins[0], p.margins[1], 1)
		return
	}
	p.at.Y = min(p.at.Y+1, len(p.rows)-1)
}

// follow tracks the effect of a sequence on cursor and cells. It knows the sequences of Bubble
// Tea's renderer.
func (p *Painter) follow(seq []byte) {
	switch seq[0] {
	case '\r':
		p.at.X = 0
	case '\n':
		p.lineFeed()
	case '\b':
		p.at.X = max(0, min(p.at.X, p.width)-1)
	case '\t':
		p.at.X = min(p.at.X/8*8+8, p.width-1)
	case '\x1b':
		switch {
		case len(seq) < 2: // tmux passthrough begins with two
		case len(seq) == 2:
			p.escape(seq[1])
		case seq[1] == '[':
			p.control()
		}
	}
}

func (p *Painter) escape(final byte) {
	switch final {
	case '7':
		p.saved = p.at
	case '8':
		p.at = p.saved
	case 'M': // reverse index
		if p.at.Y == p.margins[0] {
			p.scroll(p.margins[0], p.margins[1], -1)
		} else {
			p.at.Y = max(0, p.at.Y-1)
		}
	}
}

func (p *Painter) control() {
	params := p.parser.Params()
	number := func(i, missing int) int {
		if n, _, ok := params.Param(i, missing); ok && (n > 0 || missing == 0) {
			return n
		}
		return missing
	}
	n := number(0, 1)
	at, width, height := &p.at, p.width, len(p.rows)
	end := image.Pt(width, at.Y)
	if p.parser.Command() != 'm' {
		at.X = max(0, min(at.X, width-1)) // a moved cursor no longer wraps
	}
	switch p.parser.Command() {
	case 'A':
		at.Y = max(0, at.Y-n)
	case 'B':
		at.Y = min(at.Y+n, height-1)
	case 'C':
		at.X = min(at.X+n, width-1)
	case 'D':
		at.X = max(0, min(at.X, width-1)-n)
	case 'G', '`':
		at.X = min(n, width) - 1
	case 'd':
		at.Y = min(n, height) - 1
	case 'H', 'f':
		*at = image.Pt(min(number(1, 1), width)-1, min(n, height)-1)
	case 'I':
		at.X = min((at.X/8+n)*8, width-1)
	case 'Z':
		at.X = max(0, ((at.X+7)/8-n)*8)
	case 'J':
		switch mode := number(0, 0); {
		case mode == 1:
			p.erase(image.Point{}, at.Add(image.Pt(1, 0)))
		case mode == 0 && *at != image.Point{}:
			p.erase(*at, image.Pt(width, height-1))
		default:
			p.measure()
		}
		p.disturbed = true
	case 'K':
		switch number(0, 0) {
		case 0:
			p.erase(*at, end)
		case 1:
			p.erase(image.Pt(0, at.Y), at.Add(image.Pt(1, 0)))
		default:
			p.erase(image.Pt(0, at.Y), end)
		}
	case 'X':
		p.erase(*at, image.Pt(min(at.X+n, width), at.Y))
	case 'b': // repeats a character, never a placeholder, since all differ
		p.erase(*at, image.Pt(min(at.X+n, width), at.Y))
		at.X = min(at.X+n, width)
	case '@', 'P':
		p.shift(n)
	case 'L':
		p.scroll(at.Y, p.margins[1], -n)
	case 'M':
		p.scroll(at.Y, p.margins[1], n)
	case 'S':
		p.scroll(p.margins[0], p.margins[1], n)
	case 'T':
		p.scroll(p.margins[0], p.margins[1], -n)
	case 'r':
		p.margins = [2]int{n - 1, min(number(1, height), height)}
		*at = image.Point{}
	case ansi.Command('?', 0, 'h'), ansi.Command('?', 0, 'l'):
		switch n {
		case 2027:
			p.graphemes = p.parser.Command() == ansi.Command('?', 0, 'h')
		case 1049: // the other screen has no pictures
			p.measure()
		}
	}
}

func (p *Painter) shift(n int) {
	if p.at.Y < 0 || p.at.Y >= len(p.rows) || p.at.X >= p.width {
		return
	}
	p.disturbed = true
	rest := p.rows[p.at.Y][max(0, p.at.X):]
	n = min(n, len(rest))
	if p.parser.Command() == 'P' {
		copy(rest, rest[n:])
		clear(rest[len(rest)-n:])
		return
	}
	copy(rest[n:], rest)
	clear(rest[:n])
}
