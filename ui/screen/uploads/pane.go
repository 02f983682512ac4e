package uploads

import (
	"fmt"
	"image"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// drawPane tells all that is known of the row under the cursor.
func (m *Model) drawPane(size image.Point, now time.Time, th *theme.Theme) string {
	r, ok := m.current()
	if !ok {
		return kit.Box("", "", size, false, th)
	}
	return m.pane.View(text.Safe(name(r.Job)), m.paneLines(size, now, th), size, m.focus == onPane, th)
}

func (m *Model) paneLines(size image.Point, now time.Time, th *theme.Theme) []string {
	r, ok := m.current()
	if !ok {
		return nil
	}
	f := kit.NewFacts(kit.PaneWidth(size), th)
	describe(f, r, now, th)
	return f.Lines()
}

func describe(f *kit.Facts, r row, now time.Time, th *theme.Theme) {
	job := r.Job
	mark := sign(r)
	f.Say(th.SignStyle(mark), strings.TrimSpace(th.Glyph(mark)+" "+status(r)))
	if job.State == api.Sending {
		f.Say(th.Text, note(r, now))
	} else if job.State == api.Waiting && !r.Next.IsZero() {
		f.Say(th.Text, "It is tried again "+in(r.Next, now)+".")
	}
	if bad := job.Failure; bad != nil {
		style := th.SignStyle(mark)
		if !failed(job.State) {
			style = th.Text
		}
		f.Say(style, text.Sentence(bad.Message))
		if bad.Help != "" {
			f.Gap()
			f.Say(th.Text, bad.Help)
		}
	}
	if words := advice(r); words != "" {
		f.Gap()
		f.Say(th.Accent, words)
	}
	f.Gap()
	if bad := job.Failure; bad != nil {
		if bad.Status != 0 {
			f.Fact("Answer", fmt.Sprint("status ", bad.Status))
		}
		f.Fact("Request id", bad.RequestID)
	}
	f.Fact("From", job.Upload.Source.String())
	to := "To"
	if job.State == api.Stored {
		to = "Stored as"
	}
	f.Fact(to, place(job))
	f.Fact("Size", sizeWords(r))
	f.Fact("Tries", tries(job))
	f.Fact("Hash", job.Hash)
	f.Fact("Tags", strings.Join(job.Upload.Tags.Or(nil), ", "))
	f.Fact("Extensions", extensionNames(job))
	f.Fact("Handed over", moment(job.Created, now))
	if job.State.Final() {
		f.Fact("Ended", moment(job.Updated, now))
	}
	if file := job.File; file != nil {
		f.Fact("File id", file.FileID)
		f.Fact("URL", file.URL)
	}
}

func sizeWords(r row) string {
	if r.Total <= 0 {
		return ""
	}
	words := bytes(r)
	if percent := text.Percent(r.Sent, r.Total, r.Job.State == api.Stored); r.Sent > 0 && percent != "" {
		words += ", " + percent
	}
	return words
}

func tries(job *api.Job) string {
	if job.Attempts == 0 {
		return ""
	}
	return text.Count(job.Attempts)
}

func extensionNames(job *api.Job) string {
	var names []string
	for _, e := range job.Upload.Extensions.Or(nil) {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}
