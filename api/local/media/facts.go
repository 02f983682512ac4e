// Package media looks into the bytes of a file: what kind it is, its size in
// pixels, whether it has an alpha channel, the metadata embedded in it; and it
// decodes pictures without letting a hostile one take all memory.
package media

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // the formats that are known
	_ "image/jpeg" // …
	_ "image/png"  // …
	"io"
	"strings"
	"sync"

	"github.com/bep/imagemeta"
	"github.com/gabriel-vasile/mimetype"
	_ "golang.org/x/image/bmp"  // …
	_ "golang.org/x/image/tiff" // …
	_ "golang.org/x/image/webp" // …

	"mediadesk/api"
)

// Facts are what the bytes say.
type Facts struct {
	Mime     string // "type/subtype", without parameters
	Kind     string // api.KindImage or api.KindNonImage
	Width    int    // pixels as stored, before any turning that the metadata asks for; 0: none or not known
	Height   int
	HasAlpha bool
}

// sniff is how much of a file its type is read from.
const sniff = 3072

// look is what one look into a file needs; it is kept for the next one.
type look struct {
	head   [sniff]byte
	reader *bufio.Reader // as the decoders of pictures want it
}

var looks = sync.Pool{New: func() any { return &look{reader: bufio.NewReader(nil)} }}

func (l *look) end() {
	l.reader.Reset(nil)
	looks.Put(l)
}

// Inspect reads what the bytes of r, size of them, say. What cannot be read
// is no error: the file is then less than it could have been.
func Inspect(r io.ReaderAt, size int64) (Facts, error) {
	look := looks.Get().(*look)
	defer look.end()
	head := look.head[:min(size, sniff)]
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return Facts{}, fmt.Errorf("read the stored bytes: %w", err)
	}
	mime, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	f := Facts{Mime: strings.TrimSpace(mime), Kind: api.KindNonImage}
	if !strings.HasPrefix(f.Mime, "image/") {
		return f, nil
	}
	if f.Mime == "image/svg+xml" {
		f.Kind, f.HasAlpha = api.KindImage, true
		f.Width, f.Height = svgSize(io.NewSectionReader(r, 0, size))
		return f, nil
	}
	look.reader.Reset(io.NewSectionReader(r, 0, size))
	config, _, err := image.DecodeConfig(look.reader)
	if err == nil {
		f.Width, f.Height = config.Width, config.Height
		f.HasAlpha = hasAlpha(f.Mime, r, size, config.ColorModel)
	} else if format, ok := metaFormats[f.Mime]; ok && errors.Is(err, image.ErrFormat) {
		// A kind whose size we can read though not its pixels.
		result, err := imagemeta.Decode(imagemeta.Options{R: io.NewSectionReader(r, 0, size), ImageFormat: format, Sources: imagemeta.CONFIG, Timeout: metaTimeout})
		if err == nil {
			f.Width, f.Height = result.ImageConfig.Width, result.ImageConfig.Height
		}
	}
	if f.Width > 0 && f.Height > 0 {
		f.Kind = api.KindImage
	}
	return f, nil
}
