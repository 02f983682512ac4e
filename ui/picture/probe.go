package picture

import (
	"bufio"
	"encoding/binary"
	"image"
	"io"
)

// maxParts bounds how many segments, chunks or blocks a probe walks over: no
// honest file has more before its first pixel.
const maxParts = 4096

// probeJPEG finds out what decoding will take: a progressive picture is held as
// coefficients of four bytes beside the samples.
func probeJPEG(rs io.ReadSeeker, h *header) error {
	r := bufio.NewReader(rs)
	if _, err := r.Discard(2); err != nil {
		return err
	}
	for range maxParts {
		marker, err := nextMarker(r)
		if err != nil {
			return err
		}
		var b [2]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return err
		}
		length := int(binary.BigEndian.Uint16(b[:])) - 2
		if marker != 0xc0 && marker != 0xc1 && marker != 0xc2 {
			if _, err := r.Discard(max(0, length)); err != nil {
				return err
			}
			continue
		}
		sof := make([]byte, max(0, length))
		if _, err := io.ReadFull(r, sof); err != nil {
			return err
		}
		h.perPixel = jpegCost(sof, marker == 0xc2)
		return nil
	}
	return nil
}

// nextMarker reads up to and including the next marker that has a length.
func nextMarker(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != 0xff {
			continue
		}
		for b == 0xff {
			if b, err = r.ReadByte(); err != nil {
				return 0, err
			}
		}
		if b != 0 && b != 1 && (b < 0xd0 || b > 0xd9) {
			return b, nil
		}
	}
}

// jpegCost is the memory per pixel that decoding takes, from the frame header
// (without its length).
func jpegCost(sof []byte, progressive bool) float64 {
	if len(sof) < 6 || len(sof) < 6+3*int(sof[5]) {
		return 15
	}
	n := int(sof[5])
	sum, peak := 0, 1
	for i := range n {
		f := int(sof[7+3*i]>>4) * int(sof[7+3*i]&15)
		sum += f
		peak = max(peak, f)
	}
	samples := float64(sum) / float64(peak)
	cost := samples
	if progressive {
		cost += 4 * samples
	}
	if n != 1 {
		// Pictures in RGB or CMYK are converted after decoding.
		cost += 4
	}
	return cost
}

// probePNG looks at the colour type and for a tRNS chunk, which makes a picture
// without an alpha channel transparent.
func probePNG(rs io.ReadSeeker, h *header) error {
	var head [29]byte
	if _, err := io.ReadFull(rs, head[:]); err != nil {
		return err
	}
	h.alpha = head[25]&4 != 0
	if head[28] != 0 {
		// Interlaced: each pass is a picture of its own.
		h.perPixel *= 2
	}
	if h.alpha {
		return nil
	}
	pos := int64(8)
	for range maxParts {
		var c [8]byte
		if _, err := rs.Seek(pos, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.ReadFull(rs, c[:]); err != nil {
			return err
		}
		switch string(c[4:]) {
		case "tRNS":
			h.alpha = true
			return nil
		case "IDAT", "IEND":
			return nil
		}
		pos += 12 + int64(binary.BigEndian.Uint32(c[:4]))
	}
	return nil
}

// probeGIF looks at the first frame: whether it has a transparent colour or
// leaves a part of the picture open.
func probeGIF(rs io.ReadSeeker, h *header) error {
	r := bufio.NewReader(rs)
	var head [13]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	if head[10]&0x80 != 0 {
		if _, err := r.Discard(3 << (head[10]&7 + 1)); err != nil {
			return err
		}
	}
	for range maxParts {
		kind, err := r.ReadByte()
		if err != nil {
			return err
		}
		switch kind {
		case 0x2c:
			var d [8]byte
			if _, err := io.ReadFull(r, d[:]); err != nil {
				return err
			}
			le := binary.LittleEndian
			frame := image.Pt(int(le.Uint16(d[4:])), int(le.Uint16(d[6:])))
			h.alpha = h.alpha || frame != h.size
			return nil
		case 0x21:
			label, err := r.ReadByte()
			if err != nil {
				return err
			}
			first, err := skipBlocks(r)
			if err != nil {
				return err
			}
			if label == 0xf9 {
				h.alpha = h.alpha || first&1 != 0
			}
		default:
			return nil
		}
	}
	return nil
}

// skipBlocks reads over the data blocks of a GIF extension and returns the first
// byte of their content.
func skipBlocks(r *bufio.Reader) (first byte, err error) {
	for i := 0; ; i++ {
		n, err := r.ReadByte()
		if err != nil || n == 0 {
			return first, err
		}
		if i == 0 {
			b, err := r.Peek(1)
			if err != nil {
				return 0, err
			}
			first = b[0]
		}
		if _, err := r.Discard(int(n)); err != nil {
			return 0, err
		}
	}
}

// probeWebP reads the sizes of the canvas and of the frame, which need not agree:
// the decoder reports the one and makes room for the other.
func probeWebP(rs io.ReadSeeker, h *header) error {
	pos := int64(12)
	extended := false
	for range maxParts {
		var c [20]byte
		if _, err := rs.Seek(pos, io.SeekStart); err != nil {
			return err
		}
		n, err := io.ReadFull(rs, c[:])
		if err != nil && n < 8 {
			return err
		}
		size := int64(binary.LittleEndian.Uint32(c[4:8]))
		data := c[8:]
		switch string(c[:4]) {
		case "VP8X":
			extended = true
			h.alpha = data[0]&0x10 != 0
		case "ANMF":
			// A frame smaller than the canvas is copied onto one.
			h.alpha = h.alpha || image.Pt(1+int(uint24(c[14:])), 1+int(uint24(c[17:]))) != h.size
			h.perPixel += 4
			return nil
		case "VP8 ":
			w, ht := binary.LittleEndian.Uint16(data[6:]), binary.LittleEndian.Uint16(data[8:])
			h.allocated = image.Pt(int(w&0x3fff), int(ht&0x3fff))
			return nil
		case "VP8L":
			bits := binary.LittleEndian.Uint32(data[1:])
			h.allocated = image.Pt(int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1)
			if !extended {
				h.alpha = bits>>28&1 != 0
			}
			return nil
		}
		pos += 8 + size + size&1
	}
	return nil
}

// probeBMP tells pictures with an alpha channel from those that only fill up four
// bytes: the long headers came with alpha.
func probeBMP(rs io.ReadSeeker, h *header) error {
	var head [30]byte
	if _, err := io.ReadFull(rs, head[:]); err != nil {
		return err
	}
	bits := binary.LittleEndian.Uint16(head[28:])
	h.alpha = bits == 32 && binary.LittleEndian.Uint32(head[14:]) > 40
	return nil
}
