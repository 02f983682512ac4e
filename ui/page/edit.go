package page

import "image"

// FileGone tells that a file is not there any more, from whichever part of the
// program learnt it.
type FileGone struct{ FileID string }

// Pixels is a screen that can use the mouse more finely than by cells.
type Pixels interface {
	// WantsPixels tells whether it does now.
	WantsPixels() bool
}

// Pointer comes before a mouse message where the terminal tells of the mouse by
// pixels: the size of a cell, and where in its cell the mouse is.
type Pointer struct{ Cell, Within image.Point }
