package picture

import (
	"context"
	"fmt"
	"image"
	"io"
	"strings"
	"time"

	"github.com/bep/imagemeta"
	"github.com/gabriel-vasile/mimetype"
)

// Kind is what sort of content a file has.
type Kind int

// The kinds of content. Other is what is none of the rest, or unknown.
const (
	KindOther Kind = iota
	KindPicture
	KindVideo
	KindAudio
	KindText
	KindDocument
	KindArchive
)

// Facts is what can be known of a file without decoding a pixel. What a file does
// not tell is zero.
type Facts struct {
	// Bytes is the size of the file, Modified when it was last changed.
	Bytes    int64
	Modified time.Time
	// Kind, MIME and Name say what the content is, whatever the file is called;
	// Name in words, such as "JPEG picture".
	Kind Kind
	MIME string
	Name string
	// Stored is the size in pixels as stored, Upright as shown; zero where the
	// file is no picture whose header can be read.
	Stored, Upright image.Point
	// Orientation turns Stored to Upright; 1 where nothing else is said.
	Orientation Orientation
	// Alpha reports that pixels can be transparent.
	Alpha bool
	// Camera and Lens are safe to draw; empty where unknown.
	Camera, Lens string
	// Profile is what the colour profile calls itself, safe to draw; empty where
	// there is none.
	Profile string
	// Duration is how long an animation, a film or a recording plays; zero for
	// what does not play, and where the file does not say it in front.
	Duration time.Duration
	// Taken is when the picture was taken. Where the camera did not say its time
	// zone it is the time on its clock, in UTC.
	Taken time.Time
	// Tool is the program that can make a picture of the content, where this
	// package cannot and the program is installed; else empty.
	Tool string
	// Missing names the programs one of which could make a picture of the content,
	// where none is installed; else empty.
	Missing string
	// Problem is why the picture cannot be shown, an [*Error]; nil for pictures
	// that look sound and for everything that is not meant to be a picture.
	Problem error
}

// FactsOf reads the facts of a file, whatever its content. It reads a few
// kilobytes and fails only where the file cannot be read, with an [*Error], or
// ctx ends.
func FactsOf(ctx context.Context, path string) (Facts, error) {
	f, info, err := open(path)
	if err != nil {
		return Facts{}, at(path, err)
	}
	defer func() { _ = f.Close() }()
	facts, err := readFacts(ctx, f)
	if err != nil {
		return Facts{}, at(path, err)
	}
	facts.Bytes, facts.Modified = info.Size(), info.ModTime()
	facts.Problem = at(path, facts.Problem)
	return facts, nil
}

// readFacts is FactsOf for what is open already, without what the file system
// knows.
func readFacts(ctx context.Context, rs io.ReadSeeker) (Facts, error) {
	src := newSource(ctx, rs, maxHeader)
	head, err := readHead(src)
	if err != nil {
		return Facts{}, readFailure(ctx, err)
	}
	f := formatOf(head)
	if f == nil {
		return factsOfOther(src, head), ctx.Err()
	}
	facts := Facts{Kind: KindPicture, MIME: f.mime, Name: f.name, Orientation: Normal}
	h, err := inspect(ctx, f, src)
	if ctx.Err() != nil {
		return Facts{}, ctx.Err()
	}
	if err != nil {
		facts.Problem = err
		return facts, nil
	}
	e := readEXIF(src, f)
	facts.Problem = h.allowed(Limits{}.orDefaults())
	facts.Stored, facts.Upright = h.size, e.orientation.Upright(h.size)
	facts.Orientation, facts.Alpha = e.orientation, h.alpha
	facts.Camera, facts.Lens, facts.Taken = e.camera, e.lens, e.taken
	if facts.Profile = readProfile(newSource(ctx, rs, maxHeader), f); facts.Profile == "" {
		facts.Profile = e.space
	}
	facts.Duration = playing(newSource(ctx, rs, maxPlaying), f)
	return facts, ctx.Err()
}

// factsOfOther describes content that is no picture of a known format.
func factsOfOther(rs io.ReadSeeker, head []byte) Facts {
	facts := Facts{Orientation: Normal, Name: "empty file", MIME: "application/octet-stream"}
	if len(head) == 0 {
		return facts
	}
	m := mimetype.Detect(head)
	facts.MIME, _, _ = strings.Cut(m.String(), ";")
	facts.Kind, facts.Name = describe(m)
	facts.measure(rs, head)
	list := convertersOf(facts.MIME)
	if c, _ := installed(list); c != nil {
		facts.Tool = c.program
		return facts
	}
	facts.Missing = names(list)
	if facts.Kind == KindPicture {
		facts.Problem = notPicture(head)
	}
	return facts
}

// measure fills in what files say in front that this package does not decode.
func (f *Facts) measure(rs io.ReadSeeker, head []byte) {
	switch f.MIME {
	case "image/svg+xml":
		f.Stored = sizeOfSVG(head)
		f.Upright, f.Alpha = f.Stored, true
		return
	case "image/heic", "image/heif":
		f.fromEXIF(rs, imagemeta.HEIF)
		return
	case "image/avif":
		f.fromEXIF(rs, imagemeta.AVIF)
		return
	}
	t := readTrack(rs, f.MIME)
	f.Stored, f.Upright, f.Duration = t.size, t.size, t.length
}

// fromEXIF takes over what the metadata of a picture say that other programs draw.
func (f *Facts) fromEXIF(rs io.ReadSeeker, kind imagemeta.ImageFormat) {
	e := readEXIF(rs, &format{meta: kind})
	f.Stored, f.Orientation = e.size, e.orientation
	f.Upright = e.orientation.Upright(e.size)
	f.Camera, f.Lens, f.Taken, f.Profile = e.camera, e.lens, e.taken, e.space
}

// Shown reports whether a picture of the content can be made.
func (f Facts) Shown() bool {
	return f.Problem == nil && (f.Tool != "" || f.Kind == KindPicture)
}

// describe puts a detected type into a kind and words.
func describe(m *mimetype.MIME) (Kind, string) {
	ext := strings.ToUpper(strings.TrimPrefix(m.Extension(), "."))
	major, _, _ := strings.Cut(m.String(), "/")
	kind, noun := KindOther, "file"
	switch {
	case major == "image":
		kind, noun = KindPicture, "picture"
	case major == "video":
		kind, noun = KindVideo, "video"
	case major == "audio":
		kind, noun = KindAudio, "audio"
	case isA(m, "application/pdf", "application/x-ole-storage", "application/epub+zip", "text/rtf") ||
		strings.Contains(m.String(), "opendocument") || strings.Contains(m.String(), "openxmlformats"):
		kind, noun = KindDocument, "document"
	case isA(m, "text/plain"):
		if ext == "TXT" {
			return KindText, "text"
		}
		kind, noun = KindText, "text"
	case isA(
		m, "application/zip", "application/gzip", "application/x-tar", "application/x-7z-compressed",
		"application/x-bzip2", "application/x-xz", "application/zstd", "application/x-rar-compressed",
	):
		kind, noun = KindArchive, "archive"
	}
	if ext == "" {
		if kind == KindOther {
			return kind, "unknown content"
		}
		return kind, noun
	}
	return kind, fmt.Sprintf("%s %s", ext, noun)
}

// isA reports whether m is one of the named types or built on one.
func isA(m *mimetype.MIME, names ...string) bool {
	for ; m != nil; m = m.Parent() {
		for _, n := range names {
			if m.Is(n) {
				return true
			}
		}
	}
	return false
}
