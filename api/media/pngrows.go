package media

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"io"
	"math"

	"github.com/klauspost/compress/zlib"
	"golang.org/x/sync/errgroup"
)

// errNotByRows means that image/png must decode the PNG.
var errNotByRows = errors.New("the PNG cannot be decoded row by row")

// decodePNG decodes and reduces a PNG row by row: 24 megapixels take a few rows of memory
// instead of 96 MB.
func (h *header) decodePNG(ctx context.Context, rs io.ReadSeeker, o Orientation,
	limits Limits,
) (*Picture, error) {
	k := reduction(h.size, limits.Side)
	small := image.Pt((h.size.X+k-1)/k, (h.size.Y+k-1)/k)
	release, err := reserve(ctx, int64(small.X)*int64(small.Y)+pngAhead*int64(h.size.X))
	if err != nil {
		return nil, err
	}
	defer release()
	timed, cancel := context.WithTimeout(ctx, decodeTimeout)
	defer cancel()
	rows, err := openPNG(&source{timed, rs, math.MaxInt64})
	if err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rectangle{Max: small})
	if err := rows.reduce(timed, out, h.size, k); err != nil {
		return nil, errors.Join(errNotByRows, err)
	}
	return &Picture{Pixels: turn(out, o), Size: o.Upright(h.size), Orientation: o.valid()}, nil
}

// pngRows reads the rows of a PNG that is not interlaced, with 8 bits for each of red, green, blue
// and maybe alpha. Others take a quarter of the memory or are rare.
type pngRows struct {
	pixels io.Reader // rows, each after the number of its filter
	each   int       // bytes per pixel
}

// pngAhead is how many rows are unpacked before they are needed.
const pngAhead = 16

func openPNG(src io.ReadSeeker) (*pngRows, error) {
	in := &pngData{src: bufio.NewReaderSize(src, 64<<10)}
	head := make([]byte, 13) // of IHDR
	_, err := src.Seek(int64(len("\x89PNG\r\n\x1a\n")), io.SeekStart)
	if err == nil && in.open() == "IHDR" {
		_, err = io.ReadFull(in.src, head)
	}
	each := map[byte]int{2: 3, 6: 4}[head[9]]
	// The caller knows width and height. Then follow 8 bits per sample, the color type and
	// three methods of 0.
	if err != nil || head[8] != 8 || each == 0 || head[10] != 0 || head[11] != 0 || head[12] != 0 {
		return nil, errNotByRows
	}
	for in.left = 0; ; {
		if _, err := in.src.Discard(in.left + len("sum!")); err != nil {
			return nil, errNotByRows
		}
		switch in.open() {
		case "IDAT":
			pixels, err := zlib.NewReader(in)
			if err != nil {
				return nil, errNotByRows
			}
			return &pngRows{pixels, each}, nil
		case "tRNS", "":
			return nil, errNotByRows
		}
	}
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
		// The end of the pixels has their checksum.
		if n, err := io.Copy(io.Discard, p.pixels); err != nil || n > 0 {
			return errors.Join(errNotByRows, err)
		}
		return nil
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

func (p *pngRows) draw(line *image.RGBA, row []byte) {
	if p.each == 4 {
		draw.Draw(line, line.Rect, &image.NRGBA{Pix: row, Stride: len(row), Rect: line.Rect}, image.Point{},
			draw.Src)
		return
	}
	for out := line.Pix; len(row) >= 3; row, out = row[3:], out[4:] {
		out[0], out[1], out[2], out[3] = row[0], row[1], row[2], 255
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

// pngData reads the data of consecutive IDAT chunks. It does not verify their checksums: the
// pixels have one of their own.
type pngData struct {
	src  *bufio.Reader
	left int // bytes of the open chunk
}

// open begins the next chunk and returns its kind; empty at the end of the file.
func (d *pngData) open() string {
	var head [8]byte
	if _, err := io.ReadFull(d.src, head[:]); err != nil {
		return ""
	}
	d.left = int(binary.BigEndian.Uint32(head[:]))
	return string(head[4:])
}

func (d *pngData) Read(b []byte) (int, error) {
	for d.left == 0 {
		if _, err := d.src.Discard(len("sum!")); err != nil || d.open() != "IDAT" {
			return 0, io.ErrUnexpectedEOF
		}
	}
	n, err := d.src.Read(b[:min(len(b), d.left)])
	d.left -= n
	return n, err
}
