// Package media inspects, decodes and scales pictures. It detects the type of any file, and
// reads the size, orientation and metadata of pictures. All work on pictures shares one
// limit of memory, whatever size a file claims.
//
// [FactsOf] and [Inspect] never decode a pixel. [Decode] returns a picture reduced to the
// size of a screen, [DecodeFull] a picture in full size.
package media

import (
	"context"
	"image"
	"io"
	"strings"
	"time"

	"github.com/gabriel-vasile/mimetype"
)

// Facts describes a file without decoding it. Unknown values are zero.
type Facts struct {
	// Bytes is the size of the file. Modified is the time of its last change.
	Bytes    int64
	Modified time.Time
	// Picture, MIME and Name depend on the content, not on the file name. Name is for users,
	// such as "JPEG picture".
	Picture bool
	MIME    string
	Name    string
	// Stored is the size in pixels as stored, Upright as shown. Both are zero if the file
	// has no size that this package can read.
	Stored, Upright image.Point
	// Orientation is how Stored becomes Upright; Normal by default.
	Orientation Orientation
	// Alpha reports that pixels can be transparent.
	Alpha bool
	// Camera is safe to draw.
	Camera string
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
	facts, _, err := inspect(ctx, &source{ctx, rs, maxHeader})
	return facts, err
}

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
		facts.Picture, facts.Name = describe(mimetype.Detect(head))
		switch facts.MIME {
		case "image/svg+xml":
			facts.Stored, facts.Alpha = sizeOfSVG(src), true
			facts.Upright = facts.Stored
		case "image/heic", "image/heif", "image/avif":
			facts.shot(ReadShot(src, facts.MIME))
		}
		return facts, head, ctx.Err()
	}
	facts.Picture, facts.Name = true, f.name
	h, err := readHeader(ctx, f, src)
	if ctx.Err() != nil {
		return Facts{}, nil, ctx.Err()
	}
	if facts.Problem = err; err != nil {
		return facts, head, nil
	}
	facts.Problem = h.allowed()
	facts.Stored, facts.Upright, facts.Alpha = h.size, h.size, h.alpha
	return facts, head, nil
}

// ReadFacts is like [FactsOf] for an open file. It does not set Bytes and Modified.
func ReadFacts(ctx context.Context, rs io.ReadSeeker) (Facts, error) {
	src := &source{ctx, rs, maxHeader}
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

func (f *Facts) shot(s Shot) {
	f.Stored, f.Orientation = s.size, s.Orientation
	f.Upright = s.Orientation.Upright(s.size)
	f.Camera, f.Taken = s.Camera(), s.Taken
}

func (f *Facts) ofOther(rs io.ReadSeeker, head []byte) {
	if t := readTrack(rs, f.MIME); !f.Picture {
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
	if f.Picture {
		f.Problem = notPicture(head)
	}
}

// Shown reports whether the content can be shown as a picture.
func (f Facts) Shown() bool { return f.Problem == nil && (f.Tool != "" || f.Picture) }

func describe(m *mimetype.MIME) (picture bool, name string) {
	ext := strings.ToUpper(strings.TrimPrefix(m.Extension(), "."))
	noun, _, _ := strings.Cut(m.String(), "/")
	switch {
	case noun == "image":
		noun = "picture"
	case ext == "TXT":
		return false, "text"
	case noun != "video" && noun != "audio":
		noun = "file"
	}
	if ext == "" && noun == "file" {
		return false, "unknown content"
	}
	return noun == "picture", strings.TrimSpace(ext + " " + noun)
}
