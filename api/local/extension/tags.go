package extension

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/media"
)

// tagSide is the longest side of the measured picture.
const tagSide = 160

// findTags returns tags for a picture, most confident first.
func findTags(ctx context.Context, in Input) ([]api.AITag, error) {
	picture, err := media.Decode(ctx, in.content(), media.Limits{Side: tagSide})
	if err != nil {
		return nil, err
	}
	found := append(measure(picture.Straight()).tags(), shapeTags(picture.Size.X, picture.Size.Y)...)
	found = append(found, shotTags(media.ReadShot(in.content(), in.Mime))...)
	slices.SortStableFunc(found, func(a, b api.AITag) int { return cmp.Compare(b.Confidence, a.Confidence) })

	least := float64(in.Element.MinConfidence.Or(0))
	most := in.Element.MaxTags.Or(api.MaxAutoTags)
	var tags []api.AITag
	for _, t := range found {
		if t.Confidence < least || t.Confidence <= 0 || len(tags) == most {
			continue
		}
		t.Source = in.Element.Name
		tags = append(tags, t)
	}
	return tags, nil
}

// percent converts a share from 0 to 1 to a percentage with two decimals.
func percent(share float64) float64 {
	return math.Round(math.Max(0, math.Min(1, share))*10000) / 100
}

// measured holds measurements of the pixels.
type measured struct {
	colors      map[string]float64 // share of the visible pixels by name
	lightness   float64            // mean, 0 to 1
	spread      float64            // standard deviation of the lightness
	chroma      float64            // mean
	colorful    float64            // share of pixels with noticeable color
	transparent float64            // share of pixels that are not opaque
	detail      float64            // mean difference to the next pixel
}

func measure(img *image.NRGBA) measured {
	m := measured{colors: map[string]float64{}}
	var sum, squares, visible, steps float64
	w, h := img.Rect.Dx(), img.Rect.Dy()
	for y := range h {
		before := -1.0
		for x := range w {
			p := img.Pix[img.PixOffset(x, y):][:4]
			weight := float64(p[3]) / 255
			if p[3] < 250 {
				m.transparent++
			}
			if weight == 0 {
				before = -1
				continue
			}
			c := toLab(p[0], p[1], p[2])
			m.colors[colorName(c)] += weight
			sum += c.l * weight
			squares += c.l * c.l * weight
			chroma := math.Hypot(c.a, c.b)
			m.chroma += chroma * weight
			if chroma > 0.03 {
				m.colorful += weight
			}
			visible += weight
			if before >= 0 {
				m.detail += math.Abs(c.l - before)
				steps++
			}
			before = c.l
		}
	}
	m.transparent /= float64(w * h)
	if visible == 0 {
		return measured{transparent: 1}
	}
	m.lightness = sum / visible
	m.spread = math.Sqrt(math.Max(0, squares/visible-m.lightness*m.lightness))
	m.chroma /= visible
	m.colorful /= visible
	if steps > 0 {
		m.detail /= steps
	}
	for name := range m.colors {
		m.colors[name] /= visible
	}
	return m
}

// tags returns tags for the measurements. Confidence grows with the distance from a tag's
// threshold.
func (m measured) tags() []api.AITag {
	var tags []api.AITag
	add := func(name string, share float64) {
		tags = append(tags, api.AITag{Name: name, Confidence: percent(share)})
	}
	beyond := func(name string, value, bound, full float64) {
		if value >= bound {
			add(name, 0.5+0.5*math.Min(1, (value-bound)/(full-bound)))
		}
	}
	for name, share := range m.colors {
		if share >= 0.08 {
			add(name, 0.5+0.5*math.Sqrt(share))
		}
	}
	// For a stable order of equal confidences.
	slices.SortFunc(tags, func(a, b api.AITag) int { return strings.Compare(a.Name, b.Name) })
	beyond("transparent", m.transparent, 0.001, 0.2)
	if len(m.colors) == 0 {
		return tags
	}
	beyond("bright", m.lightness, 0.7, 0.9)
	beyond("dark", 1-m.lightness, 0.6, 0.85)
	beyond("high contrast", m.spread, 0.22, 0.38)
	beyond("low contrast", 0.12-m.spread, 0, 0.12)
	beyond("colorful", m.chroma, 0.09, 0.2)
	beyond("black and white", 1-m.colorful, 0.985, 1)
	beyond("detailed", m.detail, 0.04, 0.12)
	return tags
}

func shapeTags(w, h int) []api.AITag {
	ratio := float64(w) / float64(h)
	name, sure := "square", 1-math.Abs(math.Log(ratio))/math.Log(1.05)*0.5
	switch {
	case ratio > 1.05:
		name, sure = "landscape", 0.5+math.Min(0.5, math.Log(ratio))
	case ratio < 1/1.05:
		name, sure = "portrait", 0.5+math.Min(0.5, -math.Log(ratio))
	}
	tags := []api.AITag{{Name: name + " format", Confidence: percent(sure)}}
	if ratio >= 2 || ratio <= 0.5 {
		tags = append(tags, api.AITag{Name: "panorama", Confidence: percent(0.5 + math.Min(0.5, math.Abs(math.Log2(ratio))-1))})
	}
	if pixels := float64(w) * float64(h); pixels >= 8e6 {
		tags = append(tags, api.AITag{Name: "high resolution", Confidence: percent(0.5 + math.Min(0.5, pixels/48e6))})
	}
	return tags
}

// shotTags returns tags for camera data, which depends on the camera's clock.
func shotTags(s media.Shot) []api.AITag {
	var tags []api.AITag
	add := func(name string, confidence float64) {
		if name = strings.TrimSpace(name); name != "" {
			tags = append(tags, api.AITag{Name: name, Confidence: confidence})
		}
	}
	add(s.Make, 99)
	if s.Model != s.Make {
		add(s.Model, 99)
	}
	if s.Taken.IsZero() || s.Taken.Year() < 1900 || s.Taken.Year() > 2200 {
		return tags
	}
	add(strconv.Itoa(s.Taken.Year()), 98)
	add(strings.ToLower(s.Taken.Month().String()), 98)
	// Assumes the northern hemisphere; the data does not tell.
	add(season(s.Taken.Month()), 70)
	return tags
}

func season(m time.Month) string {
	switch m {
	case time.March, time.April, time.May:
		return "spring"
	case time.June, time.July, time.August:
		return "summer"
	case time.September, time.October, time.November:
		return "autumn"
	}
	return "winter"
}
