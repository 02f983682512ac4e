package media

import (
	"bufio"
	"encoding/binary"
	"image/color"
	"io"
)

// hasAlpha reports whether a picture can be transparent anywhere, read from
// its headers: decoding it all would tell no more of the format.
func hasAlpha(mime string, r io.ReaderAt, size int64, model color.Model) bool {
	section := func() *bufio.Reader { return bufio.NewReader(io.NewSectionReader(r, 0, size)) }
	switch mime {
	case "image/png", "image/vnd.mozilla.apng":
		return pngAlpha(section())
	case "image/gif":
		return gifAlpha(section())
	case "image/webp":
		return webpAlpha(r)
	case "image/tiff":
		return tiffAlpha(r)
	case "image/bmp":
		return model == color.NRGBAModel
	}
	return false
}

// pngAlpha looks for a colour type with alpha or a tRNS chunk, which stands
// before the first pixels.
func pngAlpha(r *bufio.Reader) bool {
	var head [8 + 8 + 13 + 4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return false
	}
	if colour := head[8+8+9]; colour == 4 || colour == 6 {
		return true
	}
	for {
		var chunk [8]byte
		if _, err := io.ReadFull(r, chunk[:]); err != nil {
			return false
		}
		switch string(chunk[4:]) {
		case "tRNS":
			return true
		case "IDAT", "IEND":
			return false
		}
		if _, err := io.CopyN(io.Discard, r, int64(binary.BigEndian.Uint32(chunk[:4]))+4); err != nil {
			return false
		}
	}
}

// gifAlpha walks the blocks and looks for a frame with a transparent colour.
func gifAlpha(r *bufio.Reader) bool {
	var head [13]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return false
	}
	if head[10]&0x80 != 0 && !skip(r, 3<<(head[10]&7+1)) {
		return false
	}
	for {
		kind, err := r.ReadByte()
		if err != nil {
			return false
		}
		switch kind {
		case 0x21: // an extension
			label, err := r.ReadByte()
			if err != nil {
				return false
			}
			if label == 0xF9 { // graphic control
				var control [2]byte
				if _, err := io.ReadFull(r, control[:]); err != nil {
					return false
				}
				if control[1]&1 != 0 {
					return true
				}
				if !skip(r, int64(control[0])-1) {
					return false
				}
			}
			if !skipBlocks(r) {
				return false
			}
		case 0x2C: // a frame
			var frame [9]byte
			if _, err := io.ReadFull(r, frame[:]); err != nil {
				return false
			}
			if frame[8]&0x80 != 0 && !skip(r, 3<<(frame[8]&7+1)) {
				return false
			}
			if !skip(r, 1) || !skipBlocks(r) {
				return false
			}
		default:
			return false
		}
	}
}

func skip(r *bufio.Reader, n int64) bool {
	_, err := io.CopyN(io.Discard, r, n)
	return err == nil
}

// skipBlocks reads over data blocks up to the empty one.
func skipBlocks(r *bufio.Reader) bool {
	for {
		n, err := r.ReadByte()
		if err != nil || n == 0 {
			return err == nil
		}
		if !skip(r, int64(n)) {
			return false
		}
	}
}

func webpAlpha(r io.ReaderAt) bool {
	var head [25]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return false
	}
	switch string(head[12:16]) {
	case "VP8X":
		return head[20]&0x10 != 0
	case "VP8L": // signature byte, 14 bits of width, 14 of height, then the flag
		return binary.LittleEndian.Uint32(head[21:])&(1<<28) != 0
	}
	return false
}

// tiffAlpha looks for the tag ExtraSamples with a kind of alpha.
func tiffAlpha(r io.ReaderAt) bool {
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(head[4:]))
	var count [2]byte
	if _, err := r.ReadAt(count[:], at); err != nil {
		return false
	}
	for i := range int64(order.Uint16(count[:])) {
		var entry [12]byte
		if _, err := r.ReadAt(entry[:], at+2+12*i); err != nil {
			return false
		}
		if order.Uint16(entry[:]) == 338 {
			kind := order.Uint16(entry[8:])
			return kind == 1 || kind == 2
		}
	}
	return false
}
