package media

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"hash/crc32"
	"image"
	"sync"
)

// EncodePNG encodes a picture as PNG. It writes an alpha channel only if a pixel is
// transparent. The bytes do not depend on the number of cores.
//
// All rows use one filter, where image/png tries five. Strips are compressed in parallel
// and joined to one stream. On 2 cores a cut-out of 12 megapixels is ready a second sooner,
// in 0.33 of the time of image/png at its best speed in the same run, with files of about
// the same size (BenchmarkPNG12MP).
func EncodePNG(ctx context.Context, img *image.NRGBA) ([]byte, error) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if w < 1 || h < 1 {
		return nil, errors.New("cannot write a picture without pixels as PNG")
	}
	opaque := img.Opaque()
	colors := byte(6) // red, green, blue and alpha
	if opaque {
		colors = 2 // without alpha
	}
	each := stripRows(w)
	parts := make([]pngPart, (h+each-1)/each)
	err := Strips(ctx, w, h, func(from, to int) error {
		var err error
		parts[from/each], err = deflateRows(img, opaque, from, to)
		return err
	})
	if err != nil {
		return nil, err
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(w))
	header = binary.BigEndian.AppendUint32(header, uint32(h))
	header = append(header, 8, colors, 0, 0, 0) // 8 bits each, not interlaced
	size := 128
	for _, p := range parts {
		size += len(p.chunk)
	}
	out := append(make([]byte, 0, size), "\x89PNG\r\n\x1a\n"...)
	out = append(out, pngChunk("IHDR", header)...)
	sum := uint32(1)
	for _, p := range parts {
		out = append(out, p.chunk...)
		sum = joinAdler(sum, p.sum, p.raw)
	}
	out = append(out, pngChunk("IDAT", binary.BigEndian.AppendUint32(nil, sum))...)
	return append(out, pngChunk("IEND", nil)...), nil
}

// pngPart is a strip of a PNG file.
type pngPart struct {
	chunk []byte // a complete IDAT chunk
	sum   uint32 // Adler-32 of the uncompressed data
	raw   int    // length of the uncompressed data in bytes
}

// deflaters reuses writers, since each has large tables.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // it fails only for an invalid level
	return w
}}

// deflateRows filters and compresses some rows. The first part begins with the stream
// header and the last one ends the stream. The others end on a byte boundary, so that the
// parts can be joined.
func deflateRows(img *image.NRGBA, opaque bool, from, to int) (pngPart, error) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	var b bytes.Buffer
	b.WriteString("\x00\x00\x00\x00IDAT")
	if from == 0 {
		b.WriteString("\x78\x01") // zlib header: a window of 32 kB, fastest compression
	}
	d := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(d)
	d.Reset(&b)
	length := 4 * w
	if opaque {
		length = 3 * w
	}
	// row returns the row y as stored in the file.
	row := func(y int, room []byte) []byte {
		if y < 0 {
			clear(room)
			return room
		}
		pixels := img.Pix[y*img.Stride:][:4*w]
		if !opaque {
			return pixels
		}
		packRow(room, pixels)
		return room
	}
	line, room, other := make([]byte, 1+length), make([]byte, length), make([]byte, length)
	above := row(from-1, other)
	sum := adler32.New()
	for y := from; y < to; y++ {
		now := row(y, room)
		filterRow(line, now, above)
		above, room, other = now, other, room
		sum.Write(line)
		if _, err := d.Write(line); err != nil {
			return pngPart{}, err
		}
	}
	end := d.Flush
	if to == h {
		end = d.Close
	}
	if err := end(); err != nil {
		return pngPart{}, err
	}
	return pngPart{chunk: bytes.Clone(sealChunk(b.Bytes())), sum: sum.Sum32(), raw: (to - from) * len(line)}, nil
}

// filterUp is the number of the filter Up, which stores each byte as its difference from
// the byte above. Choosing the best filter per row makes photographs 3 % smaller but takes
// twice the time.
const filterUp = 2

// filterRow writes the number of the filter and the filtered row.
func filterRow(line, row, above []byte) {
	line[0] = filterUp
	line, above = line[1:][:len(row)], above[:len(row)]
	for i, v := range row {
		line[i] = v - above[i]
	}
}

// packRow copies a row without its alpha.
func packRow(to, row []byte) {
	for len(to) >= 3 && len(row) >= 4 {
		to[0], to[1], to[2] = row[0], row[1], row[2]
		to, row = to[3:], row[4:]
	}
}

// pngChunk returns a chunk of a PNG file.
func pngChunk(name string, data []byte) []byte {
	return sealChunk(append(append(make([]byte, 4, 12+len(data)), name...), data...))
}

// sealChunk sets the length of a chunk and appends its checksum.
func sealChunk(chunk []byte) []byte {
	binary.BigEndian.PutUint32(chunk, uint32(len(chunk)-8))
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}

// joinAdler returns the Adler-32 of two concatenated texts, from the sum of each and the
// length of the second.
func joinAdler(first, second uint32, length int) uint32 {
	const mod = 65521
	a1, b1 := int64(first&0xffff), int64(first>>16)
	a2, b2 := int64(second&0xffff), int64(second>>16)
	a := (a1 + a2 - 1 + mod) % mod
	// The second sum began at 1 instead of a1 for each of its bytes.
	b := (b1 + b2 + int64(length)%mod*(a1-1+mod)) % mod
	return uint32(b)<<16 | uint32(a)
}
