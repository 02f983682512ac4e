// Package mediatest makes pictures and files with metadata for tests.
package mediatest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// Photograph returns a picture that resembles a photograph: a fading sky, hills with edges,
// clouds and texture at every scale.
func Photograph(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	const side = 64
	var lattice [side][side]float64
	for y := range lattice {
		for x := range lattice[y] {
			lattice[y][x] = r.Float64()
		}
	}
	noise := func(x, y float64) float64 {
		x0, y0 := math.Floor(x), math.Floor(y)
		at := func(i, j float64) float64 { return lattice[int(j)&(side-1)][int(i)&(side-1)] }
		smooth := func(t float64) float64 { return t * t * (3 - 2*t) }
		u, v := smooth(x-x0), smooth(y-y0)
		top := at(x0, y0)*(1-u) + at(x0+1, y0)*u
		bottom := at(x0, y0+1)*(1-u) + at(x0+1, y0+1)*u
		return top*(1-v) + bottom*v
	}
	octaves := func(x, y float64, n int) float64 {
		sum, scale := 0.0, 0.5
		for range n {
			sum += noise(x, y) * scale
			x, y, scale = 2*x, 2*y, scale/2
		}
		return sum
	}
	for py := range h {
		for px := range w {
			x, y := float64(px)/float64(w), float64(py)/float64(h)
			cloud := octaves(4*x, 6*y, 6)
			c := [3]float64{110 + 90*y + 60*cloud, 150 + 50*y + 50*cloud, 215 + 20*cloud}
			for i := range 3 {
				ridge := 0.45 + 0.17*float64(i) + 0.12*math.Sin(float64(4+3*i)*x+2*float64(i))
				if y > ridge+0.03*octaves(12*x, float64(i), 4) {
					// Leaves: grain down to single pixels.
					t := 0.6*octaves(20*x, 20*y, 4) + 1.5*(octaves(140*x, 110*y, 3)-0.35)
					c = [3]float64{
						60 + 90*t - 12*float64(i), 85 + 100*t - 22*float64(i), 70 + 60*t - 25*float64(i),
					}
				}
			}
			if d := math.Hypot((x-0.75)*float64(w)/float64(h), y-0.2); d < 0.09 {
				c = [3]float64{255, 240, 190}
			}
			img.SetRGBA(px, py, color.RGBA{level(c[0]), level(c[1]), level(c[2]), 255})
		}
	}
	return img
}

func level(v float64) uint8 { return uint8(max(0, min(v, 255))) }

// encoded returns the output of encode.
func encoded(t testing.TB, encode func(io.Writer) error) []byte {
	var b bytes.Buffer
	Must(t, encode(&b))
	return b.Bytes()
}

// JPEG encodes a picture at quality 92.
func JPEG(t testing.TB, img image.Image) []byte {
	return encoded(t, func(w io.Writer) error { return jpeg.Encode(w, img, &jpeg.Options{Quality: 92}) })
}

// PNG encodes a picture.
func PNG(t testing.TB, img image.Image) []byte {
	return encoded(t, func(w io.Writer) error { return png.Encode(w, img) })
}

// GIF encodes a picture.
func GIF(t testing.TB, img image.Image) []byte {
	return encoded(t, func(w io.Writer) error { return gif.Encode(w, img, nil) })
}

// BMP encodes a picture.
func BMP(t testing.TB, img image.Image) []byte {
	return encoded(t, func(w io.Writer) error { return bmp.Encode(w, img) })
}

// TIFF encodes a picture.
func TIFF(t testing.TB, img image.Image) []byte {
	return encoded(t, func(w io.Writer) error { return tiff.Encode(w, img, nil) })
}

// WebP returns a lossless WebP of 4×2 pixels in one color, with five prefix codes of one symbol
// each.
func WebP() []byte { return webpClaim(4, 2) }

