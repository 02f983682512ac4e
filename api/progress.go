package api

import (
	"sync/atomic"
	"time"
)

// Progress counts the bytes of one upload while it runs. It may be read from
// any goroutine; nothing is sent anywhere, so reading it costs the upload
// nothing. The zero Progress is ready; nil may be passed where none is wanted.
type Progress struct {
	total    atomic.Int64
	sent     atomic.Int64
	moved    atomic.Int64 // time of the last byte, Unix nanoseconds
	complete atomic.Bool
	shown    atomic.Int64                 // what Sent returned last
	waiting  atomic.Pointer[func() int64] // bytes that wait in the kernel; nil: not known
	hash     atomic.Pointer[string]
}

// Total is the size of the request body in bytes; 0 before it is known.
func (p *Progress) Total() int64 { return p.total.Load() }

// Sent is how many bytes of the body went out: those that the transport took, but
// for those that wait in the kernel, where the system tells. It never falls.
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

// Complete reports whether the transport took the last byte.
func (p *Progress) Complete() bool { return p.complete.Load() }

// LastMove is when the last byte was taken, or seen to go out; zero before the first.
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

// reset says that what was counted did not go out.
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
