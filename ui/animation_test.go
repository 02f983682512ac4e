package ui_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"maps"
	"math"
	"slices"
	"testing"
	"time"
)

// animation is a sequence of pictures of a screen.
type animation struct {
	frames []image.Image
	delays []int // in hundredths of a second
}

// Add adds a picture that is shown for that long.
func (a *animation) Add(im image.Image, shown time.Duration) {
	a.frames = append(a.frames, im)
	a.delays = append(a.delays, int(shown/(10*time.Millisecond)))
}

// maxColors is the number of colors that a GIF can have.
const maxColors = 256

// GIF returns the animation as a file that repeats. Each picture after the first has only what
// changed.
func (a *animation) GIF() ([]byte, error) {
	palette := paletteOf(a.frames...)
	nearest := map[color.RGBA]uint8{}
	out := &gif.GIF{Config: image.Config{ColorModel: palette}}
	var before *image.Paletted
	for i, frame := range a.frames {
		whole := paletted(frame, palette, nearest)
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

// paletteOf returns the 256 colors for drawing the pictures, by median cut: the box with the
// widest range and the most dots is divided until there are enough. A box becomes its mean color,
// unless half of its dots share one color, so that text and background keep theirs.
func paletteOf(frames ...image.Image) color.Palette {
	count := map[color.RGBA]int{}
	for _, frame := range frames {
		r := frame.Bounds()
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				count[coarse(rgba(frame.At(x, y)))]++
			}
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(x, y color.RGBA) int {
		return cmp.Or(cmp.Compare(x.R, y.R), cmp.Compare(x.G, y.G), cmp.Compare(x.B, y.B))
	})
	channels := [3]func(color.RGBA) int{
		func(c color.RGBA) int { return int(c.R) }, func(c color.RGBA) int { return int(c.G) }, func(c color.RGBA) int { return int(c.B) },
	}
	widest := func(box []color.RGBA) (by func(color.RGBA) int, width int) {
		for _, channel := range channels {
			byIt := func(x, y color.RGBA) int { return channel(x) - channel(y) }
			if w := channel(slices.MaxFunc(box, byIt)) - channel(slices.MinFunc(box, byIt)); w >= width {
				by, width = channel, w
			}
		}
		return by, width
	}
	weight := func(box []color.RGBA) (n int) {
		for _, c := range box {
			n += count[c]
		}
		return n
	}
	type boxOf struct {
		colors []color.RGBA
		worth  float64
	}
	measured := func(colors []color.RGBA) boxOf {
		_, width := widest(colors)
		return boxOf{colors, float64(width) * math.Sqrt(float64(weight(colors)))}
	}
	boxes := []boxOf{measured(all)}
	for len(boxes) < maxColors {
		i := 0
		for j, b := range boxes {
			if b.worth > boxes[i].worth {
				i = j
			}
		}
		box := boxes[i].colors
		if len(box) < 2 {
			break
		}
		by, _ := widest(box)
		slices.SortStableFunc(box, func(x, y color.RGBA) int { return by(x) - by(y) })
		half, before := weight(box)/2, 0
		cut := len(box) - 1 // the color at which half of the dots are reached
		for i, c := range box[:cut] {
			if before += count[c]; before >= half {
				cut = max(1, i) // a color with most of the dots soon gets its own box
				break
			}
		}
		boxes[i] = measured(box[:cut])
		boxes = append(boxes, measured(box[cut:]))
	}
	var palette color.Palette
	for _, b := range boxes {
		most, all := slices.MaxFunc(b.colors, func(x, y color.RGBA) int { return count[x] - count[y] }), weight(b.colors)
		if 2*count[most] < all {
			var sum [3]int
			for _, c := range b.colors {
				for i, channel := range channels {
					sum[i] += channel(c) * count[c]
				}
			}
			most = color.RGBA{uint8(sum[0] / all), uint8(sum[1] / all), uint8(sum[2] / all), 0xff}
		}
		palette = append(palette, most)
	}
	return palette
}

// dithered returns a picture in its own palette of 256 colors.
func dithered(im image.Image) *image.Paletted {
	plain := image.NewRGBA(im.Bounds())
	for y := plain.Rect.Min.Y; y < plain.Rect.Max.Y; y++ {
		for x := plain.Rect.Min.X; x < plain.Rect.Max.X; x++ {
			plain.SetRGBA(x, y, coarse(rgba(im.At(x, y))))
		}
	}
	out := image.NewPaletted(im.Bounds(), paletteOf(im))
	draw.FloydSteinberg.Draw(out, out.Rect, plain, out.Rect.Min)
	return out
}

// paletted returns a picture in the colors of a palette.
func paletted(im image.Image, palette color.Palette, nearest map[color.RGBA]uint8) *image.Paletted {
	out := image.NewPaletted(im.Bounds(), palette)
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		for x := out.Rect.Min.X; x < out.Rect.Max.X; x++ {
			c := coarse(rgba(im.At(x, y)))
			at, ok := nearest[c]
			if !ok {
				at = uint8(palette.Index(c))
				nearest[c] = at
			}
			out.SetColorIndex(x, y, at)
		}
	}
	return out
}

func rgba(c color.Color) color.RGBA { return color.RGBAModel.Convert(c).(color.RGBA) }

// coarse merges colors that look the same.
func coarse(c color.RGBA) color.RGBA {
	return color.RGBA{c.R &^ 3, c.G &^ 3, c.B &^ 3, 0xff}
}

// changed returns the smallest rectangle with all differences: all of the first picture, and a
// single dot if nothing differs.
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

// TestAnimation: decoding returns what was drawn, and a picture with one new dot stores only that dot.
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
		t.Errorf("got %d pictures, delays %v, and the second at %v", len(got.Image), got.Delay, got.Image[1].Rect)
	}
	if r, g, b, _ := got.Image[1].At(7, 5).RGBA(); r>>8 != 0xf0 || g != 0 || b != 0 {
		t.Errorf("got the dot %v", got.Image[1].At(7, 5))
	}
}
