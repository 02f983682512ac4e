// Package delivery parses the addresses of stored files, makes the pictures that they request, such
// as thumbnails and crops, and checks signatures.
package delivery

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"image"
	"image/color"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mediadesk/api/rule"
)

// Path steps in addresses written by the service.
const (
	ThumbnailStep = "tr:n-ik_ml_thumbnail" // the thumbnail (service.md §2.1, thumbnailUrl)
	OriginalStep  = "tr:orig-true"         // the original, unchanged
)

const thumbnailName = "ik_ml_thumbnail"

// thumbnailSide is the longest side of a thumbnail, in pixels.
const thumbnailSide = 400

// maxSide limits the side of a result, maxSteps the number of chained steps.
const (
	maxSide  = 4000
	maxSteps = 8
)

// Step is one change of a picture. Its members are applied in this order: Trim, Custom, Fit, the
// sides, Back or Blurred, Gray, Blur, Sharpen, Border, Opacity, Radius, Flip, Turns.
type Step struct {
	Custom        bool        // fo-custom: crop to the custom coordinates
	Width, Height float64     // pixels; below 1 a share of the picture's; 0 if not given
	Ratio         image.Point // of width to height, for a side not given; zero for that of the picture
	DPR           float64     // factor for both sides; 0 for 1
	Crop          string      // how both sides are applied; see crops
	Fit           int         // longest side in pixels; 0 for no limit
	Back          color.NRGBA // background; zero for black
	Blurred       bool        // the background is the picture itself, blurred
	Gray          bool
	Blur          int // 1 to 100; 0 for none
	Radius        int // of the corners in pixels; -1 for the largest possible
	Turns         int // quarter turns, clockwise

	// removes a border of one color first; the distance of colors that are the same, in percent
	Trim        int
	Focus       string // auto or face: what crops keep; empty for the center
	AutoWidth   bool   // the width is that of the client; see [Request.For]
	Flip        string // h, v or h_v
	Sharpen     int    // 1 to 100; 0 for none
	Border      int    // pixels, inside the picture
	BorderColor color.NRGBA
	Opacity     int // percent; 0 for 100
}

// Values of Step.Crop.
const (
	cropFill    = "" // fill both sides and crop the rest
	cropAtMax   = "at_max"
	cropEnlarge = "at_max_enlarge"
	cropAtLeast = "at_least"
	cropForce   = "force"
	cropPad     = "pad_resize"
	cropExtract = "extract"
)

// Values of Request.Format.
const (
	formatJPEG = "image/jpeg"
	formatPNG  = "image/png"
	formatWebP = "image/webp"
	formatAVIF = "image/avif"
	formatOrig = "orig" // the stored format
	formatAuto = "auto" // one that the client takes; see [Request.For]
)

var formats = map[string]string{
	"auto": formatAuto, "orig": formatOrig, "jpg": formatJPEG, "jpeg": formatJPEG,
	"png": formatPNG, "webp": formatWebP, "avif": formatAVIF,
}

const usualQuality = 80

// Request is the request in a URL.
type Request struct {
	Path     string // of the stored file
	Steps    []Step
	Format   string // empty for PNG if the picture has transparency, else JPEG
	Quality  int    // JPEG quality; 0 for usualQuality
	original bool
	unnamed  bool // something beside named transformations is requested

	lenient bool
	Ignored []string // members that lenient parsing left out
}

