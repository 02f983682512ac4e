package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// converter is a program that makes a picture of what this package cannot decode.
type converter struct {
	// Program is its name, Makes what it is for, in words.
	program, makes string
	// kinds are the MIME types it is asked for.
	kinds []string
	// args make it read the file at path and write a PNG of at most side pixels
	// to standard output.
	args func(path string, side int) []string
}

// converters are the programs that are used where they are installed. All are
// told to read a local file and nothing else.
var converters = []converter{
	{
		program: "rsvg-convert", makes: "SVG", kinds: []string{"image/svg+xml"},
		args: func(path string, side int) []string {
			s := strconv.Itoa(side)
			return []string{"--keep-aspect-ratio", "--width", s, "--height", s, "--format", "png", path}
		},
	},
	{
		program: "pdftoppm", makes: "PDF", kinds: []string{"application/pdf"},
		args: func(path string, side int) []string {
			return []string{"-png", "-f", "1", "-l", "1", "-singlefile", "-scale-to", strconv.Itoa(side), path}
		},
	},
	{
		program: "ffmpeg", makes: "video, AVIF, JPEG XL",
		kinds: []string{"video/", "image/avif", "image/jxl"},
		args: func(path string, side int) []string {
			return []string{
				"-nostdin", "-v", "error", "-protocol_whitelist", "file,pipe", "-i", "file:" + path, "-frames:v", "1",
				"-vf", fmt.Sprintf("scale='min(%d,iw)':'min(%d,ih)':force_original_aspect_ratio=decrease", side, side),
				"-f", "image2pipe", "-c:v", "png", "pipe:1",
			}
		},
	},
}

// Bounds of what a converter may take.
const (
	converterTime   = 10 * time.Second
	converterOutput = 32 << 20
)

// Tool is a program that draws what this package cannot.
type Tool struct {
	Program string
	Makes   string // in words
	Path    string // empty: it is not installed
}

// Tools are the programs that are asked, installed or not.
func Tools() []Tool {
	tools := make([]Tool, len(converters))
	for i, c := range converters {
		tools[i] = Tool{Program: c.program, Makes: c.makes}
		if path, err := exec.LookPath(c.program); err == nil {
			tools[i].Path = path
		}
	}
	return tools
}

// converterOf is the program for a MIME type; nil where none is known.
func converterOf(mime string) *converter {
	for i, c := range converters {
		for _, k := range c.kinds {
			if mime == k || strings.HasSuffix(k, "/") && strings.HasPrefix(mime, k) {
				return &converters[i]
			}
		}
	}
	return nil
}

// Convertible reports whether a file of that MIME type can be shown by a program
// that is installed.
func Convertible(mime string) bool {
	c := converterOf(mime)
	if c == nil {
		return false
	}
	_, err := exec.LookPath(c.program)
	return err == nil
}

// convert has another program make a picture of a regular file.
func convert(ctx context.Context, path, mime string, limits Limits) (*Picture, error) {
	c := converterOf(mime)
	if c == nil {
		return nil, &Error{Reason: ErrNotPicture, Detail: "it is no picture (" + mime + ")"}
	}
	program, err := exec.LookPath(c.program)
	if err != nil {
		return nil, &Error{Reason: ErrNotPicture, Detail: "a preview of it needs " + c.program + ", which is not installed"}
	}
	timed, cancel := context.WithTimeout(ctx, converterTime)
	defer cancel()
	cmd := exec.CommandContext(timed, program, c.args(path, limits.Side)...) //nolint:gosec // a fixed program; the path is one argument
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C"}
	cmd.WaitDelay = time.Second
	out := &capped{left: converterOutput}
	cmd.Stdout = out
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case timed.Err() != nil:
		return nil, &Error{Reason: ErrTooLarge, Detail: fmt.Sprintf("%s took longer than %v; it can be sent without a preview", c.program, converterTime), Cause: timed.Err()}
	case err != nil:
		return nil, &Error{Reason: ErrTruncated, Detail: c.program + " could not make a picture of it", Cause: err}
	}
	return Decode(ctx, bytes.NewReader(out.data), limits)
}

// capped keeps what is written to it, up to an end.
type capped struct {
	data []byte
	left int
}

var errTooMuch = errors.New("the program wrote too much")

func (c *capped) Write(p []byte) (int, error) {
	if len(p) > c.left {
		return 0, errTooMuch
	}
	c.left -= len(p)
	c.data = append(c.data, p...)
	return len(p), nil
}
