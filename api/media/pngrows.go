package media

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"

	"github.com/klauspost/compress/zlib"
	"golang.org/x/sync/errgroup"
)

// errNotByRows means that image/png must decode the PNG: it is damaged, interlaced, or does
// not have 8 bits per sample in a supported color type.
var errNotByRows = errors.New("the PNG cannot be decoded row by row")

// decodePNG decodes and reduces a PNG row by row: 24 megapixels take a few rows of memory
// instead of 96 MB.
func (h *header) decodePNG(ctx context.Context, rs io.ReadSeeker, o Orientation, limits Limits) (*Picture, error) {
	k := reduction(h.size, limits.Side)
	small := image.Pt((h.size.X+k-1)/k, (h.size.Y+k-1)/k)
	release, err := reserve(ctx, int64(small.X)*int64(small.Y)+pngAhead*int64(h.size.X))
	if err != nil {
		return nil, err
	}
	defer release()
	timed, cancel := context.WithTimeout(ctx, decodeTimeout)
	defer cancel()
	rows, err := openPNG(newSource(timed, rs, math.MaxInt64))
	if err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rectangle{Max: small})
	if err := rows.reduce(timed, out, h.size, k); err != nil {
		return nil, errors.Join(errNotByRows, err)
	}
	return &Picture{Pixels: turn(out, o), Size: o.Upright(h.size), Orientation: o.valid()}, nil
}

// pngRows reads the rows of a PNG with 8 bits per sample that is not interlaced.
type pngRows struct {
	chunk   pngChunkReader
	pixels  io.Reader     // rows, each after the number of its filter
	each    int           // bytes per pixel
	palette color.Palette // nil for colors and gray
}

// pngAhead is how many rows are unpacked before they are needed.
const pngAhead = 16

// openPNG reads everything before the pixels.
func openPNG(src io.ReadSeeker) (*pngRows, error) {
	if _, err := src.Seek(int64(len("\x89PNG\r\n\x1a\n")), io.SeekStart); err != nil {
		return nil, errNotByRows
	}
	p := &pngRows{chunk: pngChunkReader{src: bufio.NewReaderSize(src, 64<<10), sum: crc32.NewIEEE()}}
	content := map[string][]byte{}
	for {
		kind, err := p.chunk.open()
		if err != nil {
			return nil, errNotByRows
		}
		if kind == "IDAT" {
			break
		}
		small, err := io.ReadAll(io.LimitReader(&p.chunk, 1<<20))
		if err != nil || p.chunk.left > 0 {
			return nil, errNotByRows
		}
		content[kind] = small
	}
	head, transparent := content["IHDR"], content["tRNS"]
	// The caller knows width and height. Then follow 8 bits per sample, the color type and
	// three methods of 0.
	if len(head) != 13 || head[8] != 8 || head[10] != 0 || head[11] != 0 || head[12] != 0 {
		return nil, errNotByRows
	}
	colors := head[9]
	p.each = map[byte]int{0: 1, 2: 3, 3: 1, 6: 4}[colors]
	if p.each == 0 || colors != 3 && transparent != nil {
		return nil, errNotByRows
	}
	if colors == 3 {
		p.palette = pngPalette(content["PLTE"], transparent)
	}
	var err error
	if p.pixels, err = zlib.NewReader(pngPixels{&p.chunk}); err != nil {
		return nil, errNotByRows
	}
	return p, nil
}

// pngPalette returns 256 colors; missing ones are black.
func pngPalette(colors, transparent []byte) color.Palette {
	palette := make(color.Palette, 256)
	for i := range palette {
		c := color.NRGBA{A: 255}
		if 3*i+2 < len(colors) {
			c.R, c.G, c.B = colors[3*i], colors[3*i+1], colors[3*i+2]
		}
		if i < len(transparent) {
			c.A = transparent[i]
		}
		palette[i] = c
	}
	return palette
}

