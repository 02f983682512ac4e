package jpegdc

import (
	"encoding/binary"
	"io"
)

// peekBits is the number of bits in a lookup of AC coefficients.
const peekBits = 13

type huffman struct {
	// quick maps the next 16 bits to the length of their code word in the high byte and its
	// value in the low byte; 0 if there is no such word.
	quick [1 << 16]uint16
	// differences maps the next bits to a complete DC difference: the number of bits used
	// in the low 5 bits and the difference above; 0 if it is incomplete.
	differences [1 << shortBits]int16
}

// shortBits is the number of bits in the lookup of a DC difference.
const shortBits = 10

// newHuffman returns the table with counts[i] code words of i+1 bits.
func newHuffman(counts, values []byte) (*huffman, error) {
	c := &huffman{}
	next := 0 // the first 16 bits that are free
	for i, n := range counts {
		length := i + 1
		for range n {
			if next >= len(c.quick) {
				return nil, errFormat
			}
			for end := next + 1<<(16-length); next < end; next++ {
				c.quick[next] = uint16(length)<<8 | uint16(values[0])
			}
			values = values[1:]
		}
	}
	for i := range c.differences {
		q := c.quick[i<<(16-shortBits)]
		length, size := int(q>>8), int(q&255)
		if q == 0 || length+size > shortBits {
			continue
		}
		v := i >> (shortBits - length - size) & (1<<size - 1)
		if size > 0 && v < 1<<(size-1) {
			v -= 1<<size - 1
		}
		c.differences[i] = int16(v<<5 | length + size)
	}
	return c, nil
}

// difference reads a DC difference: a code word for its length, then its bits.
func (c *huffman) difference(in *bitSource) (int32, error) {
	in.fill()
	if d := c.differences[in.bits>>(64-shortBits)]; d != 0 {
		in.use(uint(d & 31))
		return int32(d >> 5), nil
	}
	size, err := c.next(in)
	if err != nil {
		return 0, err
	}
	if size > 16 {
		return 0, errFormat
	}
	return in.signed(size), nil
}

func (c *huffman) next(in *bitSource) (uint8, error) {
	in.fill()
	if q := c.quick[in.bits>>48]; q != 0 {
		in.use(uint(q >> 8))
		return uint8(q), nil
	}
	if in.err != nil {
		return 0, in.err
	}
	if in.over > 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return 0, errFormat
}

// acSkipper skips the 63 AC coefficients of a block. Each lookup skips all coefficients
// that the next bits contain completely.
type acSkipper struct {
	codes *huffman
	// table maps the next bits to the coefficients in them.
	table [1 << peekBits]jump
}

// jump is an entry of the table. From the lowest bit: 4 bits for the number of bits used, 0
// if the next code word is too long for the table; 7 bits for the number of coefficients;
// the highest bit is set if the block ends with them.
type jump uint16

const jumpEnd jump = 1 << 15

func newACSkipper(c *huffman) *acSkipper {
	s := &acSkipper{codes: c}
	for i := range s.table {
		var bits, over uint8
		var end jump
		for end == 0 {
			remaining := i << bits & (1<<peekBits - 1)
			q := c.quick[remaining<<(16-peekBits)]
			length, run, size := uint8(q>>8), uint8(q)>>4, uint8(q)&15
			if q == 0 || bits+length+size > peekBits || over > 64 {
				break
			}
			bits += length + size
			switch {
			case size > 0:
				over += run + 1
			case run == 15:
				over += 16
			default:
				end = jumpEnd
			}
		}
		s.table[i] = jump(bits) | jump(over)<<4 | end
	}
	return s
}

// skip skips the AC coefficients of a block. It keeps the bits in local variables, because
// decoding spends nine tenths of its time here.
func (s *acSkipper) skip(in *bitSource) error {
	bits, n, done := in.bits, in.n, jump(0)
	for done < 63 {
		if buf := in.buf[in.pos:]; len(buf) >= 8 {
			bits |= binary.BigEndian.Uint64(buf) >> n
			taken := (63 - n) >> 3
			in.pos += int(taken)
			n += taken * 8
		} else if n < 56 {
			in.bits, in.n = bits, n
			in.fillTo(56)
			bits, n = in.bits, in.n
		}
		// 56 bits hold at least four lookups.
		for range 4 {
			j := s.table[bits>>(64-peekBits)]
			after := done + j>>4&127
			// A full block has no end-of-block word: what follows is the next block.
			if j&15 == 0 || after+j>>15 > 63 {
				in.bits, in.n = bits, n
				over, err := s.skipWord(in)
				if err != nil || over == 0 {
					return err
				}
				bits, n = in.bits, in.n
				done += over
				break
			}
			bits <<= j & 15
			n -= uint(j & 15)
			if j >= jumpEnd {
				in.bits, in.n = bits, n
				return nil
			}
			if done = after; done == 63 {
				break
			}
		}
	}
	in.bits, in.n = bits, n
	return nil
}

// skipWord skips one code word with its bits. It returns the number of coefficients skipped; 0
// if the word ends the block.
func (s *acSkipper) skipWord(in *bitSource) (jump, error) {
	v, err := s.codes.next(in)
	if err != nil {
		return 0, err
	}
	switch run, size := jump(v>>4), v&15; {
	case size > 0:
		in.fill()
		in.use(uint(size))
		return run + 1, nil
	case run == 15:
		return 16, nil
	}
	return 0, nil
}

func (d *decoder) huffmanTables(data []byte) error {
	for len(data) > 0 {
		if len(data) < 17 {
			return errFormat
		}
		class, id := data[0]>>4, data[0]&15
		n := 0
		for _, c := range data[1:17] {
			n += int(c)
		}
		if class > 1 || id > 3 || n > 256 || len(data) < 17+n {
			return errFormat
		}
		c, err := newHuffman(data[1:17], data[17:17+n])
		if err != nil {
			return err
		}
		if class == 0 {
			d.dc[id] = c
		} else if !d.progressive {
			d.ac[id] = newACSkipper(c)
		}
		data = data[17+n:]
	}
	return nil
}
