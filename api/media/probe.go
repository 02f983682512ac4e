package media

import (
	"bufio"
	"encoding/binary"
	"errors"
	"image"
	"io"
)

// probeJPEG gives progressive pictures more memory: the decoder holds all coefficients.
func probeJPEG(rs io.ReadSeeker, h *header) error {
	r := bufio.NewReader(rs)
	var b [4]byte // marker and length
	for _, err := r.Discard(2); err == nil; _, err = r.Discard(int(binary.BigEndian.Uint16(b[2:])) - 2) {
		if _, err := io.ReadFull(r, b[:]); err != nil || b[0] != 0xff || b[1] == 0xda {
			break
		}
		if b[1] == 0xc2 {
			h.weight = 3
		}
	}
	return nil // the decoder reports damage
}

// probePNG reads the color type and looks for a tRNS chunk, which adds transparency without
// an alpha channel.
func probePNG(rs io.ReadSeeker, h *header) error {
	for c := pngChunks(rs); ; {
		if !c.scan() {
			return c.err
		}
		switch {
		case c.count == 1: // IHDR
			h.alpha = c.data[9]&4 != 0
			if c.data[12] != 0 { // the decoder allocates a picture for each pass
				h.weight++
			}
		case c.name == "tRNS":
			h.alpha = true
		}
		if h.alpha || c.name == "IDAT" || c.name == "IEND" {
			return nil
		}
	}
}

// probeGIF checks whether the first frame has a transparent color or does not cover the picture.
func probeGIF(rs io.ReadSeeker, h *header) error {
	transparent, first, err := scanGIF(rs)
	h.alpha = h.alpha || transparent || first != h.size
	return err
}

// probeWebP reads the transparency. The decoder reports the size of the canvas and allocates that
// of the frame, so a larger frame is refused.
func probeWebP(rs io.ReadSeeker, h *header) error {
	h.weight = 2
	extended := false
	for c := riffChunks(rs); ; {
		if !c.scan() {
			return c.err
		}
		var frame image.Point
		switch c.name {
		case "VP8X":
			extended = true
			h.alpha = c.data[0]&0x10 != 0
			continue
		case "ANMF":
			return nil
		case "VP8 ":
			frame = image.Pt(int(binary.LittleEndian.Uint16(c.data[6:])&0x3fff),
				int(binary.LittleEndian.Uint16(c.data[8:])&0x3fff))
		case "VP8L":
			bits := binary.LittleEndian.Uint32(c.data[1:])
			frame = image.Pt(int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1)
			if !extended {
				h.alpha = bits>>28&1 != 0
			}
		default:
			continue
		}
		if frame.X > h.size.X || frame.Y > h.size.Y {
			return errBadWebP
		}
		return nil
	}
}

// probeBMP distinguishes an alpha channel from an unused fourth byte. Only headers longer
// than 40 bytes define alpha.
func probeBMP(rs io.ReadSeeker, h *header) error {
	var head [30]byte
	if _, err := io.ReadFull(rs, head[:]); err != nil {
		return err
	}
	bits := binary.LittleEndian.Uint16(head[28:])
	h.alpha = bits == 32 && binary.LittleEndian.Uint32(head[14:]) > 40
	return nil
}

// probeTIFF gives the decoder room to unpack a block into a growing buffer.
func probeTIFF(_ io.ReadSeeker, h *header) error {
	h.weight *= 3
	return nil
}

var errBadWebP = errors.New("bad WebP data")
