package uploads

import (
	"image"
	"strings"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// barFrom is the least height, in lines, for a bar below the totals.
const barFrom = 10

// listed implements the list's data source.
type listed struct{ *Model }

// ID returns the job's id.
func (l listed) ID(row int) int64 { return l.rows.row(row).Job.ID }

// Len returns the number of rows.
func (l listed) Len() int { return l.rows.all }

// Groups returns the jobs that match the filter, by batch.
func (l listed) Groups(filter string) []kit.Group { return l.rows.groups(filter) }

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string { return m.list.View(size, th) }

// Above returns the totals, a bar if it fits and jobs are unfinished, and warnings about the service or the
// journal.
func (l listed) Above(size image.Point, th *theme.Theme) []string {
	lines := []string{text.Truncate(l.drawTotals(th), size.X)}
	t := &l.rows.totals
	if whole := t.Jobs > 0 && t.Stored == t.Jobs; size.Y >= barFrom && (whole || t.Waiting+t.Sending > 0) {
		bar := kit.Progress{Done: t.Sent, Total: t.Total, Finished: whole, Stalled: l.rows.stalled()}
		lines = append(lines, bar.Row(size.X, th))
	}
	if err := l.rows.trouble; err != nil {
		lines = append(lines, th.Bad.Render(th.Glyph(theme.SignBad)+" The journal cannot be written: "+text.Safe(err.Error())))
	} else if o, now := l.rows.offline, l.o.Now(); !o.Since.IsZero() {
		lines = append(lines, th.Warn.Render(th.Glyph(theme.SignWarn)+" offline: "+text.Safe(o.Host)+" · next try "+text.In(o.Next, now)+" · r now"))
	} else if l.rows.hold.After(now) {
		lines = append(lines, th.Warn.Render(th.Glyph(theme.SignWarn)+" The service asked for a pause; sending goes on "+text.In(l.rows.hold, now)))
	}
	return lines
}

// drawTotals summarizes the uploads of this run.
func (l listed) drawTotals(th *theme.Theme) string {
	t := &l.rows.totals
	ofOthers := l.rows.ofOthers()
	if t.Jobs == 0 {
		words := "Nothing under way"
		if ofOthers > 0 {
			words = text.Plural(ofOthers, "upload") + " under way in another mediadesk"
		}
		if n := l.rows.all - l.rows.others; n > 0 {
			words += " · " + text.Plural(n, "earlier upload")
		}
		return th.Muted.Render(words)
	}
	var pace []string
	if rate := text.Rate(t.Rate); rate != "" {
		pace = append(pace, th.Text.Render(rate))
	}
	if t.Left > 0 {
		pace = append(pace, th.Text.Render("about "+text.About(t.Left)+" left"))
	}
	parts := summary(count{
		api.Stored: t.Stored, api.Refused: t.Refused, api.Unsent: t.Unsent, api.Unknown: t.Unknown,
		api.Sending: t.Sending, api.Waiting: t.Waiting, api.Offline: t.Offline, api.Processing: t.Processing, api.Cancelled: t.Cancelled,
	}, t.Paused, th, pace...)
	if ofOthers > 0 {
		parts = append(parts, th.Muted.Render(text.Count(ofOthers)+" in another mediadesk"))
	}
	if marked := l.list.MarkedNote(); marked != "" {
		parts = append(parts, th.Marked.Render(marked))
	}
	return strings.Join(parts, th.Muted.Render(" · "))
}

// Empty explains why the list is empty.
func (l listed) Empty() string {
	switch filter, _ := l.list.Filter(); {
	case filter != "" && l.rows.all > 0:
		return "No upload has this in its name or state. Press esc to clear the filter."
	case !l.rows.read:
		return "Reading what was sent…"
	}
	return "No uploads yet. Press 1 to pick files."
}

// Head returns the title and the summary of a batch.
func (l listed) Head(key string, th *theme.Theme) (name, note string) {
	b := l.rows.batches[key]
	return b.title(), b.summary(th)
}

// Columns returns the columns for a list of the given width. Names get the spare width.
func (l listed) Columns(width int) kit.Columns {
	cols := kit.Columns{
		{Name: "Name", Width: 16, Flex: 4, Middle: true},
		{Name: "Size", Width: 9, Right: true, Spare: 3},
		{Name: "State", Width: 14},
		{Name: "Progress or target", Width: 24, Flex: 1, Spare: 1},
	}
	if width < kit.StackedWidth {
		cols[0].Width = 8
	}
	if width >= 92 {
		cols[1].Width = 18
	}
	return cols
}

// Cells returns the cells of a job. A job being sent has a bar in place of its target.
func (l listed) Cells(n int, widths []int, th *theme.Theme) []kit.Cell {
	r, now := l.rows.row(n), l.o.Now()
	mark := sign(r)
	size := bytes(r)
	if widths[1] > 0 && text.Width(size) > widths[1] {
		size = text.Bytes(r.Total)
	}
	style := th.SignStyle(mark)
	words, rest := th.Text, th.Muted
	if mark == theme.SignNone || r.earlier && !failed(r.Job.State) {
		words, style = th.Muted, th.Muted
	}
	if failed(r.Job.State) {
		rest = style
	}
	progress := text.Safe(note(r, now))
	switch {
	case r.Job.State == api.Stored && progress == "":
		progress = text.ShortName(target(r.Job), widths[3])
	case r.Fetching, r.Job.State == api.Sending && !r.earlier:
		bar := kit.Progress{Done: max(r.Sent, r.Fetched), Total: r.Total, Stalled: r.Stalled}.Bar(max(4, min(10, widths[3]-text.Width(progress)-1)), th)
		progress = bar + " " + rest.Render(progress)
		rest = th.Text
	}
	return []kit.Cell{
		{Text: name(r.Job), Style: words},
		{Text: size, Style: th.Muted},
		{Text: th.Glyph(mark) + " " + status(r), Style: style},
		{Text: progress, Style: rest},
	}
}

// Brief returns what the columns of a small screen leave out.
func (l listed) Brief(e kit.Entry) string {
	if e.Head() {
		return l.rows.batches[e.Key].summary(&theme.Theme{})
	}
	r := l.rows.row(e.Row)
	words := note(r, l.o.Now())
	if words == "" {
		return strings.Trim(target(r.Job)+" · "+bytes(r), " ·")
	}
	return strings.Trim(bytes(r)+" · "+words, " ·")
}
