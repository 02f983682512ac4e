package ui_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/gif"
	"maps"
	"slices"
	"testing"
	"time"
)

// animation is pictures of a screen, one after the other.
type animation struct {
	frames []image.Image
	delays []int // in hundredths of a second
}

// Add adds a picture that is shown for so long.
func (a *animation) Add(im image.Image, shown time.Duration) {
	a.frames = append(a.frames, im)
	a.delays = append(a.delays, int(shown/(10*time.Millisecond)))
}

// maxColors is how many colors a GIF has.
const maxColors = 256

// GIF is the animation as a file that begins again when it has ended. Of each
// picture only what is new is in it; colors beyond the 256 that are most in use
// are those next to them.
func (a *animation) GIF() ([]byte, error) {
	palette := a.palette()
	nearest := map[color.RGBA]uint8{}
	index := func(c color.RGBA) uint8 {
		at, ok := nearest[c]
		if !ok {
			at = uint8(palette.Index(c))
			nearest[c] = at
		}
		return at
	}
	out := &gif.GIF{Config: image.Config{ColorModel: palette}}
	var before *image.Paletted
	for i, frame := range a.frames {
		whole := image.NewPaletted(frame.Bounds(), palette)
		for y := whole.Rect.Min.Y; y < whole.Rect.Max.Y; y++ {
			for x := whole.Rect.Min.X; x < whole.Rect.Max.X; x++ {
				whole.SetColorIndex(x, y, index(rgba(frame.At(x, y))))
			}
		}
		out.Image = append(out.Image, whole.SubImage(changed(before, whole)).(*image.Paletted))
		out.Delay = append(out.Delay, a.delays[i])
		out.Disposal = append(out.Disposal, gif.DisposalNone)
		before = whole
	}
	if before != nil {
		out.Config.Width, out.Config.Height = before.Rect.Dx(), before.Rect.Dy()
	}
	var b bytes.Buffer
	err := gif.EncodeAll(&b, out)
	return b.Bytes(), err
}

// palette is the colors most in use.
func (a *animation) palette() color.Palette {
	count := map[color.RGBA]int{}
	for _, frame := range a.frames {
		r := frame.Bounds()
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				count[coarse(rgba(frame.At(x, y)))]++
			}
		}
	}
	list := slices.SortedFunc(maps.Keys(count), func(x, y color.RGBA) int {
		return cmp.Or(cmp.Compare(count[y], count[x]), cmp.Compare(x.R, y.R), cmp.Compare(x.G, y.G), cmp.Compare(x.B, y.B))
	})
	var palette color.Palette
	for _, c := range list[:min(len(list), maxColors)] {
		palette = append(palette, c)
	}
	return palette
}

func rgba(c color.Color) color.RGBA { return color.RGBAModel.Convert(c).(color.RGBA) }

// coarse puts colors together that nobody tells apart.
func coarse(c color.RGBA) color.RGBA {
	return color.RGBA{c.R &^ 3, c.G &^ 3, c.B &^ 3, 0xff}
}

// changed is the smallest rectangle with everything that differs; of the first
// picture all of it, of one that is the same a single dot.
func changed(before, now *image.Paletted) image.Rectangle {
	if before == nil || before.Rect != now.Rect {
		return now.Rect
	}
	var r image.Rectangle
	for y := now.Rect.Min.Y; y < now.Rect.Max.Y; y++ {
		for x := now.Rect.Min.X; x < now.Rect.Max.X; x++ {
			if before.ColorIndexAt(x, y) != now.ColorIndexAt(x, y) {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if r.Empty() {
		return image.Rect(now.Rect.Min.X, now.Rect.Min.Y, now.Rect.Min.X+1, now.Rect.Min.Y+1)
	}
	return r
}

// TestAnimation: what is decoded is what was drawn, and of a picture with one
// new dot only that dot is stored.
func TestAnimation(t *testing.T) {
	var a animation
	one, two := image.NewRGBA(image.Rect(0, 0, 40, 20)), image.NewRGBA(image.Rect(0, 0, 40, 20))
	for i := range one.Pix {
		one.Pix[i], two.Pix[i] = 0xfc, 0xfc
	}
	two.Set(7, 5, color.RGBA{0xf0, 0, 0, 0xff})
	a.Add(one, time.Second)
	a.Add(two, 2*time.Second)
	a.Add(two, time.Second)
	text, err := a.GIF()
	if err != nil {
		t.Fatal(err)
	}
	got, err := gif.DecodeAll(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Image) != 3 || got.Delay[1] != 200 || got.Image[1].Rect != image.Rect(7, 5, 8, 6) || got.Image[2].Rect.Dx() != 1 {
		t.Errorf("%d pictures, delays %v, the second is %v", len(got.Image), got.Delay, got.Image[1].Rect)
	}
	if r, g, b, _ := got.Image[1].At(7, 5).RGBA(); r>>8 != 0xf0 || g != 0 || b != 0 {
		t.Errorf("the dot is %v", got.Image[1].At(7, 5))
	}
}
