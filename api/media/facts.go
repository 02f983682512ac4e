package media

import (
	"context"
	"image"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gabriel-vasile/mimetype"
)

// Kind is the kind of content of a file.
type Kind int

// The kinds of content. KindOther includes unknown content.
const (
	KindOther Kind = iota
	KindPicture
	KindVideo
	KindAudio
	KindText
	KindDocument
	KindArchive
)

// Facts describes a file without decoding it. Unknown values are zero.
type Facts struct {
	// Bytes is the size of the file. Modified is the time of its last change.
	Bytes    int64
	Modified time.Time
	// Kind, MIME and Name depend on the content, not on the file name. Name is for users,
	// such as "JPEG picture".
	Kind Kind
	MIME string
	Name string
	// Stored is the size in pixels as stored, Upright as shown. Both are zero if the file
	// has no size that this package can read.
	Stored, Upright image.Point
	// Orientation is how Stored becomes Upright; Normal by default.
	Orientation Orientation
	// Alpha reports that pixels can be transparent.
	Alpha bool
	// Camera and Lens are safe to draw.
	Camera, Lens string
	// Duration is the length of a video or recording.
	Duration time.Duration
	// VideoCodec and AudioCodec are the codecs of a video, as ffmpeg names them, such as "h264" and
	// "aac". They are read from MP4, QuickTime, WebM and Matroska files.
	VideoCodec, AudioCodec string
	// Taken is when the picture was taken. If the camera recorded no time zone, it is the
	// camera's local time marked as UTC.
	Taken time.Time
	// Tool is the installed program that converts the content to a picture. It is empty if
	// this package decodes the content or no such program is installed.
	Tool string
	// Missing names the program that could convert the content if it is not installed.
	Missing string
	// Problem is why the picture cannot be shown, an [*Error]. It is nil if the header is
	// intact, and for content that is not a picture.
	Problem error
}

// FactsOf reads the facts of a file of any content. It usually reads a few kilobytes. It returns
// an [*Error] if the file cannot be read, or the context's error.
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

// Inspect reads the kind of content from the beginning of rs and, for a picture, its stored
// size and transparency. It is cheaper than [ReadFacts], which also reads camera data and
// durations.
func Inspect(ctx context.Context, rs io.ReadSeeker) (Facts, error) {
	facts, _, err := inspect(ctx, newSource(ctx, rs, maxHeader))
	return facts, err
}

// inspect implements [Inspect]. It also returns the first bytes.
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

// ReadFacts is like [FactsOf] for an open file. It does not set Bytes and Modified.
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
	return facts, ctx.Err()
}

// shot copies the camera data.
func (f *Facts) shot(s Shot) {
	f.Stored, f.Orientation = s.size, s.Orientation
	f.Upright = s.Orientation.Upright(s.size)
	f.Camera, f.Lens, f.Taken = s.Camera(), s.Lens, s.Taken
}

// ofOther completes the facts for content that this package does not decode.
func (f *Facts) ofOther(rs io.ReadSeeker, head []byte) {
	if t := readTrack(rs, f.MIME); f.Kind != KindPicture {
		f.Stored, f.Upright, f.Duration = t.size, t.size, t.length
		f.VideoCodec, f.AudioCodec = t.video, t.audio
	}
	switch tool := toolFor(f.MIME); {
	case tool != nil && tool.Path != "":
		f.Tool = tool.Program
		return
	case tool != nil:
		f.Missing = tool.Program
	}
	if f.Kind == KindPicture {
		f.Problem = notPicture(head)
	}
}

// Shown reports whether the content can be shown as a picture.
func (f Facts) Shown() bool {
	return f.Problem == nil && (f.Tool != "" || f.Kind == KindPicture)
}

// describe returns the kind and the name of a detected type.
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
		kind, noun = KindText, "text"
	case isA(
		m, "application/zip", "application/gzip", "application/x-tar", "application/x-7z-compressed",
		"application/x-bzip2", "application/x-xz", "application/zstd", "application/x-rar-compressed",
	):
		kind, noun = KindArchive, "archive"
	}
	switch {
	case ext == "" && kind == KindOther:
		return kind, "unknown content"
	case ext == "" || ext == "TXT":
		return kind, noun
	}
	return kind, ext + " " + noun
}

// isA reports whether m or one of its parents is one of the named types.
func isA(m *mimetype.MIME, names ...string) bool {
	return m != nil && (slices.ContainsFunc(names, m.Is) || isA(m.Parent(), names...))
}
