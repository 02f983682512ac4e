package picture

import (
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"mediadesk/ui/text"
)

// ImageStore assigns the ids of the pictures stored in the terminal. A program has one
// store. It is safe for concurrent use.
//
// A picture's cells may be drawn only after it was sent to the terminal. Each new content
// or size gets its own id, because terminals draw nothing for an id whose picture changes.
// The old id is deleted shortly after the last frame that shows it. The highest byte of an
// id is a number from 1 to mostNumbers. Cells encode it as the third diacritic rather than
// as a color, so that it works in terminals with few colors.
//
// The three lower bytes are the foreground color of the cells, palette color 1 for all
// pictures. They are not 0 because kitty reads 0 as the id of every cell without a picture
// and continues the picture of the previous cell there. Without colors they must be 0; then
// whatever covers a picture must end it, as kit.OverlayAt does.
type ImageStore struct {
	tmux bool

	mu     sync.Mutex
	next   int
	method Method
	by     protocol                // protocol of method, for new images
	held   [mostNumbers + 1]*Image // by number
	unsent string                  // to the terminal, before the next frame
}

// mostNumbers limits the pictures of a store. Konsole treats ids from 1<<31 as negative.
const mostNumbers = 127

// NewImageStore returns a store. inTmux reports whether the program runs in tmux.
func NewImageStore(inTmux bool) *ImageStore {
	// Another program on this terminal most likely starts with another number.
	g := &ImageStore{tmux: inTmux, next: 1 + rand.IntN(mostNumbers), method: MethodKitty}
	g.by = newProtocol(g.method, g)
	return g
}

// Use selects the protocol for new pictures. It reports whether the screen must be cleared, so that
// a [Painter] knows its contents.
func (g *ImageStore) Use(m Method) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !m.Pixels() || m == g.method {
		return false
	}
	g.method, g.by = m, newProtocol(m, g)
	return true
}

// painting returns the protocol that paints pictures into the screen, or nil if the terminal draws
// them in text cells, and what to send before the next frame.
func (g *ImageStore) painting() (by protocol, first string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	first, g.unsent = g.unsent, ""
	if g.method != MethodKitty {
		by = g.by
	}
	return by, first
}

func (g *ImageStore) image(n int) *Image {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n > mostNumbers {
		return nil
	}
	return g.held[n]
}

var errNoRoom = errors.New("too many pictures on the screen")

// inkID is the lower bytes of ids on terminals with colors.
const inkID = 1

// reserve assigns a free id with the lower bytes.
func (g *ImageStore) reserve(i *Image, lower uint32) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for range mostNumbers {
		n := g.next
		g.next = g.next%mostNumbers + 1
		if g.held[n] == nil {
			i.id, i.by = uint32(n)<<24|lower, g.by
			g.held[n] = i
			return nil
		}
	}
	return errNoRoom
}

func (g *ImageStore) free(i *Image) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held[i.number()] = nil
}

// Clear returns the text that deletes all pictures from the terminal; empty if there are none.
// Write it at the end of the program.
func (g *ImageStore) Clear() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var b strings.Builder
	for n, i := range g.held {
		if i != nil {
			b.WriteString(i.by.Forget(i))
			if _, direct := i.by.(*placements); direct {
				b.WriteString(forgetting(i))
			}
			g.held[n] = nil
		}
	}
	return b.String()
}

// Image is a picture of a store in a rectangle of cells, the [Surface] for pixel terminals. Its
// cells are placeholders, drawn by the terminal or the [Painter].
type Image struct {
	store *ImageStore
	by    protocol
	id    uint32
	size  image.Point
	data  string // sent to the terminal once
	lines []string

	veiled, shaded bool // has the frame of Shade, and shows it

	composed bool // its pixels are right in all cells, whichever picture shows them

	scale image.Point // size in pixels

	// Used by painting protocols.
	pixels *image.RGBA
	colors []uint8
}

// number identifies the image in its store; never 0.
func (i *Image) number() int { return int(i.id >> 24) }

var _ Surface = (*Image)(nil)

// Lines returns the rows of cells.
func (i *Image) Lines() []string { return i.lines }

// Limits of an image: cells by the available diacritics, pixels by usefulness.
const (
	maxPlaces = 297
	maxSent   = 2_000_000
)

// surface prepares p for cols × rows cells, as large as it fits.
func (g *ImageStore) surface(p *Picture, cols, rows int, o Options) (*Image, error) {
	area := Fit(p.Size(), cols, rows, o.CellAspect)
	i, _, err := g.newImage(p, area.Size(), o, fullLight)
	if err != nil {
		return nil, err
	}
	i.lines = i.frame(cols, rows, area)
	return i, nil
}

