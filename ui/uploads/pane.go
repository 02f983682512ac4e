package uploads

import (
	"fmt"
	"image"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
)

// text collects lines of a width.
type text struct {
	width int
	lines []string
	th    *theme.Theme
}

// say adds words from outside or from us, broken into lines.
func (t *text) say(style lipgloss.Style, words string) {
	for part := range strings.SplitSeq(strings.ReplaceAll(words, "\r\n", "\n"), "\n") {
		for _, line := range kit.Wrap(kit.Safe(part), t.width) {
			t.lines = append(t.lines, style.Render(line))
		}
	}
}

// gap adds an empty line between two parts.
func (t *text) gap() {
	if n := len(t.lines); n > 0 && t.lines[n-1] != "" {
		t.lines = append(t.lines, "")
	}
}

const labelWidth = 11

// fact adds a label with its value; nothing where the value is empty.
func (t *text) fact(label, value string) {
	if value == "" {
		return
	}
	if t.width < 3*labelWidth {
		t.say(t.th.Muted, label)
		t.say(t.th.Text, value)
		return
	}
	for i, line := range kit.Wrap(kit.Safe(value), t.width-labelWidth) {
		if i > 0 {
			label = ""
		}
		t.lines = append(t.lines, t.th.Label.Render(kit.PadRight(label, labelWidth))+t.th.Text.Render(line))
	}
}

// drawPane tells all that is known of the row under the cursor.
func (m *Model) drawPane(size image.Point, now time.Time, th *theme.Theme) string {
	r, ok := m.current()
	if !ok {
		return kit.Box("", "", size, false, th)
	}
	t := &text{width: kit.BoxInner(size).X, th: th}
	if t.width > 20 {
		t.width-- // a column of air at the right
	}
	describe(t, r, now)
	return m.pane.View(kit.Safe(name(r.Job)), t.lines, size, m.focus == onPane, th)
}

func describe(t *text, r row, now time.Time) {
	job, th := r.Job, t.th
	mark := sign(r)
	t.say(th.SignStyle(mark), strings.TrimSpace(th.Glyph(mark)+" "+status(r)))
	if job.State == api.Sending {
		t.say(th.Text, moving(r))
	} else if job.State == api.Waiting && !r.Next.IsZero() {
		t.say(th.Text, "It is tried again "+in(r.Next, now)+".")
	}
	if f := job.Failure; f != nil {
		style := th.SignStyle(mark)
		if !failed(job.State) {
			style = th.Text
		}
		t.say(style, f.Message)
		if f.Help != "" {
			t.gap()
			t.say(th.Text, f.Help)
		}
	}
	if words := advice(r); words != "" {
		t.gap()
		t.say(th.Accent, words)
	}
	t.gap()
	if f := job.Failure; f != nil {
		if f.Status != 0 {
			t.fact("Answer", fmt.Sprint("status ", f.Status))
		}
		t.fact("Request id", f.RequestID)
	}
	t.fact("From", job.Upload.Source.String())
	to := "To"
	if job.State == api.Stored {
		to = "Stored as"
	}
	t.fact(to, place(job))
	t.fact("Size", sizeWords(r))
	t.fact("Tries", tries(job))
	t.fact("Tags", strings.Join(job.Upload.Tags.Or(nil), ", "))
	t.fact("Extensions", extensionNames(job))
	t.fact("Handed over", moment(job.Created, now))
	if job.State.Final() {
		t.fact("Ended", moment(job.Updated, now))
	}
	if f := job.File; f != nil {
		t.fact("File id", f.FileID)
		t.fact("URL", f.URL)
	}
}

func sizeWords(r row) string {
	if r.Total <= 0 {
		return ""
	}
	words := bytes(r)
	if percent := kit.Percent(r.Sent, r.Total, r.Job.State == api.Stored); r.Sent > 0 && percent != "" {
		words += ", " + percent
	}
	return words
}

func tries(job *api.Job) string {
	if job.Attempts == 0 {
		return ""
	}
	return kit.Count(job.Attempts)
}

func extensionNames(job *api.Job) string {
	var names []string
	for _, e := range job.Upload.Extensions.Or(nil) {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}
