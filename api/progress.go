package api

import (
	"sync/atomic"
	"time"
)

// Progress counts the bytes of a running upload. It is safe for concurrent use. The zero value is
// ready; functions that take a *Progress accept nil.
type Progress struct {
	total    atomic.Int64
	sent     atomic.Int64
	moved    atomic.Int64 // time of the last byte, Unix nanoseconds
	complete atomic.Bool
	shown    atomic.Int64                 // last result of Sent
	waiting  atomic.Pointer[func() int64] // bytes in the kernel's send queue; nil if unknown
	hash     atomic.Pointer[string]
}

// Total returns the size of the request body in bytes; 0 if it is not known yet.
func (p *Progress) Total() int64 { return p.total.Load() }

// Sent returns the number of bytes sent: those that the transport read, minus those known to be in
// the kernel's send queue. It never decreases.
func (p *Progress) Sent() int64 {
	waiting := p.waiting.Load()
	if waiting == nil {
		return p.sent.Load()
	}
	out, shown := p.sent.Load()-(*waiting)(), p.shown.Load()
	if out <= shown {
		return shown
	}
	if p.shown.CompareAndSwap(shown, out) {
		p.moved.Store(time.Now().UnixNano())
	}
	return out
}

// Complete reports whether the transport read the last byte.
func (p *Progress) Complete() bool { return p.complete.Load() }

// LastMove returns the time when a byte was last read or sent; zero before the first.
func (p *Progress) LastMove() time.Time {
	n := p.moved.Load()
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

// Hash returns the hash of the sent bytes (see XXH128); empty before all are sent, and for a URL.
func (p *Progress) Hash() string {
	if text := p.hash.Load(); text != nil {
		return *text
	}
	return ""
}

// start begins a new attempt.
func (p *Progress) start(total int64) {
	p.total.Store(total)
	p.sent.Store(0)
	p.moved.Store(0)
	p.complete.Store(false)
	p.shown.Store(0)
	p.waiting.Store(nil)
	p.hash.Store(nil)
}

// reset discards the count because the bytes were not sent.
func (p *Progress) reset() {
	p.sent.Store(0)
	p.shown.Store(0)
	p.complete.Store(false)
}

func (p *Progress) add(n int) {
	sent := p.sent.Add(int64(n))
	p.moved.Store(time.Now().UnixNano())
	if sent >= p.total.Load() {
		p.complete.Store(true)
	}
}
