package ui

import (
	"reflect"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// FramesPerSecond is how often the screen is drawn at most.
const FramesPerSecond = 120

// When the screen is drawn. The framework looks for changes by a clock that runs
// whether something changes or not: that alone takes more than a hundredth of a
// core, and a key waits for half of its period.
const (
	frameTime = time.Second / FramesPerSecond
	// soonTime is from a change after a rest to its frame: the framework takes the
	// view over in between.
	soonTime = time.Millisecond
	// hurryTime is how long the clock runs as fast as that: setting it anew takes a
	// tick back that nobody has taken yet, on a busy computer the one that is due.
	hurryTime = 5 * soonTime
	// restTime is how long nothing changes before the clock slows down: less than
	// between two keys of somebody who types fast, more than between a key and what
	// follows from it.
	restTime = 2 * frameTime
	// restFrameTime is the period of the slow clock. It draws what no change told of.
	restFrameTime = time.Second
)

// pace is how fast the clock of the frames runs.
type pace int

const (
	atRest pace = iota
	soon        // the next frame is due as soon as can be
	steady
)

// Frames sets the clock by which a program draws: at once after a rest, then
// steadily while something changes, and hardly while nothing does. The framework
// only knows one fixed period; its clock is its own, so this is the one place that
// looks into it. Where there is none as expected, everything is drawn at the fixed
// period.
type Frames struct {
	program *tea.Program
	looked  bool

	mu      sync.Mutex
	ticker  *time.Ticker
	pace    pace
	changed time.Time   // the last time
	next    *time.Timer // when the pace changes
}

// Pace takes the frames of a program in hand, before it runs.
func (f *Frames) Pace(p *tea.Program) { f.program = p }

// change tells that there may be something new to draw. It is called by View, on
// the goroutine that made the clock.
func (f *Frames) change() {
	if f == nil || f.program == nil {
		return
	}
	if !f.looked {
		f.looked = true
		f.ticker = tickerOf(f.program)
	}
	if f.ticker != nil {
		f.due()
	}
}

// due has the next frame drawn soon.
func (f *Frames) due() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changed = time.Now()
	if f.pace != atRest {
		return // it runs
	}
	f.pace = soon
	f.ticker.Reset(soonTime)
	f.after(hurryTime)
}

// after changes the pace after a time.
func (f *Frames) after(d time.Duration) {
	if f.next == nil {
		f.next = time.AfterFunc(d, f.slow)
		return
	}
	f.next.Reset(d)
}

// slow slows the clock down by one step, unless something changed lately.
func (f *Frames) slow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	rest := restTime - time.Since(f.changed)
	switch {
	case f.pace == soon:
		f.pace = steady
		f.ticker.Reset(frameTime)
		f.after(rest)
	case rest > 0:
		f.after(rest)
	default:
		f.pace = atRest
		f.ticker.Reset(restFrameTime)
	}
}

// tickerOf is the clock of a program that runs; nil where it is not where it is
// looked for.
func tickerOf(p *tea.Program) *time.Ticker {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(field.UnsafePointer())
}
