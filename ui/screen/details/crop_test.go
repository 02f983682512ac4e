package details

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

var (
	redInk  = color.RGBA{220, 20, 20, 255}
	blueInk = color.RGBA{20, 20, 220, 255}
)

// markedJPEG writes a blue picture with a red rectangle, given in pixels of the upright picture. It is
// stored in the orientation o.
func markedJPEG(t *testing.T, stored image.Point, o media.Orientation, rect image.Rectangle) string {
	t.Helper()
	img := image.NewRGBA(image.Rectangle{Max: stored})
	draw.Draw(img, img.Rect, image.NewUniform(blueInk), image.Point{}, draw.Src)
	draw.Draw(img, media.ToStored(o, stored, rect), image.NewUniform(redInk), image.Point{}, draw.Src)
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}))
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	exif = binary.BigEndian.AppendUint16(exif, uint16(o))
	exif = append(exif, 0, 0, 0, 0, 0, 0)
	app := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	out := append(append(append([]byte{0xff, 0xd8}, app...), exif...), b.Bytes()[2:]...)
	path := filepath.Join(t.TempDir(), "marked.jpg")
	must(t, os.WriteFile(path, out, 0o600))
	return path
}

// onlyRed checks that every pixel belongs to the red rectangle.
func onlyRed(img image.Image) error {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, _, blue, _ := img.At(x, y).RGBA(); r>>8 < 150 || blue>>8 > 90 {
				return fmt.Errorf("the pixel %d,%d of %v is %v", x, y, b.Size(), img.At(x, y))
			}
		}
	}
	return nil
}

// TestDeliveryCutsWhatTheEditorShows draws a region around a red rectangle with the editor. Delivery
// with the saved numbers returns exactly that rectangle, in each of the eight orientations.
func TestDeliveryCutsWhatTheEditorShows(t *testing.T) {
	client := served(t)
	for o := media.Orientation(1); o <= 8; o++ {
		stored := image.Pt(320, 192)
		up := o.Upright(stored)
		// on the block borders of JPEG, so that colors do not bleed
		rect := image.Rect(32, 64, up.X-48, up.Y-64)
		path := markedJPEG(t, stored, o, rect)
		file, err := client.Upload(t.Context(), &api.Upload{
			Source: api.Source{Path: path}, FileName: fmt.Sprintf("o%d.jpg", o),
		}, nil)
		must(t, err)
		d := start(t, Options{
			Files: []api.File{*file}, Profile: session.Profile{Local: true}, Session: &shelf{t: t, client: client, Manager: unmanaged{}, picture: func(context.Context, api.File) (string, error) { return path, nil }},
		})
		p, _ := d.m.Region.Plane()
		if p.Upright() != up || d.m.Region.Picture().Size() != up {
			t.Fatalf("orientation %d: the editor shows %v, not %v", o, p.Upright(), up)
		}
		d.m.Region.SetRect(rect)
		mediatest.Equal(t, d.m.Region.Rect(), rect, "orientation %d: the crop is shown as", o)
		d.save("Save")
		body, _, err := client.Fetch(t.Context(), file.URL+"?tr=fo-custom", 0, 1<<20)
		must(t, err)
		content, err := io.ReadAll(body)
		must(t, err)
		cut, _, err := image.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatalf("orientation %d: %v", o, err)
		}
		if got := cut.Bounds().Size(); got != rect.Size() {
			t.Errorf("orientation %d: delivered %v, drew %v; saved %s", o, got, rect.Size(), d.regions())
		}
		if err := onlyRed(cut); err != nil {
			t.Errorf("orientation %d: %v", o, err)
		}
	}
}

