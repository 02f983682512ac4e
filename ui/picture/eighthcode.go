package picture

import "io"

// peekBits is how many bits are looked up at once.
const peekBits = 13

// code is a Huffman code.
type code struct {
	// quick has, for the next bits, the length of the word there in the upper
	// byte and its value in the lower one; 0 where the word is longer.
	quick [1 << peekBits]uint16
	// The words of each length are numbers from low to below high, whose values
	// begin at index first.
	low, high, first [17]int
	values           []byte
}

// newCode makes the code that has counts[i] words of i+1 bits.
func newCode(counts, values []byte) (*code, error) {
	c := &code{values: values}
	word, at := 0, 0
	for length := 1; length <= 16; length++ {
		n := int(counts[length-1])
		c.low[length], c.high[length], c.first[length] = word, word+n, at
		if word+n > 1<<length {
			return nil, errBadJPEG
		}
		if length <= peekBits {
			for i := range n {
				from := (word + i) << (peekBits - length)
				for j := range 1 << (peekBits - length) {
					c.quick[from+j] = uint16(length)<<8 | uint16(values[at+i])
				}
			}
		}
		at += n
		word = (word + n) << 1
	}
	return c, nil
}

// next reads a word and returns its value.
func (c *code) next(in *bitSource) (uint8, error) {
	in.fill()
	if q := c.quick[in.bits>>(64-peekBits)]; q != 0 {
		in.use(uint(q >> 8))
		return uint8(q), nil
	}
	for length := peekBits + 1; length <= 16; length++ {
		word := int(in.bits >> (64 - length))
		if word < c.high[length] && word >= c.low[length] {
			in.use(uint(length))
			return c.values[c.first[length]+word-c.low[length]], nil
		}
	}
	if in.err != nil {
		return 0, in.err
	}
	if in.over > 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return 0, errBadJPEG
}

// skipper reads over the 63 other coefficients of a block, as many at a time as
// the next bits hold whole.
type skipper struct {
	code *code
	// table has, for the next bits: how many of them are used, how many
	// coefficients they stand for, and whether the block ends with them.
	table [1 << peekBits]jump
}

type jump struct {
	bits, over uint8
	end        bool
}

func newSkipper(c *code) *skipper {
	s := &skipper{code: c}
	for i := range s.table {
		var j jump
		for !j.end {
			rest := i << j.bits & (1<<peekBits - 1)
			q := c.quick[rest]
			length, run, size := uint8(q>>8), uint8(q)>>4, uint8(q)&15
			if q == 0 || j.bits+length+size > peekBits || j.over > 64 {
				break
			}
			j.bits += length + size
			switch {
			case size > 0:
				j.over += run + 1
			case run == 15:
				j.over += 16
			default:
				j.end = true
			}
		}
		s.table[i] = j
	}
	return s
}

// skip reads over the rest of a block.
func (s *skipper) skip(in *bitSource) error {
	for done := 0; done < 63; {
		if in.n < 32 {
			in.fill()
		}
		j := s.table[in.bits>>(64-peekBits)]
		after := done + int(j.over)
		// A block that is full has no word for its end: what follows is the next.
		if j.bits != 0 && (after < 63 || after == 63 && !j.end) {
			in.use(uint(j.bits))
			if j.end {
				return nil
			}
			done = after
			continue
		}
		v, err := s.code.next(in)
		if err != nil {
			return err
		}
		switch run, size := int(v>>4), v&15; {
		case size > 0:
			in.fill()
			in.use(uint(size))
			done += run + 1
		case run == 15:
			done += 16
		default:
			return nil
		}
	}
	return nil
}

// huffman reads a segment of codes.
func (d *eighth) huffman(data []byte) error {
	for len(data) > 0 {
		if len(data) < 17 {
			return errBadJPEG
		}
		class, id := data[0]>>4, data[0]&15
		n := 0
		for _, c := range data[1:17] {
			n += int(c)
		}
		if class > 1 || id > 3 || n > 256 || len(data) < 17+n {
			return errBadJPEG
		}
		c, err := newCode(data[1:17], data[17:17+n])
		if err != nil {
			return err
		}
		if class == 0 {
			d.dc[id] = c
		} else if !d.progressive {
			d.ac[id] = newSkipper(c)
		}
		data = data[17+n:]
	}
	return nil
}
