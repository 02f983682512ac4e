package media

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"mediadesk/api/media/mediatest"
)

// subject is a picture and the rectangle of its subject.
type subject struct {
	name string
	img  *image.RGBA
	box  image.Rectangle
}

// photographs returns the real pictures of testdata/subjects. Their boxes were drawn by hand in percent,
// and are off by up to 2 % of a side.
func photographs(t testing.TB) []subject {
	t.Helper()
	const folder, off = "testdata/subjects", 2
	f, err := os.Open(filepath.Join(folder, "subjects.txt"))
	must(t, err)
	defer func() { _ = f.Close() }()
	var list []subject
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var name string
		var x0, y0, x1, y1 int
		if _, err := fmt.Sscan(lines.Text(), &name, &x0, &y0, &x1, &y1); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		file, err := os.Open(filepath.Join(folder, name))
		must(t, err)
		p, err := Decode(t.Context(), file, Limits{})
		_ = file.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		size := p.Pixels.Rect.Size()
		list = append(list, subject{name, p.Pixels, image.Rect(
			size.X*(x0+off)/100, size.Y*(y0+off)/100, size.X*(x1-off)/100, size.Y*(y1-off)/100,
		)})
	}
	return list
}

// drawn returns pictures with a subject of any place, size, shape and color, before a background of two
// colors with waves, noise and small things.
func drawn(n int) []subject {
	random := rand.New(rand.NewPCG(1, 2))
	ink := func() [3]float64 {
		return [3]float64{random.Float64() * 255, random.Float64() * 255, random.Float64() * 255}
	}
	var list []subject
	for i := range n {
		size := []image.Point{{256, 144}, {256, 192}, {192, 256}, {256, 256}}[i%4]
		from, to, body := ink(), ink(), ink()
		for math.Abs(body[0]-(from[0]+to[0])/2)+math.Abs(body[1]-(from[1]+to[1])/2)+
			math.Abs(body[2]-(from[2]+to[2])/2) < 150 {
			body = ink()
		}
		half := image.Pt(size.X*(8+random.IntN(18))/100, size.Y*(8+random.IntN(18))/100)
		middle := image.Pt(half.X+2+random.IntN(size.X-2*half.X-4), half.Y+2+random.IntN(size.Y-2*half.Y-4))
		img := image.NewRGBA(image.Rectangle{Max: size})
		for y := range size.Y {
			for x := range size.X {
				share, c := float64(y)/float64(size.Y), [3]float64{}
				dx, dy := float64(x-middle.X)/float64(half.X), float64(y-middle.Y)/float64(half.Y)
				inside := dx*dx+dy*dy < 1
				if i%3 == 0 {
					inside = math.Abs(dx)+math.Abs(dy) < 1
				}
				for k := range c {
					c[k] = from[k]*(1-share) + to[k]*share + 12*math.Sin(float64(x)/17) + 8*random.Float64()
					if inside {
						c[k] = body[k] + 30*math.Sin(float64(x*y)/40)
					}
					c[k] = max(0, min(c[k], 255))
				}
				img.Set(x, y, color.RGBA{uint8(c[0]), uint8(c[1]), uint8(c[2]), 255})
			}
		}
		for range i % 4 { // small things that are not the subject
			at := image.Pt(random.IntN(size.X), random.IntN(size.Y))
			c := ink()
			draw.Draw(img, image.Rectangle{Min: at, Max: at.Add(image.Pt(6, 6))},
				image.NewUniform(color.RGBA{uint8(c[0]), uint8(c[1]), uint8(c[2]), 255}), image.Point{},
				draw.Src)
		}
		list = append(list, subject{
			fmt.Sprintf("drawn %d", i), img, image.Rectangle{Min: middle.Sub(half), Max: middle.Add(half)},
		})
	}
	return list
}

// TestSuggestionsHoldTheSubject: the first suggestion contains the subject in at least 85 of 100 pictures.
func TestSuggestionsHoldTheSubject(t *testing.T) {
	mediatest.SkipRacing(t)
	real := photographs(t)
	if len(real) < 50 {
		t.Fatalf("%d photographs", len(real))
	}
	hits, centered, area := map[bool]int{}, map[bool]int{}, 0.0
	for i, s := range append(real, drawn(100-len(real))...) {
		size := s.img.Rect.Size()
		list := Suggest(s.img, image.Point{}, 1)
		if len(list) == 0 {
			t.Logf("%s: no suggestion", s.name)
			continue
		}
		share := float64(list[0].Dx()*list[0].Dy()) / float64(size.X*size.Y)
		if area += share; share > mostSuggested+0.01 || !list[0].In(s.img.Rect) {
			t.Errorf("%s: %v is %.2f of %v", s.name, list[0], share, size)
		}
		isReal := i < len(real)
		if s.box.In(list[0]) {
			hits[isReal]++
		} else {
			t.Logf("%s: %v is not in %v", s.name, s.box, list[0])
		}
		side := math.Sqrt(mostSuggested)
		if s.box.In(image.Rect(
			int(float64(size.X)*(1-side)/2), int(float64(size.Y)*(1-side)/2), int(float64(size.X)*(1+side)/2),
			int(float64(size.Y)*(1+side)/2),
		)) {
			centered[isReal]++
		}
	}
	t.Logf("%d of %d photographs and %d of %d drawings; the middle of the picture: %d and %d; mean area %.2f",
		hits[true], len(real), hits[false], 100-len(real), centered[true], centered[false], area/100)
	if sum := hits[true] + hits[false]; sum < 85 {
		t.Errorf("the subject lies in %d of 100 suggestions", sum)
	}
}

// TestSuggestionsInARatio: suggestions keep a locked ratio. The second is closer, the third is
// elsewhere, and a picture without a subject has none.
func TestSuggestionsInARatio(t *testing.T) {
	mediatest.SkipRacing(t)
	for _, s := range append(photographs(t), drawn(8)...)[mediatest.Rounds(45, 0):] {
		for _, ratio := range []image.Point{{1, 1}, {16, 9}, {9, 16}} {
			list := Suggest(s.img, ratio, 4)
			for _, part := range list {
				w, h := float64(part.Dx()*ratio.Y), float64(part.Dy()*ratio.X)
				if part.Empty() || !part.In(s.img.Rect) || math.Abs(w-h) > 0.12*max(w, h) {
					t.Errorf("%s in %v: %v", s.name, ratio, part)
				}
			}
			if len(list) < 2 || list[1].Dx() >= list[0].Dx() {
				t.Errorf("%s in %v: %v", s.name, ratio, list)
			}
		}
	}
	for _, size := range []image.Point{{0, 0}, {1, 900}, {300, 200}} {
		if list := Suggest(image.NewRGBA(image.Rectangle{Max: size}), image.Point{}, 3); len(list) > 0 {
			t.Errorf("%v of one color: %v", size, list)
		}
	}
}