// compareCrop compares what an address delivers with the part of the picture that a crop shows.
func compareCrop(
	t *testing.T, client *api.Client, picture *image.NRGBA, address string, crop session.Crop,
	region image.Rectangle,
) {
	t.Helper()
	body, _, err := client.Fetch(t.Context(), address+":f-png", 0, 1<<20) // without the loss of JPEG
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	content, err := io.ReadAll(body)
	must(t, err)
	got, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	part := crop.Part(region)
	size := part.Size()
	if crop.Name == "card" {
		size = image.Pt(120, 90)
	}
	want := picture.SubImage(part).(*image.NRGBA)
	if part.Size() != size {
		want = media.Scale(picture, part, size)
	}
	if got.Bounds().Size() != size {
		t.Fatalf("%s: %v, want %v", address, got.Bounds().Size(), size)
	}
	for y := range size.Y {
		for x := range size.X {
			at := want.Rect.Min.Add(image.Pt(x, y))
			if color.NRGBAModel.Convert(got.At(x, y)) != want.NRGBAAt(at.X, at.Y) {
				t.Fatalf("%s: the pixel %d,%d is %v, want another", address, x, y, got.At(x, y))
			}
		}
	}
}

// TestCropsAreDelivered: the editor shows how pages use the region. Each address that it copies delivers the
// shown part, pixel by pixel.
func TestCropsAreDelivered(t *testing.T) {
	mediatest.SkipRacing(t)
	mediatest.OnlyWithEverything(t)
	const named = "card=fo-custom,w-120,h-90"
	client, path := served(t, named), pngFile(t, 640, 480)
	profile, err := session.NewProfile(config.Profile{
		Kind: config.KindLocal, Crops: []string{"1:1", "4:5", "16:9", named},
	})
	must(t, err)
	file, err := client.Upload(t.Context(), &api.Upload{
		Source: api.Source{Path: path}, FileName: "p.png", UseUniqueFileName: api.Set(false),
		CustomCoordinates: api.Set("101,60,301,200"),
	}, nil)
	must(t, err)
	d := start(t, Options{
		Files: []api.File{*file}, Profile: profile, Session: &shelf{t: t, client: client, Manager: unmanaged{}, picture: func(context.Context, api.File) (string, error) { return path, nil }},
	})
	d.Resize(image.Pt(140, 40))
	d.Press("c")
	d.Sees("1:1 200 × 200", "4:5 160 × 200", "16:9 301 × 169", "card 266 × 200")
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	full, err := media.DecodeFull(t.Context(), f)
	must(t, err)
	defer full.Release()
	for i, crop := range profile.Crops {
		d.Press("y", fmt.Sprint(i+1), "u")
		compareCrop(t, client, full.Image, uitest.One[page.Copy](t, &d.Out).Text, crop, d.m.Region.Rect())
	}
	d.Press("y", "2", "h")
	if html := uitest.One[page.Copy](t, &d.Out).Text; !strings.Contains(html, `?tr=w-160,h-200,fo-custom 160w" sizes="100vw" width="160" height="200" alt="p.png">`) {
		t.Errorf("copied %s", html)
	}
	// In a small window the crops are one key away.
	d.Resize(image.Pt(64, 24))
	d.SeesNot("16:9")
	d.Press("v")
	d.Sees("1:1 200 × 200", "16:9 301 × 169")

	// Without a region, it shows the middle of the picture, as pages do.
	plain, err := client.Upload(t.Context(),
		&api.Upload{Source: api.Source{Path: path}, FileName: "plain.png"}, nil)
	must(t, err)
	d = start(t, Options{
		Files: []api.File{*plain}, Profile: profile, Session: &shelf{t: t, client: client, Manager: unmanaged{}, picture: func(context.Context, api.File) (string, error) { return path, nil }},
	})
	d.Resize(image.Pt(140, 40))
	d.Sees("1:1 480 × 480", "4:5 384 × 480", "16:9 640 × 360", "card 640 × 480")
	for _, crop := range profile.Crops {
		compareCrop(t, client, full.Image, crop.URL(plain, full.Image.Rect, 0), crop, full.Image.Rect)
	}
}
