package extension

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"math"
	"slices"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/rule"
)

// removeOptions are the options of remove-bg (service.md §2.2, hosted-service.md §1).
type removeOptions struct {
	Shadow  bool    `json:"add_shadow"`
	British *string `json:"bg_colour"`
	Color   *string `json:"bg_color"`
	Soft    *bool   `json:"semitransparency"`

	background *color.NRGBA // may be nil
}

// CheckElement checks the members and options of an element.
func CheckElement(e api.Extension) error {
	for _, name := range slices.Sorted(maps.Keys(e.Rest)) {
		return fmt.Errorf("unknown member %q: it takes name, options, maxTags and minConfidence", name)
	}
	if e.Name == rule.RemoveBackground {
		_, err := readRemoveOptions(e.Options)
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(e.Options)) {
		return fmt.Errorf("unknown option %q", name)
	}
	return nil
}

func readRemoveOptions(options map[string]json.RawMessage) (o removeOptions, err error) {
	text, err := json.Marshal(options)
	if err != nil {
		return o, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var kind *json.UnmarshalTypeError
	switch err := decoder.Decode(&o); {
	case errors.As(err, &kind):
		return o, fmt.Errorf("the option %s is of the wrong type", kind.Field)
	case err != nil:
		return o, fmt.Errorf("%w: the options are add_shadow, bg_color (or bg_colour) and semitransparency", err)
	}
	if name := cmp.Or(o.Color, o.British); name != nil {
		c, err := rule.ParseColor(*name)
		if err != nil {
			return o, fmt.Errorf("the background: %w", err)
		}
		o.background = &c
	}
	return o, nil
}

func removeBackground(ctx context.Context, in Input) (Output, error) {
	options, err := readRemoveOptions(in.Element.Options)
	if err != nil {
		return Output{}, err
	}
	picture, err := media.DecodeFull(ctx, in.Content)
	if err != nil {
		return Output{}, err
	}
	defer picture.Release()
	cut := picture.Image
	if err := cutOut(cut); err != nil {
		return Output{}, err
	}
	if options.Soft != nil && !*options.Soft {
		for i := 3; i < len(cut.Pix); i += 4 {
			cut.Pix[i] = cut.Pix[i] / 128 * 255
		}
	}
	if options.Shadow {
		shadow := shadowOf(cut)
		draw.Draw(shadow, cut.Rect, cut, image.Point{}, draw.Over)
		cut = shadow
	}
	if options.background != nil {
		plain := image.NewNRGBA(cut.Rect)
		draw.Draw(plain, cut.Rect, image.NewUniform(*options.background), image.Point{}, draw.Src)
		draw.Draw(plain, cut.Rect, cut, image.Point{}, draw.Over)
		cut = plain
	}
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	var file bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&file, cut)
	return Output{Picture: file.Bytes(), Orientation: picture.Orientation}, err
}

func shadowOf(img *image.NRGBA) *image.NRGBA {
	size := img.Rect.Size()
	side := min(size.X, size.Y)
	shadow := image.NewNRGBA(img.Rect)
	for i := 3; i < len(img.Pix); i += 4 {
		shadow.Pix[i] = uint8(int(img.Pix[i]) * 45 / 100)
	}
	// Scaling down and up again blurs.
	by := max(1, side/60)
	shadow = media.Scale(shadow, shadow.Rect, image.Pt(max(1, size.X/by), max(1, size.Y/by)))
	shadow = media.Scale(shadow, shadow.Rect, size)
	moved := image.NewNRGBA(img.Rect)
	draw.Draw(moved, moved.Rect.Add(image.Pt(side/100, max(1, side/50))), shadow, image.Point{}, draw.Src)
	return moved
}

type rgb [3]float32 // channels from 0 to 255

func (c rgb) distance(o rgb) float32 {
	var sum float32
	for k := range c {
		sum += (c[k] - o[k]) * (c[k] - o[k])
	}
	return float32(math.Sqrt(float64(sum / 3)))
}

func (c rgb) mix(o rgb, share float32) rgb {
	for k := range c {
		c[k] += (o[k] - c[k]) * share
	}
	return c
}

const (
	workSide = 360 // longest side of the picture in which the background is found
	alike    = 36  // distance of the border colors that are background
	step     = 9   // distance of neighbors that are both background
)

type cutout struct {
	w, h   int
	colors []rgb
	behind []rgb  // the background, also where the subject hides it
	back   []bool // is background
}

// cutOut makes the background of img transparent: what the border color reaches in small steps, and
// what is enclosed and looks the same. The edge is soft and has no background in its color.
func cutOut(img *image.NRGBA) error {
	small := media.Scale(img, img.Rect, media.FitSize(img.Rect.Size(), workSide))
	c := &cutout{w: small.Rect.Dx(), h: small.Rect.Dy()}
	if min(c.w, c.h) < 8 {
		return errors.New("the picture is too small")
	}
	n := c.w * c.h
	c.colors, c.behind, c.back = make([]rgb, n), make([]rgb, n), make([]bool, n)
	for i := range n {
		p := small.NRGBAAt(i%c.w, i/c.w)
		clear := 2 * (255 - float32(p.A)) // what is transparent is unlike any color
		c.colors[i] = rgb{float32(p.R) - clear, float32(p.G) - clear, float32(p.B) - clear}
	}
	left := n - c.flood(c.border())
	c.hide()
	// If holes are most of the subject, that has the color of the background and no holes.
	if holes := c.holes(); len(holes) <= left/2 {
		c.flood(holes)
	}
	visible := 0
	areas, most := c.areas(func(i int) bool { return !c.back[i] }), 0
	for _, area := range areas {
		most = max(most, len(area))
	}
	for _, area := range areas {
		if visible += len(area); len(area) < max(16, most/24) { // dust, leaves
			visible -= len(area)
			for _, i := range area {
				c.back[i] = true
			}
		}
	}
	if visible < n/200 || visible > n*97/100 {
		return errors.New("no clear subject was found in front of a plain background")
	}
	c.matte(img)
	return nil
}

