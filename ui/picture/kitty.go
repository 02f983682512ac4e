package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// ImageStore hands out the ids of the real pictures that the terminal holds. There
// is one for the program, since there is one terminal. It is safe for concurrent
// use.
//
// A picture is sent first; only when the terminal has it, its cells may be drawn.
// Every new content or size gets an id of its own, and the old one is forgotten a
// moment after the last frame that shows it: terminals draw nothing for an id that
// changes its meaning. What tells two pictures apart is a number from 1 to 255 in
// the highest byte of the id, which is written as the third diacritic of each cell
// and not as its colour, so that it survives terminals of few colours.
//
// The three lower bytes are the colour of the cells' ink, the same for all: number
// 1 of the palette. Without it they would be 0, which is what kitty takes for the
// id of every cell that is none of a picture: it goes on with the picture of the
// cell before, underneath whatever stands there. Without any colour they have to
// be 0; what lies over a picture then has to end it, as kit.Overlay does.
type ImageStore struct {
	tmux bool

	mu   sync.Mutex
	next int
	held [256]uint32 // the ids by their highest bytes; 0 is none
}

// NewImageStore makes a store; inTmux tells that the way to the terminal leads
// through tmux.
func NewImageStore(inTmux bool) *ImageStore {
	// Another program on the same terminal counts from elsewhere, most likely.
	return &ImageStore{tmux: inTmux, next: 1 + rand.IntN(255)} //nolint:gosec // not a secret
}

// errNoRoom says that the terminal holds as many pictures as there are ids.
var errNoRoom = errors.New("too many pictures on the screen")

// inkID is the lower bytes of the ids where there are colours.
const inkID = 1

// reserve returns a free id with those lower bytes.
func (g *ImageStore) reserve(lower uint32) (uint32, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for range 255 {
		n := g.next
		g.next = g.next%255 + 1
		if g.held[n] == 0 && n != probeID>>24 {
			g.held[n] = uint32(n)<<24 | lower
			return g.held[n], nil
		}
	}
	return 0, errNoRoom
}

func (g *ImageStore) free(id uint32) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held[id>>24] = 0
}

// Clear is what to write to the terminal for it to forget every picture; empty
// where it holds none. To be written when the program ends: nothing else removes
// pictures of this kind.
func (g *ImageStore) Clear() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var b strings.Builder
	for n, id := range g.held {
		if id != 0 {
			b.WriteString(g.forget(id))
			g.held[n] = 0
		}
	}
	return b.String()
}

func (g *ImageStore) forget(id uint32) string {
	return g.wrap(ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprintf("i=%d", id), "q=2"))
}

// wrap leads a sequence through tmux, where there is one.
func (g *ImageStore) wrap(sequence string) string {
	if g.tmux {
		return ansi.TmuxPassthrough(sequence)
	}
	return sequence
}

// Image is one picture of a store, as large as a rectangle of cells. It is the [Surface]
// of terminals with Unicode placeholders.
type Image struct {
	store *ImageStore
	id    uint32
	size  image.Point
	data  string
	lines []string
}

var _ Surface = (*Image)(nil)

// Lines are the rows of cells in which the picture stands.
func (i *Image) Lines() []string { return i.lines }

// Limits of one image: cells by the diacritics there are to count them, pixels by
// what is worth sending.
const (
	maxPlaces = 297
	maxSent   = 2_000_000
)

// surface prepares p to be shown in cols × rows cells, as large as it fits.
func (g *ImageStore) surface(p *Picture, cols, rows int, o Options) (*Image, error) {
	area := Fit(p.Size(), cols, rows, o.CellAspect)
	i, err := g.newImage(p, area.Size(), o, fullLight)
	if err != nil {
		return nil, err
	}
	i.lines = i.frame(cols, rows, area)
	return i, nil
}

