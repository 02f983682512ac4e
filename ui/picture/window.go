package picture

import "image"

// WindowPixels is the size of the terminal according to the operating system.
type WindowPixels struct{ Cells, Pixels image.Point }
