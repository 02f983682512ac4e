package jpegdc

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
)

type scan struct {
	d          *decoder
	components []*component
	shift      byte
	in         bitSource
}

func (s *scan) run() error {
	s.in.r = s.d.r
	alone := len(s.components) == 1
	across, down := ceilDiv(s.d.size.X, 8*s.d.maxSampling.X), ceilDiv(s.d.size.Y, 8*s.d.maxSampling.Y)
	if alone {
		across, down = s.components[0].scanBlocks.X, s.components[0].scanBlocks.Y
	}
	left := s.d.restartInterval
	for y := range down {
		if err := s.d.ctx.Err(); err != nil {
			return err
		}
		for x := range across {
			if s.d.restartInterval > 0 {
				if left == 0 {
					if err := s.restart(); err != nil {
						return err
					}
					left = s.d.restartInterval
				}
				left--
			}
			if err := s.mcu(x, y, alone); err != nil {
				return err
			}
		}
		if s.in.over > 64 {
			return io.ErrUnexpectedEOF
		}
	}
	for _, p := range s.components {
		p.done = true
	}
	s.d.nextMarker = s.in.end
	return s.in.err
}

func (s *scan) restart() error {
	for s.in.end == 0 {
		// The data left before the marker is padding.
		s.in.pos = len(s.in.buf)
		if !s.in.read() {
			break
		}
	}
	if s.in.end < 0xd0 || s.in.end > 0xd7 {
		return cmp.Or(s.in.err, errFormat)
	}
	s.in = bitSource{r: s.in.r, buf: s.in.buf[:0]}
	for _, p := range s.components {
		p.lastDC = 0
	}
	return nil
}

// mcu reads the blocks of one MCU. alone reports that the scan has one component.
func (s *scan) mcu(x, y int, alone bool) error {
	for _, p := range s.components {
		w, h := p.sampling.X, p.sampling.Y
		if alone {
			w, h = 1, 1
		}
		for j := range h {
			for i := range w {
				if err := s.block(p, x*w+i, y*h+j); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *scan) block(p *component, x, y int) error {
	difference, err := s.d.dc[p.dc].difference(&s.in)
	if err != nil {
		return err
	}
	p.lastDC += difference
	// The DC coefficient is eight times the mean of the samples minus 128.
	v := (int64(p.lastDC)<<s.shift*int64(s.d.quant[p.table])+4)>>3 + 128
	p.pix[y*p.blocks.X+x] = uint8(max(0, min(v, 255)))
	if s.d.progressive {
		return nil
	}
	return s.d.ac[p.ac].skip(&s.in)
}

// bitSource returns the bits of the entropy-coded data between two markers.
type bitSource struct {
	r    *bufio.Reader
	buf  []byte // without the stuffed zero byte after each 0xff
	pos  int
	bits uint64 // taken from buf but not used, in the high bits
	n    uint
	end  byte // marker that ended the data; 0 if none yet
	err  error
	over int // bits requested after the end
}

// fill makes at least 32 bits available. After the end they are zeros.
func (b *bitSource) fill() {
	if b.n < 32 {
		b.fillTo(32)
	}
}

// fillTo makes at least want bits available; want is at most 56.
func (b *bitSource) fillTo(want uint) {
	for b.n < want {
		if len(b.buf)-b.pos >= 8 {
			b.bits |= binary.BigEndian.Uint64(b.buf[b.pos:]) >> b.n
			taken := (63 - b.n) >> 3
			b.pos += int(taken)
			b.n += taken * 8
			return
		}
		if b.pos < len(b.buf) {
			b.bits |= uint64(b.buf[b.pos]) << (56 - b.n)
			b.pos++
			b.n += 8
			continue
		}
		if b.end != 0 || b.err != nil || !b.read() {
			b.n += 8
			b.over += 8
		}
	}
}

// read refills buf. It returns false at the end of the data or after an error.
func (b *bitSource) read() bool {
	b.buf, b.pos = b.buf[:0], 0
	if b.end != 0 || b.err != nil {
		return false
	}
	if _, err := b.r.Peek(2); err != nil { // the meaning of 0xff depends on the next byte
		b.err = unexpected(err)
		return false
	}
	data, _ := b.r.Peek(b.r.Buffered()) // buffered data does not block
	used := 0
	for b.end == 0 {
		plain, _, _ := bytes.Cut(data[used:], []byte{0xff})
		b.buf = append(b.buf, plain...)
		used += len(plain)
		if used+1 >= len(data) {
			break
		}
		switch next := data[used+1]; next {
		case 0xff:
			used++ // a fill byte
		case 0:
			b.buf = append(b.buf, 0xff)
			used += 2
		default:
			b.end = next
			used += 2
		}
	}
	_, _ = b.r.Discard(used) // it is in the buffer
	return len(b.buf) > 0 || b.end == 0
}

// signed reads a number of size bits. The first bit is the sign (F.2.2.1).
func (b *bitSource) signed(size uint8) int32 {
	if size == 0 {
		return 0
	}
	b.fill()
	v := int32(b.bits >> (64 - size))
	b.use(uint(size))
	if v < 1<<(size-1) {
		v -= 1<<size - 1
	}
	return v
}

func (b *bitSource) use(n uint) {
	b.bits <<= n
	b.n -= n
}
