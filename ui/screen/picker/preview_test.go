package picker

import (
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/uitest"
)

func pictures(t *testing.T) string {
	t.Helper()
	dir := folder(t, "sub/one.txt", "sub/.two", "sub/deep/", "z.txt")
	img := image.NewNRGBA(image.Rect(0, 0, 400, 300))
	for y := range 300 {
		for x := range 400 {
			img.Set(x, y, color.NRGBA{uint8(x), uint8(y), uint8(x + y), 255})
		}
	}
	write := func(name string, encode func(*os.File) error) {
		f, err := os.Create(filepath.Join(dir, name))
		must(t, err)
		must(t, encode(f))
		must(t, f.Close())
	}
	write("a.jpg", func(f *os.File) error { return jpeg.Encode(f, img, nil) })
	img.Set(0, 0, color.NRGBA{})
	write("b.png", func(f *os.File) error { return png.Encode(f, img) })
	must(t, os.WriteFile(filepath.Join(dir, "broken.jpg"), []byte("\xff\xd8\xff\xe0 and no more"), 0o644))
	return dir
}

func previewed(t *testing.T) *fixture {
	return start(t, Options{Folder: pictures(t), Preview: true, Loader: picture.NewLoader()})
}

func TestPreview(t *testing.T) {
	d := previewed(t)
	d.Sees("1 file in 1 folder · 1 hidden")
	d.Press("j")
	d.Sees("400 × 300 · JPEG ·", "Changed ")
	if !strings.ContainsAny(d.Text(), "▄▀▌▐") {
		t.Errorf("no picture:\n%s", d.Text())
	}
	d.Press("j")
	d.Sees("400 × 300 · PNG ·")
	d.Press("j")
	d.Sees("broken.jpg", "No preview. The JPEG picture ends before the")
	d.Press("j")
	d.Sees("No preview of text.", "text · 10 B")
	d.Press("p")
	d.SeesNot("No preview") // p takes the preview away
	d.Press("p")
	d.Sees("No preview of text.")
}

func TestPreviewOfTheTray(t *testing.T) {
	d := previewed(t)
	d.Press("j", "space", "a")
	d.Send(tea.PasteMsg{Content: "https://example.com/x.jpg"})
	d.Press("enter", "tab", "g")
	d.Sees("a.jpg", "JPEG ·")
	d.Press("j", "j")
	d.Sees("The service downloads this file:")
}

// TestPreviewFollowsTheSize: at another size the file is drawn again, and its metadata stays meanwhile.
func TestPreviewFollowsTheSize(t *testing.T) {
	d := previewed(t)
	d.Press("j")
	before := strings.Count(d.Text(), "▄")
	cmd := d.Host.Resize(image.Pt(140, 48))
	d.Size = image.Pt(140, 48)
	d.Sees("400 × 300 · JPEG ·")
	d.Run(cmd)
	if got := strings.Count(d.Text(), "▄"); got <= before {
		t.Errorf("%d cells, before %d", got, before)
	}
	d.Resize(image.Pt(80, 20))
	d.Sees("400 × 300 · JPEG ·")
	d.Resize(image.Pt(40, 10))
	d.SeesNot("400 × 300")
}

// TestPreviewOfWhereTheCursorRests: only the entry on which the cursor stays gets a preview, and
// earlier work is canceled.
func TestPreviewOfWhereTheCursorRests(t *testing.T) {
	d := previewed(t)
	first, _, _ := d.Host.Press(kit.KeyMsg("j"))
	d.Press("j")
	d.Run(first)
	d.Sees("PNG ·")
	// The same file is not read again.
	var held []tea.Cmd
	d.Hold = &held
	d.Send(page.RunsChanged{})
	d.Send(page.Resized{Size: d.Size.Sub(image.Pt(0, 1))}) // the last line says what is picked
	if slices.ContainsFunc(held, func(cmd tea.Cmd) bool { return cmd != nil }) {
		t.Error("the preview began again although nothing changed")
	}
}

func TestPreviewWithoutLoader(t *testing.T) {
	d := start(t, Options{Folder: pictures(t), Preview: true})
	d.Press("j")
	d.Sees("400 × 300 · JPEG ·")
	if strings.ContainsAny(d.Text(), "▄▀▌▐") {
		t.Error("a picture without a loader")
	}
}

// TestPreviewOfAFolder: the preview of a folder shows its first pictures.
func TestPreviewOfAFolder(t *testing.T) {
	dir := filepath.Dir(pictures(t))
	d := start(t, Options{Folder: dir, Preview: true, Loader: picture.NewLoader()})
	d.Sees("3 pictures, 2 other files in 2 folders · 1 hidden", "a.jpg", "b.png", "broken.jpg", "no picture")
	d.SeesNot("z.txt")
	if !strings.ContainsAny(d.Text(), "▄▀▌▐") {
		t.Errorf("no pictures:\n%s", d.Text())
	}
}

func TestColorsFollowTheTerminal(t *testing.T) {
	d := previewed(t)
	d.Press("j")
	d.Send(tea.ColorProfileMsg{Profile: colorprofile.ANSI256})
	uitest.Shows(t, d.Host.View(d.Theme), ";5;")
}

func photo(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 7)
	}
	return img
}
