package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
)

// The four reasons for which a file cannot be shown. Every error of this package
// that is not the context's own is an [*Error] and matches exactly one of them
// with errors.Is.
var (
	// ErrNotPicture: the content is no picture of a kind that can be shown.
	ErrNotPicture = errors.New("not a picture that can be shown here")
	// ErrTooLarge: showing it would take more pixels or memory than allowed.
	ErrTooLarge = errors.New("picture too large to show")
	// ErrTruncated: the file ends before the picture does, or is damaged.
	ErrTruncated = errors.New("picture incomplete or damaged")
	// ErrUnreadable: the file cannot be read, or is no regular file.
	ErrUnreadable = errors.New("file cannot be read")
)

// Error says why one picture cannot be shown.
type Error struct {
	// Path is the file; empty when the picture did not come from a path.
	Path string
	// Reason is one of the four errors above.
	Reason error
	// Detail describes the finding, such as "it is a folder", and what can still be done.
	Detail string
	// Cause is the error underneath; nil if there is none.
	Cause error
}

// Error is one sentence of plain words. The name of the file is quoted, so that
// control characters in it are harmless.
func (e *Error) Error() string {
	what := "the file"
	if e.Path != "" {
		what = strconv.Quote(filepath.Base(e.Path))
	}
	verb := "shown"
	if errors.Is(e.Reason, ErrUnreadable) {
		verb = "read"
	}
	return fmt.Sprintf("%s cannot be %s: %s", what, verb, e.Detail)
}

// Unwrap gives the reason and the cause to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Reason}
	}
	return []error{e.Reason, e.Cause}
}

// WithPath returns err with the path filled in, if it is an [*Error] that has none.
func WithPath(path string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Path == "" {
		c := *e
		c.Path = path
		return &c
	}
	return err
}

// Reason is why, in words without the name of the file: the Detail of an [*Error],
// the text of any other.
func Reason(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Detail
	}
	return err.Error()
}

// openError explains why opening or reading a file failed.
func openError(err error) error {
	detail := "reading it failed"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		detail = "it does not exist"
	case errors.Is(err, fs.ErrPermission):
		detail = "permission denied"
	}
	return &Error{Reason: ErrUnreadable, Detail: detail, Cause: err}
}

// decodeError explains why decoding a picture of the named kind failed.
func decodeError(ctx context.Context, kind string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return openError(err)
	}
	detail := "the " + kind + " is damaged"
	if endsEarly(err) {
		detail = "the " + kind + " ends before the picture is complete"
	}
	return &Error{Reason: ErrTruncated, Detail: detail, Cause: err}
}

// endsEarly recognizes the ways in which decoders say that the data ran out;
// some of them report it in words only.
func endsEarly(err error) bool {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return true
	}
	for _, words := range [...]string{"EOF", "not enough image data", "not enough pixel data", "short Huffman data", "short chunk"} {
		if strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}
