package kit

import (
	"strings"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Progress is what one row of progress shows. The zero value has not begun.
type Progress struct {
	// Done and Total are bytes. Total is 0 or less where it is not known.
	Done, Total int64
	// Finished is true when the act is done: only then the bar is full.
	Finished bool
	// Stalled is true when nothing has moved for a while.
	Stalled bool
}

// Bar draws the progress, exactly width columns. The last cell is filled only
// when it is finished; with an unknown total there is no bar to fill.
func (p Progress) Bar(width int, th *theme.Theme) string {
	if width < 1 {
		return ""
	}
	cells := int(text.Share(p.Done, p.Total) * float64(width))
	if cells >= width {
		cells = width - 1
	}
	if p.Finished {
		cells = width
	}
	done, rest := th.BarGlyphs()
	style := th.Bar
	if p.Stalled && !p.Finished {
		style = th.BarStalled
	}
	out := ""
	if cells > 0 {
		out = style.Render(strings.Repeat(done, cells))
	}
	if cells < width {
		out += th.BarEmpty.Render(strings.Repeat(rest, width-cells))
	}
	return out
}

// Row draws bar, percent and bytes in one line of exactly width columns; what
// does not fit is left out, the bar last.
func (p Progress) Row(width int, th *theme.Theme) string {
	percent := text.PadLeft(text.Percent(p.Done, p.Total, p.Finished), 5)
	bytes := text.Bytes(max(0, p.Done))
	if p.Total > 0 {
		bytes += " of " + text.Bytes(p.Total)
	}
	const leastBar = 8
	switch {
	case width >= leastBar+1+5+2+text.Width(bytes):
		bar := width - 1 - 5 - 2 - text.Width(bytes)
		return p.Bar(bar, th) + " " + percent + "  " + th.Muted.Render(bytes)
	case width >= leastBar+1+5:
		return p.Bar(width-6, th) + " " + percent
	default:
		return p.Bar(width, th)
	}
}
