package picture

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"io"
)

// errNotEighth says that a JPEG is of a kind that only the library decodes.
var errNotEighth = errors.New("not a JPEG that can be decoded at an eighth")

// errBadJPEG says that a JPEG is damaged.
var errBadJPEG = errors.New("bad JPEG data")

// decodeEighth decodes a JPEG at an eighth of its size: of every block of 8 × 8
// pixels only the mean, which the file has as a number of its own. All else is
// read over, so it takes a tenth of the time and of the memory. Of a progressive
// picture it reads no more than the first scans. Kinds that it does not know
// (four components, 12 bits, arithmetic coding, RGB) are errNotEighth.
func decodeEighth(ctx context.Context, r io.Reader) (image.Image, error) {
	d := &eighth{r: bufio.NewReaderSize(r, 64<<10), ctx: ctx}
	if _, err := d.r.Discard(2); err != nil {
		return nil, err
	}
	for {
		marker, err := d.marker()
		if err != nil {
			return nil, err
		}
		if marker == 0xd9 { // end of image
			return nil, io.ErrUnexpectedEOF
		}
		if err := d.segment(marker); err != nil {
			return nil, err
		}
		if img := d.finished(); img != nil {
			return img, nil
		}
	}
}

// eighth is a decoder at work.
type eighth struct {
	r   *bufio.Reader
	ctx context.Context //nolint:containedctx // one decoder lives as long as one call

	size        image.Point
	progressive bool
	planes      []*means
	most        image.Point // greatest sampling factors
	quant       [4]int32    // first number of each table
	dc          [4]*code
	ac          [4]*skipper
	restart     int
	adobeRGB    bool

	found byte // marker that ended the last scan, already read
}

// means is one component: a mean for each of its blocks.
type means struct {
	id     byte
	factor image.Point
	table  byte
	blocks image.Point // in whole units of the picture
	own    image.Point // that it has when it stands alone in a scan
	pix    []uint8
	done   bool

	dc, ac byte
	last   int32
}

