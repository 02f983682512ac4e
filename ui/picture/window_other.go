//go:build !unix

package picture

import "os"

// MeasureWindow returns zero: this system does not know the size in pixels.
func MeasureWindow(*os.File) WindowPixels { return WindowPixels{} }
