package edit

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/picture"
)

// ball writes a picture with a bright square on a dark background.
func ball(t *testing.T, size image.Point, square image.Rectangle) string {
	t.Helper()
	img := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{20, 40, 60, 255}), image.Point{}, draw.Src)
	draw.Draw(img, square, image.NewUniform(color.RGBA{250, 200, 30, 255}), image.Point{}, draw.Src)
	return mediatest.PNGFile(t, "ball.png", img)
}

func subjectAt(path string, size image.Point) Subject {
	return Subject{Name: path, Size: size, Path: func(context.Context) (string, error) { return path, nil }}
}

// TestSuggestion: s shows a suggestion and then the next one, enter accepts it, and esc drops it.
// Until then the region does not change.
func TestSuggestion(t *testing.T) {
	b, d := drive(t, "1,2,3,4")
	size, square := image.Pt(600, 400), image.Rect(400, 60, 480, 140)
	d.Run(b.Show(subjectAt(ball(t, size, square), size)))
	d.Press("s")
	first := b.Rect()
	if !square.In(first) || b.text != "1,2,3,4" {
		t.Fatalf("%v is suggested for %v; the region is %q", first, square, b.text)
	}
	if !b.Suggesting() {
		t.Error("no suggestion is shown")
	}
	if d.Press("s"); b.Rect() == first || !square.In(b.Rect()) {
		t.Errorf("the second suggestion is %v after %v", b.Rect(), first)
	}
	if d.Press("esc"); b.Suggesting() || b.text != "1,2,3,4" {
		t.Errorf("esc leaves %q", b.text)
	}
	d.Press("s", "enter")
	taken := b.text
	if b.Suggesting() || !square.In(b.Rect()) {
		t.Errorf("enter accepted %q", taken)
	}
	if d.Press("z"); b.text != "1,2,3,4" {
		t.Errorf("z brings back %q, want \"1,2,3,4\"", b.text)
	}
	// Other keys accept the suggestion and change it.
	d.Press("s", "shift+right", "z")
	if b.text != "1,2,3,4" || b.Suggesting() {
		t.Errorf("z after a step on a suggestion brings back %q", b.text)
	}
	d.Press("r", "1", "s")
	if got := b.Rect(); got.Dx() != got.Dy() || !square.In(got) {
		t.Errorf("in 1:1 the suggestion is %v", got)
	}
}

func TestNothingToSuggest(t *testing.T) {
	b, d := drive(t, "")
	size := image.Pt(90, 60)
	d.Run(b.Show(subjectAt(ball(t, size, image.Rectangle{}), size)))
	if d.Press("s"); b.Suggesting() {
		t.Errorf("%v is suggested", b.Rect())
	}
	d.Toasted("Nothing stands out")
}

// TestRegionsOfAll: each of several files gets a region for its own picture, or a scaled copy, and
// one step undoes all.
func TestRegionsOfAll(t *testing.T) {
	b, d := drive(t, "30,20,30,40")
	texts := []string{"", "old", ""}
	sizes := []image.Point{{300, 200}, {100, 200}, {60, 60}}
	squares := []image.Rectangle{image.Rect(200, 30, 240, 70), image.Rect(40, 20, 60, 40), {}}
	var files []RegionFile
	for i := range texts {
		files = append(files, RegionFile{
			subjectAt(ball(t, sizes[i], squares[i]), sizes[i]), func(region string) { texts[i] = region },
		})
	}
	b.o.Files = func() []RegionFile { return files }
	b.o.Keep = func(bool) map[any]func() {
		was := slices.Clone(texts)
		return map[any]func(){0: func() { copy(texts, was) }}
	}

	d.Press("A")
	if texts[0] != "30,20,30,40" || texts[1] != "10,20,10,40" || texts[2] != "6,6,6,12" {
		t.Errorf("the copies are %q", texts)
	}
	if d.Press("z"); texts[1] != "old" {
		t.Errorf("undone to %q", texts)
	}
	files[0].Path = func(context.Context) (string, error) { return "", errors.New("it is gone") }
	d.Run(b.SuggestAll(picture.Ratio{W: 4, H: 3}))
	b.text = texts[1]
	d.Run(b.Show(files[1].Subject))
	if got := b.Rect(); !squares[1].In(got) || got.Dx()*4 != got.Dy()*3 {
		t.Errorf("the upright picture gets %v", got)
	}
	if texts[0] != "" || texts[2] != "" {
		t.Errorf("the regions are %q", texts)
	}
	d.Toasted("Nothing stands out in 1. 1 could not be read")
}

// TestSuggestionOfATransparentPicture: the box of what is visible, with a margin, is suggested first,
// and one that holds it in a locked ratio.
func TestSuggestionOfATransparentPicture(t *testing.T) {
	size, box := image.Pt(900, 900), image.Rect(150, 90, 760, 850)
	img := image.NewNRGBA(image.Rectangle{Max: size})
	red, veil := image.NewUniform(color.NRGBA{200, 60, 30, 255}), image.NewUniform(color.NRGBA{0, 0, 0, 8})
	draw.Draw(img, image.Rect(150, 90, 560, 850), red, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(560, 300, 760, 340), red, image.Point{}, draw.Src) // a handle
	draw.Draw(img, image.Rect(20, 20, 30, 30), veil, image.Point{}, draw.Src)    // nobody sees it
	path := mediatest.PNGFile(t, "mug.png", img)
	b, d := drive(t, "")
	d.Run(b.Show(subjectAt(path, size)))
	d.Press("s")
	if got := b.Rect(); !box.In(got) || got.Dx() > box.Dx()*5/4 || got.Dy() > box.Dy()*5/4 {
		t.Errorf("%v is suggested for %v", got, box)
	}
	d.Press("esc", "r", "1", "s")
	if got := b.Rect(); !box.In(got) || got.Dx() != got.Dy() {
		t.Errorf("in 1:1 %v is suggested for %v", got, box)
	}
}
