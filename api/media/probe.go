package media

import (
	"encoding/binary"
	"image"
	"io"
)

// probeJPEG estimates the memory for decoding. The decoder holds a progressive picture as
// coefficients of four bytes in addition to the samples.
func probeJPEG(rs io.ReadSeeker, h *header) error {
	var sof []byte
	progressive, rgb := false, false
	err := eachSegment(rs, func(marker byte, data []byte) bool {
		switch marker {
		case 0xc0, 0xc1, 0xc2:
			sof, progressive = data, marker == 0xc2
		case 0xee:
			rgb = rgb || len(data) >= 12 && string(data[:5]) == "Adobe" && data[11] == 0
		}
		return true
	})
	if err != nil && sof == nil {
		return err
	}
	h.perPixel = jpegCost(sof, progressive, rgb)
	// The decoder works in units of up to 32 × 32 pixels.
	h.allocated = image.Pt((h.size.X+31)&^31, (h.size.Y+31)&^31)
	return nil
}

// jpegCost returns the bytes per pixel that decoding takes. sof is the frame header without
// its length; rgb reports that the samples are red, green and blue.
func jpegCost(sof []byte, progressive, rgb bool) float64 {
	if len(sof) < 6 || len(sof) < 6+3*int(sof[5]) {
		return 15
	}
	n := int(sof[5])
	sum, peak, ids := 0, 1, ""
	for i := range n {
		f := int(sof[7+3*i]>>4) * int(sof[7+3*i]&15)
		sum += f
		peak = max(peak, f)
		ids += string(rune(sof[6+3*i]))
	}
	cost := float64(sum) / float64(peak)
	if progressive {
		cost *= 5
	}
	if n > 3 || rgb || ids == "RGB" {
		cost += 4 // converted after decoding
	}
	return cost
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
				h.perPixel *= 2
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
	g, err := scanGIF(rs, 1)
	h.alpha = h.alpha || g.transparent || g.count == 1 && g.first != h.size
	return err
}

// probeWebP reads the sizes of the canvas and of the frame, which can differ: the decoder
// reports one and allocates the other.
func probeWebP(rs io.ReadSeeker, h *header) error {
	extended := false
	for c := riffChunks(rs); ; {
		if !c.scan() {
			return c.err
		}
		switch c.name {
		case "VP8X":
			extended = true
			h.alpha = c.data[0]&0x10 != 0
		case "ANMF":
			// firstFrame copies a frame smaller than the canvas.
			h.alpha = h.alpha || image.Pt(1+int(uint24(c.data[6:])), 1+int(uint24(c.data[9:]))) != h.size
			h.perPixel += 4
			return nil
		case "VP8 ":
			h.extra = min(c.size, 8<<24) // partitions; the decoder trusts their sizes
			w, ht := binary.LittleEndian.Uint16(c.data[6:]), binary.LittleEndian.Uint16(c.data[8:])
			h.allocated = image.Pt(int(w&0x3fff), int(ht&0x3fff))
			return nil
		case "VP8L":
			bits := binary.LittleEndian.Uint32(c.data[1:])
			h.allocated = image.Pt(int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1)
			if !extended {
				h.alpha = bits>>28&1 != 0
			}
			return nil
		}
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

// The tags of a TIFF file that this package reads.
const (
	tiffCompression  = 259
	tiffRowsPerStrip = 278
	tiffTileWidth    = 322
	tiffTileLength   = 323
	tiffExtraSamples = 338
	tiffProfile      = 34675
)

// probeTIFF looks for an alpha channel and reads the size of a block. The decoder unpacks
// each block into a growing buffer of up to 8 bytes per pixel.
func probeTIFF(rs io.ReadSeeker, h *header) error {
	alpha := tiffValue(rs, tiffExtraSamples)
	h.alpha = alpha == 1 || alpha == 2
	block := h.size
	if rows := tiffValue(rs, tiffRowsPerStrip); rows > 0 {
		block.Y = min(block.Y, rows)
	}
	if w, l := tiffValue(rs, tiffTileWidth), tiffValue(rs, tiffTileLength); w > 0 {
		block = image.Pt(min(w, max(h.size.X, 1024)), min(l, max(h.size.Y, 1024)))
	}
	h.extra = 10 * int64(block.X) * int64(block.Y)
	if tiffValue(rs, tiffCompression) > 1 {
		h.extra = 24 * int64(block.X) * int64(block.Y)
	}
	return nil
}

// tiffValue returns the first value of an integer tag. It returns 0 if the tag is missing,
// and 1<<30 if the value is stored outside of the entry.
func tiffValue(rs io.ReadSeeker, tag uint16) int {
	const short, unknown = 3, 1 << 30
	entry, order := tiffEntry(rs, tag)
	if entry == nil {
		return 0
	}
	switch count := order.Uint32(entry[4:]); {
	case order.Uint16(entry[2:]) == short && count <= 2:
		return int(order.Uint16(entry[8:]))
	case count == 1:
		return int(min(order.Uint32(entry[8:]), unknown))
	}
	return unknown
}

// tiffEntry returns the entry of a tag in the first directory of a TIFF file, or nil.
func tiffEntry(rs io.ReadSeeker, tag uint16) ([]byte, binary.ByteOrder) {
	head := readAt(rs, 0, 8)
	if len(head) < 8 {
		return nil, nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(head[4:]))
	count := readAt(rs, at, 2)
	if len(count) < 2 {
		return nil, nil
	}
	for entries := readAt(rs, at+2, 12*int64(order.Uint16(count))); len(entries) >= 12; entries = entries[12:] {
		if order.Uint16(entries) == tag {
			return entries[:12], order
		}
	}
	return nil, nil
}