// For chooses by the client's headers: WebP for an automatic format if Accept names it, and the
// pixels of Sec-CH-Width or Width for an automatic width. It sets the headers of the answer for that.
func (a Request) For(client, answer http.Header) Request {
	if a.Format == formatAuto {
		answer.Add("Vary", "Accept")
		for accepted := range strings.SplitSeq(client.Get("Accept"), ",") {
			kind, parameters, err := mime.ParseMediaType(accepted)
			weight, bad := strconv.ParseFloat(parameters["q"], 64)
			if err == nil && kind == formatWebP && (bad != nil || weight > 0) {
				a.Format = formatWebP
			}
		}
	}
	width, err := number(cmp.Or(client.Get("Sec-CH-Width"), client.Get("Width")), maxSide)
	a.Steps = slices.Clone(a.Steps)
	for i := range a.Steps {
		if s := &a.Steps[i]; s.AutoWidth {
			answer.Set("Accept-CH", "Sec-CH-Width")
			answer.Add("Vary", "Sec-CH-Width, Width")
			if err == nil {
				s.Width = float64(width)
			}
		}
	}
	return a
}

// Named reports whether only named transformations are requested, which private files serve without
// a signature (service.md §4.1, isPrivateFile).
func (a Request) Named() bool { return a.Changes() && !a.unnamed && !a.original }

// Changes reports whether anything but the original is requested.
func (a Request) Changes() bool { return len(a.Steps) > 0 || a.Format != "" || a.Quality > 0 }

// Original is what is served of a file that is no picture: the file itself if only an
// automatic format is asked for.
func (a Request) Original() Request {
	if a.Format == formatAuto {
		a.Format = ""
	}
	return a
}

