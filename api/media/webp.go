package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"io"

	"golang.org/x/image/webp"
)

// errBadWebP means that an animated WebP is damaged.
var errBadWebP = errors.New("bad WebP data")

// decodeWebP decodes a WebP picture. It decodes the first frame of an animation, which the
// library does not support.
func decodeWebP(r io.Reader) (image.Image, error) {
	head := make([]byte, 30)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	if string(head[12:16]) != "VP8X" || head[20]&0x02 == 0 {
		return webp.Decode(io.MultiReader(bytes.NewReader(head), r))
	}
	canvas := image.Rect(0, 0, 1+int(uint24(head[24:])), 1+int(uint24(head[27:])))
	for range maxParts {
		var c [8]byte
		if _, err := io.ReadFull(r, c[:]); err != nil {
			return nil, err
		}
		size := int64(binary.LittleEndian.Uint32(c[4:]))
		if string(c[:4]) == "ANMF" {
			return firstFrame(io.LimitReader(r, size), canvas)
		}
		if _, err := io.CopyN(io.Discard, r, size+size&1); err != nil {
			return nil, err
		}
	}
	return nil, errBadWebP
}

// firstFrame decodes a frame from the data of its ANMF chunk and draws it on the canvas.
func firstFrame(r io.Reader, canvas image.Rectangle) (image.Image, error) {
	var b [24]byte // the headers of the frame and of its first chunk
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return nil, err
	}
	frame := image.Rectangle{Max: image.Pt(1+int(uint24(b[6:])), 1+int(uint24(b[9:])))}
	at := image.Pt(2*int(uint24(b[0:])), 2*int(uint24(b[3:])))
	if !frame.Add(at).In(canvas) {
		return nil, errBadWebP
	}
	// Build a still picture. Its length is unknown, but the decoder ignores it.
	still := binary.LittleEndian.AppendUint32([]byte("RIFF"), 1<<31-1-8)
	still = append(still, "WEBPVP8X\x0a\x00\x00\x00"...)
	flags := byte(0)
	if string(b[16:20]) == "ALPH" {
		flags = 0x10
	}
	still = append(still, flags, 0, 0, 0)
	still = append(append(still, b[6:12]...), b[16:24]...)
	img, err := webp.Decode(io.MultiReader(bytes.NewReader(still), r))
	if err != nil || frame == canvas {
		return img, err
	}
	whole := image.NewNRGBA(canvas)
	draw.Draw(whole, frame.Add(at), img, img.Bounds().Min, draw.Src)
	return whole, nil
}
