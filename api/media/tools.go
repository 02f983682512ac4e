package media

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"
)

// Tool is a program that converts content that this package cannot decode.
type Tool struct {
	Program string
	Makes   string // names of formats, for users
	Path    string // empty if not installed

	// kinds are the MIME types it converts; one ending in a slash is a prefix.
	kinds []string
	// args returns arguments to read the file in and write a picture of about side pixels to the
	// file out.
	args func(in, out string, side string) []string
}

// tools are the supported programs. Their arguments restrict them to reading a local file.
var tools = []Tool{
	{
		Program: "rsvg-convert", Makes: "SVG", kinds: []string{"image/svg+xml"},
		args: func(in, out, side string) []string {
			return []string{"--keep-aspect-ratio", "--width", side, "--height", side, "--format", "png", "--output", out, in}
		},
	},
	{
		Program: "pdftoppm", Makes: "PDF", kinds: []string{"application/pdf"},
		args: func(in, out, side string) []string {
			return []string{"-png", "-f", "1", "-l", "1", "-singlefile", "-scale-to", side, in, strings.TrimSuffix(out, ".png")}
		},
	},
	{
		Program: "heif-convert", Makes: "HEIC, AVIF", kinds: []string{"image/heic", "image/heif", "image/avif"},
		args: func(in, out, _ string) []string { return []string{in, out} },
	},
	{
		Program: "ffmpeg", Makes: "video", kinds: []string{"video/"},
		args: func(in, out, side string) []string {
			return []string{
				"-nostdin", "-v", "error", "-threads", "1", "-protocol_whitelist", "file,pipe", "-i", "file:" + in, "-frames:v", "1",
				"-vf", fmt.Sprintf("scale='min(%s,iw)':'min(%[1]s,ih)':force_original_aspect_ratio=decrease", side), out,
			}
		},
	},
}

const (
	// maxConverted limits the picture of a program in bytes, and convertTimeout its run time.
	maxConverted   = 64 << 20
	convertTimeout = 10 * time.Second
)

var converting = semaphore.NewWeighted(1)

// Tools returns the supported programs, installed or not.
func Tools() []Tool {
	list := slices.Clone(tools)
	for i := range list {
		list[i].Path, _ = exec.LookPath(list[i].Program) // "" if it is not installed
	}
	return list
}

func toolFor(mime string) *Tool {
	for _, t := range Tools() {
		for _, k := range t.kinds {
			if mime == k || strings.HasSuffix(k, "/") && strings.HasPrefix(mime, k) {
				return &t
			}
		}
	}
	return nil
}

func (t *Tool) convert(ctx context.Context, path string, limits Limits) (*Picture, error) {
	if err := converting.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer converting.Release(1)
	timed, cancel := context.WithTimeout(ctx, convertTimeout)
	defer cancel()
	data, err := t.run(timed, path, limits.Side)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case timed.Err() != nil:
		detail := fmt.Sprintf("%s took longer than %v", t.Program, convertTimeout)
		return nil, &Error{Reason: ErrTooLarge, Detail: detail, Cause: timed.Err()}
	case err != nil:
		return nil, &Error{Reason: ErrTruncated, Detail: t.Program + " cannot convert it", Cause: err}
	}
	return Decode(ctx, bytes.NewReader(data), limits)
}

func (t *Tool) run(ctx context.Context, path string, side int) ([]byte, error) {
	path, err := filepath.Abs(path) // an absolute path cannot look like an option
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mediadesk-preview-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	out := filepath.Join(dir, "out.png")
	//nolint:gosec // a fixed program; the path is one argument
	cmd := exec.CommandContext(ctx, t.Path, t.args(path, out, strconv.Itoa(side))...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C"}
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	if info, err := os.Stat(out); err != nil || info.Size() > maxConverted {
		return nil, errors.Join(err, errors.New("the program wrote no picture, or one that is too large"))
	}
	return os.ReadFile(out) //nolint:gosec // the file was made above
}

// sizeOfSVG returns the size of a drawing in pixels from its width and height, or from its
// viewBox. It returns zero if the first 64 kB contain neither.
func sizeOfSVG(rs io.ReadSeeker) image.Point {
	if _, err := rs.Seek(0, io.SeekStart); err != nil {
		return image.Point{}
	}
	d := xml.NewDecoder(io.LimitReader(rs, 64<<10))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		token, err := d.Token()
		if err != nil {
			return image.Point{}
		}
		root, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		value := map[string]string{}
		for _, a := range root.Attr {
			value[a.Name.Local] = a.Value
		}
		w, h := svgLength(value["width"]), svgLength(value["height"])
		if box := strings.Fields(strings.ReplaceAll(value["viewBox"], ",", " ")); len(box) == 4 && w*h == 0 {
			w, h = svgLength(box[2]), svgLength(box[3])
		}
		if w*h == 0 || root.Name.Local != "svg" {
			return image.Point{}
		}
		return image.Pt(w, h)
	}
}

// svgUnits maps units of length to pixels (CSS Values 3, 5.2).
var svgUnits = map[string]float64{
	"": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4,
}

// svgLength parses a length in pixels; zero if it depends on the page.
func svgLength(s string) int {
	s = strings.TrimSpace(s)
	n := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz%")
	unit, known := svgUnits[s[len(n):]]
	v, err := strconv.ParseFloat(n, 64)
	if err != nil || !known || v <= 0 || v*unit > 1e6 {
		return 0
	}
	return int(math.Ceil(v * unit))
}
