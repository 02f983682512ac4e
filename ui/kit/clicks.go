package kit

import (
	"image"
	"time"

	tea "charm.land/bubbletea/v2"
)

// doubleTime is how soon a second click makes a double click.
const doubleTime = 400 * time.Millisecond

// Clicks tells double clicks from single ones: terminals report only single
// ones.
type Clicks struct {
	now  func() time.Time
	at   image.Point
	last time.Time
}

// NewClicks begins to watch. The clock now is time.Now outside of tests.
func NewClicks(now func() time.Time) *Clicks { return &Clicks{now: now} }

// Double takes every click of the left button and tells whether it is the
// second of two on the same cell. A third click is a first one again.
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
