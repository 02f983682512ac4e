// Package delivery serves stored files in other forms than the original: the
// thumbnail, sizes and crops, and checks signed addresses.
package delivery

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Steps of a path that the service itself writes into addresses.
const (
	ThumbnailStep = "tr:n-ik_ml_thumbnail" // the small picture (§2.1, thumbnailUrl)
	OriginalStep  = "tr:orig-true"         // the original, unchanged
)

// thumbnailName is the one named transformation.
const thumbnailName = "ik_ml_thumbnail"

// thumbnailSide is the longest side of a thumbnail, in pixels.
const thumbnailSide = 400

// maxSide is the longest side that can be asked for.
const maxSide = 4000

// Asked is what an address asks for.
type Asked struct {
	Path          string // of the stored file
	Name          string // of a named transformation; empty: none
	Width, Height int    // pixels; 0: not said
	Custom        bool   // fo-custom: crop to the custom coordinates
	original      bool
}

// Named reports whether only a named transformation is asked for: private
// files serve those without a signature (§4.1, isPrivateFile).
func (a Asked) Named() bool {
	return a.Name != "" && a.Width == 0 && a.Height == 0 && !a.Custom && !a.original
}

// Changes reports whether anything else than the original is asked for.
func (a Asked) Changes() bool { return a.Name != "" || a.Width != 0 || a.Height != 0 || a.Custom }

// Tag tells what is made from anything else that could be made of the same
// content with the given region.
func (a Asked) Tag(region string) string {
	tag := fmt.Sprintf("%s-%d-%d", a.Name, a.Width, a.Height)
	if a.Custom {
		tag += "-" + strings.ReplaceAll(region, ",", ".")
	}
	return tag
}

// Parse reads an address: an optional step "tr:…" before the path, or the
// query parameter tr. The error names what is not known.
func Parse(u *url.URL) (Asked, error) {
	a := Asked{Path: u.Path}
	steps := u.Query().Get("tr")
	if rest, ok := strings.CutPrefix(u.Path, "/tr:"); ok {
		var file string
		steps, file, _ = strings.Cut(rest, "/")
		a.Path = "/" + file
	}
	if steps == "" {
		return a, nil
	}
	for step := range strings.FieldsFuncSeq(steps, func(r rune) bool { return r == ',' || r == ':' }) {
		name, value, _ := strings.Cut(step, "-")
		if err := a.step(name, value); err != nil {
			return a, err
		}
	}
	return a, nil
}

func (a *Asked) step(name, value string) error {
	side := func(into *int) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > maxSide {
			return fmt.Errorf("%q is no number of pixels from 1 to %d", value, maxSide)
		}
		*into = n
		return nil
	}
	switch {
	case name == "w":
		return side(&a.Width)
	case name == "h":
		return side(&a.Height)
	case name == "n" && value == thumbnailName:
		a.Name = value
		return nil
	case name == "fo" && value == "custom", name == "fo" && value == "customtransformation":
		a.Custom = true
		return nil
	case name == "cm" && value == "extract":
		return nil // how a crop is asked for together with fo-custom
	case name == "orig" && value == "true":
		a.original = true
		return nil
	}
	return fmt.Errorf("%q", name+"-"+value)
}
