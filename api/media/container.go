package media

import (
	"bufio"
	"encoding/binary"
	"image"
	"io"
)

// Limits of a search through a file. No valid picture has more parts before its pixels.
const (
	maxParts  = 4096
	maxChunks = 20_000
)

// readAt returns up to n bytes at pos; fewer at the end of the file or after an error.
func readAt(rs io.ReadSeeker, pos, n int64) []byte {
	if _, err := rs.Seek(pos, io.SeekStart); err != nil {
		return nil
	}
	b := make([]byte, n)
	got, _ := io.ReadFull(rs, b) // the caller checks the length
	return b[:got]
}

// chunks iterates over the chunks of a PNG or RIFF file, as a [bufio.Scanner] does over lines.
type chunks struct {
	rs    io.ReadSeeker
	png   bool
	pos   int64 // of the next chunk
	count int
	err   error // ended the scan; may be io.EOF

	name string
	data [24]byte // the first bytes; zeros beyond the end of the file
}

func pngChunks(rs io.ReadSeeker) *chunks  { return &chunks{rs: rs, png: true, pos: 8} }
func riffChunks(rs io.ReadSeeker) *chunks { return &chunks{rs: rs, pos: 12} }

func (c *chunks) scan() bool {
	if c.count++; c.count > maxChunks {
		return false
	}
	if _, c.err = c.rs.Seek(c.pos, io.SeekStart); c.err != nil {
		return false
	}
	var head [32]byte
	n, err := io.ReadFull(c.rs, head[:])
	if n < 8 {
		c.err = err
		return false
	}
	c.data = [24]byte(head[8:])
	var size int64
	if c.png {
		c.name, size = string(head[4:8]), int64(binary.BigEndian.Uint32(head[:]))
		c.pos += 12 + size
	} else {
		c.name, size = string(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
		c.pos += 8 + size + size&1
	}
	return true
}

// scanGIF reads the blocks of a GIF up to the first frame: whether it has a transparent color, and
// its size.
func scanGIF(rs io.Reader) (transparent bool, first image.Point, err error) {
	r := bufio.NewReader(rs)
	var head [13]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return false, first, err
	}
	if err := skipColors(r, head[10]); err != nil {
		return false, first, err
	}
	for range maxChunks {
		kind, err := r.ReadByte()
		switch {
		case err != nil:
			return transparent, first, err
		case kind == 0x2c:
			var d [8]byte
			_, err := io.ReadFull(r, d[:])
			return transparent, image.Pt(int(binary.LittleEndian.Uint16(d[4:])),
				int(binary.LittleEndian.Uint16(d[6:]))), err
		case kind != 0x21:
			return transparent, first, io.ErrUnexpectedEOF // no frame
		}
		if b, err := r.Peek(5); err == nil && b[0] == 0xf9 && b[1] >= 4 {
			transparent = transparent || b[2]&1 != 0
		}
		if err := skipBlocks(r); err != nil {
			return transparent, first, err
		}
	}
	return transparent, first, io.ErrUnexpectedEOF
}

func skipColors(r *bufio.Reader, flags byte) error {
	if flags&0x80 == 0 {
		return nil
	}
	_, err := r.Discard(3 << (flags&7 + 1))
	return err
}

// skipBlocks skips one byte (a label or code size) and the data blocks after it.
func skipBlocks(r *bufio.Reader) error {
	_, err := r.ReadByte()
	for err == nil {
		var n byte
		if n, err = r.ReadByte(); n == 0 {
			return err
		}
		_, err = r.Discard(int(n))
	}
	return err
}
