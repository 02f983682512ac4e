package media

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits limits the cost of decoding one picture. The zero value means the default of each field.
type Limits struct {
	// Pixels is the maximum number of pixels; zero means 150 million.
	Pixels int64
	// Side is the maximum length of the longer side of the decoded picture in pixels;
	// larger pictures are reduced. Zero means 2048, which is more than a terminal shows.
	Side int
	// Enough is how many pixels of the longer side suffice. A JPEG with at least as many at
	// 1/8 of its size is decoded at that size, which takes a tenth of the time. Zero means
	// Side.
	Enough int
	// Time limits decoding, without the wait for memory; zero means 20 seconds. It is
	// checked whenever the decoder reads.
	Time time.Duration
	// Budget is the memory shared by all work on pictures; nil means the budget of the
	// program, 768 MB.
	Budget *Budget
}

const (
	defaultPixels = 150_000_000
	defaultSide   = 2048
	defaultBudget = 768 << 20
	defaultTime   = 20 * time.Second

	// MaxSide is the maximum length of a side in pixels. The rows and weights of longer
	// sides would take more memory than the picture itself.
	MaxSide = 1 << 20
	// maxAtOnce is how many pictures are processed at a time, whatever their size.
	maxAtOnce = 4
)

func (l Limits) orDefaults() Limits {
	l.Pixels, l.Side, l.Time = cmp.Or(l.Pixels, defaultPixels), cmp.Or(l.Side, defaultSide), cmp.Or(l.Time, defaultTime)
	l.Enough = cmp.Or(l.Enough, l.Side)
	if l.Budget == nil {
		l.Budget = sharedBudget()
	}
	return l
}

// sharedBudget returns the default budget of the program.
var sharedBudget = sync.OnceValue(func() *Budget { return NewBudget(defaultBudget) })

// Budget limits the memory for work on pictures: previews, thumbnails, deliveries,
// extensions and converters. Up to four pictures are processed at a time; the others wait.
// It is safe for concurrent use.
type Budget struct {
	total       int64
	bytes, work *semaphore.Weighted
}

// NewBudget returns a budget of the given number of bytes.
func NewBudget(bytes int64) *Budget {
	return &Budget{total: bytes, bytes: semaphore.NewWeighted(bytes), work: semaphore.NewWeighted(maxAtOnce)}
}

// returnAt is the reservation in bytes from which memory is returned to the operating
// system at once. Otherwise the garbage of one large picture and the next picture would
// exceed the budget.
const returnAt = 64 << 20

// Reserve waits until the given number of bytes is free and reserves them until release is
// called. Work on a picture must reserve its peak memory in one call before it allocates: a
// second call could deadlock. It returns an [*Error] at once if bytes exceeds the whole
// budget, and the context's error if ctx ends.
func (b *Budget) Reserve(ctx context.Context, bytes int64) (release func(), err error) {
	if bytes > b.total {
		return nil, &Error{
			Reason: ErrTooLarge,
			Detail: fmt.Sprintf("it needs about %d MB of memory; the limit is %d MB", bytes>>20, b.total>>20),
		}
	}
	if err := b.work.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	if err := b.bytes.Acquire(ctx, bytes); err != nil {
		b.work.Release(1)
		return nil, err
	}
	return func() {
		if bytes >= returnAt {
			debug.FreeOSMemory()
		}
		b.bytes.Release(bytes)
		b.work.Release(1)
	}, nil
}

// allowed returns an error for a picture that exceeds the limits. It checks the sides
// first, because their product could overflow.
func (h *header) allowed(l Limits) error {
	switch {
	case max(h.size.X, h.size.Y, h.allocated.X, h.allocated.Y) > MaxSide:
		return &Error{Reason: ErrTooLarge, Detail: fmt.Sprintf("it has %d × %d pixels; no side may have more than %d", h.size.X, h.size.Y, MaxSide)}
	case h.pixels() > l.Pixels:
		return &Error{Reason: ErrTooLarge, Detail: fmt.Sprintf("it has too many pixels: %d × %d; the limit is %d million", h.size.X, h.size.Y, l.Pixels/1_000_000)}
	}
	return nil
}

// pixels returns the number of pixels that the decoder allocates.
func (h *header) pixels() int64 {
	return max(int64(h.size.X)*int64(h.size.Y), int64(h.allocated.X)*int64(h.allocated.Y))
}

// memory estimates the bytes that decoding takes, including rows that decoders buffer.
func (h *header) memory() int64 {
	return int64(float64(h.pixels())*h.perPixel) + h.extra + 32*int64(max(h.size.X, h.allocated.X))
}

// fullCost returns the memory in bytes for decoding in full size. Pixels that are not NRGBA
// or RGBA, or must be turned, are copied.
func (h *header) fullCost(o Orientation) int64 {
	cost := h.memory() + stripCost(h.size.X, 4)
	if !h.usable || o.Turned() {
		cost += 4 * h.pixels()
	}
	return cost
}

// cores returns how many strips are processed in parallel.
func cores() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU(), maxCores) }

// stripCost returns the memory in bytes for the strips of a picture w pixels wide.
func stripCost(w int, perPixel int64) int64 {
	return int64(cores()) * perPixel * int64(max(w, stripPixels))
}

// ReducedCost returns the memory in bytes that [Reduced] takes in addition to the source,
// including turning the result upright.
func ReducedCost(size image.Point, side int) int64 {
	k := reduction(size, side)
	w, h := int64((size.X+k-1)/k), int64((size.Y+k-1)/k)
	return 2*4*w*h + stripCost(size.X, 4) + int64(cores())*32*w
}

// ScaleCost returns the memory in bytes that [Scale] takes in addition to the source.
func ScaleCost(from, to image.Point) (cost int64) {
	if k := shrinkage(from, to); k > 1 {
		cost = ReducedCost(from, (max(from.X, from.Y)+k-1)/k)
		from = image.Pt((from.X+k-1)/k, (from.Y+k-1)/k)
	}
	weights := func(have, want int) int64 { return 32*int64(want) + 4*int64(5*max(have, want)) }
	return cost + 4*int64(to.X)*int64(to.Y) + weights(from.X, to.X) + weights(from.Y, to.Y) + int64(cores())*16*int64(from.X)
}

// EncodeCost returns the memory in bytes for encoding a picture: the compressed strips,
// which can be as large as the pixels, and the file.
func EncodeCost(size image.Point) int64 {
	return 8*int64(size.X)*int64(size.Y) + stripCost(size.X, 16)
}
