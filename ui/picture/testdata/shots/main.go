// Command shots reports what the screenshots of screens.sh show of a colorful picture:
// pixels, glyphs or nothing.
//
// Block glyphs have two colors per cell, so most pixels equal their left neighbor. In
// pixels of a photograph most differ. It considers only clearly colored pixels, so text and
// frames hardly count.
//
//	shots STAGE SHOT PICKER
//
// It exits with 1 if the shot is wrong for its stage: picker (a picture in pixels), more (a
// second one), region (a much larger one), after (the picture again), popup (a part of it), settings and end
// (no picture). PICKER is the shot of the picker; for more
// it is the shot before.
package main

import (
	"fmt"
	"image"
	"image/color"
	_ "image/png"
	"os"
)

func main() {
	stage, shot := os.Args[1], counts{}
	picker, err := inspect(os.Args[3])
	if err == nil {
		shot, err = inspect(os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if !asItShouldBe(stage, shot, picker) {
		os.Exit(1)
	}
	fmt.Printf("%s: %s\n", os.Args[2], shot)
}

func asItShouldBe(stage string, shot, picker counts) bool {
	switch stage {
	case "picker":
		return shot.pixels()
	case "more":
		return shot.pixels() && shot.colored > picker.colored*6/5
	case "region":
		return shot.pixels() && shot.colored > picker.colored*3/2
	case "after":
		return shot.colored > picker.colored*95/100 && shot.colored < picker.colored*105/100 && shot.pixels()
	case "popup":
		return shot.colored < picker.colored*95/100
	case "settings", "end":
		return shot.colored < fewest
	}
	return true
}

// counts holds the number of clearly colored pixels and how many of them differ from their
// left neighbor.
type counts struct{ colored, differ int }

func (l counts) pixels() bool {
	return l.colored >= fewest && float64(l.differ) >= share*float64(l.colored)
}

func (l counts) String() string {
	switch {
	case l.colored < fewest:
		return "no picture"
	case l.pixels():
		return fmt.Sprintf("pixels (%d of %d differ)", l.differ, l.colored)
	}
	return fmt.Sprintf("glyphs (%d of %d differ)", l.differ, l.colored)
}

// The fewest pixels that count as a picture, and the least share that must differ from
// their left neighbor to count as pixels.
const (
	fewest = 20_000
	share  = 0.5
)

func inspect(name string) (l counts, err error) {
	f, err := os.Open(name)
	if err != nil {
		return l, err
	}
	defer func() { _ = f.Close() }()
	img, _, err := image.Decode(f)
	if err != nil {
		return l, err
	}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X + 1; x < b.Max.X; x++ {
			left, here := color.RGBAModel.Convert(img.At(x-1, y)).(color.RGBA), color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
			if colored(left) && colored(here) {
				l.colored++
				if left != here {
					l.differ++
				}
			}
		}
	}
	return l, nil
}

// colored reports whether a pixel is far from gray.
func colored(c color.RGBA) bool { return max(c.R, c.G, c.B)-min(c.R, c.G, c.B) > 24 }
