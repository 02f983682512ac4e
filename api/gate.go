package api

import (
	"sync"
	"time"
)

// gate keeps the body of a request with Expect: 100-continue back.
//
// A service that refuses such a request and keeps the connection is owed the
// body, and net/http begins to send it beside the answer: megabytes of a file
// that nobody wants. Giving up the connection costs less.
type gate struct {
	heard signal // the service said something
	asked signal // namely, that it wants the body
	over  signal // nobody wants anything any more
}

// answerTime is how long an answer that came instead of the wish for a body may
// take to be read. What was no answer then, such as an early hint, is passed
// over: the body goes.
const answerTime = 5 * time.Second

func newGate() *gate { return &gate{heard: newSignal(), asked: newSignal(), over: newSignal()} }

// pass reports whether the body may go. The transport begins with it when it is
// asked for, when nothing is said for some time, and when there is an answer:
// that one must be read first, since a body that fails would take it along.
func (g *gate) pass() bool {
	select {
	case <-g.heard.given:
	default:
		return true
	}
	late := time.NewTimer(answerTime)
	defer late.Stop()
	select {
	case <-g.asked.given:
	case <-late.C:
		g.asked.give()
	case <-g.over.given:
		return false
	}
	return true
}

// signal is given once, by whoever comes first.
type signal struct {
	given chan struct{}
	once  *sync.Once
}

func newSignal() signal { return signal{given: make(chan struct{}), once: new(sync.Once)} }

func (s signal) give() { s.once.Do(func() { close(s.given) }) }
