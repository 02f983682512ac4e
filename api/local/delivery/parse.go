// Package delivery serves stored files in other forms than the original: the
// thumbnail, sizes and crops, and checks signed addresses.
package delivery

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Steps of a path that the service itself writes into addresses.
const (
	ThumbnailStep = "tr:n-ik_ml_thumbnail" // the small picture (service.md §2.1, thumbnailUrl)
	OriginalStep  = "tr:orig-true"         // the original, unchanged
)

// thumbnailName is the named transformation that is always there.
const thumbnailName = "ik_ml_thumbnail"

// thumbnailSide is the longest side of a thumbnail, in pixels.
const thumbnailSide = 400

// maxSide is the longest side that can be asked for, and maxSteps how many
// steps one after the other.
const (
	maxSide  = 4000
	maxSteps = 8
)

// Named are the named transformations beside the thumbnail.
type Named map[string][]Step

// Step is one change of a picture. Its members act together: first the crop,
// then the size.
type Step struct {
	Custom        bool    // fo-custom: crop to the custom coordinates
	Width, Height float64 // pixels; below 1: a share of the picture's; 0: not said
	Fit           int     // neither side longer than this, in pixels; 0: not asked for
}

// Asked is what an address asks for.
type Asked struct {
	Path     string // of the stored file
	Steps    []Step
	original bool
	unnamed  bool // something is asked for by anything else than a name
}

// Named reports whether only named transformations are asked for: private
// files serve those without a signature (service.md §4.1, isPrivateFile).
func (a Asked) Named() bool { return len(a.Steps) > 0 && !a.unnamed && !a.original }

// Changes reports whether anything else than the original is asked for.
func (a Asked) Changes() bool { return len(a.Steps) > 0 }

// Tag identifies the result among everything that can be made of the same content with
// the given region.
func (a Asked) Tag(region string) string {
	var b strings.Builder
	for i, s := range a.Steps {
		if i > 0 {
			b.WriteByte('_')
		}
		fmt.Fprintf(&b, "w%gh%gf%d", s.Width, s.Height, s.Fit)
		if s.Custom {
			b.WriteString("c" + strings.ReplaceAll(region, ",", "."))
		}
	}
	return b.String()
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ParseNamed reads named transformations: names with their steps, such as
// "w-400,h-300" or "fo-custom:w-200".
func ParseNamed(texts map[string]string) (Named, error) {
	named := Named{}
	for name, text := range texts {
		if !nameForm.MatchString(name) || name == thumbnailName {
			return nil, fmt.Errorf("transformation %q: its name is of letters, digits, _ and -, and not %s", name, thumbnailName)
		}
		var a Asked
		if err := a.parse(text, nil); err != nil {
			return nil, fmt.Errorf("transformation %q: %w", name, err)
		}
		if len(a.Steps) == 0 || a.original {
			return nil, fmt.Errorf("transformation %q: %q changes nothing", name, text)
		}
		named[name] = a.Steps
	}
	return named, nil
}

// Parse reads what an address asks for. Steps come as the first part of the path,
// after "tr:", or in the query as tr; those of the path come first. The error names an
// unknown step.
func Parse(u *url.URL, named Named) (Asked, error) {
	// Some clients put a slash too many after the address of the service.
	a := Asked{Path: "/" + strings.TrimLeft(u.Path, "/")}
	if rest, ok := strings.CutPrefix(a.Path, "/tr:"); ok {
		steps, file, _ := strings.Cut(rest, "/")
		a.Path = "/" + strings.TrimLeft(file, "/")
		if err := a.parse(steps, named); err != nil {
			return a, err
		}
	}
	for _, steps := range u.Query()["tr"] {
		if err := a.parse(steps, named); err != nil {
			return a, err
		}
	}
	if a.original && len(a.Steps) > 0 {
		return a, errors.New("orig-true goes with nothing else")
	}
	return a, nil
}

// parse adds steps, which are separated by colons, and their members by commas.
func (a *Asked) parse(text string, named Named) error {
	for one := range strings.SplitSeq(text, ":") {
		var own Step
		seen := map[string]bool{}
		for member := range strings.SplitSeq(one, ",") {
			member = strings.TrimSpace(member)
			if member == "" {
				continue
			}
			name, value, _ := strings.Cut(member, "-")
			switch {
			case name == "n":
				steps, err := find(value, named)
				if err != nil {
					return err
				}
				if err := a.add(steps...); err != nil {
					return err
				}
			case name == "orig" && value == "true":
				a.original = true
			default:
				a.unnamed = true
				if err := own.set(name, value); err != nil {
					return err
				}
				if seen[name] {
					return fmt.Errorf("%q stands twice in a step", name)
				}
				seen[name] = true
			}
		}
		if own != (Step{}) {
			if err := a.add(own); err != nil {
				return err
			}
		}
	}
	return nil
}

func find(name string, named Named) ([]Step, error) {
	if name == thumbnailName {
		return []Step{{Fit: thumbnailSide}}, nil
	}
	if steps := named[name]; steps != nil {
		return steps, nil
	}
	return nil, fmt.Errorf("there is no named transformation %q", name)
}

func (a *Asked) add(steps ...Step) error {
	for _, s := range steps {
		if s.Custom && len(a.Steps) > 0 {
			return errors.New("fo-custom comes first: the custom coordinates count the pixels of the original")
		}
		if a.Steps = append(a.Steps, s); len(a.Steps) > maxSteps {
			return fmt.Errorf("these are more than %d steps", maxSteps)
		}
	}
	return nil
}

// set reads one member of a step.
func (s *Step) set(name, value string) error {
	switch {
	case name == "w":
		return side(&s.Width, value)
	case name == "h":
		return side(&s.Height, value)
	case name == "fo" && (value == "custom" || value == "customtransformation"):
		s.Custom = true
		return nil
	case name == "cm" && value == "extract":
		return nil // how a crop is asked for together with fo-custom
	}
	return fmt.Errorf("%q is no step", name+"-"+value)
}

// side reads a number of pixels, or a share of them such as 0.5.
func side(into *float64, value string) error {
	if share, err := strconv.ParseFloat(value, 64); err == nil && share > 0 && share < 1 {
		*into = share
		return nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxSide {
		return fmt.Errorf("%q is no number of pixels from 1 to %d, nor a share of them such as 0.5", value, maxSide)
	}
	*into = float64(n)
	return nil
}
