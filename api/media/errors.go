package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The reasons why a file cannot be shown. Every error of this package except the context's
// is an [*Error] and matches exactly one of them with errors.Is.
var (
	// ErrNotPicture means that the content is not a picture of a supported format.
	ErrNotPicture = errors.New("not a picture that can be shown here")
	// ErrTooLarge means that showing it takes more pixels, memory or time than allowed.
	ErrTooLarge = errors.New("picture too large to show")
	// ErrTruncated means that the file is incomplete or damaged.
	ErrTruncated = errors.New("picture incomplete or damaged")
	// ErrUnreadable means that the file cannot be read or is not a regular file.
	ErrUnreadable = errors.New("file cannot be read")
)

// Error describes why a picture cannot be shown.
type Error struct {
	// Path is the file; empty if the picture did not come from a path.
	Path string
	// Reason is one of the errors above.
	Reason error
	// Detail describes the problem, such as "it is a folder", and what helps.
	Detail string
	// Cause is the underlying error; may be nil.
	Cause error
}

// Error returns one sentence. It quotes the name of the file, so that control characters in
// it are harmless.
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

// Unwrap returns the reason and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Reason}
	}
	return []error{e.Reason, e.Cause}
}

// WithPath returns err with the path set, if it is an [*Error] without one.
func WithPath(path string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Path == "" {
		c := *e
		c.Path = path
		return &c
	}
	return err
}

// Reason returns the Detail of an [*Error], which omits the file name, or the text of any other
// error.
func Reason(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Detail
	}
	return err.Error()
}

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

// endsEarly reports whether err says that the data ran out. Some decoders say so only in the text.
func endsEarly(err error) bool {
	texts := []string{"EOF", "not enough image data", "not enough pixel data", "short Huffman data", "short chunk"}
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(err.Error(), text) })
}