func webpClaim(width, height uint32) []byte {
	var w bitWriter
	w.put(0x2f, 8)
	w.put(width-1, 14)
	w.put(height-1, 14)
	w.put(0, 1) // alpha is not used
	w.put(0, 3) // version
	w.put(0, 1) // no transform
	w.put(0, 1) // no color cache
	w.put(0, 1) // one set of codes
	for _, symbol := range []uint32{200, 30, 60, 255} {
		w.put(1, 1) // simple code
		w.put(0, 1) // of one symbol
		w.put(1, 1) // of 8 bits
		w.put(symbol, 8)
	}
	w.put(1, 1) // the distance code: one symbol of 1 bit
	w.put(0, 1)
	w.put(0, 1)
	w.put(0, 1)
	return RIFF("VP8L", w.bytes)
}

// bitWriter writes the least significant bit first.
type bitWriter struct {
	bytes []byte
	n     int
}

func (w *bitWriter) put(v uint32, bits int) {
	for i := range bits {
		if w.n%8 == 0 {
			w.bytes = append(w.bytes, 0)
		}
		w.bytes[w.n/8] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
}

// RIFF wraps chunks, given as pairs of name and data.
func RIFF(chunks ...any) []byte {
	var body []byte
	for i := 0; i < len(chunks); i += 2 {
		data := chunks[i+1].([]byte)
		body = append(body, chunks[i].(string)...)
		body = binary.LittleEndian.AppendUint32(body, uint32(len(data)))
		body = append(body, data...)
		if len(data)%2 == 1 {
			body = append(body, 0)
		}
	}
	out := []byte("RIFF")
	out = binary.LittleEndian.AppendUint32(out, uint32(len(body)+4))
	return append(append(out, "WEBP"...), body...)
}

// PNGHeader returns a PNG that claims a size but has almost no data.
func PNGHeader(w, h uint32, colorType byte) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	ihdr := binary.BigEndian.AppendUint32(nil, w)
	ihdr = binary.BigEndian.AppendUint32(ihdr, h)
	ihdr = append(ihdr, 8, colorType, 0, 0, 0)
	b = append(b, PNGChunk("IHDR", ihdr)...)
	b = append(b, PNGChunk("IDAT", []byte{0x78, 0x9c, 0x63, 0, 0, 0, 1, 0, 1})...)
	return append(b, PNGChunk("IEND", nil)...)
}

// PNGChunk returns a chunk of a PNG file with its length and checksum.
func PNGChunk(name string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, name...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// GIFBomb returns 35 bytes that claim 65535 × 65535 pixels.
func GIFBomb() []byte {
	b := []byte("GIF89a\xff\xff\xff\xff\x80\x00\x00\x00\x00\x00\xff\xff\xff")
	b = append(b, "\x2c\x00\x00\x00\x00\xff\xff\xff\xff\x00"...)
	return append(b, 2, 1, 0x4c, 0, 0x3b, 0)
}

// Tags is the metadata for [WithEXIF], which omits zero fields.
type Tags struct {
	Orientation   uint16
	Brand, Model  string
	Taken, Offset string
}

// WithEXIF returns a JPEG with the metadata in an EXIF segment.
func WithEXIF(jpg []byte, t Tags) []byte {
	le := binary.LittleEndian
	var main, sub ifd
	main.text(0x010f, t.Brand)
	main.text(0x0110, t.Model)
	if t.Orientation != 0 {
		main.entries = append(main.entries, ifdEntry{0x0112, 3, 1, le.AppendUint16(nil, t.Orientation)})
	}
	sub.text(0x9003, t.Taken)
	sub.text(0x9011, t.Offset)
	if len(sub.entries) > 0 {
		main.entries = append(main.entries, ifdEntry{0x8769, 4, 1, nil})
		at := uint32(8 + len(main.encode(8)))
		main.entries[len(main.entries)-1].data = le.AppendUint32(nil, at)
	}
	block := le.AppendUint32([]byte("II*\x00"), 8)
	block = append(block, main.encode(8)...)
	if len(sub.entries) > 0 {
		block = append(block, sub.encode(uint32(len(block)))...)
	}
	return withExif(jpg, block)
}

// withExif inserts an EXIF block before all segments of a JPEG.
func withExif(jpg, block []byte) []byte {
	seg := append([]byte("Exif\x00\x00"), block...)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(seg)+2))
	return slices.Concat(jpg[:2], head, seg, jpg[2:])
}

