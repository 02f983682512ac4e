//go:build unix

package picture

import (
	"image"
	"os"

	"golang.org/x/sys/unix"
)

// MeasureWindow asks the operating system for the terminal size, without a query. Zero if unknown.
func MeasureWindow(f *os.File) WindowPixels {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return WindowPixels{}
	}
	return WindowPixels{
		Cells:  image.Pt(int(size.Col), int(size.Row)),
		Pixels: image.Pt(int(size.Xpixel), int(size.Ypixel)),
	}
}
