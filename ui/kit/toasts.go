package kit

import (
	"image"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Level is how much a message matters.
type Level int

// The levels of a message.
const (
	Info Level = iota
	Good
	Warn
	Bad
)

// How long a message stays, by what it says; and how many stay.
const (
	toastTime    = 5 * time.Second
	toastTimeBad = 12 * time.Second
	maxToasts    = 3
)

// Toast is a short message over the screen.
type Toast struct {
	// Level is how much it matters.
	Level Level
	// Text is one sentence.
	Text string
	// Detail is the whole story, for who asks; empty for none.
	Detail string
}

// ToastTick tells [Toasts] that a message's time may be over. It goes to
// Toasts.Update and means nothing to others.
type ToastTick struct{ generation int }

// Toasts is a stack of short messages that go away by themselves. One timer at
// most runs for all of them.
type Toasts struct {
	now        func() time.Time
	shown      []timedToast
	last       Toast
	generation int
}

type timedToast struct {
	Toast
	until time.Time
}

// NewToasts makes an empty stack. The clock now is time.Now outside of tests.
func NewToasts(now func() time.Time) *Toasts { return &Toasts{now: now} }

// Push shows a message and returns the command that will take it away. A
// message that is shown already stays for its full time again.
func (t *Toasts) Push(toast Toast) tea.Cmd {
	t.shown = slices.DeleteFunc(t.shown, func(s timedToast) bool { return s.Toast == toast })
	stay := toastTime
	if toast.Level == Bad || toast.Level == Warn {
		stay = toastTimeBad
	}
	t.shown = append(t.shown, timedToast{toast, t.now().Add(stay)})
	t.shown = t.shown[max(0, len(t.shown)-maxToasts):]
	t.last = toast
	return t.arm()
}

// Update takes away what has been shown long enough, when the message is a
// [ToastTick]. It tells whether it was.
func (t *Toasts) Update(msg tea.Msg) (tea.Cmd, bool) {
	tick, ok := msg.(ToastTick)
	if !ok || tick.generation != t.generation {
		return nil, ok
	}
	now := t.now()
	t.shown = slices.DeleteFunc(t.shown, func(s timedToast) bool { return !now.Before(s.until) })
	return t.arm(), true
}

// Dismiss takes the newest message away, and tells whether there was one.
func (t *Toasts) Dismiss() bool {
	if len(t.shown) == 0 {
		return false
	}
	t.shown = t.shown[:len(t.shown)-1]
	return true
}

// Len is how many messages are shown.
func (t *Toasts) Len() int { return len(t.shown) }

// Last is the newest message, also when its time is over, so that its detail
// can still be read. The zero Toast where there was none.
func (t *Toasts) Last() Toast { return t.last }

// arm waits until the time of the first message is over. Earlier ticks become void.
func (t *Toasts) arm() tea.Cmd {
	t.generation++
	if len(t.shown) == 0 {
		return nil
	}
	first := slices.MinFunc(t.shown, func(a, b timedToast) int { return a.until.Compare(b.until) })
	tick := ToastTick{t.generation}
	return tea.Tick(max(time.Millisecond, first.until.Sub(t.now())), func(time.Time) tea.Msg { return tick })
}

// View draws the messages under each other as a block no larger than room, the
// newest last; empty where there are none. Lay it over a corner of the screen
// with [Overlay].
func (t *Toasts) View(room image.Point, th *theme.Theme) string {
	if len(t.shown) == 0 || room.X < 3 || room.Y < 1 {
		return ""
	}
	width := min(room.X, 60)
	var blocks []string
	left := room.Y
	for i := len(t.shown) - 1; i >= 0 && left > 0; i-- {
		block := toastBlock(t.shown[i].Toast, width, left, th)
		left -= Size(block).Y
		blocks = append([]string{block}, blocks...)
	}
	return strings.Join(blocks, "\n")
}

func toastBlock(toast Toast, width, height int, th *theme.Theme) string {
	sign, style, title := theme.SignInfo, th.ToastInfo, "Note"
	switch toast.Level {
	case Good:
		sign, style, title = theme.SignGood, th.ToastGood, "Done"
	case Warn:
		sign, style, title = theme.SignWarn, th.ToastWarn, "Careful"
	case Bad:
		sign, style, title = theme.SignBad, th.ToastBad, "Failed"
	case Info:
	}
	if height < 3 || width < 12 {
		return style.Render(text.PadRight(th.Glyph(sign)+" "+text.Safe(toast.Text), width))
	}
	lines := text.Wrap(text.Safe(toast.Text), width-4)
	// A message is short; who wants more reads it whole.
	lines = lines[:min(len(lines), height-2, 3)]
	size := Size(strings.Join(lines, "\n"))
	for i, line := range lines {
		lines[i] = " " + line
	}
	w := min(width, max(size.X+4, text.Width(title)+10))
	return box(image.Pt(w, len(lines)+2), th.Shape, style, style, th.Muted,
		th.Glyph(sign)+" "+title, "", strings.Join(lines, "\n"))
}
