package picture

import "image"

// WindowPixels is the size of the terminal in cells and in pixels, as the
// operating system has it.
type WindowPixels struct{ Cells, Pixels image.Point }