// newImage prepares p for size cells, with dim 256ths of its brightness. It also returns the
// pixels.
func (g *ImageStore) newImage(p *Picture, size image.Point, o Options, dim int) (*Image, *image.RGBA, error) {
	cell := o.Cell
	if size.X < 1 || size.Y < 1 || size.X > maxPlaces || size.Y > maxPlaces || cell.X < 1 || cell.Y < 1 {
		return nil, nil, errNoRoom
	}
	// Pixels per cell are whole, so that parts of the image join.
	for size.X*cell.X*size.Y*cell.Y > maxSent && o.Method != MethodSixel { // sixel pixels are screen pixels
		cell = image.Pt(max(1, cell.X/2), max(1, cell.Y/2))
	}
	img := p.sample(image.Pt(size.X*cell.X, size.Y*cell.Y), image.Pt(cell.X, max(1, cell.Y/2)), dim, o)
	i, err := g.pixelImage(img, size, o)
	return i, img, err
}

// pixelImage prepares pixels for size cells.
func (g *ImageStore) pixelImage(pixels *image.RGBA, size image.Point, o Options) (*Image, error) {
	i := &Image{store: g, size: size}
	if err := g.reserve(i, text.Either(o.Color == NoColor, uint32(0), inkID)); err != nil {
		return nil, err
	}
	i.data = i.by.Prepare(i, pixels)
	return i, nil
}

// Shade darkens the pictures of a frame that are behind front, a part of it that is a popup, or makes them
// lighter on a light ground, and shows all others as they are. Front is empty if there is no popup. A
// terminal gets such a picture as a second frame of an animation, which is the first one below a veil; those
// without animations ignore it. The [Painter] sends this before the frame.
func (g *ImageStore) Shade(frame, front string, light bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	by, ok := g.by.(placeholders)
	if !ok {
		return
	}
	var behind [mostNumbers + 1]bool
	mark := func(text string, is bool) {
		for _, cell := range strings.Split(text, string(kitty.Placeholder))[1:] {
			c, _ := placeholder(string(kitty.Placeholder) + cell)
			behind[c.n&mostNumbers] = is
		}
	}
	if front != "" {
		mark(frame, true)
		mark(front, false)
	}
	veil := text.Either(light, "\xff\xff\xff\x80", "\x00\x00\x00\x80")
	for n, i := range g.held {
		if i == nil || behind[n] == i.shaded {
			continue
		}
		if i.shaded = behind[n]; !i.veiled {
			i.veiled = true
			g.unsent += packed([]byte(strings.Repeat(veil, i.scale.X*i.scale.Y)), by.wrap, "q=2,a=f",
				fmt.Sprintf("i=%d,c=1,f=32,s=%d,v=%d", i.id, i.scale.X, i.scale.Y))
		}
		shown := fmt.Sprintf("i=%d,c=%d", i.id, text.Either(i.shaded, 2, 1))
		g.unsent += by.wrap(ansi.KittyGraphics(nil, "a=a", shown, "q=2"))
	}
}

// appendCells appends cells x to end of line y. Every cell has row, column and id, so a popup can
// cover some of them.
func (i *Image) appendCells(b []byte, x, end, y int) []byte {
	if x >= end {
		return b
	}
	lower := i.id & 0xffffff
	if lower != 0 {
		b = fmt.Appendf(b, "\x1b[3%dm", lower)
	}
	for ; x < end; x++ {
		cell := []rune{kitty.Placeholder, kitty.Diacritic(y), kitty.Diacritic(x), kitty.Diacritic(i.number())}
		b = append(b, string(cell)...)
	}
	if lower != 0 {
		b = append(b, "\x1b[39m"...)
	}
	return b
}

// frame returns the lines of cols × rows cells with the image at area.
func (i *Image) frame(cols, rows int, area image.Rectangle) []string {
	return frame(cols, rows, area, func(y int) []byte { return i.appendCells(nil, 0, area.Dx(), y) })
}

// Show sends the image to the terminal; see [Surface].
func (i *Image) Show() tea.Cmd {
	return tea.Sequence(tea.Raw(i.data), func() tea.Msg { return Transmitted{i} })
}

// deleteDelay is how long drawing the last frame with an image may take.
const deleteDelay = 100 * time.Millisecond

// Delete deletes the image from the terminal after its last frame and then frees its id. It is safe
// on nil and must be called once.
func (i *Image) Delete() tea.Cmd {
	if i == nil {
		return nil
	}
	return tea.Sequence(
		tea.Tick(deleteDelay, func(time.Time) tea.Msg { return nil }),
		tea.Raw(i.by.Forget(i)),
		func() tea.Msg {
			i.store.free(i)
			return nil
		},
	)
}

// Drop discards an image that was never shown. It is safe on nil.
func (i *Image) Drop() {
	if i != nil {
		i.store.free(i)
	}
}