// reduce averages all rows into out. One goroutine unpacks rows while another converts the
// previous ones.
func (p *pngRows) reduce(ctx context.Context, out *image.RGBA, size image.Point, k int) error {
	group, ctx := errgroup.WithContext(ctx)
	unpacked, free := make(chan []byte, pngAhead), make(chan []byte, pngAhead)
	for range pngAhead {
		free <- make([]byte, 1+size.X*p.each)
	}
	group.Go(func() error {
		for range size.Y {
			select {
			case row := <-free:
				if _, err := io.ReadFull(p.pixels, row); err != nil {
					return err
				}
				unpacked <- row
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return p.end()
	})
	group.Go(func() (err error) {
		defer recoverTo(&err, "PNG")
		above := make([]byte, 1+size.X*p.each)
		line := image.NewRGBA(image.Rect(0, 0, size.X, 1))
		sums := make([]uint64, 4*out.Rect.Dx())
		for y := range size.Y {
			select {
			case row := <-unpacked:
				if err := p.unfilter(row, above); err != nil {
					return err
				}
				p.draw(line, row[1:])
				if y > 0 {
					free <- above
				}
				above = row
			case <-ctx.Done():
				return ctx.Err()
			}
			addSquares(sums, line.Pix, k)
			if lines := y%k + 1; lines == k || y == size.Y-1 {
				meanSquares(out.Pix[y/k*out.Stride:], sums, lines, size.X, k)
				clear(sums)
			}
		}
		return nil
	})
	return group.Wait()
}

// draw converts a row of bytes to pixels.
func (p *pngRows) draw(line *image.RGBA, row []byte) {
	w := line.Rect.Dx()
	var img image.Image
	switch {
	case p.each == 3:
		for out := line.Pix; len(row) >= 3; row, out = row[3:], out[4:] {
			out[0], out[1], out[2], out[3] = row[0], row[1], row[2], 255
		}
		return
	case p.each == 4:
		img = &image.NRGBA{Pix: row, Stride: 4 * w, Rect: line.Rect}
	case p.palette != nil:
		img = &image.Paletted{Pix: row, Stride: w, Rect: line.Rect, Palette: p.palette}
	default:
		img = &image.Gray{Pix: row, Stride: w, Rect: line.Rect}
	}
	draw.Draw(line, line.Rect, img, image.Point{}, draw.Src)
}

// end reads the rest of the file to verify its checksums.
func (p *pngRows) end() error {
	if n, err := io.Copy(io.Discard, p.pixels); err != nil || n > 0 {
		return errors.Join(errNotByRows, err)
	}
	for kind, err := "IDAT", error(nil); ; kind, err = p.chunk.open() {
		if err == nil {
			_, err = io.Copy(io.Discard, &p.chunk)
		}
		if err != nil || kind == "IEND" {
			return err
		}
	}
}

// unfilter restores the bytes of a row (PNG specification, 9.2).
func (p *pngRows) unfilter(line, before []byte) error {
	n, row, above := p.each, line[1:], before[1:]
	switch line[0] {
	case 0:
	case 1:
		for i := n; i < len(row); i++ {
			row[i] += row[i-n]
		}
	case 2:
		for i, a := range above {
			row[i] += a
		}
	case 3:
		for i := range n {
			row[i] += above[i] / 2
		}
		for i := n; i < len(row); i++ {
			row[i] += uint8((int(row[i-n]) + int(above[i])) / 2)
		}
	case 4:
		for channel := range n {
			left, corner := 0, 0
			for i := channel; i < len(row) && i < len(above); i += n {
				up := int(above[i])
				left = (int(row[i]) + paeth(left, up, corner)) & 255
				row[i], corner = uint8(left), up
			}
		}
	default:
		return errNotByRows
	}
	return nil
}

// paeth returns the neighbor closest to left + up - corner.
func paeth(left, up, corner int) int {
	toLeft, toUp := up-corner, left-corner
	toCorner := max(toLeft+toUp, -toLeft-toUp)
	toLeft, toUp = max(toLeft, -toLeft), max(toUp, -toUp)
	switch {
	case toLeft <= toUp && toLeft <= toCorner:
		return left
	case toUp <= toCorner:
		return up
	}
	return corner
}

// pngChunkReader reads the data of one chunk of a PNG and verifies its checksum at the end.
type pngChunkReader struct {
	src  io.Reader
	left uint32
	sum  hash.Hash32
}

// open begins the next chunk.
func (c *pngChunkReader) open() (kind string, err error) {
	var head [8]byte
	if _, err := io.ReadFull(c.src, head[:]); err != nil {
		return "", err
	}
	c.left = binary.BigEndian.Uint32(head[:])
	c.sum.Reset()
	c.sum.Write(head[4:])
	return string(head[4:]), nil
}

func (c *pngChunkReader) Read(b []byte) (int, error) {
	if c.left == 0 {
		var sum [4]byte
		if _, err := io.ReadFull(c.src, sum[:]); err != nil {
			return 0, err
		}
		if binary.BigEndian.Uint32(sum[:]) != c.sum.Sum32() {
			return 0, errNotByRows
		}
		return 0, io.EOF
	}
	n, err := c.src.Read(b[:min(len(b), int(c.left))])
	c.sum.Write(b[:n])
	c.left -= uint32(n)
	return n, err
}

// pngPixels reads the data of consecutive IDAT chunks. The first one must be open.
type pngPixels struct{ chunk *pngChunkReader }

func (p pngPixels) Read(b []byte) (int, error) {
	for {
		n, err := p.chunk.Read(b)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		if kind, err := p.chunk.open(); err != nil || kind != "IDAT" {
			return 0, io.ErrUnexpectedEOF
		}
	}
}
