package media

import (
	"encoding/xml"
	"image"
	"io"
	"math"
	"strconv"
	"strings"
)

// sizeOfSVG returns the size of a drawing in pixels from its width and height, or from its
// viewBox. It returns zero if the first 64 kB contain neither.
func sizeOfSVG(rs io.ReadSeeker) image.Point {
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return image.Point{}
	}
	d := xml.NewDecoder(io.LimitReader(rs, 64<<10))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		token, err := d.Token()
		if err != nil {
			return image.Point{}
		}
		root, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if root.Name.Local != "svg" {
			return image.Point{}
		}
		var w, h, boxW, boxH int
		for _, a := range root.Attr {
			switch a.Name.Local {
			case "width":
				w = svgLength(a.Value)
			case "height":
				h = svgLength(a.Value)
			case "viewBox":
				if f := strings.Fields(strings.ReplaceAll(a.Value, ",", " ")); len(f) == 4 {
					boxW, boxH = svgLength(f[2]), svgLength(f[3])
				}
			}
		}
		if w > 0 && h > 0 {
			return image.Pt(w, h)
		}
		if boxW > 0 && boxH > 0 {
			return image.Pt(boxW, boxH)
		}
		return image.Point{}
	}
}

// svgUnits maps units of length to pixels (CSS Values 3, 5.2).
var svgUnits = map[string]float64{
	"": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4,
}

// svgLength parses a length in pixels; zero if it depends on the page.
func svgLength(s string) int {
	s = strings.TrimSpace(s)
	n := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz%")
	unit, known := svgUnits[s[len(n):]]
	v, err := strconv.ParseFloat(n, 64)
	if err != nil || !known || v <= 0 || v*unit > 1e6 {
		return 0
	}
	return int(math.Ceil(v * unit))
}
