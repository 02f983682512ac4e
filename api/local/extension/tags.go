package extension

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/rule"
)

// tagSide is the longest side of the measured picture.
const tagSide = 160

// findTags returns tags for a picture, most confident first: its colors and light.
func findTags(ctx context.Context, in Input) ([]api.AITag, error) {
	picture, err := media.Decode(ctx, in.Content, media.Limits{Side: tagSide})
	if err != nil {
		return nil, err
	}
	var tags []api.AITag
	least := float64(in.Element.MinConfidence.Or(0))
	add := func(name string, confidence float64) {
		if confidence > 0 && confidence >= least {
			tags = append(tags, api.AITag{Name: name, Confidence: confidence, Source: in.Element.Name})
		}
	}
	measure(picture.Straight(), add)
	slices.SortStableFunc(tags, func(a, b api.AITag) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return tags[:min(len(tags), in.Element.MaxTags.Or(rule.MaxAutoTags))], nil
}

var palette = []struct {
	name   string
	colors []rgb
}{
	{"beige", []rgb{{220, 200, 165}}},
	{"black", []rgb{{15, 15, 15}}},
	{"blue", []rgb{{40, 80, 200}, {20, 30, 90}, {130, 180, 235}}},
	{"brown", []rgb{{120, 75, 40}, {75, 45, 25}}},
	{"gray", []rgb{{70, 70, 70}, {128, 128, 128}, {190, 190, 190}}},
	{"green", []rgb{{40, 150, 60}, {25, 75, 30}, {140, 200, 110}, {150, 200, 20}}},
	{"orange", []rgb{{240, 140, 30}}},
	{"pink", []rgb{{240, 140, 170}}},
	{"purple", []rgb{{130, 50, 170}}},
	{"red", []rgb{{200, 30, 30}, {120, 20, 20}}},
	{"turquoise", []rgb{{40, 190, 180}, {20, 110, 110}}},
	{"white", []rgb{{245, 245, 245}}},
	{"yellow", []rgb{{240, 220, 50}}},
}

func measure(img *image.NRGBA, tag func(name string, confidence float64)) {
	shares := make([]float64, len(palette))
	var n, light, squares, gray, hidden float64
	for p := img.Pix; len(p) >= 4; p = p[4:] {
		if p[3] < 128 {
			hidden++
			continue
		}
		c := rgb{float32(p[0]), float32(p[1]), float32(p[2])}
		l := float64(c[0]+c[1]+c[2]) / 765
		// People name a muted color by its hue: grass is green, not gray.
		c = c.mix(rgb{float32(255 * l), float32(255 * l), float32(255 * l)}, -1)
		best, nearest := 0, float32(math.MaxFloat32)
		for i, named := range palette {
			for _, typical := range named.colors {
				if d := c.distance(typical); d < nearest {
					best, nearest = i, d
				}
			}
		}
		shares[best]++
		light, squares, n = light+l, squares+l*l, n+1
		if max(p[0], p[1], p[2])-min(p[0], p[1], p[2]) < 16 {
			gray++
		}
	}
	add := func(name string, share, least float64) {
		if share >= least {
			tag(name, math.Round(100*math.Cbrt(min(1, share))*100)/100)
		}
	}
	add("transparent", hidden/(hidden+n), 0.001)
	if n == 0 {
		return
	}
	for i, named := range palette {
		add(named.name, shares[i]/n, 0.08)
	}
	light /= n
	add("bright", light, 0.7)
	add("dark", 1-light, 0.7)
	add("high contrast", 2*math.Sqrt(max(0, squares/n-light*light)), 0.5)
	add("black and white", gray/n, 0.98)
}
