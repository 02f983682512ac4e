package media

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
)

// svgSize reads width and height of a vector picture from its first element;
// 0, 0 where it names none.
func svgSize(r io.Reader) (width, height int) {
	d := xml.NewDecoder(io.LimitReader(r, 64<<10))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		token, err := d.Token()
		if err != nil {
			return 0, 0
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if element.Name.Local != "svg" {
			return 0, 0
		}
		var box []string
		for _, a := range element.Attr {
			switch a.Name.Local {
			case "width":
				width = svgLength(a.Value)
			case "height":
				height = svgLength(a.Value)
			case "viewBox":
				box = strings.FieldsFunc(a.Value, func(r rune) bool { return r == ' ' || r == ',' })
			}
		}
		if (width == 0 || height == 0) && len(box) == 4 {
			width, height = svgLength(box[2]), svgLength(box[3])
		}
		if width == 0 || height == 0 {
			return 0, 0
		}
		return width, height
	}
}

func svgLength(text string) int {
	v, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), "px"), 64)
	if err != nil || v < 1 || v > 1<<20 {
		return 0
	}
	return int(v + 0.5)
}
