package extension

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/rule"
)

// removeOptions are the options of remove-bg (service.md §2.2). Hosted services spell the color
// option differently.
type removeOptions struct {
	Shadow  bool    `json:"add_shadow"`
	British *string `json:"bg_colour"`
	Color   *string `json:"bg_color"`
	Soft    *bool   `json:"semitransparency"`

	background *color.NRGBA // may be nil
}

// CheckElement checks the members and options of an element.
func CheckElement(e api.Extension) error {
	for _, name := range slices.Sorted(maps.Keys(e.Rest)) {
		return fmt.Errorf("unknown member %q: it takes name, options, maxTags and minConfidence", name)
	}
	if e.Name == rule.RemoveBackground {
		_, err := readRemoveOptions(e.Options)
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(e.Options)) {
		return fmt.Errorf("unknown option %q", name)
	}
	return nil
}

func readRemoveOptions(options map[string]json.RawMessage) (o removeOptions, err error) {
	text, err := json.Marshal(options)
	if err != nil {
		return o, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var kind *json.UnmarshalTypeError
	switch err := decoder.Decode(&o); {
	case errors.As(err, &kind):
		return o, fmt.Errorf("the option %s is of the wrong type", kind.Field)
	case err != nil:
		return o, fmt.Errorf("%w: the options are add_shadow, bg_color (or bg_colour) and semitransparency", err)
	}
	if name := cmp.Or(o.Color, o.British); name != nil {
		c, err := ParseColor(*name)
		if err != nil {
			return o, fmt.Errorf("the background: %w", err)
		}
		o.background = &c
	}
	return o, nil
}

// removeBackground returns the subject as a PNG with an alpha channel.
func removeBackground(ctx context.Context, in Input) (Output, error) {
	options, err := readRemoveOptions(in.Element.Options)
	if err != nil {
		return Output{}, err
	}
	picture, err := media.DecodeFull(ctx, in.content())
	if err != nil {
		return Output{}, err
	}
	defer picture.Release()
	cut := picture.Image
	if err := cutOut(cut); err != nil {
		return Output{}, err
	}
	if options.Soft != nil && !*options.Soft {
		for i := 3; i < len(cut.Pix); i += 4 {
			cut.Pix[i] = cut.Pix[i] / 128 * 255
		}
	}
	if options.Shadow {
		cut = onto(shadowOf(cut), cut)
	}
	if options.background != nil {
		plain := image.NewNRGBA(cut.Rect)
		draw.Draw(plain, plain.Rect, image.NewUniform(*options.background), image.Point{}, draw.Src)
		cut = onto(plain, cut)
	}
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	var file bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&file, cut)
	return Output{Picture: file.Bytes(), Orientation: picture.Orientation}, err
}

// onto draws img over a background, one with the same rectangle.
func onto(background *image.NRGBA, img *image.NRGBA) *image.NRGBA {
	draw.Draw(background, background.Rect, img, image.Point{}, draw.Over)
	return background
}

// shadowOf returns a soft shadow of the subject, a little below it.
func shadowOf(img *image.NRGBA) *image.NRGBA {
	size := img.Rect.Size()
	side := min(size.X, size.Y)
	shadow := image.NewNRGBA(img.Rect)
	for i := 3; i < len(img.Pix); i += 4 {
		shadow.Pix[i] = uint8(int(img.Pix[i]) * 45 / 100)
	}
	// Scaling down and up again blurs.
	by := max(1, side/60)
	shadow = media.Scale(shadow, shadow.Rect, image.Pt(max(1, size.X/by), max(1, size.Y/by)))
	shadow = media.Scale(shadow, shadow.Rect, size)
	moved := image.NewNRGBA(img.Rect)
	draw.Draw(moved, moved.Rect.Add(image.Pt(side/100, max(1, side/50))), shadow, image.Point{}, draw.Src)
	return moved
}

// ParseColor parses a CSS color name, or three, four, six or eight hexadecimal digits with or
// without #.
func ParseColor(text string) (color.NRGBA, error) {
	name := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), " ", ""))
	if c, ok := colornames.Map[name]; ok {
		return color.NRGBA(c), nil // all are opaque
	}
	digits := strings.TrimPrefix(cmp.Or(map[string]string{"transparent": "0000", "rebeccapurple": "663399"}[name], name), "#")
	if len(digits) == 3 || len(digits) == 4 {
		digits = regexp.MustCompile(".").ReplaceAllString(digits, "$0$0")
	}
	if len(digits) == 6 {
		digits += "ff"
	}
	v, err := hex.DecodeString(digits)
	if err != nil || len(v) != 4 {
		return color.NRGBA{}, errors.New(strconv.Quote(text) + " is not a color: use a CSS name or #rrggbb")
	}
	return color.NRGBA{v[0], v[1], v[2], v[3]}, nil
}
