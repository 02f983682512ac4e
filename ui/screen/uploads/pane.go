package uploads

import (
	"fmt"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Describe shows all details of a job, or a summary of a batch.
func (l listed) Describe(e kit.Entry, f *kit.Facts) (title string) {
	if e.Head() {
		return l.rows.batches[e.Key].describe(f, l.o.Now())
	}
	r := l.rows.row(e.Row)
	describe(f, r, l.o.Now(), f.Theme())
	return name(r.Job)
}

// describe shows a summary of the batch.
func (b *batch) describe(f *kit.Facts, now time.Time) (title string) {
	th := f.Theme()
	for _, part := range summary(b.count, b.paused, &theme.Theme{}) {
		f.Say(th.Text, part)
	}
	f.Gap()
	if b.count.failed() > 0 {
		f.Say(th.Accent, "r sends those that failed again.")
	}
	f.Say(th.Muted, "enter folds or unfolds the batch, space marks it.")
	f.Gap()
	f.Fact("To", b.folder)
	f.Fact("Queued", text.When(b.at, now))
	return b.title()
}

func describe(f *kit.Facts, r row, now time.Time, th *theme.Theme) {
	job := r.Job
	mark := sign(r)
	f.Say(th.SignStyle(mark), strings.TrimSpace(th.Glyph(mark)+" "+status(r)))
	if job.State == api.Sending || r.Fetching || job.Move == api.MoveKept {
		f.Say(th.Text, note(r, now))
	} else if job.State == api.Waiting && !r.Next.IsZero() {
		f.Say(th.Text, "It is tried again "+text.In(r.Next, now)+".")
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
			f.Fact("Response", fmt.Sprint("status ", bad.Status))
		}
		f.Fact("Request id", bad.RequestID)
	}
	f.Fact("From", job.Upload.Source.String())
	to := "To"
	if job.State == api.Stored {
		to = "Stored as"
	}
	f.Fact(to, target(job))
	f.Fact("Size", describeSize(r))
	f.Fact("Attempts", attempts(job))
	f.Fact("Hash", job.Hash)
	f.Fact("Tags", strings.Join(job.Upload.Tags.Or(nil), ", "))
	f.Fact("Extensions", extensionNames(job))
	f.Fact("Left behind", strings.Join(job.Lost, ", "))
	f.Fact("Move", map[api.Move]string{
		api.MoveAfter: "deletes the file from " + job.Upload.Source.Origin.Profile + " when it is stored",
		api.MoveDone:  "deleted from " + job.Upload.Source.Origin.Profile,
		api.MoveKept:  "not deleted from " + job.Upload.Source.Origin.Profile,
	}[job.Move])
	f.Fact("Queued", text.When(job.Created, now))
	if !job.State.Open() {
		f.Fact("Finished", text.When(job.Updated, now))
	}
	if file := job.File; file != nil {
		f.Fact("File id", file.FileID)
		f.Fact("URL", file.URL)
	}
}

func describeSize(r row) string {
	if r.Total <= 0 {
		return ""
	}
	words := bytes(r)
	if percent := text.Percent(r.Sent, r.Total, r.Job.State == api.Stored); r.Sent > 0 && percent != "" {
		words += ", " + percent
	}
	return words
}

func attempts(job *api.Job) string {
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
