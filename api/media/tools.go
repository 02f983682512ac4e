package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"
)

// converter is a program that converts content that this package cannot decode.
type converter struct {
	// program is the executable; makes describes its input.
	program, makes string
	// kinds are the MIME types it converts; one ending in a slash is a prefix.
	kinds []string
	// args returns arguments to read the file at path, or standard input, and write a
	// picture of at most side pixels to standard output or to the file out.
	args func(path, out string, side int) []string
	// stdin reports that the program reads standard input, because it interprets special
	// characters in file names.
	stdin bool
	// out is the name of the file that it writes; empty means standard output.
	out string
}

// converters are the supported programs. The first one installed for a MIME type is used.
// Their arguments restrict them to reading a local file.
var converters = []converter{
	{
		program: "rsvg-convert", makes: "SVG", kinds: []string{"image/svg+xml"},
		args: func(path, _ string, side int) []string {
			s := strconv.Itoa(side)
			return []string{"--keep-aspect-ratio", "--width", s, "--height", s, "--format", "png", path}
		},
	},
	{
		program: "pdftoppm", makes: "PDF", kinds: []string{"application/pdf"},
		args: func(path, _ string, side int) []string {
			return []string{"-png", "-f", "1", "-l", "1", "-singlefile", "-scale-to", strconv.Itoa(side), path}
		},
	},
	{
		program: "vipsthumbnail", makes: "HEIC, AVIF", kinds: []string{"image/heic", "image/heif", "image/avif"}, stdin: true,
		args: func(_, _ string, side int) []string {
			return []string{"stdin", "--size", fmt.Sprintf("%dx%d>", side, side), "-o", ".png"}
		},
	},
	{
		program: "heif-convert", makes: "HEIC, AVIF", kinds: []string{"image/heic", "image/heif", "image/avif"}, out: "out.jpg",
		args: func(path, out string, _ int) []string { return []string{"-q", "90", path, out} },
	},
	{
		program: "ffmpeg", makes: "video, AVIF, JPEG XL, JPEG 2000, Photoshop",
		kinds: []string{"video/", "image/avif", "image/jxl", "image/jp2", "image/vnd.adobe.photoshop"},
		args: func(path, _ string, side int) []string {
			return []string{
				"-nostdin", "-v", "error", "-threads", "1", "-protocol_whitelist", "file,pipe", "-i", "file:" + path, "-frames:v", "1",
				"-vf", fmt.Sprintf("scale='min(%d,iw)':'min(%d,ih)':force_original_aspect_ratio=decrease", side, side),
				"-f", "image2pipe", "-c:v", "png", "pipe:1",
			}
		},
	},
}

const (
	// converterOutput limits the output of a converter in bytes.
	converterOutput = 32 << 20
	// converterMemory limits the data of a converter in bytes, if the system supports it.
	// converterSpace limits its address space, including libraries and reserved memory.
	converterMemory = 512 << 20
	converterSpace  = 1 << 30
)

// converting allows one converter at a time.
var converting = semaphore.NewWeighted(1)

// converterTime limits the run time of a converter. Tests increase it for busy machines.
var converterTime = 10 * time.Second

// Tool is a program that converts content that this package cannot decode.
type Tool struct {
	Program string
	Makes   string // names of formats, for users
	Path    string // empty if not installed
}

// Tools returns the supported programs, installed or not.
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

// convertersOf returns the programs for a MIME type.
func convertersOf(mime string) (list []*converter) {
	for i, c := range converters {
		for _, k := range c.kinds {
			if mime == k || strings.HasSuffix(k, "/") && strings.HasPrefix(mime, k) {
				list = append(list, &converters[i])
			}
		}
	}
	return list
}

// installed returns the first installed program of list and its path, or nil.
func installed(list []*converter) (*converter, string) {
	for _, c := range list {
		if path, err := exec.LookPath(c.program); err == nil {
			return c, path
		}
	}
	return nil, ""
}

// names joins the names of the programs with "or".
func names(list []*converter) string {
	words := make([]string, len(list))
	for i, c := range list {
		words[i] = c.program
	}
	return strings.Join(words, " or ")
}

// convert converts a regular file to a picture with another program.
func convert(ctx context.Context, path, mime string, limits Limits) (*Picture, error) {
	c, program := installed(convertersOf(mime))
	if c == nil {
		return nil, &Error{Reason: ErrNotPicture, Detail: "no program that can convert it is installed (" + mime + ")"}
	}
	data, err := c.runWithin(ctx, program, path, limits)
	if err != nil {
		return nil, err
	}
	p, err := Decode(ctx, bytes.NewReader(data), limits)
	if p != nil {
		p.Converted = true
	}
	return p, err
}

// runWithin calls run within the limits: one program at a time, with reserved memory and limited time.
func (c *converter) runWithin(ctx context.Context, program, path string, limits Limits) ([]byte, error) {
	if err := converting.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer converting.Release(1)
	release, err := limits.Budget.Reserve(ctx, converterMemory+2*converterOutput)
	if err != nil {
		return nil, err
	}
	defer release()
	timed, cancel := context.WithTimeout(ctx, converterTime)
	defer cancel()
	data, err := c.run(timed, program, path, limits.Side)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case timed.Err() != nil:
		return nil, &Error{Reason: ErrTooLarge, Detail: fmt.Sprintf("%s took longer than %v", c.program, converterTime), Cause: timed.Err()}
	case err != nil:
		return nil, &Error{Reason: ErrTruncated, Detail: c.program + " cannot convert it" + limitNote, Cause: err}
	}
	return data, nil
}

// run runs the program on a file and returns its picture. The program has low priority and,
// on Linux, limited memory. When ctx ends, the program is killed, on Unix with its
// children.
func (c *converter) run(ctx context.Context, program, path string, side int) ([]byte, error) {
	path, err := filepath.Abs(path) // an absolute path cannot look like an option
	if err != nil {
		return nil, err
	}
	out := ""
	if c.out != "" {
		dir, err := os.MkdirTemp("", "mediadesk-preview-")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		out = filepath.Join(dir, c.out)
	}
	cmd := exec.CommandContext(ctx, program, c.args(path, out, side)...) //nolint:gosec // a fixed program; the path is one argument
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C", "VIPS_CONCURRENCY=1"}
	cmd.WaitDelay = time.Second
	written := &capped{left: converterOutput}
	if c.out == "" {
		cmd.Stdout = written // otherwise it prints only messages
	}
	if c.stdin {
		f, _, err := OpenFile(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		cmd.Stdin = f
	}
	alone(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	restrain(cmd.Process.Pid)
	if err := cmd.Wait(); err != nil {
		return nil, err
	}
	if c.out == "" {
		return written.data, nil
	}
	f, _, err := OpenFile(out)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if _, err := io.Copy(written, f); err != nil {
		return nil, err
	}
	return written.data, nil
}

// capped buffers up to left bytes.
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