type ifd struct{ entries []ifdEntry }

type ifdEntry struct {
	tag, kind uint16
	count     uint32
	data      []byte
}

func (d *ifd) text(tag uint16, s string) {
	if s != "" {
		data := append([]byte(s), 0)
		d.entries = append(d.entries, ifdEntry{tag, 2, uint32(len(data)), data})
	}
}

// encode returns the directory for the offset at, followed by its data.
func (d *ifd) encode(at uint32) []byte {
	le := binary.LittleEndian
	b := le.AppendUint16(nil, uint16(len(d.entries)))
	next := at + 2 + 12*uint32(len(d.entries)) + 4
	var data []byte
	for _, e := range d.entries {
		b = le.AppendUint16(b, e.tag)
		b = le.AppendUint16(b, e.kind)
		b = le.AppendUint32(b, e.count)
		if len(e.data) <= 4 {
			b = append(b, append(append([]byte{}, e.data...), 0, 0, 0, 0)[:4]...)
			continue
		}
		b = le.AppendUint32(b, next+uint32(len(data)))
		data = append(data, e.data...)
	}
	return append(append(b, 0, 0, 0, 0), data...)
}

// Quarters returns a picture whose four quarters have different colors.
func Quarters(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, QuarterColors[2*y/h*2+2*x/w])
		}
	}
	return img
}

// Gradient returns a picture whose color changes from corner to corner.
func Gradient(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, color.RGBA{uint8(x * 255 / w), uint8(y * 255 / h), 120, 255})
		}
	}
	return img
}

// QuarterColors holds the colors of the upper left, upper right, lower left and lower right
// quarters.
var QuarterColors = [4]color.NRGBA{
	{200, 30, 30, 255}, {30, 180, 30, 255}, {30, 30, 200, 255}, {220, 220, 220, 255},
}

// PSNR returns the peak signal-to-noise ratio of b compared with a, in decibels.
func PSNR(a, b *image.RGBA) float64 {
	sum, n := 0.0, 0
	for y := range a.Rect.Dy() {
		for x := range a.Rect.Dx() {
			c, d := a.RGBAAt(x, y), b.RGBAAt(x, y)
			for _, e := range [...]int{int(c.R) - int(d.R), int(c.G) - int(d.G), int(c.B) - int(d.B)} {
				sum += float64(e * e)
				n++
			}
		}
	}
	return 10 * math.Log10(255*255*float64(n)/sum)
}

// LargeJPEG returns a photograph of 24 megapixels. It repeats a tile, because a complete
// one would take longer to make than to decode.
func LargeJPEG(t testing.TB) []byte {
	tile := Photograph(750, 500)
	img := image.NewRGBA(image.Rect(0, 0, 6000, 4000))
	for y := range 4000 {
		line := tile.Pix[y%500*tile.Stride:][:tile.Stride]
		for x := range 8 {
			copy(img.Pix[y*img.Stride+x*tile.Stride:], line)
		}
	}
	return JPEG(t, img)
}

// Near reports whether two colors differ by no more than a lossy format may.
func Near(a, b color.Color) bool {
	r1, g1, b1, a1 := a.RGBA()
	r2, g2, b2, a2 := b.RGBA()
	for _, d := range [...]int{int(r1) - int(r2), int(g1) - int(g2), int(b1) - int(b2), int(a1) - int(a2)} {
		if d > 12<<8 || d < -12<<8 {
			return false
		}
	}
	return true
}

// SkipRacing skips a test under the race detector. Its work is done by one goroutine and takes ten
// times as long there, or it measures memory.
func SkipRacing(t testing.TB) {
	t.Helper()
	if Racing {
		t.Skip("it runs without the race detector")
	}
}

// PNGFile writes a picture to a file of its own and returns the path.
func PNGFile(t testing.TB, name string, img image.Image) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	Must(t, os.WriteFile(path, PNG(t, img), 0o600))
	return path
}
