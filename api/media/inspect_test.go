package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/media/mediatest"
)

func TestInspect(t *testing.T) {
	for name, c := range map[string]struct {
		data  []byte
		mime  string
		kind  bool
		size  image.Point
		alpha bool
	}{
		"jpeg":            {apitest.JPEG(20, 10), "image/jpeg", true, image.Pt(20, 10), false},
		"turned jpeg":     {apitest.PhotoJPEG(20, 10, 6), "image/jpeg", true, image.Pt(20, 10), false},
		"png":             {apitest.PNG(20, 10), "image/png", true, image.Pt(20, 10), false},
		"png with alpha":  {apitest.AlphaPNG(20, 10), "image/png", true, image.Pt(20, 10), true},
		"gif":             {apitest.GIF(20, 10), "image/gif", true, image.Pt(20, 10), true},
		"lossless webp":   {[]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x13\x40\x02\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"), "image/webp", true, image.Pt(20, 10), true},
		"tiff with alpha": {tiffPicture(4, 2, true), "image/tiff", true, image.Pt(4, 2), true},
		"tiff":            {tiffPicture(4, 2, false), "image/tiff", true, image.Pt(4, 2), false},
		"svg by box":      {[]byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"/>`), "image/svg+xml", true, image.Pt(20, 10), true},
		"text":            {[]byte("words"), "text/plain", false, image.Pt(0, 0), false},
		"cut png":         {apitest.PNG(20, 10)[:20], "image/png", true, image.Pt(0, 0), false},
		"one byte":        {[]byte{0}, "application/octet-stream", false, image.Pt(0, 0), false},
	} {
		got, err := Inspect(t.Context(), bytes.NewReader(c.data))
		if err != nil || got.MIME != c.mime || got.Picture != c.kind || got.Stored != c.size ||
			got.Alpha != c.alpha {
			t.Errorf("%s is %+v, %v, want %+v", name, got, err, c)
		}
	}
}

// tiffPicture writes an uncompressed picture of one strip.
func tiffPicture(w, h int, alpha bool) []byte {
	samples := 3
	if alpha {
		samples = 4
	}
	pixels := make([]byte, w*h*samples)
	var entries [][3]int // tag, type, value
	entries = append(entries, [3]int{256, 4, w}, [3]int{257, 4, h}, [3]int{258, 3, 8}, [3]int{259, 3, 1},
		[3]int{262, 3, 2}, [3]int{273, 4, 8}, [3]int{277, 3, samples}, [3]int{278, 4, h},
		[3]int{279, 4, len(pixels)})
	bitsAt := 8 + len(pixels)
	if alpha {
		entries = append(entries, [3]int{338, 3, 2})
	}
	ifdAt := bitsAt + 2*samples
	b := []byte{'I', 'I', 42, 0, byte(ifdAt), byte(ifdAt >> 8), 0, 0}
	b = append(b, pixels...)
	for range samples {
		b = append(b, 8, 0)
	}
	b = append(b, byte(len(entries)), 0)
	for _, e := range entries {
		count, value := 1, e[2]
		if e[0] == 258 {
			count, value = samples, bitsAt
		}
		b = append(b, byte(e[0]), byte(e[0]>>8), byte(e[1]), 0, byte(count), 0, 0, 0, byte(value),
			byte(value>>8), 0, 0)
	}
	return append(b, 0, 0, 0, 0)
}

func TestUpright(t *testing.T) {
	// The upright picture, and how a camera stores it turned.
	const w, h = 3, 2
	shown := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		shown.Pix[4*i], shown.Pix[4*i+3] = uint8(i+1), 255
	}
	// Row and column 0 of the stored picture by orientation, as in EXIF.
	stored := map[Orientation][][]uint8{
		1: {{1, 2, 3}, {4, 5, 6}}, 2: {{3, 2, 1}, {6, 5, 4}}, 3: {{6, 5, 4}, {3, 2, 1}}, 4: {{4, 5, 6}, {1, 2, 3}},
		5: {{1, 4}, {2, 5}, {3, 6}}, 6: {{3, 6}, {2, 5}, {1, 4}}, 7: {{6, 3}, {5, 2}, {4, 1}}, 8: {{4, 1}, {5, 2}, {6, 3}},
	}
	for orientation, rows := range stored {
		img := image.NewNRGBA(image.Rect(0, 0, len(rows[0]), len(rows)))
		for y, row := range rows {
			for x, v := range row {
				img.SetNRGBA(x, y, color.NRGBA{R: v, A: 255})
			}
		}
		for _, stored := range []image.Image{img, gray(img)} {
			got := upright(stored, stored.Bounds(), orientation)
			if got.Rect != shown.Rect {
				t.Fatalf("orientation %d: %v, want %v", orientation, got.Rect, shown.Rect)
			}
			for i := range w * h {
				mediatest.Equal(t, got.Pix[4*i], uint8(i+1), "orientation %d: %v", orientation, got.Pix)
			}
		}
		// A region turns with its pixels.
		r := ToDisplay(orientation, img.Rect.Size(), image.Rect(0, 0, 1, 1))
		if got := shown.NRGBAAt(r.Min.X, r.Min.Y).R; r.Dx() != 1 || r.Dy() != 1 || got != rows[0][0] {
			t.Errorf("orientation %d: the first pixel went to %v", orientation, r)
		}
	}
}

// gray returns the red channel of a picture that was converted to turn it upright.
func gray(img *image.NRGBA) *image.Gray {
	g := image.NewGray(img.Rect)
	for i := range g.Pix {
		g.Pix[i] = img.Pix[4*i]
	}
	return g
}

func TestEmbedded(t *testing.T) {
	data := apitest.PhotoJPEG(20, 10, 6)
	found := Embedded(bytes.NewReader(data), "image/jpeg")
	for name, want := range map[string]string{"Make": `"Pentacon"`, "Model": `"Praktica MX"`, "Orientation": `6`} {
		mediatest.Equal(t, string(found[name]), want, "%s", name)
	}
	shot := ReadShot(bytes.NewReader(data), "image/jpeg")
	if shot.Make != "Pentacon" || shot.Model != "Praktica MX" || shot.Orientation != 6 || shot.Taken.Format("2006-01-02 15:04:05") != "2024-07-15 10:20:30" {
		t.Errorf("the camera wrote %+v", shot)
	}
	if found := Embedded(bytes.NewReader(data), "text/plain"); found == nil || len(found) != 0 {
		t.Errorf("a text holds %v", found)
	}
}

// FuzzInspect: inspecting any data ends without a panic.
func FuzzInspect(f *testing.F) {
	for _, seed := range [][]byte{
		apitest.PhotoJPEG(8, 8, 6), apitest.AlphaPNG(8, 8), apitest.GIF(8, 8), tiffPicture(2, 2, true),
		[]byte("<svg width='1'>"), []byte("RIFF\x1a\x00\x00\x00WEBPVP8L"),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		facts, err := Inspect(t.Context(), bytes.NewReader(data))
		must(t, err)
		Embedded(bytes.NewReader(data), facts.MIME)
		if facts.Stored.X*facts.Stored.Y < 1<<20 {
			if p, err := DecodeFull(t.Context(), bytes.NewReader(data)); err == nil {
				p.Release()
			}
		}
	})
}

