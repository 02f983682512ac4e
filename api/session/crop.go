package session

import (
	"cmp"
	"fmt"
	"html"
	"image"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/rule"
)

// Crop is a use of regions on pages: a ratio of width to height, or a named transformation of the
// account that uses custom coordinates.
type Crop struct {
	Name  string
	named bool
	size  image.Point // the ratio, or the size in pixels that is requested; a zero side follows the region
}

var usualCrops = []string{"1:1", "4:5", "16:9"}

// cropsOf returns the crops of the setting of a profile, each a ratio such as "4:5" or
// "NAME=STEPS", and of named transformations.
func cropsOf(setting []string, named map[string]string) (crops []Crop) {
	if len(setting) == 0 {
		setting = usualCrops
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		setting = append(setting[:len(setting):len(setting)], name+"="+named[name])
	}
	for _, text := range setting {
		name, steps, is := strings.Cut(text, "=")
		if !is {
			width, height, _ := strings.Cut(name, ":")
			crops = append(crops, Crop{Name: name, size: image.Pt(atoi(width), atoi(height))})
		} else if size, custom := stepSize(steps); custom {
			crops = append(crops, Crop{name, true, size})
		}
	}
	return crops
}

// stepSize returns the size that the first step of a transformation requests, and whether it crops
// to the region.
func stepSize(steps string) (size image.Point, custom bool) {
	first, _, _ := strings.Cut(steps, ":")
	var ratio image.Point
	for part := range strings.SplitSeq(first, ",") {
		name, value, _ := strings.Cut(part, "-")
		switch name {
		case "w":
			size.X = atoi(value)
		case "h":
			size.Y = atoi(value)
		case "ar":
			wide, high, _ := strings.Cut(value, "-")
			ratio = image.Pt(atoi(wide), atoi(high))
		case "fo":
			custom = value == "custom"
		}
	}
	switch {
	case ratio.X == 0 || ratio.Y == 0:
	case size.Y == 0:
		size.Y = max(1, (size.X*ratio.Y+ratio.X/2)/ratio.X)
	case size.X == 0:
		size.X = max(1, (size.Y*ratio.X+ratio.Y/2)/ratio.Y)
	}
	return size, custom
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text) // 0 if it is none
	return n
}

// Part returns the part of a region that the service delivers, both in pixels of the upright
// picture.
func (c Crop) Part(region image.Rectangle) image.Rectangle {
	if c.size.X < 1 || c.size.Y < 1 || region.Empty() {
		return region
	}
	return media.CoverCut(region.Size(), c.size).Add(region.Min)
}

var srcWidths = []int{320, 640, 960, 1280, 1920}

// URL returns the address of a crop of a file with a region. Its width is at most width pixels; 0
// for no limit.
func (c Crop) URL(f *api.File, region image.Rectangle, width int) string {
	steps := "n-" + c.Name
	if !c.named {
		size := c.Part(region).Size()
		if width > 0 && width < size.X {
			size = image.Pt(width, max(1, (size.Y*width+size.X/2)/size.X))
		}
		steps = fmt.Sprintf("w-%d,h-%d,fo-custom", size.X, size.Y)
	}
	if strings.Contains(f.URL, "?") {
		return f.URL + "&tr=" + steps
	}
	return f.URL + "?tr=" + steps
}

// Markdown returns an image of the crop for Markdown.
func (c Crop) Markdown(f *api.File, region image.Rectangle) string {
	made := *f
	made.URL = c.URL(f, region, 0)
	return rule.Markdown(&made)
}

// HTML returns an image element of the crop, with a srcset of smaller widths for a ratio.
func (c Crop) HTML(f *api.File, region image.Rectangle) string {
	size, sources := c.Part(region).Size(), ""
	if c.named {
		size = image.Pt(cmp.Or(c.size.X, size.X), cmp.Or(c.size.Y, size.Y))
	} else {
		var list []string
		for _, width := range append(slices.DeleteFunc(slices.Clone(srcWidths),
			func(w int) bool { return w >= size.X }), size.X) {
			list = append(list, fmt.Sprintf("%s %dw", html.EscapeString(c.URL(f, region, width)), width))
		}
		sources = fmt.Sprintf(` srcset="%s" sizes="100vw"`, strings.Join(list, ", "))
	}
	return fmt.Sprintf(`<img src="%s"%s width="%d" height="%d" alt="%s">`, html.EscapeString(c.URL(f, region, 0)), sources, size.X, size.Y, html.EscapeString(f.Name))
}
