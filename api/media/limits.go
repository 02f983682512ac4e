package media

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

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
}

const (
	defaultPixels = 150_000_000
	defaultSide   = 2048

	// MaxSide is the maximum length of a side in pixels. The rows of longer ones would take more
	// memory than the picture itself.
	MaxSide = 1 << 20

	// maxWork is how many pixels are in memory at a time, at 4 to 8 bytes each. minWork is the
	// least that a picture counts, so that few are processed at a time.
	maxWork = 100_000_000
	minWork = maxWork / 4
)

func (l Limits) orDefaults() Limits {
	l.Pixels, l.Side = cmp.Or(l.Pixels, defaultPixels), cmp.Or(l.Side, defaultSide)
	l.Enough = cmp.Or(l.Enough, l.Side)
	return l
}

// work is shared by all work on pictures: previews, thumbnails, deliveries and extensions.
var work = semaphore.NewWeighted(maxWork)

// reserve waits until there is memory for a picture of some pixels. It returns an [*Error] at once
// if there never is, and the context's error if ctx ends.
func reserve(ctx context.Context, pixels int64) (release func(), err error) {
	if pixels > maxWork {
		return nil, &Error{Reason: ErrTooLarge, Detail: fmt.Sprintf("decoding it takes the memory of %d megapixels; the limit is %d", pixels/1_000_000, maxWork/1_000_000)}
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
func (h *header) allowed(l Limits) error {
	switch {
	case max(h.size.X, h.size.Y) > MaxSide:
		return &Error{Reason: ErrTooLarge, Detail: fmt.Sprintf("it has %d × %d pixels; no side may have more than %d", h.size.X, h.size.Y, MaxSide)}
	case h.pixels() > l.Pixels:
		return &Error{Reason: ErrTooLarge, Detail: fmt.Sprintf("it has too many pixels: %d × %d; the limit is %d million", h.size.X, h.size.Y, l.Pixels/1_000_000)}
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