// TestExif: EXIF data are recognized by their position.
func TestExif(t *testing.T) {
	order := binary.LittleEndian
	entry := func(tag, kind uint16, count, value uint32) []byte {
		b := order.AppendUint16(nil, tag)
		b = order.AppendUint16(b, kind)
		b = order.AppendUint32(b, count)
		return order.AppendUint32(b, value)
	}
	directory := func(entries ...[]byte) []byte {
		b := order.AppendUint16(nil, uint16(len(entries)))
		return order.AppendUint32(append(b, bytes.Join(entries, nil)...), 0)
	}
	const main, exif, gps, words = 8, 100, 150, 200
	data := make([]byte, words)
	copy(data, "II\x2a\x00\x08\x00\x00\x00")
	copy(data[main:], directory(entry(0x0112, 3, 1, 6), entry(0x8769, 4, 1, exif), entry(0x8825, 4, 1, gps)))
	copy(data[exif:], directory(entry(0x9003, 2, 20, words)))
	copy(data[gps:], directory(entry(0x0001, 2, 2, 'N')))
	data = append(data, "2024:07:15 10:20:30\x00"...)
	groups := Exif(bytes.NewReader(data), "image/tiff")
	for group, member := range map[string][2]string{
		"image": {"Orientation", "6"}, "exif": {"DateTimeOriginal", `"2024:07:15 10:20:30"`}, "gps": {"GPSLatitudeRef", `"N"`},
	} {
		mediatest.Equal(t, string(groups[group][member[0]]), member[1], "%s of %s (all: %v)", member[0], group, groups)
	}
	mediatest.Equal(t, groups["interoperability"] == nil, false, "a group without members is missing")
}
