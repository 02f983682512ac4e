package media

import (
	"bytes"
	"context"
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
	// probe, if not nil, adds to the header what config does not return.
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
		name: "WebP picture", mime: "image/webp", match: isWebP,
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

func isWebP(head []byte) bool {
	return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP"
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
	head := make([]byte, headLength)
	n, err := io.ReadFull(rs, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	_, err = rs.Seek(0, io.SeekStart)
	return head[:n], err
}

func formatOf(head []byte) *format {
	for _, f := range formats {
		if f.match(head) {
			return f
		}
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
	if f.probe == nil {
		return h, nil
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