// newImage prepares p to be shown in size cells, with dim 256ths of its light.
func (g *ImageStore) newImage(p *Picture, size image.Point, o Options, dim int) (*Image, error) {
	cell := o.Cell
	if size.X < 1 || size.Y < 1 || size.X > maxPlaces || size.Y > maxPlaces || cell.X < 1 || cell.Y < 1 {
		return nil, errNoRoom
	}
	w, h := size.X*cell.X, size.Y*cell.Y
	for w*h > maxSent {
		w, h = w/2, h/2
	}
	lower := uint32(inkID)
	if o.Color == NoColor {
		lower = 0
	}
	id, err := g.reserve(lower)
	if err != nil {
		return nil, err
	}
	i := &Image{store: g, id: id, size: size}
	i.data = i.transmission(packed(p, w, h, cell, dim), w, h)
	return i, nil
}

// packed are the pixels of p at w × h, three bytes each, compressed.
func packed(p *Picture, w, h int, check image.Point, dim int) []byte {
	img := p.sample(image.Pt(w, h), image.Pt(max(1, check.X), max(1, check.Y/2)), dim)
	pix := img.Pix[:0] // the pixels without their alpha, in the same memory
	for i := 0; i < len(img.Pix); i += 4 {
		pix = append(pix, img.Pix[i:i+3]...)
	}
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed) // a level that there is
	_, _ = z.Write(pix)                             // writing to memory does not fail
	_ = z.Close()
	return b.Bytes()
}

// transmission sends the pixels in chunks of the size that every terminal takes.
func (i *Image) transmission(pixels []byte, w, h int) string {
	options := []string{"a=T", "U=1", fmt.Sprintf("i=%d,c=%d,r=%d", i.id, i.size.X, i.size.Y), "f=24", fmt.Sprintf("s=%d,v=%d", w, h), "o=z", "t=d"}
	text := []byte(base64.StdEncoding.EncodeToString(pixels))
	var b strings.Builder
	for options != nil || len(text) > 0 {
		chunk, more := text, "m=0"
		if len(text) > kitty.MaxChunkSize {
			chunk, more = text[:kitty.MaxChunkSize], "m=1"
		}
		text = text[len(chunk):]
		b.WriteString(i.store.wrap(ansi.KittyGraphics(chunk, append(options, "q=2", more)...)))
		options = nil
	}
	return b.String()
}

// place appends the cells from x to before end of line y of the image. Row, column
// and id stand in every cell: a popup that covers some leaves the others whole.
func (i *Image) place(b []byte, x, end, y int) []byte {
	if x >= end {
		return b
	}
	lower := i.id & 0xffffff
	if lower != 0 {
		b = append(b, "\x1b[3"...)
		b = strconv.AppendUint(b, uint64(lower), 10)
		b = append(b, 'm')
	}
	for ; x < end; x++ {
		b = append(b, string(kitty.Placeholder)...)
		b = append(b, string(kitty.Diacritic(y))...)
		b = append(b, string(kitty.Diacritic(x))...)
		b = append(b, string(kitty.Diacritic(int(i.id>>24)))...)
	}
	if lower != 0 {
		b = append(b, "\x1b[39m"...)
	}
	return b
}

// frame are the lines of cols × rows cells with the image at area.
func (i *Image) frame(cols, rows int, area image.Rectangle) []string {
	return frame(cols, rows, area, func(y int) string { return string(i.place(nil, 0, area.Dx(), y)) }).Lines
}

// Show sends the image to the terminal, see [Surface].
func (i *Image) Show() tea.Cmd {
	return tea.Sequence(tea.Raw(i.data), func() tea.Msg { return Transmitted{i} })
}

// settle is how long the last frame that shows an image may take to be drawn.
const settle = 100 * time.Millisecond

// Delete has the terminal forget the image, a moment after it was shown last.
// Its id is free when that has been said: a program that ends before says it then.
// It is safe on nil and must be called once.
func (i *Image) Delete() tea.Cmd {
	if i == nil {
		return nil
	}
	return tea.Sequence(
		tea.Tick(settle, func(time.Time) tea.Msg { return nil }),
		tea.Raw(i.store.forget(i.id)),
		func() tea.Msg {
			i.store.free(i.id)
			return nil
		},
	)
}

// Drop gives up an image that was never shown. It is safe on nil.
func (i *Image) Drop() {
	if i != nil {
		i.store.free(i.id)
	}
}
