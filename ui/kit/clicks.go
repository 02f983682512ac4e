package kit

import (
	"image"
	"time"

	tea "charm.land/bubbletea/v2"
)

// doubleTime is the longest time between the clicks of a double click.
const doubleTime = 400 * time.Millisecond

// Clicks detects double clicks: terminals report only single ones.
type Clicks struct {
	now  func() time.Time
	at   image.Point
	last time.Time
}

// NewClicks returns a detector. The clock now is time.Now outside of tests.
func NewClicks(now func() time.Time) *Clicks { return &Clicks{now: now} }

// Double receives every click of the left button and reports whether it is the second
// of two on the same cell. A third click counts as a first one.
func (c *Clicks) Double(msg tea.MouseClickMsg) bool {
	if msg.Button != tea.MouseLeft {
		return false
	}
	now, at := c.now(), image.Pt(msg.X, msg.Y)
	double := !c.last.IsZero() && at == c.at && now.Sub(c.last) <= doubleTime
	c.at, c.last = at, now
	if double {
		c.last = time.Time{}
	}
	return double
}
