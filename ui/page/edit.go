package page

import "image"

// FileGone reports that a file no longer exists.
type FileGone struct{ FileID string }

// Pixels is a screen that can use mouse positions in pixels.
type Pixels interface {
	// WantsPixels reports whether it needs them now.
	WantsPixels() bool
}

// Pointer precedes a mouse message if the terminal reports pixels. It holds the size of
// a cell and the position of the mouse within its cell.
type Pointer struct{ Cell, Within image.Point }
