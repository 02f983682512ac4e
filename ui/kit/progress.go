package kit

import (
	"charm.land/bubbles/v2/progress"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Progress is the progress of a job. The zero value means not started.
type Progress struct {
	// Done and Total are bytes. Total is 0 or less if unknown.
	Done, Total int64
	// Finished means that the job is done: only then is the bar full.
	Finished bool
	// Stalled means that nothing has moved for a while.
	Stalled bool
}

// Bar draws the bar, exactly width columns. The last cell is filled only if Finished is
// set. If the total is unknown, the bar is empty.
func (p Progress) Bar(width int, th *theme.Theme) string {
	if width < 1 {
		return ""
	}
	style, share := th.Bar, min(text.Share(p.Done, p.Total), 1-1/float64(width))
	if p.Stalled {
		style = th.BarStalled
	}
	if p.Finished {
		style, share = th.Bar, 1
	}
	full, rest := th.BarGlyphs()
	bar := progress.New(progress.WithWidth(width), progress.WithoutPercentage(),
		progress.WithFillCharacters(full, rest),
		progress.WithColors(style.GetForeground()))
	bar.EmptyColor = th.BarEmpty.GetForeground()
	return bar.ViewAs(share)
}

// Row draws the bar, the percentage and the bytes in one line of exactly width columns.
// It leaves out what does not fit, the bar last.
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