// border returns the pixels along the edges with about the color of most of them.
func (c *cutout) border() (alikes []int) {
	var all []int
	for i := range c.colors {
		if x, y := i%c.w, i/c.w; x == 0 || y == 0 || x == c.w-1 || y == c.h-1 {
			all = append(all, i)
		}
	}
	var middle rgb
	for k := range middle {
		slices.SortFunc(all, func(a, b int) int { return cmp.Compare(c.colors[a][k], c.colors[b][k]) })
		middle[k] = c.colors[all[len(all)/2]][k]
	}
	for _, i := range all {
		if c.behind[i] = c.colors[i]; c.colors[i].distance(middle) < alike {
			alikes = append(alikes, i)
		}
	}
	return alikes
}

// flood marks what is reached from the queue. It compares each step with the mean color of the way,
// which follows gradual changes of light but no edges. It returns how many were marked.
func (c *cutout) flood(queue []int) int {
	for _, i := range queue {
		c.back[i] = true
	}
	for at := 0; at < len(queue); at++ {
		i := queue[at]
		for _, next := range c.neighbors(i) {
			if !c.back[next] && c.colors[next].distance(c.behind[i]) <= step {
				c.back[next], c.behind[next] = true, c.behind[i].mix(c.colors[next], 0.2)
				queue = append(queue, next)
			}
		}
	}
	return len(queue)
}

// neighbors returns the pixels left, right, above and below a pixel, or itself for none.
func (c *cutout) neighbors(i int) [4]int {
	x, y := i%c.w, i/c.w
	return [4]int{i - min(x, 1), i + min(c.w-1-x, 1), i - c.w*min(y, 1), i + c.w*min(c.h-1-y, 1)}
}

// hide fills in the background behind the subject, from the left to the right of each line.
func (c *cutout) hide() {
	for start := 0; start < len(c.back); start += c.w {
		for i := start; i < start+c.w; i++ {
			if c.back[i] {
				continue
			}
			from, to := max(start, i-1), i
			for to < start+c.w-1 && !c.back[to] {
				to++
			}
			first, last := c.behind[from], c.behind[to]
			for ; i < to; i++ {
				c.behind[i] = first.mix(last, float32(i-from)/float32(to-from))
			}
		}
	}
}

// holes returns the pixels of enclosed areas in the color of the background with a sharp edge, such
// as the opening of a handle.
func (c *cutout) holes() (holes []int) {
	near := func(i int) bool { return !c.back[i] && c.colors[i].distance(c.behind[i]) < step }
	for _, area := range c.areas(near) {
		boundary, sharp := 0, 0
		for _, i := range area {
			for _, next := range c.neighbors(i) {
				beyond := max(0, min(i+4*(next-i), len(c.colors)-1))
				if near(next) || near(beyond) { // or grain
					continue
				}
				if boundary++; c.colors[beyond].distance(c.behind[beyond]) > 3*step {
					sharp++
				}
			}
		}
		if len(area) >= max(60, len(c.colors)/4000) && sharp > boundary*7/10 {
			holes = append(holes, area...)
		}
	}
	return holes
}

func (c *cutout) areas(requested func(i int) bool) (areas [][]int) {
	seen := make([]bool, len(c.colors))
	for start := range c.colors {
		if seen[start] || !requested(start) {
			continue
		}
		area := []int{start}
		seen[start] = true
		for at := 0; at < len(area); at++ {
			for _, next := range c.neighbors(area[at]) {
				if !seen[next] && requested(next) {
					seen[next] = true
					area = append(area, next)
				}
			}
		}
		areas = append(areas, area)
	}
	return areas
}

// matte sets the alpha of the full picture. Along the edge it takes the share of the background out
// of the color, which leaves no rim.
func (c *cutout) matte(img *image.NRGBA) {
	mask := image.NewNRGBA(image.Rect(0, 0, c.w, c.h))
	for i := range c.back {
		inside := 0
		for _, next := range c.neighbors(i) {
			for _, j := range [...]int{i, next} {
				if !c.back[j] {
					inside++
				}
			}
		}
		mask.Pix[4*i+3] = uint8(255 * inside / 8)
	}
	mask = media.Scale(mask, mask.Rect, img.Rect.Size())
	w, h := img.Rect.Dx(), img.Rect.Dy()
	for y := range h {
		for x := range w {
			p := img.Pix[img.PixOffset(x, y):][:4:4]
			alpha := max(0, float32(mask.Pix[mask.PixOffset(x, y)+3])/255*2-1)
			if alpha == 0 {
				clear(p)
				continue
			}
			b := c.behind[y*c.h/h*c.w+x*c.w/w]
			for k := range b {
				p[k] = uint8(max(0, min((float32(p[k])-(1-alpha)*b[k])/alpha+0.5, 255)))
			}
			p[3] = uint8(float32(p[3])*alpha + 0.5)
		}
	}
}
