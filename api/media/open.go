package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sync/semaphore"
)

// OpenFile opens a regular file for reading. It returns an [*Error] for anything else. It
// never blocks on a FIFO.
func OpenFile(path string) (*os.File, fs.FileInfo, error) {
	// Check before opening, since opening a device can have side effects.
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, openError(err)
	}
	if err := regular(info); err != nil {
		return nil, nil, err
	}
	// The name may be that of a FIFO by now.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, openError(err)
	}
	return f, info, nil
}

// regular returns an error that describes info unless it is a regular file.
func regular(info fs.FileInfo) error {
	what := "it is not a regular file"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "it is a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "it is a pipe (FIFO), not a file"
	case mode&fs.ModeSocket != 0:
		what = "it is a socket, not a file"
	case mode&fs.ModeDevice != 0:
		what = "it is a device, not a file"
	}
	return &Error{Reason: ErrUnreadable, Detail: what}
}

// source stops reading when its context ends, which is the only way to stop a decoder.
type source struct {
	ctx context.Context
	rs  io.ReadSeeker
	// left is how many more bytes may be read.
	left int64
}

// maxHeader limits the length of a header in bytes. Some pictures have large previews in front.
const maxHeader = 16 << 20

// maxRead is the largest single read in bytes. A few bytes can expand to a whole scan of a
// JPEG, and source checks the context only between reads.
const maxRead = 512

func (s *source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if s.left <= 0 {
		return 0, errors.New("no picture within the first 16 MB")
	}
	n, err := s.rs.Read(p[:min(len(p), maxRead)])
	s.left -= int64(n)
	return n, err
}

func (s *source) Seek(offset int64, whence int) (int64, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.rs.Seek(offset, whence)
}

// ReadAt is for the TIFF decoder, which otherwise copies the whole file to memory.
func (s *source) ReadAt(p []byte, off int64) (int, error) {
	if _, err := s.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	return io.ReadFull(s.rs, p)
}

// Limits limits the cost of decoding one picture. The zero value means the default of each field.
type Limits struct {
	// Side is the maximum length of the longer side of the decoded picture in pixels;
	// larger pictures are reduced. Zero means 2048, which is more than a terminal shows.
	Side int
	// Enough is how many pixels of the longer side suffice. A JPEG with at least as many at
	// 1/8 of its size is decoded at that size, which takes a tenth of the time. Zero means
	// Side.
	Enough int
}

const (
	maxPixels   = 150_000_000
	defaultSide = 2048

	// MaxSide is the maximum length of a side in pixels. The rows of longer ones would take more
	// memory than the picture itself.
	MaxSide = 1 << 20

	// maxWork is how many pixels are in memory at a time, at 4 to 8 bytes each. minWork is the
	// least that a picture counts, so that few are processed at a time.
	maxWork = 100_000_000
	minWork = maxWork / 4
)

func (l Limits) orDefaults() Limits {
	l.Side = cmp.Or(l.Side, defaultSide)
	l.Enough = cmp.Or(l.Enough, l.Side)
	return l
}

// work is shared by all work on pictures: previews, thumbnails, deliveries and extensions.
var work = semaphore.NewWeighted(maxWork)

// reserve waits until there is memory for a picture of some pixels. It returns an [*Error] at once
// if there never is, and the context's error if ctx ends.
func reserve(ctx context.Context, pixels int64) (release func(), err error) {
	if pixels > maxWork {
		return nil, &Error{Reason: ErrTooLarge, Detail: fmt.Sprintf(
			"decoding it takes the memory of %d megapixels; the limit is %d", pixels/1_000_000, maxWork/1_000_000)}
	}
	n := max(pixels, minWork)
	if err := work.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() {
		if n > minWork {
			debug.FreeOSMemory() // before the next large one
		}
		work.Release(n)
	}, nil
}

// allowed returns an error for a picture that exceeds the limits. It checks the sides
// first, because their product could overflow.
func (h *header) allowed() error {
	switch {
	case max(h.size.X, h.size.Y) > MaxSide:
		return &Error{Reason: ErrTooLarge, Detail: fmt.Sprintf("it has %d × %d pixels; no side may have more than %d", h.size.X, h.size.Y, MaxSide)}
	case h.pixels() > maxPixels:
		return &Error{Reason: ErrTooLarge, Detail: fmt.Sprintf(
			"it has too many pixels: %d × %d; the limit is %d million", h.size.X, h.size.Y, maxPixels/1_000_000)}
	}
	return nil
}

func (h *header) pixels() int64 { return int64(h.size.X) * int64(h.size.Y) }

// Cache keeps the most recently used values up to a total cost. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	limit int64

	mu     sync.Mutex
	cost   int64
	order  []K // least recently used first
	values map[K]cached[V]
}

type cached[V any] struct {
	value V
	cost  int64
}

// NewCache returns a cache for values of a total cost.
func NewCache[K comparable, V any](limit int64) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, values: map[K]cached[V]{}}
}

// Get returns the value of a key, if it is cached.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.values[key]
	if ok {
		c.order = append(slices.DeleteFunc(c.order, func(k K) bool { return k == key }), key)
	}
	return found.value, ok
}

// Put stores a value and evicts the least recently used ones. Values above the total cost are not
// stored.
func (c *Cache[K, V]) Put(key K, value V, cost int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(key)
	if cost > c.limit {
		return
	}
	c.order, c.values[key] = append(c.order, key), cached[V]{value, cost}
	for c.cost += cost; c.cost > c.limit; {
		c.drop(c.order[0])
	}
}

func (c *Cache[K, V]) drop(key K) {
	c.cost -= c.values[key].cost
	delete(c.values, key)
	c.order = slices.DeleteFunc(c.order, func(k K) bool { return k == key })
}

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

func (e *Error) Unwrap() error { return errors.Join(e.Reason, e.Cause) }

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
	// Some decoders say only in the text that the data ran out.
	texts := []string{"EOF", "not enough image data", "not enough pixel data", "short Huffman data", "short chunk"}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(err.Error(), text) }) {
		detail = "the " + kind + " ends before the picture is complete"
	}
	return &Error{Reason: ErrTruncated, Detail: detail, Cause: err}
}
