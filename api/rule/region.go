package rule

import (
	"fmt"
	"image"
	"strconv"
	"strings"

	"mediadesk/api"
)

// Region is an area of interest in a picture, given by custom coordinates in pixels of the stored
// picture (service.md §4.1, customCoordinates). The zero Region is invalid.
type Region struct{ X, Y, Width, Height int }

// maxPixel ensures that the sum of two coordinates fits into an int on every platform.
const maxPixel = 1 << 30

// ParseRegion parses "x,y,width,height": four integers without signs or spaces, width and height at
// least 1. The error is a *api.RuleError.
func ParseRegion(text string) (Region, error) {
	fail := func(reason string) (Region, error) {
		return Region{}, broken(FieldRegion, fmt.Sprintf("customCoordinates %s %s", api.Quote(text), reason),
			"Write x,y,width,height in pixels, such as 10,20,300,200.")
	}
	parts := strings.Split(text, ",")
	if len(parts) != 4 {
		return fail("needs four numbers")
	}
	var n [4]int
	for i, part := range parts {
		if strings.Trim(part, "0123456789") != "" || part == "" {
			return fail(fmt.Sprintf("has %s, which is not a whole number", api.Quote(part)))
		}
		v, err := strconv.Atoi(part)
		if err != nil || v > maxPixel {
			return fail(fmt.Sprintf("has %s, which is too large", api.Quote(part)))
		}
		n[i] = v
	}
	r := Region{n[0], n[1], n[2], n[3]}
	if r.Width == 0 || r.Height == 0 {
		return fail("has no area")
	}
	return r, nil
}

// String formats the region for the service.
func (r Region) String() string { return fmt.Sprintf("%d,%d,%d,%d", r.X, r.Y, r.Width, r.Height) }

// Rectangle converts the region to an image.Rectangle.
func (r Region) Rectangle() image.Rectangle {
	return image.Rect(r.X, r.Y, r.X+r.Width, r.Y+r.Height)
}

// RegionOf converts rect to a Region.
func RegionOf(rect image.Rectangle) Region {
	rect = rect.Canon()
	return Region{rect.Min.X, rect.Min.Y, rect.Dx(), rect.Dy()}
}

// CheckRegion checks the format of custom coordinates, that the file is an image and, if its size
// is known (both greater than 0), that they are inside. The error is a *api.RuleError.
func CheckRegion(text string, isImage bool, width, height int) (Region, error) {
	r, err := ParseRegion(text)
	if err != nil {
		return r, err
	}
	if !isImage {
		return r, broken(FieldRegion, "customCoordinates are for images only, and this file is not an image", "Leave the region out.")
	}
	if width > 0 && height > 0 && !r.Rectangle().In(image.Rect(0, 0, width, height)) {
		return r, broken(FieldRegion,
			fmt.Sprintf("customCoordinates %s reaches outside the picture, which is %d by %d pixels", api.Quote(r.String()), width, height),
			fmt.Sprintf("x + width may be %d at most and y + height %d.", width, height))
	}
	return r, nil
}
