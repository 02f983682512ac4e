package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"mediadesk/api/job"
	"mediadesk/api/queue"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

const barWidth = 20

// await waits for a job and draws the progress of all in one line below the output.
func (o *uploadOutput) await(ctx context.Context, s *session.Session, id int64) ([]job.Job, error) {
	for {
		short, cancel := context.WithTimeout(ctx, 250*time.Millisecond)
		if !o.live {
			short = ctx
		}
		jobs, err := s.Queue.Wait(short, []int64{id})
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			o.draw("")
			return jobs, err
		}
		width := helpWidth
		if out, ok := o.p.Stderr.(*os.File); ok {
			if w, _, err := term.GetSize(out.Fd()); err == nil && w > 0 {
				width = w
			}
		}
		o.draw(progressLine(s.Queue.Snapshot(), time.Now(), width))
	}
}

func (o *uploadOutput) draw(line string) {
	if o.drawn || line != "" {
		fmt.Fprint(o.p.Stderr, "\r\x1b[K"+line)
	}
	o.drawn = line != ""
}

func progressLine(s queue.Snapshot, now time.Time, w int) string {
	t := s.Totals
	full := int(text.Share(t.Sent, t.Total) * barWidth)
	words := []string{
		text.Count(t.Count[job.Stored]) + " of " + text.Count(t.Jobs) + " stored  " + strings.Repeat("█", full) + strings.Repeat("░", barWidth-full),
		text.Percent(t.Sent, t.Total, false), text.Rate(t.Rate),
	}
	if t.Left > 0 {
		words = append(words, text.Duration(t.Left)+" left")
	}
	if n := t.Count[job.Refused] + t.Count[job.Unsent] + t.Count[job.Unknown]; n > 0 {
		words = append(words, text.Count(n)+" failed")
	}
	if o := s.Offline; !o.Since.IsZero() {
		words = append(words, "offline: "+text.Safe(o.Host), "next try "+text.In(o.Next, now))
	}
	for i := range s.Rows {
		row := &s.Rows[i]
		if row.Job.State == job.Sending {
			state := text.If(row.Stalled, ": stalled") + text.If(row.Answer && !row.Stalled, ": waiting for the answer")
			words = append(words, text.Safe(row.Job.Upload.Source.Name())+state)
		}
	}
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	return text.Truncate(strings.Join(words, " · "), max(1, w-1))
}
