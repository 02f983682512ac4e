package kit

import (
	"fmt"
	"image"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Mode is a screen layout, chosen by the size of the terminal (design.md §4).
type Mode int

// The modes, from the smallest terminal to the largest.
const (
	// Tiny is a terminal too small to work in: show [TooSmall].
	Tiny Mode = iota
	// Narrow is one column.
	Narrow
	// Stacked has panes one above the other.
	Stacked
	// Wide has panes side by side.
	Wide
)

// The minimum sizes of the modes.
const (
	MinWidth     = 40
	MinHeight    = 12
	StackedWidth = 60
	WideWidth    = 100
)

// ModeOf returns the mode for a terminal of that size.
func ModeOf(size image.Point) Mode {
	switch {
	case size.X < MinWidth || size.Y < MinHeight:
		return Tiny
	case size.X >= WideWidth:
		return Wide
	case size.X >= StackedWidth:
		return Stacked
	default:
		return Narrow
	}
}

// ModeOfWidth returns the mode for a width in columns, ignoring the height: for
// screens, whose rectangle is lower than the terminal.
func ModeOfWidth(columns int) Mode {
	return ModeOf(image.Pt(columns, MinHeight))
}

// TooSmall draws the message for a terminal that is too small to work in, exactly
// filling size.
func TooSmall(size image.Point, th *theme.Theme) string {
	long := fmt.Sprintf("This terminal is %dx%d. mediadesk needs %dx%d: make it larger.",
		size.X, size.Y, MinWidth, MinHeight)
	need := fmt.Sprintf("%dx%d", MinWidth, MinHeight)
	for _, words := range []string{long, "Needs " + need, need} {
		if len(text.Wrap(words, size.X)) <= size.Y {
			return text.Fit(Paragraph(words, size.X, th.Warn), size.X, size.Y)
		}
	}
	return text.Fit(need, size.X, size.Y)
}
