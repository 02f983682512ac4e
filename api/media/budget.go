package media

import (
	"context"
	"fmt"
	"image"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits bounds what decoding one picture may cost. The zero value means the
// defaults named at each field.
type Limits struct {
	// Pixels is how many pixels a picture may have; zero means 150 million.
	Pixels int64
	// Side is how many pixels the longer side of the decoded picture keeps: a
	// larger picture is reduced. Zero means 2048, which is more than a terminal
	// shows.
	Side int
	// Enough is how many pixels of the longer side suffice: a JPEG that has as
	// many at an eighth of its size is decoded at an eighth, which takes a tenth
	// of the time. Zero means as many as Side.
	Enough int
	// Time is how long decoding may take, without the wait for memory; zero means
	// 20 seconds. It is checked whenever the decoder reads.
	Time time.Duration
	// Budget is the memory shared by all work on pictures; nil means one of
	// 768 MB that the whole program shares.
	Budget *Budget
}

const (
	defaultPixels = 150_000_000
	defaultSide   = 2048
	defaultBudget = 768 << 20
	defaultTime   = 20 * time.Second

	// MaxSide is how many pixels one side of a picture may have: rows and weights for longer
	// ones would take more memory than the picture itself.
	MaxSide = 1 << 20
	// maxAtOnce is how many pictures are worked on at a time, whatever their size.
	maxAtOnce = 4
)

func (l Limits) orDefaults() Limits {
	if l.Pixels <= 0 {
		l.Pixels = defaultPixels
	}
	if l.Side <= 0 {
		l.Side = defaultSide
	}
	if l.Enough <= 0 {
		l.Enough = l.Side
	}
	if l.Time <= 0 {
		l.Time = defaultTime
	}
	if l.Budget == nil {
		l.Budget = sharedBudget()
	}
	return l
}

// sharedBudget is the default budget: memory is one for the whole program, so
// the budget is too.
var sharedBudget = sync.OnceValue(func() *Budget { return NewBudget(defaultBudget) })

// Budget is the memory that work on pictures shares: previews, thumbnails,
// deliveries, extensions, and other programs that make pictures. At most four
// pictures are worked on at a time; the others wait. It is safe for concurrent use.
type Budget struct {
	total       int64
	bytes, work *semaphore.Weighted
}

// NewBudget returns a budget of that many bytes.
func NewBudget(bytes int64) *Budget {
	return &Budget{total: bytes, bytes: semaphore.NewWeighted(bytes), work: semaphore.NewWeighted(maxAtOnce)}
}

// returnAt is from how many bytes memory is given back to the operating system at
// once: the garbage of one large picture beside the next one would exceed the budget.
const returnAt = 64 << 20

// Reserve waits until that many bytes are free and counts them as used until release is
// called. All work on pictures reserves its peak memory before it allocates anything, in
// one call: a second one could wait for itself. It returns an [*Error] at once if the
// whole budget is smaller; ctx ends the wait.
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

// allowed refuses a picture that exceeds the limits, before anything is allocated.
// Sides come first: their product may be no number any more.
func (h *header) allowed(l Limits) error {
	switch {
	case max(h.size.X, h.size.Y, h.allocated.X, h.allocated.Y) > MaxSide:
		return &Error{Reason: ErrTooLarge, Detail: fmt.Sprintf("it has %d × %d pixels; no side may have more than %d", h.size.X, h.size.Y, MaxSide)}
	case h.pixels() > l.Pixels:
		return &Error{Reason: ErrTooLarge, Detail: fmt.Sprintf("it has too many pixels: %d × %d; the limit is %d million", h.size.X, h.size.Y, l.Pixels/1_000_000)}
	}
	return nil
}

// pixels is the number of pixels that the decoder allocates.
func (h *header) pixels() int64 {
	return max(int64(h.size.X)*int64(h.size.Y), int64(h.allocated.X)*int64(h.allocated.Y))
}

// memory estimates what decoding takes, in bytes, with some rows that decoders keep.
func (h *header) memory() int64 {
	return int64(float64(h.pixels())*h.perPixel) + h.extra + 32*int64(max(h.size.X, h.allocated.X))
}

// fullCost is the memory for decoding in full size. Pixels that are not NRGBA or RGBA,
// or that have to be turned, are copied.
func (h *header) fullCost(o Orientation) int64 {
	cost := h.memory() + stripCost(h.size.X, 4)
	if !h.usable || o.Turned() {
		cost += 4 * h.pixels()
	}
	return cost
}

// cores is how many strips are processed at the same time.
func cores() int { return min(runtime.GOMAXPROCS(0), maxCores) }

// stripCost is the memory of the strips of a picture w pixels wide.
func stripCost(w int, perPixel int64) int64 {
	return int64(cores()) * perPixel * int64(max(w, stripPixels))
}

// ReducedCost is the memory in bytes that [Reduced] takes beside the source, with that
// for turning the result upright.
func ReducedCost(size image.Point, side int) int64 {
	k := reduction(size, side)
	w, h := int64((size.X+k-1)/k), int64((size.Y+k-1)/k)
	return 2*4*w*h + stripCost(size.X, 4) + int64(cores())*32*w
}

// ScaleCost is the memory in bytes that [Scale] takes beside the source.
func ScaleCost(from, to image.Point) (cost int64) {
	if k := shrinkage(from, to); k > 1 {
		cost = ReducedCost(from, (max(from.X, from.Y)+k-1)/k)
		from = image.Pt((from.X+k-1)/k, (from.Y+k-1)/k)
	}
	weights := func(have, want int) int64 { return 32*int64(want) + 4*int64(5*max(have, want)) }
	return cost + 4*int64(to.X)*int64(to.Y) + weights(from.X, to.X) + weights(from.Y, to.Y) + int64(cores())*16*int64(from.X)
}

// EncodeCost is the memory in bytes that encoding a picture of that size takes: the
// compressed strips, which can be as large as the pixels, and the file.
func EncodeCost(size image.Point) int64 {
	return 8*int64(size.X)*int64(size.Y) + stripCost(size.X, 16)
}
