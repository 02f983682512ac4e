package extension

import (
	"errors"
	"image/color"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

// lab is a color in Oklab, where equal distances look equally different.
type lab struct{ l, a, b float64 }

// linear maps the values of a channel to linear light.
var linear = func() (t [256]float64) {
	for i := range t {
		v := float64(i) / 255
		if v <= 0.04045 {
			t[i] = v / 12.92
		} else {
			t[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return t
}()

func toLab(r8, g8, b8 uint8) lab {
	r, g, b := linear[r8], linear[g8], linear[b8]
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return lab{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func (c lab) minus(o lab) lab { return lab{c.l - o.l, c.a - o.a, c.b - o.b} }

func (c lab) plus(o lab) lab { return lab{c.l + o.l, c.a + o.a, c.b + o.b} }

func (c lab) times(f float64) lab { return lab{c.l * f, c.a * f, c.b * f} }

func (c lab) dot(o lab) float64 { return c.l*o.l + c.a*o.a + c.b*o.b }

func (c lab) distance(o lab) float64 {
	d := c.minus(o)
	return math.Sqrt(d.dot(d))
}

// colorName returns the everyday name of a color.
func colorName(c lab) string {
	chroma := math.Hypot(c.a, c.b)
	hue := math.Mod(math.Atan2(c.b, c.a)*180/math.Pi+360, 360)
	gray := chroma < 0.035
	switch {
	case c.l < 0.18, gray && c.l < 0.25:
		return "black"
	case gray && c.l > 0.92:
		return "white"
	case gray:
		return "gray"
	case hue < 15, hue >= 345, hue < 42 && c.l > 0.75:
		return "pink"
	case hue < 42:
		return "red"
	case hue < 82 && (c.l < 0.55 || chroma < 0.08), hue >= 82 && hue < 115 && c.l < 0.6:
		return "brown"
	case hue < 82:
		return "orange"
	case hue < 115 && chroma < 0.07:
		return "beige"
	case hue < 115:
		return "yellow"
	case hue < 165:
		return "green"
	case hue < 215:
		return "turquoise"
	case hue < 285:
		return "blue"
	}
	return "purple"
}

// ParseColor parses a CSS color name, or three, four, six or eight hexadecimal digits with or
// without #.
func ParseColor(text string) (color.NRGBA, error) {
	name := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), " ", ""))
	if c, ok := colornames.Map[name]; ok {
		return color.NRGBA(c), nil // all are opaque
	}
	switch name {
	case "transparent":
		return color.NRGBA{}, nil
	case "rebeccapurple":
		return color.NRGBA{0x66, 0x33, 0x99, 0xff}, nil
	}
	digits := strings.TrimPrefix(name, "#")
	if len(digits) == 3 || len(digits) == 4 {
		var b strings.Builder
		for _, d := range digits {
			b.WriteString(string(d) + string(d))
		}
		digits = b.String()
	}
	if len(digits) == 6 {
		digits += "ff"
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) != 8 {
		return color.NRGBA{}, errors.New(strconv.Quote(text) + " is not a color: use a CSS name or #rrggbb")
	}
	return color.NRGBA{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)}, nil
}
