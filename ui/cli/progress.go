package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// progressEvery is the interval for drawing progress.
const progressEvery = 250 * time.Millisecond

// Default terminal size, and limits for drawing.
const (
	usualWidth, usualHeight = 80, 24
	barWidth                = 20
	maxBars                 = 12
)

// progress draws the progress of uploads below the output. The zero value has drawn nothing.
type progress struct {
	w     io.Writer
	drawn int // lines on the screen
}

// draw replaces the drawn lines, or removes them if there are no others. The cursor stays in the last
// one.
func (d *progress) draw(lines ...string) {
	if d.drawn+len(lines) == 0 {
		return
	}
	up := text.If(d.drawn > 1, fmt.Sprintf("\x1b[%dA", d.drawn-1))
	fmt.Fprint(d.w, "\r"+up+"\x1b[J"+strings.Join(lines, "\r\n"))
	d.drawn = len(lines)
}

// size returns the size of the terminal in columns and rows.
func (d *progress) size() (w, h int) {
	if out, ok := d.w.(*os.File); ok {
		if w, h, err := term.GetSize(out.Fd()); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return usualWidth, usualHeight
}

// await waits for a job and draws the progress of all.
func (o *uploadOutput) await(ctx context.Context, s *session.Session, id int64) ([]api.Job, error) {
	if !o.live {
		return s.Queue.Wait(ctx, []int64{id})
	}
	for {
		short, cancel := context.WithTimeout(ctx, progressEvery)
		jobs, err := s.Queue.Wait(short, []int64{id})
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			o.progress.draw()
			return jobs, err
		}
		o.progress.draw(progressLines(s.Queue.Snapshot(), time.Now(), o.progress.size)...)
	}
}

// progressLines returns a line with a bar for each running upload, and one for all.
func progressLines(s session.Snapshot, now time.Time, size func() (w, h int)) []string {
	w, h := size()
	most := max(1, min(maxBars, h-3))
	var lines []string
	active := 0
	for _, row := range s.Rows {
		done := row.Sent
		switch {
		case row.Fetching:
			done = row.Fetched
		case row.Job.State != api.Sending:
			continue
		}
		if active++; active <= most {
			lines = append(lines, barLine(text.Safe(row.Job.Upload.Source.Name()), done, row.Total, rowStatus(&row), w))
		}
	}
	if more := active - most; more > 0 {
		lines = append(lines, text.Truncate("and "+text.Count(more)+" more", max(1, w-1)))
	}
	return append(lines, barLine(text.Count(s.Totals.Count[api.Stored])+" of "+text.Count(s.Totals.Jobs)+" stored", s.Totals.Sent, s.Totals.Total, totalStatus(s, now), w))
}

// barLine returns a name, a bar and a status. It leaves the last column free.
func barLine(name string, done, total int64, status string, w int) string {
	bar := ""
	if total > 0 {
		full := int(text.Share(done, total) * barWidth)
		bar = strings.Repeat("█", full) + strings.Repeat("░", barWidth-full) + "  "
	}
	names := max(8, w-1-barWidth-2-2-30)
	return text.Truncate(text.PadRight(text.TruncateMiddle(name, names), names)+"  "+bar+status, max(1, w-1))
}

// rowStatus describes the progress of one upload.
func rowStatus(row *session.Row) string {
	switch {
	case row.Fetching:
		return joinStatus("fetching", text.Percent(row.Fetched, row.Total, false), text.Rate(row.Rate))
	case row.Stalled:
		return "stalled"
	case row.Answer:
		return "waiting for the answer"
	}
	return joinStatus(text.Percent(row.Sent, row.Total, false), text.Rate(row.Rate))
}

// totalStatus describes the progress of all uploads.
func totalStatus(s session.Snapshot, now time.Time) string {
	t := s.Totals
	if o := s.Offline; !o.Since.IsZero() {
		return joinStatus("offline: "+text.Safe(o.Host), "next try "+text.In(o.Next, now))
	}
	failed, left := "", ""
	if n := t.Count[api.Refused] + t.Count[api.Unsent] + t.Count[api.Unknown]; n > 0 {
		failed = text.Count(n) + " failed"
	}
	if t.Left > 0 {
		left = text.Duration(t.Left) + " left"
	}
	return joinStatus(failed, text.Percent(t.Sent, t.Total, false), text.Rate(t.Rate), left)
}

func joinStatus(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}
