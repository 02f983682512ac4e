//go:build unix

package picture

import (
	"image"
	"os"

	"golang.org/x/sys/unix"
)

// MeasureWindow asks the operating system for the size of the terminal, which
// is the one way that works everywhere and costs no answer. It is zero where
// that is not known.
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