// marker reads up to and including the next marker.
func (d *eighth) marker() (byte, error) {
	if m := d.found; m != 0 {
		d.found = 0
		return m, nil
	}
	for {
		if _, err := d.r.ReadSlice(0xff); err != nil {
			if errors.Is(err, bufio.ErrBufferFull) {
				if err := d.ctx.Err(); err != nil {
					return 0, err
				}
				continue
			}
			return 0, unexpected(err)
		}
		b := byte(0xff)
		for b == 0xff {
			var err error
			if b, err = d.r.ReadByte(); err != nil {
				return 0, unexpected(err)
			}
		}
		if b != 0 && (b < 0xd0 || b > 0xd7) {
			return b, nil
		}
	}
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// segment takes in what follows a marker.
func (d *eighth) segment(marker byte) error {
	if marker == 0x01 || marker == 0xd8 {
		return nil
	}
	var b [2]byte
	if _, err := io.ReadFull(d.r, b[:]); err != nil {
		return unexpected(err)
	}
	n := int(binary.BigEndian.Uint16(b[:])) - 2
	if n < 0 {
		return errBadJPEG
	}
	switch marker {
	case 0xc0, 0xc1, 0xc2, 0xc4, 0xda, 0xdb, 0xdd, 0xee:
	case 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf:
		return errNotEighth
	default:
		_, err := d.r.Discard(n)
		return unexpected(err)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(d.r, data); err != nil {
		return unexpected(err)
	}
	switch marker {
	case 0xc4:
		return d.huffman(data)
	case 0xda:
		return d.scan(data)
	case 0xdb:
		return d.quantisation(data)
	case 0xdd:
		if n < 2 {
			return errBadJPEG
		}
		d.restart = int(binary.BigEndian.Uint16(data))
	case 0xee:
		d.adobeRGB = n >= 12 && string(data[:5]) == "Adobe" && data[11] == 0
	default:
		return d.frame(data, marker == 0xc2)
	}
	return nil
}

func (d *eighth) quantisation(data []byte) error {
	for len(data) > 0 {
		wide, id := int(data[0]>>4), data[0]&15
		n := 1 + 64*(1+wide)
		if wide > 1 || id > 3 || len(data) < n {
			return errBadJPEG
		}
		d.quant[id] = int32(data[1])
		if wide == 1 {
			d.quant[id] = int32(binary.BigEndian.Uint16(data[1:]))
		}
		data = data[n:]
	}
	return nil
}

func (d *eighth) frame(data []byte, progressive bool) error {
	if d.planes != nil || len(data) < 6 || len(data) < 6+3*int(data[5]) {
		return errBadJPEG
	}
	d.size = image.Pt(int(binary.BigEndian.Uint16(data[3:])), int(binary.BigEndian.Uint16(data[1:])))
	if n := data[5]; data[0] != 8 || n != 1 && n != 3 || d.size.X == 0 || d.size.Y == 0 {
		return errNotEighth
	}
	d.progressive = progressive
	for c := data[6:]; len(c) >= 3 && len(d.planes) < int(data[5]); c = c[3:] {
		p := &means{id: c[0], factor: image.Pt(int(c[1]>>4), int(c[1]&15)), table: c[2]}
		if p.factor.X < 1 || p.factor.X > 4 || p.factor.Y < 1 || p.factor.Y > 4 || p.table > 3 {
			return errBadJPEG
		}
		d.planes = append(d.planes, p)
	}
	if len(d.planes) == 1 {
		// A single component has blocks of its own, whatever factors it says.
		d.planes[0].factor = image.Pt(1, 1)
	}
	for _, p := range d.planes {
		d.most = image.Pt(max(d.most.X, p.factor.X), max(d.most.Y, p.factor.Y))
	}
	if len(d.planes) == 3 && (d.ratio() < 0 || d.planes[0].id == 'R' && d.planes[1].id == 'G' && d.planes[2].id == 'B') {
		return errNotEighth
	}
	units := image.Pt(up(d.size.X, 8*d.most.X), up(d.size.Y, 8*d.most.Y))
	for _, p := range d.planes {
		p.blocks = image.Pt(units.X*p.factor.X, units.Y*p.factor.Y)
		p.own = image.Pt(up(up(d.size.X*p.factor.X, d.most.X), 8), up(up(d.size.Y*p.factor.Y, d.most.Y), 8))
		p.pix = make([]uint8, p.blocks.X*p.blocks.Y)
	}
	return nil
}

// up divides and rounds up.
func up(a, b int) int { return (a + b - 1) / b }

// ratio is how chroma is subsampled, negative where package image has no name for
// it.
func (d *eighth) ratio() image.YCbCrSubsampleRatio {
	y, cb, cr := d.planes[0].factor, d.planes[1].factor, d.planes[2].factor
	if cb != cr || y != d.most || y.X%cb.X != 0 || y.Y%cb.Y != 0 {
		return -1
	}
	switch image.Pt(y.X/cb.X, y.Y/cb.Y) {
	case image.Pt(1, 1):
		return image.YCbCrSubsampleRatio444
	case image.Pt(2, 1):
		return image.YCbCrSubsampleRatio422
	case image.Pt(2, 2):
		return image.YCbCrSubsampleRatio420
	case image.Pt(1, 2):
		return image.YCbCrSubsampleRatio440
	case image.Pt(4, 1):
		return image.YCbCrSubsampleRatio411
	case image.Pt(4, 2):
		return image.YCbCrSubsampleRatio410
	}
	return -1
}

// finished is the picture once every component is there, nil before.
func (d *eighth) finished() image.Image {
	for _, p := range d.planes {
		if !p.done {
			return nil
		}
	}
	return d.image()
}

func (d *eighth) image() image.Image {
	if len(d.planes) == 0 {
		return nil
	}
	bounds := image.Rect(0, 0, up(d.size.X, 8), up(d.size.Y, 8))
	y := d.planes[0]
	if len(d.planes) == 1 {
		return &image.Gray{Pix: y.pix, Stride: y.blocks.X, Rect: bounds}
	}
	return &image.YCbCr{
		Y: y.pix, Cb: d.planes[1].pix, Cr: d.planes[2].pix, YStride: y.blocks.X, CStride: d.planes[1].blocks.X,
		SubsampleRatio: d.ratio(), Rect: bounds,
	}
}

// scan reads one scan: the header is data, the rest follows.
func (d *eighth) scan(data []byte) error {
	if len(d.planes) == 0 || len(data) < 1 || len(data) < 4+2*int(data[0]) {
		return errBadJPEG
	}
	if d.adobeRGB && len(d.planes) == 3 {
		return errNotEighth
	}
	n := int(data[0])
	var in []*means
	for i := range n {
		for _, p := range d.planes {
			if p.id == data[1+2*i] && p.factor.X*p.factor.Y*n <= 64 {
				p.dc, p.ac, p.last = data[2+2*i]>>4, data[2+2*i]&15, 0
				in = append(in, p)
				break
			}
		}
	}
	tail := data[1+2*n:]
	if len(in) != n || n == 0 {
		return errBadJPEG
	}
	if d.progressive && (tail[0] != 0 || tail[2]>>4 != 0) {
		return nil // it refines what is there; the next marker is looked for
	}
	s := &scan{d: d, planes: in, shift: tail[2] & 15}
	for _, p := range in {
		if p.dc > 3 || d.dc[p.dc] == nil || !d.progressive && (p.ac > 3 || d.ac[p.ac] == nil) {
			return errBadJPEG
		}
	}
	return s.run()
}