// Tag identifies the result among all pictures of the same content and region.
func (a Request) Tag(region string) string {
	if len(a.Steps) == 0 || !a.Steps[0].Custom {
		region = ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%v %s %d %s", a.Steps, a.Format, a.Quality, region))
	return hex.EncodeToString(sum[:12])
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// CheckNamed checks a named transformation, such as "w-400,h-300" or "fo-custom:w-200".
func CheckNamed(name, text string) error {
	if !nameForm.MatchString(name) || name == thumbnailName {
		return fmt.Errorf("transformation %q: a name has letters, digits, _ and -, and is not %s", name, thumbnailName)
	}
	if _, err := ParseSteps(text); err != nil {
		return fmt.Errorf("transformation %q: %w", name, err)
	}
	return nil
}

// Find returns the steps of a named transformation.
type Find func(name string) (string, error)

// Parse parses an address. Steps are in the first part of the path, after "tr:", or in the query
// parameter tr; steps in the path come first. The error names an unknown step; if lenient, that is
// left out.
func Parse(u *url.URL, find Find, lenient bool) (Request, error) {
	// Some clients add a slash after the address of the service.
	a := Request{Path: "/" + strings.TrimLeft(u.Path, "/"), lenient: lenient}
	if rest, ok := strings.CutPrefix(a.Path, "/tr:"); ok {
		steps, file, _ := strings.Cut(rest, "/")
		a.Path = "/" + strings.TrimLeft(file, "/")
		if err := a.parse(steps, find); err != nil {
			return a, err
		}
	}
	for _, steps := range u.Query()["tr"] {
		if err := a.parse(steps, find); err != nil {
			return a, err
		}
	}
	if a.original && a.Changes() {
		return a, errors.New("orig-true excludes all other steps")
	}
	return a, nil
}

// ParseSteps parses steps without an address. The format is kept unless they name one.
func ParseSteps(text string) (Request, error) {
	var a Request
	err := a.parse(text, nil)
	if err == nil && (a.original || !a.Changes()) {
		err = fmt.Errorf("%q changes nothing", text)
	}
	a.Format = cmp.Or(a.Format, formatOrig)
	return a, err
}

// parse adds steps separated by colons, each with members separated by commas.
func (a *Request) parse(text string, find Find) error {
	for part := range strings.SplitSeq(text, ":") {
		var step Step
		seen := map[string]bool{}
		for member := range strings.SplitSeq(part, ",") {
			member = strings.TrimSpace(member)
			if member == "" {
				continue
			}
			name, value, _ := strings.Cut(member, "-")
			before := step
			var err error
			switch {
			case name == "n":
				err = a.addNamed(value, find)
			case name == "orig" && value == "true":
				a.original = true
			default:
				a.unnamed = true
				if err = a.set(&step, name, value); err == nil && seen[name] {
					err = fmt.Errorf("%q appears twice in a step", name)
				}
				seen[name] = true
			}
			if err != nil && a.lenient {
				step = before
				a.Ignored = append(a.Ignored, member)
			} else if err != nil {
				return err
			}
		}
		if step == (Step{}) {
			continue
		}
		err := step.check()
		if err == nil {
			err = a.add(step)
		}
		if err != nil && a.lenient {
			a.Ignored = append(a.Ignored, part)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// addNamed adds a named transformation, which must not contain others.
func (a *Request) addNamed(name string, find Find) error {
	if name == thumbnailName {
		return a.add(Step{Fit: thumbnailSide})
	}
	if find == nil {
		return fmt.Errorf("n-%s cannot be used in a named transformation", name)
	}
	text, err := find(name)
	if err != nil {
		return err
	}
	var step Request
	if err := step.parse(text, nil); err != nil {
		return err
	}
	a.Format, a.Quality = cmp.Or(step.Format, a.Format), cmp.Or(step.Quality, a.Quality)
	return a.add(step.Steps...)
}

func (a *Request) add(steps ...Step) error {
	for _, s := range steps {
		if s.Custom && len(a.Steps) > 0 {
			return errors.New("fo-custom must be the first step, since custom coordinates refer to the original")
		}
		if s.Trim > 0 && len(a.Steps) > 0 {
			return errors.New("t must be in the first step")
		}
		if a.Steps = append(a.Steps, s); len(a.Steps) > maxSteps {
			return fmt.Errorf("more than %d steps", maxSteps)
		}
	}
	return nil
}

func (a *Request) set(s *Step, name, value string) (err error) {
	known := true
	switch name {
	case "w":
		if s.AutoWidth = value == "auto"; s.AutoWidth {
			return nil
		}
		return side(&s.Width, value)
	case "h":
		return side(&s.Height, value)
	case "ar":
		wide, high, _ := strings.Cut(value, "-")
		s.Ratio.X, err = number(wide, maxSide)
		if err == nil {
			s.Ratio.Y, err = number(high, maxSide)
		}
	case "dpr":
		s.DPR, err = strconv.ParseFloat(value, 64)
		known = err == nil && s.DPR >= 0.1 && s.DPR <= 5
	case "fo":
		if s.Custom = value == "custom" || value == "customtransformation"; !s.Custom {
			s.Focus, known = value, value == "auto" || value == "face"
		}
	case "c":
		modes := []string{"maintain_ratio", cropAtMax, cropEnlarge, cropAtLeast, cropForce}
		known = slices.Contains(modes, value)
		s.Crop = strings.TrimPrefix(value, "maintain_ratio")
	case "cm":
		known = value == cropPad || value == cropExtract
		s.Crop = value
	case "bg":
		if s.Blurred = value == "blurred"; !s.Blurred {
			s.Back, err = rule.ParseColor(value)
		}
	case "e":
		if s.Gray = value == "grayscale"; !s.Gray {
			amount, sharpens := strings.CutPrefix(value, "sharpen")
			s.Sharpen, err = number(cmp.Or(strings.TrimPrefix(amount, "-"), "10"), 100)
			known = sharpens
		}
	case "t":
		if s.Trim = 10; value != "true" {
			s.Trim, err = number(value, 99)
		}
	case "fl":
		s.Flip, known = value, value == "h" || value == "v" || value == "h_v"
	case "o":
		s.Opacity, err = number(value, 100)
	case "b":
		width, name, _ := strings.Cut(value, "_")
		if s.Border, err = number(width, maxSide); err == nil {
			s.BorderColor, err = rule.ParseColor(name)
		}
	case "bl":
		s.Blur, err = number(value, 100)
	case "r":
		if s.Radius = -1; value != "max" {
			s.Radius, err = number(value, maxSide)
		}
	case "rt":
		s.Turns, known = turns[value]
	case "q":
		a.Quality, err = number(value, 100)
	case "f":
		a.Format, known = formats[value]
	default:
		known = false
	}
	if err == nil && !known {
		err = errors.New("unknown step")
	}
	if err != nil {
		err = fmt.Errorf("%q: %w", name+"-"+value, err)
	}
	return err
}

func (s *Step) check() error {
	if s.Custom && s.Crop == cropExtract {
		s.Crop = cropFill // a crop next to fo-custom
	}
	if s.Custom && s.Trim > 0 {
		return errors.New("t excludes fo-custom, since custom coordinates refer to the original")
	}
	sides := s.Width > 0 || s.Height > 0
	both := s.Width > 0 && s.Height > 0 || sides && s.Ratio != image.Point{}
	switch {
	case s.Crop == cropPad && !both:
		return errors.New("cm-pad_resize needs w and h")
	case s.Blurred && s.Crop != cropPad:
		return errors.New("bg-blurred needs cm-pad_resize")
	case s.DPR > 0 && !sides:
		return errors.New("dpr needs w or h")
	case s.Ratio != image.Point{} && !sides:
		return errors.New("ar needs w or h")
	}
	return nil
}

// turns are the clockwise quarter turns of degrees; N is counter-clockwise.
var turns = map[string]int{
	"auto": 0, "0": 0, "90": 1, "180": 2, "270": 3, "360": 0, "N0": 0, "N90": 3, "N180": 2, "N270": 1, "N360": 0,
}

func number(value string, most int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%q is not a number from 1 to %d", value, most)
	}
	return n, nil
}

// side parses a number of pixels, or a share such as 0.5.
func side(into *float64, value string) error {
	if share, err := strconv.ParseFloat(value, 64); err == nil && share > 0 && share < 1 {
		*into = share
		return nil
	}
	n, err := number(value, maxSide)
	if err != nil {
		return fmt.Errorf("%q is not a number of pixels from 1 to %d or a share such as 0.5", value, maxSide)
	}
	*into = float64(n)
	return nil
}

const forever = "9999999999"

// Sign returns the HMAC of a text.
func Sign(algorithm func() hash.Hash, key, text string) []byte {
	h := hmac.New(algorithm, []byte(key))
	h.Write([]byte(text))
	return h.Sum(nil)
}

// Signed reports whether an address carries a valid signature over its path and the rest of its
// query. Clients sign the path escaped or not, with or without the first slash; all these forms are
// accepted.
func Signed(key string, u *url.URL, now time.Time) bool {
	query := u.Query()
	got, err := hex.DecodeString(query.Get("ik-s"))
	if err != nil || len(got) != sha1.Size {
		return false
	}
	until := cmp.Or(query.Get("ik-t"), forever)
	expiry, err := strconv.ParseInt(until, 10, 64)
	// Path and expiry are signed without a separator, so the expiry needs a fixed length.
	if len(until) != len(forever) || until[0] == '+' || err != nil || now.Unix() > expiry {
		return false
	}
	rests := []string{""}
	rest := strings.Join(slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(part string) bool {
		return part == "" || strings.HasPrefix(part, "ik-t=") || strings.HasPrefix(part, "ik-s=")
	}), "&")
	if rest != "" {
		rests = []string{"?" + rest}
		if plain, err := url.QueryUnescape(rest); err == nil && plain != rest {
			rests = append(rests, "?"+plain)
		}
	}
	for _, path := range []string{u.Path, u.EscapedPath()} {
		for _, rest := range rests {
			for _, text := range []string{path, strings.TrimPrefix(path, "/"), strings.TrimLeft(path, "/")} {
				if hmac.Equal(got, Sign(sha1.New, key, text+rest+until)) {
					return true
				}
			}
		}
	}
	return false
}
