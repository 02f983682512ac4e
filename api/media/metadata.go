package media

import (
	"encoding/json"
	"image"
	"io"
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/bep/imagemeta"
)

// metaFormats maps the MIME types that can contain metadata to their formats.
var metaFormats = map[string]imagemeta.ImageFormat{
	"image/jpeg":             imagemeta.JPEG,
	"image/png":              imagemeta.PNG,
	"image/vnd.mozilla.apng": imagemeta.PNG,
	"image/tiff":             imagemeta.TIFF,
	"image/webp":             imagemeta.WebP,
	"image/heic":             imagemeta.HEIF,
	"image/heif":             imagemeta.HEIF,
	"image/avif":             imagemeta.AVIF,
}

const (
	metaTimeout = 2 * time.Second
	maxMetaTags = 400
	maxMetaText = 2000 // characters of one value
)

type metadata struct {
	tags map[string]imagemeta.TagInfo
	size image.Point // of HEIC and AVIF only
}

// readMetadata reads the wanted tags of a picture, or all if wanted is nil. If several
// sources define a name, EXIF takes precedence, then IPTC, then XMP. It ignores errors:
// damaged metadata yields the tags that can be read.
func readMetadata(rs io.ReadSeeker, mime string, sources imagemeta.Source,
	requested map[string]bool,
) (m metadata) {
	m.tags = map[string]imagemeta.TagInfo{}
	format, ok := metaFormats[mime]
	if !ok {
		return m
	}
	// The library does not recover panics of the reader below it.
	defer func() { _ = recover() }()
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return m
	}
	if format == imagemeta.HEIF || format == imagemeta.AVIF {
		sources |= imagemeta.CONFIG
	}
	result, _ := imagemeta.Decode(imagemeta.Options{
		R: rs, ImageFormat: format, Sources: sources, Timeout: metaTimeout, LimitNumTags: 2000,
		LimitTagSize: 4 * maxMetaText,
		ShouldHandleTag: func(t imagemeta.TagInfo) bool {
			// IFD1 describes the thumbnail, not the picture.
			return !strings.HasPrefix(t.Namespace, "IFD1") && t.Tag != "MakerNote" &&
				(requested == nil || requested[t.Tag])
		},
		HandleTag: func(t imagemeta.TagInfo) error {
			if strings.HasPrefix(t.Tag, imagemeta.UnknownPrefix) || len(m.tags) >= maxMetaTags {
				return nil
			}
			if had, ok := m.tags[t.Tag]; !ok || t.Source < had.Source {
				m.tags[t.Tag] = t
			}
			return nil
		},
	})
	m.size = image.Pt(result.ImageConfig.Width, result.ImageConfig.Height)
	return m
}

// Embedded reads the EXIF, IPTC and XMP data of a picture into one map. The map is empty if
// there is no data or it cannot be read.
func Embedded(rs io.ReadSeeker, mime string) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	sources := imagemeta.EXIF | imagemeta.IPTC | imagemeta.XMP
	for name, tag := range readMetadata(rs, mime, sources, nil).tags {
		if text, ok := metaValue(tag.Value); ok {
			found[name] = text
		}
	}
	return found
}

// Exif reads the EXIF data of a picture into the groups "image", "exif", "gps" and
// "interoperability". The map always has all four.
func Exif(rs io.ReadSeeker, mime string) map[string]map[string]json.RawMessage {
	type group = map[string]json.RawMessage
	groups := map[string]group{"image": {}, "exif": {}, "gps": {}, "interoperability": {}}
	for name, tag := range readMetadata(rs, mime, imagemeta.EXIF, nil).tags {
		text, ok := metaValue(tag.Value)
		if !ok {
			continue
		}
		group := "image"
		switch _, at, _ := strings.Cut(tag.Namespace, "/"); {
		case strings.Contains(at, "Interop"):
			group = "interoperability"
		case strings.HasPrefix(at, "ExifIFD"):
			group = "exif"
		case strings.HasPrefix(at, "GPS"):
			group = "gps"
		}
		groups[group][name] = text
	}
	return groups
}

// metaValue encodes a value as JSON. It returns false for values without a useful text.
func metaValue(v any) (json.RawMessage, bool) {
	switch value := v.(type) {
	case string:
		value = strings.ToValidUTF8(strings.TrimRight(value, "\x00 "), "?")
		if r := []rune(value); len(r) > maxMetaText {
			value = string(r[:maxMetaText])
		}
		v = value
	case []byte:
		return nil, false
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, false
		}
	case float32:
		return metaValue(float64(value))
	case interface{ Float64() float64 }:
		return metaValue(value.Float64())
	case time.Time:
		v = value.Format(time.RFC3339)
	}
	text, err := json.Marshal(v)
	if err != nil || string(text) == "null" || len(text) > 4*maxMetaText {
		return nil, false
	}
	return text, true
}

// Shot holds the camera data of a picture. Texts are safe to draw; unknown values are zero.
type Shot struct {
	Make, Model string
	// Taken is when the picture was taken. If the camera recorded no time zone, it is the
	// camera's local time marked as UTC.
	Taken       time.Time
	Orientation Orientation // Normal by default

	size image.Point // see metadata
}

var shotTags = map[string]bool{
	"Orientation": true, "Make": true, "Model": true, "DateTimeOriginal": true,
	"OffsetTimeOriginal": true, "CreateDate": true, "OffsetTimeDigitized": true, "ModifyDate": true, "OffsetTime": true,
}

// ReadShot reads the camera data of a picture of the given MIME type.
func ReadShot(rs io.ReadSeeker, mime string) Shot {
	m := readMetadata(rs, mime, imagemeta.EXIF, shotTags)
	text := func(name string) string {
		s, _ := m.tags[name].Value.(string)
		return Clean(s)
	}
	s := Shot{Make: text("Make"), Model: text("Model"), Orientation: Normal, size: m.size}
	if v, ok := m.tags["Orientation"].Value.(uint16); ok {
		s.Orientation = Orientation(v).valid()
	}
	for _, names := range [][2]string{{"DateTimeOriginal", "OffsetTimeOriginal"}, {"CreateDate", "OffsetTimeDigitized"}, {"ModifyDate", "OffsetTime"}} {
		date := text(names[0])
		t, err := time.Parse("2006:01:02 15:04:05-07:00", date+text(names[1]))
		if err != nil {
			t, err = time.Parse("2006:01:02 15:04:05", date)
		}
		if err == nil {
			s.Taken = t
			break
		}
	}
	return s
}

// Camera returns maker and model. It omits the maker if the model begins with its first word.
func (s Shot) Camera() string {
	first, _, _ := strings.Cut(s.Make, " ")
	switch {
	case s.Model == "":
		return s.Make
	case first == "" || strings.HasPrefix(strings.ToLower(s.Model), strings.ToLower(first)):
		return s.Model
	default:
		return s.Make + " " + s.Model
	}
}

const maxText = 80

// Clean makes a text from a file safe to draw. It keeps the first 80 printable characters and
// spaces.
func Clean(s string) string {
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
