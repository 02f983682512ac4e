package mediatest

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/binary"
	"fmt"
)

// claimed limits the pixels of a claim in bytes; larger ones are truncated.
const claimed = 1 << 20

// LargePNG returns a complete PNG of one color, RGBA with 8 bits or gray with 1 bit per sample.
func LargePNG(w, h uint32, alpha bool) []byte {
	if alpha {
		return pngClaim(w, h, 8, 6, 0, 1<<32)
	}
	return pngClaim(w, h, 1, 0, 0, 1<<32)
}

// Claims returns small files that claim to be pictures of the given size, by format, for
// each format that supports the size. They are complete pictures of one color unless that
// takes more than 1 MB of pixels.
func Claims(w, h uint32) map[string][]byte {
	files := map[string][]byte{
		"1-bit PNG":         pngClaim(w, h, 1, 0, 0, claimed),
		"RGBA PNG":          pngClaim(w, h, 8, 6, 0, claimed),
		"16-bit PNG":        pngClaim(w, h, 16, 6, 0, claimed),
		"interlaced PNG":    pngClaim(w, h, 8, 2, 1, claimed),
		"BMP":               bmpClaim(w, h),
		"BMP, top down":     bmpClaim(w, -h),
		"TIFF":              tiffClaim(w, h, h),
		"TIFF of strips":    tiffClaim(w, h, 1),
		"TIFF, strips lied": tiffClaim(w, h, 1<<31),
		"SVG":               fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"/>`, w, h),
		"HEIC":              heic(w, h),
	}
	if w < 1<<16 && h < 1<<16 {
		for _, sampling := range []byte{0x11, 0x22, 0x41} {
			files[fmt.Sprintf("JPEG %x", sampling)] = jpegClaim(w, h, 0xc0, sampling, claimed/16)
			files[fmt.Sprintf("progressive JPEG %x", sampling)] = jpegClaim(w, h, 0xc2, sampling, claimed/16)
		}
		files["GIF"] = gifClaim(w, h)
	}
	if w <= 1<<14 && h <= 1<<14 {
		files["WebP"] = webpClaim(w, h)
		files["WebP that says other sizes outside"] = append(RIFF("VP8X",
			append([]byte{0, 0, 0, 0}, 3, 0, 0, 3, 0, 0))[:30], webpClaim(w, h)[12:]...)
		files["lossy WebP"] = RIFF("VP8 ", append([]byte{
			0x30, 1, 0, 0x9d, 1, 0x2a, byte(w), byte(w >> 8), byte(h), byte(h >> 8),
		}, make([]byte, 900)...))
	}
	return files
}

// zeros returns n compressed zero bytes.
func zeros(n uint64) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	piece := make([]byte, 1<<16)
	for left := n; left > 0; {
		k := min(left, uint64(len(piece)))
		_, _ = z.Write(piece[:k])
		left -= k
	}
	_ = z.Close()
	return b.Bytes()
}

func pngClaim(w, h uint32, depth, kind, interlaced byte, most uint64) []byte {
	channels := map[byte]uint64{0: 1, 2: 3, 6: 4}[kind]
	row := 1 + (uint64(w)*channels*uint64(depth)+7)/8
	n := most
	if uint64(h) < most/row {
		n = row * uint64(h) * uint64(1+interlaced) // more than the seven passes need
	}
	ihdr := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	b := append([]byte("\x89PNG\r\n\x1a\n"), PNGChunk("IHDR", append(ihdr, depth, kind, 0, 0, interlaced))...)
	return append(append(b, PNGChunk("IDAT", zeros(n))...), PNGChunk("IEND", nil)...)
}

func bmpClaim(w, h uint32) []byte {
	le := binary.LittleEndian
	b := append([]byte("BM"), make([]byte, 8)...)
	b = le.AppendUint32(le.AppendUint32(b, 54), 40)
	b = le.AppendUint32(le.AppendUint32(b, w), h)
	b = append(b, 1, 0, 24, 0)
	return append(b, make([]byte, 24+4096)...)
}

func tiffClaim(w, h, rows uint32) []byte {
	le := binary.LittleEndian
	data := zeros(min(claimed, uint64(w)*uint64(min(h, rows))))
	b := le.AppendUint32([]byte("II*\x00"), uint32(8+len(data)+len(data)%2))
	b = append(append(b, data...), make([]byte, len(data)%2)...)
	entries := [][2]uint32{
		{256, w}, {257, h}, {258, 8}, {259, 8}, {262, 1}, {273, 8}, {277, 1}, {278, rows}, {279, uint32(len(data))},
	}
	b = le.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		b = append(le.AppendUint16(b, uint16(e[0])), 4, 0, 1, 0, 0, 0)
		b = le.AppendUint32(b, e[1])
	}
	return append(b, 0, 0, 0, 0)
}

// heic returns the boxes that define a size, without a picture.
func heic(w, h uint32) []byte {
	box := func(kind string, body []byte) []byte {
		return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
	}
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(make([]byte, 4), w), h)
	meta := append(make([]byte, 4), box("iprp", box("ipco", box("ispe", size)))...)
	return append(box("ftyp", []byte("heic\x00\x00\x00\x00mif1heic")), box("meta", meta)...)
}

// jpegClaim returns a JPEG that uses one-bit codes for blocks without coefficients.
func jpegClaim(w, h uint32, frame, sampling byte, most uint64) []byte {
	segment := func(marker byte, body ...byte) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(2+len(body))), body...)
	}
	code := append([]byte{1}, make([]byte, 16)...) // one code of one bit, for the value 0
	last := byte(63)
	if frame == 0xc2 {
		last = 0
	}
	across, down := uint64(8*(sampling>>4)), uint64(8*(sampling&15))
	units := (uint64(w) + across - 1) / across * ((uint64(h) + down - 1) / down)
	bits := units * (2*uint64(sampling>>4)*uint64(sampling&15) + 4)
	b := append([]byte{0xff, 0xd8}, segment(0xdb, make([]byte, 65)...)...)
	b = append(b,
		segment(frame, 8, byte(h>>8), byte(h), byte(w>>8), byte(w), 3, 1, sampling, 0, 2, 0x11, 0, 3, 0x11,
			0)...)
	b = append(b, segment(0xc4, append(append([]byte{0}, code...), append([]byte{0x10}, code...)...)...)...)
	b = append(b, segment(0xda, 3, 1, 0, 2, 0, 3, 0, 0, last, 0)...)
	return append(append(b, make([]byte, min(most, bits/8+1))...), 0xff, 0xd9)
}

func gifClaim(w, h uint32) []byte {
	var b bytes.Buffer
	z := lzw.NewWriter(&b, lzw.LSB, 2)
	_, _ = z.Write(make([]byte, min(claimed, uint64(w)*uint64(h))))
	_ = z.Close()
	size := []byte{byte(w), byte(w >> 8), byte(h), byte(h >> 8)}
	out := append(append([]byte("GIF89a"), size...), 0x80, 0, 0, 0, 0, 0, 255, 255, 255)
	out = append(append(append(out, 0x2c, 0, 0, 0, 0), size...), 0, 2)
	for data := b.Bytes(); len(data) > 0; {
		n := min(255, len(data))
		out = append(append(out, byte(n)), data[:n]...)
		data = data[n:]
	}
	return append(out, 0, 0x3b)
}
