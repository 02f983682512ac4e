package media

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/bep/imagemeta"
)

var metaFormats = map[string]imagemeta.ImageFormat{
	"image/jpeg": imagemeta.JPEG,
	"image/png":  imagemeta.PNG,
	"image/tiff": imagemeta.TIFF,
	"image/webp": imagemeta.WebP,
	"image/heic": imagemeta.HEIF,
	"image/heif": imagemeta.HEIF,
	"image/avif": imagemeta.AVIF,
}

const (
	metaTimeout = 2 * time.Second
	maxMetaTags = 400
	maxMetaText = 2000 // characters of one value
)

// Embedded reads the EXIF, IPTC and XMP data of a picture into one set of
// names. Where two sources have a name the more specific one counts: EXIF,
// then IPTC, then XMP. A picture without any gives an empty map, and so does
// one whose data cannot be read.
func Embedded(mime string, r io.ReaderAt, size int64) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	for name, tag := range readTags(mime, r, size) {
		if text, ok := metaValue(tag.Value); ok {
			found[name] = text
		}
	}
	return found
}

// Exif reads the EXIF data of a picture in the groups in which they stand:
// "image", "exif", "gps" and "interoperability", each of which is there.
func Exif(mime string, r io.ReaderAt, size int64) map[string]map[string]json.RawMessage {
	groups := map[string]map[string]json.RawMessage{"image": {}, "exif": {}, "gps": {}, "interoperability": {}}
	for name, tag := range readTags(mime, r, size) {
		text, ok := metaValue(tag.Value)
		if !ok || tag.Source != imagemeta.EXIF {
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

func readTags(mime string, r io.ReaderAt, size int64) map[string]imagemeta.TagInfo {
	tags := map[string]imagemeta.TagInfo{}
	format, ok := metaFormats[mime]
	if !ok {
		return tags
	}
	_, err := imagemeta.Decode(imagemeta.Options{
		R: io.NewSectionReader(r, 0, size), ImageFormat: format,
		Sources: imagemeta.EXIF | imagemeta.IPTC | imagemeta.XMP, Timeout: metaTimeout, LimitNumTags: 2000, LimitTagSize: 4 * maxMetaText,
		ShouldHandleTag: func(t imagemeta.TagInfo) bool {
			// IFD1 describes the small picture within the picture.
			return !strings.HasPrefix(t.Namespace, "IFD1") && t.Tag != "MakerNote"
		},
		HandleTag: func(t imagemeta.TagInfo) error {
			if strings.HasPrefix(t.Tag, imagemeta.UnknownPrefix) || len(tags) >= maxMetaTags {
				return nil
			}
			if had, ok := tags[t.Tag]; !ok || t.Source < had.Source {
				tags[t.Tag] = t
			}
			return nil
		},
	})
	if err != nil && len(tags) == 0 {
		return nil
	}
	return tags
}

// metaValue writes a value as JSON; false for what has no use as text.
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

// Shot is what a camera wrote about how a picture was taken.
type Shot struct {
	Make, Model string
	Taken       time.Time // zero: not known
	Orientation int       // 1 to 8, as EXIF counts; 1 where it says nothing
}

// ReadShot reads what the camera wrote; the zero values where it wrote
// nothing, and 1 as the orientation.
func ReadShot(mime string, r io.ReaderAt, size int64) Shot {
	s := Shot{Orientation: 1}
	tags := readTags(mime, r, size)
	text := func(name string) string {
		if t, ok := tags[name]; ok {
			return strings.Trim(strings.ToValidUTF8(fmt.Sprint(t.Value), ""), "\x00 ")
		}
		return ""
	}
	s.Make, s.Model = text("Make"), text("Model")
	if t, ok := tags["Orientation"]; ok {
		var n int
		if _, err := fmt.Sscan(fmt.Sprint(t.Value), &n); err == nil && n >= 1 && n <= 8 {
			s.Orientation = n
		}
	}
	for _, name := range []string{"DateTimeOriginal", "CreateDate", "DateTimeDigitized", "DateTime", "ModifyDate"} {
		// A camera writes its own clock: the zone is not known and not needed.
		if at, err := time.Parse("2006:01:02 15:04:05", text(name)); err == nil {
			s.Taken = at
			break
		}
	}
	return s
}
