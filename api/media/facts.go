package media

import (
	"context"
	"fmt"
	"image"
	"io"
	"strings"
	"time"

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

// Facts is what is known of a file without decoding it. Unknown values are zero.
type Facts struct {
	// Bytes is the size of the file, Modified when it was last changed.
	Bytes    int64
	Modified time.Time
	// Kind, MIME and Name describe the content, independent of the file name; Name is for users,
	// such as "JPEG picture".
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
	// Profile is the name of the color profile, safe to draw; may be empty.
	Profile string
	// Duration is the length of an animation, film or recording; zero if none or unknown.
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
	f, info, err := OpenFile(path)
	if err != nil {
		return Facts{}, WithPath(path, err)
	}
	defer func() { _ = f.Close() }()
	facts, err := ReadFacts(ctx, f)
	if err != nil {
		return Facts{}, WithPath(path, err)
	}
	facts.Bytes, facts.Modified = info.Size(), info.ModTime()
	facts.Problem = WithPath(path, facts.Problem)
	return facts, nil
}

// Inspect reads the beginning of rs: the kind of content and, for a picture, its stored size and
// possible transparency. It is cheaper than [FactsOf], since it reads no camera data or recordings.
func Inspect(ctx context.Context, rs io.ReadSeeker) (Facts, error) {
	facts, _, err := inspect(ctx, newSource(ctx, rs, maxHeader))
	return facts, err
}

// inspect is Inspect, and returns the first bytes too.
func inspect(ctx context.Context, src io.ReadSeeker) (Facts, []byte, error) {
	head, err := readHead(src)
	if err != nil {
		return Facts{}, nil, readFailure(ctx, err)
	}
	facts := Facts{Orientation: Normal, Name: "empty file", MIME: "application/octet-stream"}
	if len(head) == 0 {
		return facts, head, nil
	}
	facts.MIME = mimeOf(head)
	f := formatOf(head)
	if f == nil {
		facts.Kind, facts.Name = describe(mimetype.Detect(head))
		switch facts.MIME {
		case "image/svg+xml":
			facts.Stored, facts.Alpha = sizeOfSVG(src), true
			facts.Upright = facts.Stored
		case "image/heic", "image/heif", "image/avif":
			facts.shot(ReadShot(src, facts.MIME))
		}
		return facts, head, ctx.Err()
	}
	facts.Kind, facts.Name = KindPicture, f.name
	h, err := readHeader(ctx, f, src)
	if ctx.Err() != nil {
		return Facts{}, nil, ctx.Err()
	}
	if facts.Problem = err; err != nil {
		return facts, head, nil
	}
	facts.Problem = h.allowed(Limits{}.orDefaults())
	facts.Stored, facts.Upright, facts.Alpha = h.size, h.size, h.alpha
	return facts, head, nil
}

// ReadFacts is [FactsOf] for what is open already, without what the file system
// knows.
func ReadFacts(ctx context.Context, rs io.ReadSeeker) (Facts, error) {
	src := newSource(ctx, rs, maxHeader)
	facts, head, err := inspect(ctx, src)
	if err != nil {
		return Facts{}, err
	}
	f := formatOf(head)
	if f == nil {
		facts.ofOther(src, head)
		return facts, ctx.Err()
	}
	if facts.Stored == (image.Point{}) {
		return facts, nil // the header is damaged
	}
	shot := ReadShot(src, f.mime)
	shot.size = facts.Stored
	facts.shot(shot)
	if name := readProfile(newSource(ctx, rs, maxHeader), f.mime); name != "" {
		facts.Profile = name
	}
	facts.Duration = playing(newSource(ctx, rs, maxPlaying), f.mime)
	return facts, ctx.Err()
}

// shot takes over what a camera wrote.
func (f *Facts) shot(s Shot) {
	f.Stored, f.Orientation = s.size, s.Orientation
	f.Upright = s.Orientation.Upright(s.size)
	f.Camera, f.Lens, f.Taken, f.Profile = s.Camera(), s.Lens, s.Taken, s.Space
}

// ofOther completes the facts of content that this package does not decode.
func (f *Facts) ofOther(rs io.ReadSeeker, head []byte) {
	if t := readTrack(rs, f.MIME); f.Kind != KindPicture {
		f.Stored, f.Upright, f.Duration = t.size, t.size, t.length
	}
	list := convertersOf(f.MIME)
	if c, _ := installed(list); c != nil {
		f.Tool = c.program
		return
	}
	f.Missing = names(list)
	if f.Kind == KindPicture {
		f.Problem = notPicture(head)
	}
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
