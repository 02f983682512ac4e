package media

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// format is a picture format. The table below replaces the registry of package image, which
// depends on the linked packages.
type format struct {
	name   string
	mime   string
	match  func(head []byte) bool
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	// probe adds to the header what config does not return.
	probe func(io.ReadSeeker, *header) error
}

var formats = []*format{
	{
		name: "JPEG picture", mime: "image/jpeg", match: startsWith("\xff\xd8\xff"),
		config: jpeg.DecodeConfig, decode: jpeg.Decode, probe: probeJPEG,
	},
	{
		name: "PNG picture", mime: "image/png", match: startsWith("\x89PNG\r\n\x1a\n"),
		config: png.DecodeConfig, decode: png.Decode, probe: probePNG,
	},
	{
		name: "GIF picture", mime: "image/gif", match: startsWith("GIF87a", "GIF89a"),
		config: gif.DecodeConfig, decode: gif.Decode, probe: probeGIF,
	},
	{
		name: "WebP picture", mime: "image/webp",
		match: func(head []byte) bool {
			return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP"
		},
		config: webp.DecodeConfig, decode: decodeWebP, probe: probeWebP,
	},
	{
		name: "TIFF picture", mime: "image/tiff", match: startsWith("II*\x00", "MM\x00*"),
		config: tiff.DecodeConfig, decode: tiff.Decode, probe: probeTIFF,
	},
	{
		name: "BMP picture", mime: "image/bmp", match: startsWith("BM"),
		config: bmp.DecodeConfig, decode: bmp.Decode, probe: probeBMP,
	},
}

func startsWith(magic ...string) func([]byte) bool {
	return func(head []byte) bool {
		return slices.ContainsFunc(magic, func(m string) bool { return bytes.HasPrefix(head, []byte(m)) })
	}
}

type header struct {
	format *format
	// size is the size as stored.
	size  image.Point
	alpha bool
	// weight is how many times the memory of usual decoders decoding takes.
	weight int64
}

const headLength = 3072

// readHead reads the first bytes of rs and seeks back to the start.
func readHead(rs io.ReadSeeker) ([]byte, error) {
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(rs, headLength))
	if err != nil {
		return nil, err
	}
	_, err = rs.Seek(0, io.SeekStart)
	return head, err
}

func formatOf(head []byte) *format {
	if i := slices.IndexFunc(formats, func(f *format) bool { return f.match(head) }); i >= 0 {
		return formats[i]
	}
	return nil
}

// readHeader reads the header of a picture. It returns a panic of the decoder as an error.
func readHeader(ctx context.Context, f *format, rs io.ReadSeeker) (h *header, err error) {
	defer recoverTo(&err, f.name)
	cfg, err := f.config(rs)
	if err != nil {
		return nil, decodeError(ctx, f.name, err)
	}
	h = &header{
		format: f, size: image.Pt(cfg.Width, cfg.Height),
		alpha: hasAlpha(cfg.ColorModel), weight: 1,
	}
	switch cfg.ColorModel {
	case color.RGBA64Model, color.NRGBA64Model, color.Gray16Model, color.Alpha16Model:
		h.weight = 2
	}
	if h.size.X <= 0 || h.size.Y <= 0 {
		return nil, &Error{Reason: ErrTruncated, Detail: "it has no pixels"}
	}
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return nil, decodeError(ctx, f.name, err)
	}
	if err := f.probe(rs, h); err != nil {
		return nil, decodeError(ctx, f.name, err)
	}
	return h, nil
}

// recoverTo converts a panic of a decoder into an error, so that no picture can crash the program.
func recoverTo(err *error, kind string) {
	if r := recover(); r != nil {
		*err = &Error{
			Reason: ErrTruncated, Detail: "the " + kind + " is damaged",
			Cause: fmt.Errorf("decoder panicked: %v", r),
		}
	}
}

// hasAlpha reports whether a color model can be transparent. The models of opaque PNG and
// BMP files have alpha too; their probes correct that.
func hasAlpha(m color.Model) bool {
	switch m {
	case color.NRGBAModel, color.NRGBA64Model, color.NYCbCrAModel, color.AlphaModel, color.Alpha16Model:
		return true
	}
	palette, _ := m.(color.Palette)
	return slices.ContainsFunc(palette, func(c color.Color) bool {
		_, _, _, a := c.RGBA()
		return a != 0xffff
	})
}

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
	for c := (&chunks{rs: rs, png: true, pos: 8}); ; {
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

// probeWebP reads the transparency. The decoder reports the size of the canvas and allocates that
// of the frame, so a larger frame is refused.
func probeWebP(rs io.ReadSeeker, h *header) error {
	h.weight = 2
	extended := false
	for c := (&chunks{rs: rs, pos: 12}); ; {
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
			return errors.New("bad WebP data")
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

// probeGIF reads the blocks of a GIF up to the first frame: the picture is transparent if that has a
// transparent color or does not cover it.
func probeGIF(rs io.ReadSeeker, h *header) error {
	r := bufio.NewReader(rs)
	var head [13]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	if head[10]&0x80 != 0 { // a table of colors
		if _, err := r.Discard(3 << (head[10]&7 + 1)); err != nil {
			return err
		}
	}
	for range maxChunks {
		kind, err := r.ReadByte()
		switch {
		case err != nil:
			return err
		case kind == 0x2c:
			var d [8]byte
			_, err := io.ReadFull(r, d[:])
			frame := image.Pt(int(binary.LittleEndian.Uint16(d[4:])), int(binary.LittleEndian.Uint16(d[6:])))
			h.alpha = h.alpha || frame != h.size
			return err
		case kind != 0x21:
			return io.ErrUnexpectedEOF // no frame
		}
		if b, err := r.Peek(5); err == nil && b[0] == 0xf9 && b[1] >= 4 {
			h.alpha = h.alpha || b[2]&1 != 0
		}
		if err := skipBlocks(r); err != nil {
			return err
		}
	}
	return io.ErrUnexpectedEOF
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
