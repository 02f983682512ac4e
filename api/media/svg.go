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
		value := map[string]string{}
		for _, a := range root.Attr {
			value[a.Name.Local] = a.Value
		}
		w, h := svgLength(value["width"]), svgLength(value["height"])
		if box := strings.Fields(strings.ReplaceAll(value["viewBox"], ",", " ")); len(box) == 4 && w*h == 0 {
			w, h = svgLength(box[2]), svgLength(box[3])
		}
		if w*h == 0 || root.Name.Local != "svg" {
			return image.Point{}
		}
		return image.Pt(w, h)
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
