// Command shots tells what the screenshots of screens.sh show of a colorful picture:
// pixels, glyphs or nothing.
//
// Block glyphs have two colors in each cell, so that most pixels are as their left
// neighbor is. In pixels of a photograph most differ. Text and frames hardly count:
// only pixels that are clearly colored are looked at.
package main

import (
	"fmt"
	"image"
	"image/color"
	_ "image/png"
	"os"
)

func main() {
	if err := check(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check looks at the shots whose names begin with prefix: the picture, a popup over a
// part of it, the picture again, and the terminal after the program has ended.
func check(prefix string) error {
	var seen [4]look
	for i, name := range []string{"picker", "popup", "after", "end"} {
		l, err := inspect(prefix + "-" + name + ".png")
		if err != nil {
			return err
		}
		fmt.Printf("%s-%s: %s\n", prefix, name, l)
		seen[i] = l
	}
	picker, popup, after, end := seen[0], seen[1], seen[2], seen[3]
	switch {
	case !picker.pixels():
		return fmt.Errorf("%s: the preview has no pixels", prefix)
	case popup.colored >= picker.colored*9/10:
		return fmt.Errorf("%s: the popup does not cover the picture", prefix)
	case after.colored < picker.colored*95/100 || after.colored > picker.colored*105/100 || !after.pixels():
		return fmt.Errorf("%s: after the popup the screen is another one", prefix)
	case end.colored >= fewest:
		return fmt.Errorf("%s: something is left over at the end", prefix)
	}
	return nil
}

// look is how many pixels are clearly colored, and how many of them differ from their
// left neighbor.
type look struct{ colored, differ int }

func (l look) pixels() bool {
	return l.colored >= fewest && float64(l.differ) >= share*float64(l.colored)
}

func (l look) String() string {
	switch {
	case l.colored < fewest:
		return "no picture"
	case l.pixels():
		return fmt.Sprintf("pixels (%d of %d differ)", l.differ, l.colored)
	}
	return fmt.Sprintf("glyphs (%d of %d differ)", l.differ, l.colored)
}

// Fewest pixels that count as a picture, and the share of those that differ from their
// left neighbor from which on they are pixels.
const (
	fewest = 20_000
	share  = 0.5
)

func inspect(name string) (l look, err error) {
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

// colored tells whether a pixel is far from gray.
func colored(c color.RGBA) bool {
	return max(c.R, c.G, c.B)-min(c.R, c.G, c.B) > 24
}
