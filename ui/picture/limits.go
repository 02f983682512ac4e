package picture

import (
	"context"
	"fmt"
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
	// larger picture is reduced while it is decoded. Zero means 2048, which is
	// more than a terminal shows.
	Side int
	// Enough is how many pixels of the longer side suffice: a JPEG that has as
	// many at an eighth of its size is decoded at an eighth, which takes a tenth
	// of the time. Zero means as many as Side.
	Enough int
	// Time is how long decoding may take, not counting the wait for memory; zero
	// means 20 seconds. It is looked at whenever the decoder reads.
	Time time.Duration
	// Budget is the memory shared by all decoding under way; nil means one of
	// 1 GiB that the whole program shares.
	Budget *Budget
}

const (
	defaultPixels = 150_000_000
	defaultSide   = 2048
	defaultBudget = 1 << 30
	defaultTime   = 20 * time.Second
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

// Budget is an amount of memory that decoders take turns using. It is safe for
// concurrent use.
type Budget struct {
	total int64
	sem   *semaphore.Weighted
}

// NewBudget makes a budget of that many bytes.
func NewBudget(bytes int64) *Budget {
	return &Budget{total: bytes, sem: semaphore.NewWeighted(bytes)}
}

// take waits until that many bytes are free. The caller must give them back with
// the returned function. What exceeds the whole budget is too large at once.
func (b *Budget) take(ctx context.Context, bytes int64) (release func(), err error) {
	if bytes > b.total {
		return nil, &Error{
			Reason: ErrTooLarge,
			Detail: fmt.Sprintf("decoding it takes about %d MB, %d MB are allowed; it can be sent without a preview", bytes>>20, b.total>>20),
		}
	}
	if err := b.sem.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	return func() { b.sem.Release(bytes) }, nil
}
