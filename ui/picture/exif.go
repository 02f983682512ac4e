package picture

import (
	"image"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/bep/imagemeta"
)

// exif is what is taken from the metadata of a picture.
type exif struct {
	orientation  Orientation
	camera, lens string
	taken        time.Time
	space        string      // the colours, where they are the usual ones
	size         image.Point // of formats whose header only the metadata library reads
}

// readEXIF reads the metadata of a picture. Missing or damaged metadata is no
// reason not to show the picture: what was understood counts.
func readEXIF(rs io.ReadSeeker, f *format) (e exif) {
	e.orientation = Normal
	if f.meta == imagemeta.ImageFormatAuto {
		return e
	}
	// The library recovers its own panics but not those of the reader below it.
	defer func() { _ = recover() }()
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return e
	}
	text := map[string]string{}
	sources := imagemeta.EXIF
	if f.config == nil {
		sources |= imagemeta.CONFIG
	}
	result, _ := imagemeta.Decode(imagemeta.Options{
		R: rs, ImageFormat: f.meta, Sources: sources, LimitNumTags: 1000, LimitTagSize: 1000,
		ShouldHandleTag: func(t imagemeta.TagInfo) bool {
			// IFD1 describes the thumbnail, not the picture.
			return wantedTags[t.Tag] && strings.HasPrefix(t.Namespace, "IFD0")
		},
		HandleTag: func(t imagemeta.TagInfo) error {
			switch v := t.Value.(type) {
			case uint16:
				switch {
				case t.Tag == "Orientation":
					e.orientation = Orientation(v).valid()
				case t.Tag == "ColorSpace" && v == 1:
					e.space = "sRGB"
				}
			case string:
				text[t.Tag] = clean(v)
			}
			return nil
		},
	})
	e.size = image.Pt(result.ImageConfig.Width, result.ImageConfig.Height)
	e.camera = cameraName(text["Make"], text["Model"])
	e.lens = text["LensModel"]
	e.taken = takenAt(text)
	return e
}

var wantedTags = map[string]bool{
	"Orientation": true, "ColorSpace": true, "Make": true, "Model": true, "LensModel": true,
	"DateTimeOriginal": true, "OffsetTimeOriginal": true, "ModifyDate": true, "OffsetTime": true,
}

// cameraName joins maker and model, of which many models repeat the maker.
func cameraName(brand, model string) string {
	first, _, _ := strings.Cut(brand, " ")
	switch {
	case model == "":
		return brand
	case first == "" || strings.HasPrefix(strings.ToLower(model), strings.ToLower(first)):
		return model
	default:
		return brand + " " + model
	}
}

// takenAt is when the picture was taken, or last changed where that is all it
// says; zero where it says nothing.
func takenAt(text map[string]string) time.Time {
	for _, names := range [][2]string{{"DateTimeOriginal", "OffsetTimeOriginal"}, {"ModifyDate", "OffsetTime"}} {
		date := text[names[0]]
		if t, err := time.Parse("2006:01:02 15:04:05-07:00", date+text[names[1]]); err == nil {
			return t
		}
		if t, err := time.Parse("2006:01:02 15:04:05", date); err == nil {
			return t
		}
	}
	return time.Time{}
}

// maxText is how many characters of a text from a file are kept.
const maxText = 80

// clean makes a text from a file safe to draw: only visible characters and plain
// spaces stay, and not many of them.
func clean(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.TrimSpace(strings.ToValidUTF8(s, "")) {
		if !unicode.IsPrint(r) || unicode.Is(unicode.Mn, r) {
			continue
		}
		if n++; n > maxText {
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}
