package media

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"io"
)

// Limits of the search for a thumbnail: EXIF has room for no more than a segment
// of JPEG, and fields that say so little need few entries.
const (
	maxSegment   = 1 << 16
	maxEntries   = 200
	maxThumbnail = 1024 // pixels of a side
)

// thumbnailCost is that of the largest one, as a progressive JPEG and then in RGBA.
var thumbnailCost = Cost{Source: 15 * maxThumbnail * maxThumbnail, Destination: 2 * 4 * maxThumbnail * maxThumbnail}

// Thumbnail is the small picture in the metadata of a JPEG, upright and in the
// proportions of the whole; nil if there is none that can be used.
func Thumbnail(ctx context.Context, rs io.ReadSeeker, limits Limits) *Picture {
	limits = limits.orDefaults()
	h, o, err := open(ctx, rs, limits)
	if err != nil || h.format.mime != "image/jpeg" {
		return nil
	}
	// EXIF stands in front: a file that begins otherwise is not searched.
	small := embedded(exifSegment(newSource(ctx, rs, maxHeader)))
	if small == nil {
		return nil
	}
	release, err := limits.Budget.Reserve(ctx, thumbnailCost)
	if err != nil {
		return nil
	}
	defer release()
	img, err := h.format.decodeSafe(small)
	if err != nil {
		return nil
	}
	p, err := newPicture(ctx, img, unbarred(img.Bounds(), h.size), o, limits.Side)
	if err != nil {
		return nil
	}
	p.Size, p.Rough = o.Upright(h.size), true
	return p
}

// unbarred is the part of a thumbnail that has the proportions of the picture:
// cameras fill the rest with black bars.
func unbarred(thumb image.Rectangle, size image.Point) image.Rectangle {
	w, h := thumb.Dx(), thumb.Dy()
	if h > w*size.Y/size.X+1 {
		bar := (h - w*size.Y/size.X) / 2
		thumb.Min.Y, thumb.Max.Y = thumb.Min.Y+bar, thumb.Max.Y-bar
	} else if w > h*size.X/size.Y+1 {
		bar := (w - h*size.X/size.Y) / 2
		thumb.Min.X, thumb.Max.X = thumb.Min.X+bar, thumb.Max.X-bar
	}
	return thumb
}

// decodeSafe decodes a picture in memory. A panic of the decoder is an error.
func (f *format) decodeSafe(data []byte) (img image.Image, err error) {
	defer recoverTo(&err, f.name)
	config, err := f.config(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if config.Width > maxThumbnail || config.Height > maxThumbnail {
		return nil, errTooFar // no thumbnail, and it would take long
	}
	return f.decode(bytes.NewReader(data))
}

// exifSegment is the EXIF block of a JPEG without its name; nil where it has none
// among its first segments.
func exifSegment(rs io.ReadSeeker) []byte {
	if _, err := rs.Seek(2, io.SeekStart); err != nil {
		return nil
	}
	r := bufio.NewReader(rs)
	for range 8 {
		var head [4]byte
		if _, err := io.ReadFull(r, head[:]); err != nil || head[0] != 0xff || head[1] < 0xe0 || head[1] > 0xef {
			return nil
		}
		n := int(binary.BigEndian.Uint16(head[2:])) - 2
		if n < 0 {
			return nil
		}
		data := make([]byte, n)
		if _, err := io.ReadFull(r, data); err != nil {
			return nil
		}
		if block, ok := bytes.CutPrefix(data, []byte("Exif\x00\x00")); head[1] == 0xe1 && ok {
			return block
		}
	}
	return nil
}

// embedded finds the thumbnail in an EXIF block: the second directory says where
// it begins and how long it is.
func embedded(block []byte) []byte {
	if len(block) < 8 || len(block) > maxSegment {
		return nil
	}
	var order binary.ByteOrder = binary.BigEndian
	if block[0] == 'I' {
		order = binary.LittleEndian
	}
	// The first directory ends with the place of the second.
	first := int64(order.Uint32(block[4:]))
	n, ok := entries(block, order, first)
	next := first + 2 + 12*int64(n)
	if !ok || next+4 > int64(len(block)) {
		return nil
	}
	second := int64(order.Uint32(block[next:]))
	n, ok = entries(block, order, second)
	if !ok {
		return nil
	}
	var from, length int64
	for i := range n {
		e := block[second+2+12*int64(i):]
		switch order.Uint16(e) {
		case 0x0201:
			from = int64(order.Uint32(e[8:]))
		case 0x0202:
			length = int64(order.Uint32(e[8:]))
		}
	}
	if from < 8 || length < 4 || from+length > int64(len(block)) {
		return nil
	}
	return block[from : from+length]
}

// entries is how many entries the directory at a place has, and whether all of
// them lie inside the block.
func entries(block []byte, order binary.ByteOrder, at int64) (int, bool) {
	if at < 8 || at+2 > int64(len(block)) {
		return 0, false
	}
	n := int(order.Uint16(block[at:]))
	return n, n <= maxEntries && at+2+12*int64(n) <= int64(len(block))
}
